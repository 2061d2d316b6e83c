"""Relations and similarity of words by WordNet."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ..lexicon.wordnet import nltk_reader
from .relation import Relation

_MEMBERS = ("part", "member", "substance")


def closure(relation: Relation) -> Callable[[str, str], bool] | None:
    """Return a test whether WordNet derives a pair in any sense; None for other relations."""
    kind = relation.kind
    by_kind = {
        "hypernyms": lambda head, tail: bool(_hypernyms(head) & _senses(tail)),
        "hyponyms": lambda head, tail: bool(_hypernyms(tail) & _senses(head)),
        "meronyms": lambda head, tail: bool(_meronyms(head) & _senses(tail)),
        "meronyms - member": lambda head, tail: bool(_meronyms(tail) & _senses(head)),
        "synonyms": lambda head, tail: bool(_senses(head) & _senses(tail)),
        "antonyms": _are_opposite,
    }
    known = by_kind.get(kind) or by_kind.get(kind.partition(" ")[0])
    return known if relation.group == "lexicographic" else None


def nearness(first: str, second: str) -> float:
    """Return the path similarity of two words: 1 for the same sense, 0 for no common hypernym."""
    from_first, from_second = _distances(first), _distances(second)
    steps = [
        from_first[sense] + from_second[sense] for sense in from_first.keys() & from_second.keys()
    ]
    return 1 / (1 + min(steps)) if steps else 0.0


def first_sense(word: str, part_of_speech: str = "") -> str:
    """Return the name of the most frequent sense, of a part of speech if the word has that one."""
    senses = nltk_reader().synsets(word.replace(" ", "_"))
    of_part = [sense for sense in senses if _part_of_speech(sense) == part_of_speech]
    return str((of_part or senses)[0].name()) if senses else ""


def domain(sense: str) -> str:
    """Return the lexicographer's file of a sense, such as `noun.animal`; empty without a sense."""
    return str(nltk_reader().synset(sense).lexname()) if sense else ""


def parts_of_speech(word: str) -> dict[str, float]:
    """Return how often a word is of each part of speech, as shares by WordNet's counts."""
    counts: dict[str, int] = {}
    for sense in _frequent_senses(word):
        part = _part_of_speech(sense)
        counts[part] = counts.get(part, 1) + _count(sense, word)
    return {part: count / sum(counts.values()) for part, count in counts.items()}


def _frequent_senses(word: str) -> list[Any]:
    """Return the senses of a word over all parts of speech, the most frequent first."""
    senses = nltk_reader().synsets(word.replace(" ", "_"))
    return sorted(senses, key=lambda sense: -_count(sense, word))


def _count(sense: Any, word: str) -> int:
    name = word.replace(" ", "_").lower()
    return sum(lemma.count() for lemma in sense.lemmas() if lemma.name().lower() == name)


def _part_of_speech(sense: Any) -> str:
    return str(sense.pos()).replace("s", "a")


@lru_cache(maxsize=1 << 14)
def _distances(word: str) -> dict[Any, int]:
    """Return distances from the word's most frequent senses to similar ones and hypernyms."""
    distances: dict[Any, int] = {}
    for sense in _frequent_senses(word)[:3]:
        around = [(near, 1) for near in sense.similar_tos()]
        for relative, steps in (*sense.hypernym_distances(), *around):
            distances[relative] = min(steps, distances.get(relative, steps))
    return distances


@lru_cache(maxsize=1 << 16)
def _senses(word: str) -> frozenset[Any]:
    return frozenset(nltk_reader().synsets(word.replace(" ", "_")))


@lru_cache(maxsize=1 << 16)
def _hypernyms(word: str) -> frozenset[Any]:
    return frozenset(
        general
        for sense in _senses(word)
        for start in (sense, *sense.instance_hypernyms())
        for general in (start, *start.closure(lambda synset: synset.hypernyms()))
        if general != sense
    )


@lru_cache(maxsize=1 << 16)
def _meronyms(word: str) -> frozenset[Any]:
    """Return all meronyms of the senses of a word and of their hypernyms."""

    def inside(sense: Any) -> list[Any]:
        return [part for kind in _MEMBERS for part in getattr(sense, f"{kind}_meronyms")()]

    return frozenset(
        part for sense in (*_senses(word), *_hypernyms(word)) for part in sense.closure(inside)
    )


def _are_opposite(first: str, second: str) -> bool:
    """Return whether they, or words of the same or a similar sense, are antonyms."""

    def similar_lemmas(word: str) -> list[Any]:
        # No set: lemmas of one name are equal, whatever their sense and its antonyms.
        return [
            lemma
            for sense in _senses(word)
            for near in (sense, *sense.similar_tos())
            for lemma in near.lemmas()
        ]

    names = {lemma.name() for lemma in similar_lemmas(second)}
    return any(
        opposite.name() in names for lemma in similar_lemmas(first) for opposite in lemma.antonyms()
    )
