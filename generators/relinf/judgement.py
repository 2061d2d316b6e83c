"""The judge of candidates: reads the text back and asks NLTK's reader of WordNet, not our own."""

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
from ...kb.triples import STOP_WORDS, Triple, TripleStore
from .agreement_judge import inflected, takes_plural
from .question import Question, Questions

_WORDS = re.compile(r"\w[\w+#]*")


def judgement(
    example: Example,
    asked: Questions,
    store: TripleStore,
    wsd: str,
    senseless: Collection[Triple],
) -> list[str]:
    """What is wrong with a candidate."""
    claims = example.metadata
    number = claims["question"]["number"]
    if not 1 <= number <= len(asked.listed):
        return [f"there is no question {number}"]
    question = asked.listed[number - 1]
    place, triple = claims["answer_at"], claims["triple"]
    if place not in (0, 2) or len(triple) != 3:
        return ["the triple has no such argument"]
    return [
        *_question_findings(claims["question"], question),
        *_text_findings(example, question),
        *_match_findings(claims, question),
        *_type_findings(claims, question, wsd),
        *_store_findings(claims, question, store),
        *_label_findings(claims, question, senseless),
    ]


def _question_findings(told: dict[str, Any], question: Question) -> Iterator[str]:
    for name in ("word", "type", "relation", "argument"):
        should = getattr(question, name)
        if told[name] != should:
            yield f"question.{name} is {told[name]!r}, but the list says {should!r}"


def _text_findings(example: Example, question: Question) -> Iterator[str]:
    """Build the row's texts from the question and the triple alone, without the maker's words."""
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
    told, instance = f"{first} {relation} {second}", f"{answer} {agreed} {question.argument}"
    if claims["reversed"]:
        shown = f"{masked.replace(mask, f'which {question.type}', 1)}?\n{mask} {rest}."
        premise, hypothesis = instance, told
    else:
        shown = f"{wh} {rest}?\n{masked}."
        premise, hypothesis = told, instance
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
    """The words that count, as a set: no stop words unless last, no inflections."""
    text = normalize("NFKC", argument).lower().replace("\u2019", "'")
    text = re.sub(r"\b((?:[^\W\d_]\.){2,})", lambda match: match[1].replace(".", ""), text)
    words = _WORDS.findall(re.sub(r"'s?\b|'", "", text).replace("_", " "))
    last = words[-1:] if words and words[-1] in STOP_WORDS else []
    return frozenset([*(_noun(w) for w in words if w not in STOP_WORDS), *last])


def _lemmas(relation: str) -> list[str]:
    return [_verb(w) for w in relation.lower().split() if w not in ("a", "an", "the")]


def _relations(triple: list[str]) -> list[list[str]]:
    """The lemmas of a relation, and those of its form for one thing where the triple has more."""
    one = inflected(triple[1], False) if takes_plural(triple, 0) else triple[1]
    return [_lemmas(triple[1]), _lemmas(one)]


@lru_cache(1 << 14)
def _noun(word: str) -> str:
    """The shortest base form; short words have no ending to lose."""
    reader = nltk_reader()
    if len(word) <= 3 and word not in reader._exception_map["n"]:
        return word
    return str(min([*reader._morphy(word, "n"), word], key=lambda base: (len(base), base == word)))


@lru_cache(1 << 14)
def _verb(word: str) -> str:
    """An irregular form's base, else the word itself where it is one, else what morphy finds."""
    reader = nltk_reader()
    for base in reader._exception_map["v"].get(word, ()):
        if reader.morphy(base, "v", check_exceptions=False) == base:
            return str(base)
    return str(reader.morphy(word, "v") or word)


def _type_findings(claims: dict[str, Any], question: Question, wsd: str) -> Iterator[str]:
    reader = nltk_reader()
    kinds = reader.synsets((question.noun or question.type).replace(" ", "_"), "n")
    if (
        len(kinds) < question.sense
        or kinds[question.sense - 1].name() != claims["question"]["sense"]
    ):
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
    kind = kinds[question.sense - 1]
    if wsd == "usual":
        senses = _usual(end, senses)
    chosen = _chosen(senses, kind, wsd, claims["triple"])
    if chosen is None or chosen.name() != claims["sense"]:
        yield f"sense is {claims['sense']}, but {wsd} chooses {chosen and chosen.name()}"
    else:
        for noun, sense in question.without:
            left_out = reader.synsets(noun.replace(" ", "_"), "n")[sense - 1]
            if chosen == left_out or left_out in chosen.closure(_above):
                yield f"{chosen.name()} is of the kind {noun!r}, which is left out"
    path = claims["path"]
    if not path or [path[0], path[-1]] != [claims["sense"], kind.name()]:
        yield "the path does not lead from the answer's sense to the type's"
    elif chosen is not None:
        for low, high in pairwise(path):
            if high not in {synset.name() for synset in _above(reader.synset(low))}:
                yield f"{high} is no hypernym of {low}"
                return


