"""The unit of everything here: a relation with its full extension."""

from dataclasses import dataclass
from functools import cached_property

Pair = tuple[str, str]
"""A head and one of its tails."""

Block = tuple[tuple[str, ...], tuple[str, ...]]
"""Heads and tails, each of those with each of these."""

GROUNDS = ("exclusion list", "wider lexicon", "disjoint type")
"""What can exclude a pair of an open relation."""

GROUPS = ("inflectional", "derivational", "encyclopedic", "lexicographic")
"""The groups of BATS; a user's relations may be of any other."""


@dataclass(frozen=True)
class Relation:
    """A relation: every answer that is listed, in the order of its source.

    `listed` keeps repeated answers, since published procedures count them; `pairs` has each
    once. `kind` names what the relation is about, so that two lists of plurals are known for
    one relation; `types` what its heads and tails are, `disjoint` whether nothing is both.
    `canonical`: the first tail of each head is the one to ask for, the others are true as well.

    A list is `closed` by some source, then what is not listed is false; or the relation is
    `open`, then a pair is false only where `excluded` has it, on the ground that `open` names,
    where its types do not fit, or where the relation is `asymmetric` and the pair holds turned
    round. `options` are the wrong answers that a source lists itself.
    """

    name: str
    group: str
    listed: tuple[Pair, ...]
    symmetric: bool = False
    kind: str = ""
    types: tuple[str, str] | None = None
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    options: tuple[Pair, ...] = ()
    asymmetric: bool = False
    canonical: bool = False
    disjoint: bool = False
    closed: str = ""
    open: str = ""
    excluded: tuple[Block, ...] = ()

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Every pair once."""
        return tuple(dict.fromkeys(self.listed))

    @cached_property
    def tails(self) -> dict[str, tuple[str, ...]]:
        """All answers of every head, in the order of the source."""
        by_head: dict[str, list[str]] = {}
        for head, tail in self.pairs:
            by_head.setdefault(head, []).append(tail)
        return {head: tuple(tails) for head, tails in by_head.items()}

    def asked(self, canonical: bool = True) -> dict[str, tuple[str, ...]]:
        """The tails that a positive may have, by head: the canonical one, where there is one."""
        asked = self.tails
        if canonical and self.canonical:
            asked = {head: tails[:1] for head, tails in asked.items()}
        if not self.symmetric:
            return asked
        once: dict[str, tuple[str, ...]] = {}  # either way round, but not both
        for head, tails in asked.items():
            new = tuple(tail for tail in tails if head not in once.get(tail, ()))
            once |= {head: new} if new else {}
        return once

    @cached_property
    def functional(self) -> bool:
        """Whether every head has one tail only."""
        return len(self.tails) == len(self.pairs)

    @cached_property
    def cardinality(self) -> str:
        """How many heads go with how many tails, such as `one-to-many`."""
        injective = len({tail for _, tail in self.pairs}) == len(self.pairs)
        return f"{'one' if injective else 'many'}-to-{'one' if self.functional else 'many'}"
