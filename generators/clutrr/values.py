"""The values that options of stories take: a leaf module, so that `gen clutrr --help` is quick."""

from typing import Final, Literal

Perturbation = Literal["words", "names", "order", "noise", "inverse", "gender"]
"""Perturbations of sibling rows."""

NoiseKind = Literal["supporting", "irrelevant", "disconnected"]

NOISE_KINDS: tuple[NoiseKind, ...] = ("supporting", "irrelevant", "disconnected")

SentenceOrder = Literal["shuffled", "narrative"]
"""Orders of the sentences of a story."""

Style = Literal["text", "plain", "facts"]
"""Forms of a story."""

HoldOutKind = Literal["none", "templates", "clauses", "names"]
"""Things that can be held out of the split train."""

SHIPPED: Final = "shipped"
"""For names and sentences: the world's own, not those of a file."""