def _above(synset: Any) -> list[Any]:
    return [*synset.hypernyms(), *synset.instance_hypernyms()]


def _chosen(senses: list[Any], kind: Any, wsd: str, triple: list[str]) -> Any:
    from nltk.wsd import lesk

    if wsd in ("any", "usual"):
        return next((s for s in senses if s == kind or kind in s.closure(_above)), None)
    sense = senses[0]
    if wsd == "lesk":
        sense = lesk(" ".join(triple).split(), "", "n", synsets=senses)
    return sense if sense == kind or kind in sense.closure(_above) else None


def _usual(word: str, senses: list[Any]) -> list[Any]:
    """The senses that a reader thinks of: those listed, else the frequent ones that fit."""
    bases = [base for base in [word.lower(), *_bases(word.lower())] if base in _listed()]
    if bases:
        names = _listed()[bases[0]]
        return [nltk_reader().synset(name) for name in names]
    named = [sense for sense in senses if sense.instance_hypernyms()]
    if word[0].isupper() and named:
        senses = named
    elif senses[0] not in named:
        senses = [sense for sense in senses if sense not in named]
    person, first = "person.n.01", senses[0]
    met = _met(word.lower())
    if not _is_a(first, person):
        place = first in named and _is_a(first, "location.n.01")
        if place or _is_a(first, "animal.n.01"):
            senses = [sense for sense in senses if not _is_a(sense, person)]
        else:
            senses = [
                sense
                for sense in senses
                if not _is_a(sense, person) or sense.name() in met or sense in named
            ]
    return [sense for n, sense in enumerate(senses) if n < _FREQUENT or sense.name() in met]


_FREQUENT = 6


def _is_a(synset: Any, name: str) -> bool:
    return any(above.name() == name for path in synset.hypernym_paths() for above in path)


@cache
def _listed() -> dict[str, list[str]]:
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
def _met(word: str) -> frozenset[str]:
    """The senses of a word that were met in texts: the first ones of each of its base forms."""
    reader = nltk_reader()
    return frozenset(
        sense.name()
        for base in _bases(word)
        for sense in [
            reader.synset_from_pos_and_offset("n", offset)
            for offset in reader._lemma_pos_offset_map[base]["n"][: _tagged().get(base, 0)]
        ]
    )


@cache
def _tagged() -> dict[str, int]:
    """How many senses of each noun were met in texts, as index.noun says before the senses."""
    tagged = {}
    for line in (default_folder() / "index.noun").read_text(encoding="utf-8").splitlines():
        if not line.startswith(" "):
            columns = line.split()
            tagged[columns[0]] = int(columns[-int(columns[2]) - 1])
    return tagged


def _label_findings(
    claims: dict[str, Any], question: Question, senseless: Collection[Triple]
) -> Iterator[str]:
    """What the question's lists say of the relation, read anew."""
    should = ""
    relations, second = _relations(claims["triple"]), claims["answer_at"] == 2
    unsure = _listed_with(question.unsure, second)
    if any(relation in unsure for relation in relations):
        yield f"the relation {claims['triple'][1]!r} is unsure, and not asked about"
    if question.answered_by is not None and not claims["reversed"]:
        answers = _listed_with(question.answered_by, second)
        should = "yes" if any(relation in answers for relation in relations) else "no"
        if (*claims["triple"], claims["count"]) in senseless:
            should = "nonsense"
    if claims["expected"] != should:
        yield f"expected is {claims['expected']!r}, but the list of questions says {should!r}"


def _listed_with(listed: Sequence[str], second: bool) -> list[list[str]]:
    """The relations of a list whose answer comes second, or first."""
    return [_lemmas(one.removeprefix("~")) for one in listed if one.startswith("~") == second]


def _store_findings(
    claims: dict[str, Any], question: Question, store: TripleStore
) -> Iterator[str]:
    said = " ".join(claims["triple"])
    if (*claims["triple"], claims["count"]) not in _told(store, question.argument):
        yield f"the store does not say {claims['count']} times {said!r}"


@lru_cache(16)
def _told(store: TripleStore, argument: str) -> frozenset[tuple[Any, ...]]:
    return frozenset(store.about(argument))
