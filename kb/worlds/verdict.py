"""What a judge says of a claimed answer, in any rule world."""

from dataclasses import dataclass
from enum import StrEnum

NO_RELATION = "no named relation"


class Status(StrEnum):
    """How a claim stands to the models of a story's facts."""

    ENTAILED = "entailed"
    UNDETERMINED = "undetermined"
    CONTRADICTED = "contradicted"
    IMPOSSIBLE = "impossible"


@dataclass(frozen=True)
class Verdict:
    """A status, and the answers: the certain ones where entailed, else all possible ones."""

    status: Status
    answers: frozenset[str] = frozenset()
