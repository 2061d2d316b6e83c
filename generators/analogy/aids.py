"""What some probes need beyond the relations: frequencies, neighbours, WordNet."""

from collections.abc import Callable
from dataclasses import dataclass

from ...generator import Source
from ...kb.relations import Relation


@dataclass(frozen=True)
class Aids:
    """Knowledge from outside, looked up only where it is asked for."""

    wordnet: bool = False
    neighbours: str | None = None
    frequencies: bool = False

    def closure(self, relation: Relation) -> Callable[[str, str], bool] | None:
        """What WordNet knows of the relation."""
        return None

    def sources(self) -> list[Source]:
        """Where the knowledge comes from."""
        return []
