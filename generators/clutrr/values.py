"""The values that options of stories take: a leaf module, so that `gen clutrr --help` is quick."""

from typing import Final, Literal

Change = Literal["words", "names", "order", "noise", "inverse", "gender"]
"""Perturbations of sibling rows."""

Kind = Literal["supporting", "irrelevant", "disconnected"]
"""Kinds of noise."""

KINDS: tuple[Kind, ...] = ("supporting", "irrelevant", "disconnected")

Order = Literal["shuffled", "narrative"]
"""Orders of the sentences of a story."""

Style = Literal["text", "plain", "facts"]
"""How a story is told."""

What = Literal["none", "templates", "clauses", "names"]
"""Things that can be held out of the split train."""

SHIPPED: Final = "shipped"
"""For names and sentences: the world's own, not those of a file."""
