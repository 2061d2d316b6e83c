"""A relation between words, with its full extension."""

from dataclasses import dataclass
from functools import cached_property

Pair = tuple[str, str]
"""A head and one of its tails."""

Block = tuple[tuple[str, ...], tuple[str, ...]]
"""Heads and tails: every combination of them."""

GROUNDS = ("exclusion list", "wider lexicon", "disjoint type")
"""Grounds on which a pair of an open relation can be excluded."""

GROUPS = ("inflectional", "derivational", "encyclopedic", "lexicographic")
"""The groups of BATS; a user's relations may be in any other."""


@dataclass(frozen=True)
class Relation:
    """A relation: every listed answer, in the order of its source.

    `listed` keeps repeated answers, since published procedures count them; `pairs` has each
    once. Relations of the same `kind`, such as two lists of plurals, count as one. `types` are the
    types of heads and tails, which are `disjoint` if nothing is both. If `canonical`, the first
    tail of each head is the one to ask for, and the others are true as well.

    A list is `closed` by some source, then pairs that are not listed are false; or the relation is
    `open`, then a pair is false only if it is in `excluded`, on the ground that `open` names, if
    its types do not fit, or if the relation is `asymmetric` and the reversed pair holds.
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
        """All answers by head, in the order of the source."""
        by_head: dict[str, list[str]] = {}
        for head, tail in self.pairs:
            by_head.setdefault(head, []).append(tail)
        return {head: tuple(tails) for head, tails in by_head.items()}

    def positive_tails(self, canonical: bool = True) -> dict[str, tuple[str, ...]]:
        """Return the tails of positives by head: only the canonical one, if there is one."""
        by_head = self.tails
        if canonical and self.canonical:
            by_head = {head: tails[:1] for head, tails in by_head.items()}
        if not self.symmetric:
            return by_head
        once: dict[str, tuple[str, ...]] = {}  # in one direction, not both
        for head, tails in by_head.items():
            new = tuple(tail for tail in tails if head not in once.get(tail, ()))
            once |= {head: new} if new else {}
        return once

    @cached_property
    def functional(self) -> bool:
        """True if every head has one tail."""
        return len(self.tails) == len(self.pairs)

    @cached_property
    def cardinality(self) -> str:
        """Cardinality of heads to tails, such as `one-to-many`."""
        injective = len({tail for _, tail in self.pairs}) == len(self.pairs)
        return f"{'one' if injective else 'many'}-to-{'one' if self.functional else 'many'}"
