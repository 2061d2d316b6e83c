"""The judge of candidates: parses the text again, with NLTK's reader of WordNet."""

import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any
from unicodedata import normalize

from ...example import Example
from ...kb.lexicon.wordnet import nltk_reader
from ...kb.lexicon.wordnet.location import default_folder
from ...kb.triples import Triple, TripleStore, stop_words
from .agreement_judge import inflected, takes_plural
from .question import Question, QuestionList

_WORDS = re.compile(r"\w[\w+#]*")


def candidate_findings(
    example: Example,
    asked: QuestionList,
    store: TripleStore,
    wsd: str,
    nonsense_triples: Collection[Triple],
) -> list[str]:
    """Return what is wrong with a candidate."""
    claims = example.metadata
    number = claims["question"]["number"]
    if not 1 <= number <= len(asked.questions):
        return [f"no question {number} in the list"]
    question = asked.questions[number - 1]
    place, triple = claims["answer_at"], claims["triple"]
    if place not in (0, 2) or len(triple) != 3:
        return ["the triple has no such argument"]
    return [
        *_question_findings(claims["question"], question),
        *_text_findings(example, question),
        *_match_findings(claims, question),
        *_type_findings(claims, question, wsd),
        *_store_findings(claims, question, store),
        *_label_findings(claims, question, nonsense_triples),
    ]


def _question_findings(stated: dict[str, Any], question: Question) -> Iterator[str]:
    for name in ("word", "type", "relation", "argument"):
        should = getattr(question, name)
        if stated[name] != should:
            yield f"question.{name} is {stated[name]!r}, but the list says {should!r}"


def _text_findings(example: Example, question: Question) -> Iterator[str]:
    """Compare the texts with those made here from question and triple alone."""
    claims, mask = example.metadata, f"[{question.type.upper()}]"
    (first, relation, second), place = claims["triple"], claims["answer_at"]
    many = takes_plural(claims["triple"], place)
    if place == 0:
        own = inflected(relation, False, question.word != "who") if many else relation
        answer, masked = first, f"{mask} {own} {second}"
    else:
        answer, masked = second, f"{first} {relation} {mask}"
    wh = "who" if question.word == "who" else f"which {question.type}"
    rest = f"{question.relation} {question.argument}"
    agreed = inflected(question.relation, True) if many else question.relation
    stated, instance = f"{first} {relation} {second}", f"{answer} {agreed} {question.argument}"
    if claims["reversed"]:
        shown = f"{masked.replace(mask, f'which {question.type}', 1)}?\n{mask} {rest}."
        premise, hypothesis = instance, stated
    else:
        shown = f"{wh} {rest}?\n{masked}."
        premise, hypothesis = stated, instance
    texts = {
        "input": (example.input, "\n".join(map(_upper, shown.split("\n")))),
        "premise": (claims["premise"], f"{_upper(premise)}."),
        "hypothesis": (claims["hypothesis"], f"{_upper(hypothesis)}."),
        "task": (claims["task"], hashlib.sha256(example.input.encode()).hexdigest()[:12]),
    }
    for name, (has, should) in texts.items():
        if has != should:
            yield f"{name} is {has!r}, but question and triple make {should!r}"
    if example.choices:
        yield "a candidate has no choices"


def _upper(text: str) -> str:
    return text[0].upper() + text[1:] if text else text


def _match_findings(claims: dict[str, Any], question: Question) -> Iterator[str]:
    argument, wanted = claims["triple"][2 - claims["answer_at"]], question.argument
    if _content(argument) != _content(wanted):
        yield f"{argument!r} is not the question's argument {wanted!r}"
    if _lemmas(question.relation) in _relations(claims["triple"]):
        yield f"the relations {claims['triple'][1]!r} and {question.relation!r} are the same"


