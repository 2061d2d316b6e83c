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


@lru_cache(maxsize=1 << 14)
def _distances(word: str) -> dict[Any, int]:
    """Return distances from the word's most frequent senses to similar ones and hypernyms."""
    distances: dict[Any, int] = {}
    for sense in nltk_reader().synsets(word.replace(" ", "_"))[:3]:
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
