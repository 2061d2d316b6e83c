"""The unit of everything here: a relation with its full extension."""

from dataclasses import dataclass
from functools import cached_property

Pair = tuple[str, str]
"""A head and one of its tails."""

GROUPS = ("inflectional", "derivational", "encyclopedic", "lexicographic")
"""The groups of BATS; a user's relations may be of any other."""


@dataclass(frozen=True)
class Relation:
    """A relation: every answer that is listed, in the order of its source.

    `listed` keeps repeated answers, since published procedures count them; `pairs` has each
    once. `kind` names what the relation is about, so that two lists of plurals are known for
    one relation; `types` what its heads and tails are. `options` are the wrong answers that a
    source lists itself.
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

    @cached_property
    def functional(self) -> bool:
        """Whether every head has one tail only."""
        return len(self.tails) == len(self.pairs)

    @cached_property
    def cardinality(self) -> str:
        """How many heads go with how many tails, such as `one-to-many`."""
        injective = len({tail for _, tail in self.pairs}) == len(self.pairs)
        return f"{'one' if injective else 'many'}-to-{'one' if self.functional else 'many'}"
