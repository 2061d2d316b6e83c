"""The result of a judge on a claimed answer, in any rule world."""

from dataclasses import dataclass
from enum import StrEnum

NO_RELATION = "no named relation"


class Status(StrEnum):
    """Logical status of a claim, given a story's facts."""

    ENTAILED = "entailed"
    UNDETERMINED = "undetermined"
    CONTRADICTED = "contradicted"
    IMPOSSIBLE = "impossible"


@dataclass(frozen=True)
class Verdict:
    """A status, and the answers: the entailed ones where entailed, else all possible ones."""

    status: Status
    answers: frozenset[str] = frozenset()

    @classmethod
    def from_possible(cls, possible: frozenset[str], claimed: str | None = None) -> "Verdict":
        """Return the verdict on a claim, or on any answer at all, from the possible answers.

        Exactly one of them must hold in each model of the facts; none means that the facts
        contradict each other.
        """
        if len(possible) == 1 and NO_RELATION not in possible and claimed in (None, *possible):
            return cls(Status.ENTAILED, possible)
        return cls.not_entailed(possible, claimed)

    @classmethod
    def not_entailed(cls, possible: frozenset[str], claimed: str | None = None) -> "Verdict":
        """Return the verdict on a claim that is not entailed, from the possible answers."""
        if not possible:
            return cls(Status.IMPOSSIBLE)
        is_contradicted = claimed is not None and claimed not in possible
        return cls(Status.CONTRADICTED if is_contradicted else Status.UNDETERMINED, possible)