def _content(argument: str) -> frozenset[str]:
    """Return the content words without inflections; a stop word counts only at the end."""
    text = normalize("NFKC", argument).lower().replace("\u2019", "'")
    text = re.sub(r"\b((?:[^\W\d_]\.){2,})", lambda match: match[1].replace(".", ""), text)
    words = _WORDS.findall(re.sub(r"'s?\b|'", "", text).replace("_", " "))
    last = words[-1:] if words and words[-1] in stop_words() else []
    return frozenset([*(_noun(w) for w in words if w not in stop_words()), *last])


def _lemmas(relation: str) -> list[str]:
    return [_verb(w) for w in relation.lower().split() if w not in ("a", "an", "the")]


def _relations(triple: list[str]) -> list[list[str]]:
    """Return the lemmas of a relation and of its singular form."""
    one = inflected(triple[1], False) if takes_plural(triple, 0) else triple[1]
    return [_lemmas(triple[1]), _lemmas(one)]


@lru_cache(1 << 14)
def _noun(word: str) -> str:
    """Return the shortest base form; words of up to three letters have no ending."""
    reader = nltk_reader()
    if len(word) <= 3 and word not in reader._exception_map["n"]:
        return word
    return str(min([*reader._morphy(word, "n"), word], key=lambda base: (len(base), base == word)))


@lru_cache(1 << 14)
def _verb(word: str) -> str:
    """Return the base of an irregular form, else what morphy finds, else the word."""
    reader = nltk_reader()
    for base in reader._exception_map["v"].get(word, ()):
        if reader.morphy(base, "v", check_exceptions=False) == base:
            return str(base)
    return str(reader.morphy(word, "v") or word)


def _type_findings(claims: dict[str, Any], question: Question, wsd: str) -> Iterator[str]:
    reader = nltk_reader()
    types = reader.synsets((question.noun or question.type).replace(" ", "_"), "n")
    wanted = types[question.sense - 1] if len(types) >= question.sense else None
    if wanted is None or wanted.name() != claims["question"]["sense"]:
        yield f"{claims['question']['sense']} is not sense {question.sense} of {question.type!r}"
        return
    words = claims["triple"][claims["answer_at"]].split()
    ends = ("_".join(words[start:]) for start in range(len(words)))
    end, senses = next(
        ((end, s) for end in ends if (s := reader.synsets(end.lower(), "n"))), ("", [])
    )
    if claims["term"] != end.lower().replace("_", " "):
        yield f"term is {claims['term']!r}, but WordNet knows {end!r}"
        return
    if wsd == "usual":
        senses = _usual(end, senses)
    chosen = _chosen(senses, wanted, wsd, claims["triple"])
    if chosen is None or chosen.name() != claims["sense"]:
        yield f"sense is {claims['sense']}, but {wsd} chooses {chosen and chosen.name()}"
    else:
        for noun, sense in question.excluded_types:
            left_out = reader.synsets(noun.replace(" ", "_"), "n")[sense - 1]
            if chosen == left_out or left_out in chosen.closure(_hypernyms):
                yield f"{chosen.name()} is of the type {noun!r}, which is excluded"
    path = claims["path"]
    if not path or [path[0], path[-1]] != [claims["sense"], wanted.name()]:
        yield "the path does not lead from the answer's sense to the type's"
    elif chosen is not None:
        for low, high in pairwise(path):
            if high not in {synset.name() for synset in _hypernyms(reader.synset(low))}:
                yield f"{high} is not a hypernym of {low}"
                return


def _hypernyms(synset: Any) -> list[Any]:
    return [*synset.hypernyms(), *synset.instance_hypernyms()]


def _chosen(senses: list[Any], wanted: Any, wsd: str, triple: list[str]) -> Any:
    from nltk.wsd import lesk

    if wsd in ("any", "usual"):
        return next((s for s in senses if s == wanted or wanted in s.closure(_hypernyms)), None)
    sense = senses[0]
    if wsd == "lesk":
        sense = lesk(" ".join(triple).split(), "", "n", synsets=senses)
    return sense if sense == wanted or wanted in sense.closure(_hypernyms) else None


