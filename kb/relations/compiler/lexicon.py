"""Relations out of WordNet: what words mean, how they are derived, who people were.

What words mean is chosen by hand, in `chosen/`, since WordNet knows senses that nobody else does:
pairs by field, a line for each head (of hypernyms for each tail), after `~` words that may be of
the field as well. A pair is false where no field has both of its words and WordNet, whatever the
sense, does not derive it either.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from ...lexicon.wordnet import nltk_reader
from ..lexical import closure
from ..relation import Block, Pair, Relation
from .vocabulary import KNOWN, SEEN, frequent, is_decent, zipf

_SOURCE = "WordNet"
_LICENCE = "WordNet License (Princeton University)"
_MOST = 500
_DEEP = 4

_CHOSEN = Path(__file__).with_name("chosen")
_CHOSEN_SOURCE = "WordNet 3.0, chosen and added to by hand"
_ASYMMETRIC = ("hypernyms", "hyponyms", "meronyms", "synonyms - intensity")
# Said in WordNet of people; the United States are American.
_NATIONALITIES = (
    "American Australian Austrian Belgian Brazilian British Bulgarian Canadian Chilean Chinese "
    "Colombian Croatian Cuban Czech Danish Dutch Egyptian English Finnish French German Greek "
    "Hungarian Indian Iranian Irish Israeli Italian Jamaican Japanese Mexican Norwegian Pakistani "
    "Persian Polish Portuguese Prussian Roman Romanian Russian Scottish Serbian South-African "
    "Soviet Spanish Swedish Swiss Turkish Ukrainian Venezuelan Vietnamese Welsh"
).split()

_TITLES = "Baron Bishop Duke First King Lady Lord Pope President Prince Queen Saint Sir St.".split()


def meanings() -> Iterator[Relation]:
    """The lexicographic relations: hypernyms, hyponyms, meronyms, synonyms, antonyms."""
    for path in sorted(_CHOSEN.glob("*.txt")):
        yield _meaning(path.stem, path.read_text(encoding="utf-8").splitlines())


def lexicon() -> Iterator[Relation]:
    """The relations about derivations and people."""
    for name, head, tail, ending in (
        ("verb + er", "v", "n", "(er|or|ar)"),
        ("verb + ment", "v", "n", "ment"),
        ("verb + tion", "v", "n", "[st]ion"),
        ("verb + able", "v", "a", "[ai]ble"),
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
            licence=_LICENCE,
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
        licence=_LICENCE,
        canonical=True,
        open="wider lexicon",
    )
    return replace(relation, excluded=_excluded(relation, {word: fields[word] for word in known}))


def _with_more(pairs: list[Pair], kind: str, fields: dict[str, set[str]]) -> Iterator[Pair]:
    """The chosen pairs, and what else of their field is more general by its first sense."""
    tails = list(dict.fromkeys(tail for _, tail in pairs))
    for head, chosen in pairs:
        yield head, chosen
        for tail in tails:
            more = kind == "hypernyms" and tail != chosen and fields[head] & fields[tail]
            if more and _is_usually(head, tail):
                yield head, tail


def _is_usually(low: str, high: str) -> bool:
    first, second = (nltk_reader().synsets(word.replace(" ", "_"), "n")[0] for word in (low, high))
    return second in _above(first)


def _excluded(relation: Relation, fields: dict[str, set[str]]) -> tuple[Block, ...]:
    """Blocks of words, those with the same false partners together."""
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
        licence=_LICENCE,
    )


def _words(sense: Any, least: float = SEEN) -> list[str]:
    """The words of a sense that people know, as they are written."""
    words = (name.replace("_", " ") for name in sense.lemma_names())
    return [word for word in words if zipf(word) >= least and word.islower() and is_decent(word)]


def _above(sense: Any) -> list[Any]:
    """All more general senses, the nearest first, but for the most general of all."""
    general: list[Any] = []
    near = [sense]
    while near:
        near = [high for low in near for high in [*low.hypernyms()] if high not in general]
        general += dict.fromkeys(near)
    return [high for high in general if high.min_depth() >= _DEEP - 1]


def _derived(head: str, tail: str, ending: re.Pattern[str]) -> Iterator[Pair]:
    """Words that WordNet derives from one another and that look it."""
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
        if count > _MOST:
            return
        yield from ((word, name) for name in words)


def _looks_derived(word: str, name: str, ending: re.Pattern[str]) -> bool:
    stem = word[: max(3, len(word) - 2)]
    longer = len(name) > len(word) and name.startswith(stem) and zipf(name) >= SEEN
    return longer and ending.fullmatch(name) is not None and ending.fullmatch(word) is None


@cache
def _people() -> dict[str, list[Any]]:
    """Well-known people by first name and surname, with all that WordNet says of each."""
    wordnet = nltk_reader()
    people: dict[str, list[Any]] = {}
    every = wordnet.synset("person.n.01").closure(lambda sense: sense.hyponyms())
    for kind in every:
        for person in kind.instance_hyponyms():
            names = [name.replace("_", " ") for name in person.lemma_names()]
            for name in names:
                first, _, last = name.partition(" ")
                plain = last.isalpha() and first not in _TITLES
                if plain and min(zipf(first), zipf(last)) >= KNOWN:
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
    """By the first words of the definition; people who were born elsewhere are left out."""
    for name, senses in _people().items():
        said = [sense.definition().replace("United States", "American") for sense in senses]
        if any("born in" in text for text in said):
            continue
        starts = [text.replace("South African", "South-African").split()[:3] for text in said]
        words = [word for start in starts for word in start if word in _NATIONALITIES]
        yield from ((name, word.replace("-", " ")) for word in dict.fromkeys(words))
