"""Relations from WordNet: meanings, derivations, and people.

Meanings are chosen by hand, in `chosen/`, since WordNet has senses that nobody uses: pairs by
semantic field, a line for each head (of hypernyms for each tail), and after `~` words that may be
of the field as well. A pair is false if no field has both of its words and WordNet does not derive
it in any sense.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from ...lexicon.wordnet import nltk_reader
from ...lexicon.wordnet.location import LICENCE
from ..lexical import closure
from ..relation import Block, Pair, Relation
from .vocabulary import MIN_ZIPF_IN_USE, MIN_ZIPF_KNOWN, frequent, is_decent, word_list, zipf

_SOURCE = "WordNet 3.0 (Princeton University, https://wordnet.princeton.edu)"
_MAX_HEADS = 500
_MIN_DEPTH = 4

_CHOSEN = Path(__file__).with_name("chosen")
_CHOSEN_SOURCE = f"{_SOURCE}, chosen and added to by hand"
_ASYMMETRIC = ("hypernyms", "hyponyms", "meronyms", "synonyms - intensity")


def meanings() -> Iterator[Relation]:
    """Yield the lexicographic relations: hypernyms, hyponyms, meronyms, synonyms, antonyms."""
    for path in sorted(_CHOSEN.glob("*.txt")):
        yield _meaning(path.stem, path.read_text(encoding="utf-8").splitlines())


def lexicon() -> Iterator[Relation]:
    """Yield the relations about derivations and people."""
    for name, head, tail, ending in (
        ("verb + tion", "v", "n", "[st]ion"),
        ("adjective + ity", "a", "n", "ity"),
        ("noun + ist", "n", "n", "ist"),
        ("noun + al", "n", "a", "al"),
    ):
        yield Relation(
            name,
            "derivational",
            tuple(_derived(head, tail, re.compile(rf"[a-z]+{ending}"))),
            kind=name,
            types=({"v": "verb", "a": "adj", "n": "noun"}[head], "derived word"),
            source=_SOURCE,
            licence=LICENCE,
        )
    yield _about_people("name - occupation", "occupation", _occupations())
    yield _about_people("name - nationality", "nationality", _nationality())


def _meaning(name: str, lines: list[str]) -> Relation:
    fields: dict[str, set[str]] = {}
    pairs: list[Pair] = []
    field = ""
    for line in lines:
        if line.startswith("["):
            field = line
            continue
        first, _, rest = line.partition(" " if line.startswith("~") else ": ")
        words = rest.split(", ")
        for word in (*words, *[first] * (first != "~")):
            fields.setdefault(word, set()).add(field)
        if first != "~":
            upward = name.startswith("hypernyms")
            pairs += [(word, first) if upward else (first, word) for word in words]
    kind = name.partition(" ")[0]
    known = dict.fromkeys(word for pair in pairs for word in pair)
    relation = Relation(
        name,
        "lexicographic",
        tuple(_with_more(pairs, kind, fields)),
        symmetric=name.startswith("antonyms") or name == "synonyms - exact",
        asymmetric=name.startswith(_ASYMMETRIC),
        kind=name if kind == "meronyms" else kind,
        types=("word", "word") if kind in ("synonyms", "antonyms") else ("noun", "noun"),
        source=_CHOSEN_SOURCE,
        licence=LICENCE,
        canonical=True,
        open="wider lexicon",
    )
    return replace(relation, excluded=_excluded(relation, {word: fields[word] for word in known}))


def _with_more(pairs: list[Pair], kind: str, fields: dict[str, set[str]]) -> Iterator[Pair]:
    """Yield the chosen pairs, and other hypernyms of their field by the first sense."""
    tails = list(dict.fromkeys(tail for _, tail in pairs))
    for head, chosen in pairs:
        yield head, chosen
        for tail in tails:
            more = kind == "hypernyms" and tail != chosen and fields[head] & fields[tail]
            if more and _is_usually(head, tail):
                yield head, tail


def _is_usually(low: str, high: str) -> bool:
    first, second = (nltk_reader().synsets(word.replace(" ", "_"), "n")[0] for word in (low, high))
    return second in _hypernyms(first)


def _excluded(relation: Relation, fields: dict[str, set[str]]) -> tuple[Block, ...]:
    """Return false pairs in blocks, words with the same false partners together."""
    derived = closure(relation)
    by_partners: dict[tuple[str, ...], list[str]] = {}
    for word, own in fields.items():
        partners = (
            other
            for other, theirs in fields.items()
            if not own & theirs and not (derived and derived(word, other))
        )
        by_partners.setdefault(tuple(sorted(partners)), []).append(word)
    return tuple((tuple(sorted(words)), false) for false, words in by_partners.items() if false)


def _about_people(name: str, tail: str, pairs: Iterable[Pair]) -> Relation:
    return Relation(
        name,
        "encyclopedic",
        tuple(pairs),
        kind=name,
        types=("name", tail),
        source=_SOURCE,
        licence=LICENCE,
    )


def _words(sense: Any, least: float = MIN_ZIPF_IN_USE) -> list[str]:
    """Return the known words of a sense, as they are written."""
    words = (name.replace("_", " ") for name in sense.lemma_names())
    return [word for word in words if zipf(word) >= least and word.islower() and is_decent(word)]


def _hypernyms(sense: Any) -> list[Any]:
    """Return all hypernyms, the nearest first, except the most general ones."""
    general: list[Any] = []
    near = [sense]
    while near:
        near = [high for low in near for high in [*low.hypernyms()] if high not in general]
        general += dict.fromkeys(near)
    return [high for high in general if high.min_depth() >= _MIN_DEPTH - 1]


def _derived(head: str, tail: str, ending: re.Pattern[str]) -> Iterator[Pair]:
    """Yield words that WordNet derives from one another and that have the ending."""
    wordnet = nltk_reader()
    wanted = ("a", "s") if tail == "a" else (tail,)
    count = 0
    for word in frequent():
        names: dict[str, None] = {}
        for sense in wordnet.synsets(word, head):
            for lemma in sense.lemmas():
                if lemma.name() == word:
                    for derived in lemma.derivationally_related_forms():
                        if derived.synset().pos() in wanted:
                            names[derived.name()] = None
        words = [name for name in names if _looks_derived(word, name, ending)]
        count += bool(words)
        if count > _MAX_HEADS:
            return
        yield from ((word, name) for name in words)


def _looks_derived(word: str, name: str, ending: re.Pattern[str]) -> bool:
    stem = word[: max(3, len(word) - 2)]
    longer = len(name) > len(word) and name.startswith(stem) and zipf(name) >= MIN_ZIPF_IN_USE
    return longer and ending.fullmatch(name) is not None and ending.fullmatch(word) is None


@cache
def _people() -> dict[str, list[Any]]:
    wordnet = nltk_reader()
    people: dict[str, list[Any]] = {}
    every = wordnet.synset("person.n.01").closure(lambda sense: sense.hyponyms())
    for kind in every:
        for person in kind.instance_hyponyms():
            names = [name.replace("_", " ") for name in person.lemma_names()]
            for name in names:
                first, _, last = name.partition(" ")
                plain = last.isalpha() and first not in word_list("titles")
                if plain and min(zipf(first), zipf(last)) >= MIN_ZIPF_KNOWN:
                    senses = people.setdefault(name, [])
                    senses += [person] if person not in senses else []
                    break
    return dict(sorted(people.items()))


def _occupations() -> Iterator[Pair]:
    for name, senses in _people().items():
        words = [
            word
            for sense in senses
            for kind in sense.instance_hypernyms()
            for word in _words(kind)[:1]
        ]
        yield from ((name, word) for word in dict.fromkeys(words))


def _nationality() -> Iterator[Pair]:
    """Yield nationalities by the first words of definitions, without people born elsewhere."""
    for name, senses in _people().items():
        texts = [sense.definition().replace("United States", "American") for sense in senses]
        if any("born in" in text for text in texts):
            continue
        starts = [text.replace("South African", "South-African").split()[:3] for text in texts]
        words = [word for start in starts for word in start if word in word_list("nationalities")]
        yield from ((name, word.replace("-", " ")) for word in dict.fromkeys(words))