def _usual(word: str, senses: list[Any]) -> list[Any]:
    """Return the common senses: those listed, else the frequent ones that fit the word."""
    bases = [base for base in [word.lower(), *_bases(word.lower())] if base in _listed_senses()]
    if bases:
        names = _listed_senses()[bases[0]]
        return [nltk_reader().synset(name) for name in names]
    named = [sense for sense in senses if sense.instance_hypernyms()]
    if word[0].isupper() and named:
        senses = named
    elif senses[0] not in named:
        senses = [sense for sense in senses if sense not in named]
    person, first = "person.n.01", senses[0]
    tagged = _tagged_senses(word.lower())
    if not _is_a(first, person):
        place = first in named and _is_a(first, "location.n.01")
        if place or _is_a(first, "animal.n.01"):
            senses = [sense for sense in senses if not _is_a(sense, person)]
        else:
            senses = [
                sense
                for sense in senses
                if not _is_a(sense, person) or sense.name() in tagged or sense in named
            ]
    return [sense for n, sense in enumerate(senses) if n < _MAX_RANK or sense.name() in tagged]


_MAX_RANK = 6


def _is_a(synset: Any, name: str) -> bool:
    return any(above.name() == name for path in synset.hypernym_paths() for above in path)


@cache
def _listed_senses() -> dict[str, list[str]]:
    text = (Path(str(files("relsmith.kb.lexicon.wordnet"))) / "senses.txt").read_text(
        encoding="utf-8"
    )
    return {
        line.partition(":")[0]: line.partition(":")[2].split()
        for line in text.splitlines()
        if line[:1].isalpha()
    }


def _bases(word: str) -> list[str]:
    return [str(base) for base in nltk_reader()._morphy(word, "n")]


@lru_cache(1 << 12)
def _tagged_senses(word: str) -> frozenset[str]:
    """Return the senses of a word that are tagged in texts: the first of each base form."""
    reader = nltk_reader()
    return frozenset(
        sense.name()
        for base in _bases(word)
        for sense in [
            reader.synset_from_pos_and_offset("n", offset)
            for offset in reader._lemma_pos_offset_map[base]["n"][: _tagged_counts().get(base, 0)]
        ]
    )


@cache
def _tagged_counts() -> dict[str, int]:
    """Return the number of tagged senses of each noun, from index.noun."""
    tagged = {}
    for line in (default_folder() / "index.noun").read_text(encoding="utf-8").splitlines():
        if not line.startswith(" "):
            columns = line.split()
            tagged[columns[0]] = int(columns[-int(columns[2]) - 1])
    return tagged


def _label_findings(
    claims: dict[str, Any], question: Question, nonsense_triples: Collection[Triple]
) -> Iterator[str]:
    """Compare the expected label with the lists of the question."""
    should = ""
    relations, second = _relations(claims["triple"]), claims["answer_at"] == 2
    unsure = _relations_with(question.unsure, second)
    if any(relation in unsure for relation in relations):
        yield f"the relation {claims['triple'][1]!r} is unsure, and must not be in a candidate"
    if question.answered_by is not None and not claims["reversed"]:
        answers = _relations_with(question.answered_by, second)
        should = "yes" if any(relation in answers for relation in relations) else "no"
        if (*claims["triple"], claims["count"]) in nonsense_triples:
            should = "nonsense"
    if claims["expected"] != should:
        yield f"expected is {claims['expected']!r}, but the list of questions says {should!r}"


def _relations_with(relations: Sequence[str], second: bool) -> list[list[str]]:
    """Return the relations of a list whose answer comes second, or first."""
    return [_lemmas(one.removeprefix("~")) for one in relations if one.startswith("~") == second]


def _store_findings(
    claims: dict[str, Any], question: Question, store: TripleStore
) -> Iterator[str]:
    text = " ".join(claims["triple"])
    if (*claims["triple"], claims["count"]) not in _stored(store, question.argument):
        yield f"the store does not have {text!r} {claims['count']} times"


@lru_cache(16)
def _stored(store: TripleStore, argument: str) -> frozenset[tuple[Any, ...]]:
    return frozenset(store.about(argument))
