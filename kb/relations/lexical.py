"""What WordNet knows of two words: whether a relation holds between them, and how near they are."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ..wordnet import nltk_reader
from .relation import Relation

_MEMBERS = ("part", "member", "substance")


def closure(relation: Relation) -> Callable[[str, str], bool] | None:
    """Whether WordNet derives the pair, in any sense of the words; None for other relations."""
    kind = relation.kind.partition(" ")[0]
    by_kind = {
        "hypernyms": lambda head, tail: bool(_above(head) & _senses(tail)),
        "hyponyms": lambda head, tail: bool(_above(tail) & _senses(head)),
        "meronyms": lambda head, tail: bool(_within(head) & _senses(tail)),
        "synonyms": lambda head, tail: bool(_senses(head) & _senses(tail)),
        "antonyms": _are_opposite,
    }
    return by_kind.get(kind) if relation.group == "lexicographic" else None


def nearness(one: str, other: str) -> float:
    """How near two words are in the hierarchy, 1 for the same sense and 0 for nothing in common."""
    here, there = _distances(one), _distances(other)
    steps = [here[sense] + there[sense] for sense in here.keys() & there.keys()]
    return 1 / (1 + min(steps)) if steps else 0.0


@lru_cache(maxsize=1 << 14)
def _distances(word: str) -> dict[Any, int]:
    """How many steps it is from the word's most frequent senses to those around and above."""
    distances: dict[Any, int] = {}
    for sense in nltk_reader().synsets(word.replace(" ", "_"))[:3]:
        around = [(near, 1) for near in sense.similar_tos()]
        for other, steps in (*sense.hypernym_distances(), *around):
            distances[other] = min(steps, distances.get(other, steps))
    return distances


@lru_cache(maxsize=1 << 16)
def _senses(word: str) -> frozenset[Any]:
    return frozenset(nltk_reader().synsets(word.replace(" ", "_")))


@lru_cache(maxsize=1 << 16)
def _above(word: str) -> frozenset[Any]:
    """All senses that are more general than one of the word."""
    return frozenset(
        other
        for sense in _senses(word)
        for start in (sense, *sense.instance_hypernyms())
        for other in (start, *start.closure(lambda one: one.hypernyms()))
        if other != sense
    )


@lru_cache(maxsize=1 << 16)
def _within(word: str) -> frozenset[Any]:
    """All senses of what something of that name, or of a more general one, is made of."""

    def inside(sense: Any) -> list[Any]:
        return [part for kind in _MEMBERS for part in getattr(sense, f"{kind}_meronyms")()]

    return frozenset(
        part for sense in (*_senses(word), *_above(word)) for part in sense.closure(inside)
    )


def _are_opposite(one: str, other: str) -> bool:
    """Whether they, or words of the same or of a similar sense, are antonyms."""

    def wide(word: str) -> set[Any]:
        return {
            lemma
            for sense in _senses(word)
            for near in (sense, *sense.similar_tos())
            for lemma in near.lemmas()
        }

    others = wide(other)
    return any(opposite in others for lemma in wide(one) for opposite in lemma.antonyms())
