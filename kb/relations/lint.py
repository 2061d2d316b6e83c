"""Linter for relations that are of no use for probes."""

from .extension import Extension
from .relation import Relation

_MIN_HEADS = 4


def lint(relation: Relation) -> list[str]:
    """Return what makes a relation useless, although its file is valid."""
    mistakes = []
    if len(relation.tails) < _MIN_HEADS:
        mistakes.append(
            f"has {len(relation.tails)} head(s), but two halves need {_MIN_HEADS}; add pairs"
        )
    extension = Extension(relation)
    tails = dict.fromkeys(tail for _, tail in relation.pairs)
    if all(extension.holds(head, tail) for head in relation.tails for tail in tails):
        mistakes.append("every head goes with every tail, so nothing is false; add other pairs")
    if all(extension.is_same(head, tail) for head, tail in relation.pairs):
        mistakes.append("every pair is a word with itself; look at the columns")
    return mistakes
