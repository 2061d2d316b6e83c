"""Methods of relation inference: each scores pairs, alone or after the lemma baseline and rules."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, PlainSerializer

from ... import files
from ...errors import NotFound
from ..model import Model
from .curve import Scores
from .pairs import Pair


def _paths(value: object) -> object:
    if not isinstance(value, str):
        return value
    return tuple(Path(part.strip()) for part in value.split(",") if part.strip())


Files = Annotated[
    tuple[Path, ...],
    BeforeValidator(_paths, json_schema_input_type=str),
    PlainSerializer(lambda paths: [path.name for path in paths], list[str], when_used="json"),
]
"""Paths with commas between them; results name the files alone, and their digests apart."""

File = Annotated[Path, PlainSerializer(lambda path: path.name, str, when_used="json")]


def _digest(path: Path) -> str:
    try:
        return files.digest(path)
    except OSError as error:
        raise NotFound(
            f"cannot read {str(path)!r}: {error.strerror}; name a file that is there"
        ) from None


@dataclass(frozen=True)
class Machine:
    """What to compute with."""

    device: str
    batch: int


class InferenceModel(Model):
    """A method that says how sure it is that a premise implies a hypothesis."""

    reads: ClassVar = "inferences"
    runner: ClassVar = "relsmith.evaluation.relinf.runner:evaluate"
    packages: ClassVar[tuple[str, ...]] = ()
    """Packages on whose versions the scores depend."""

    @property
    def label(self) -> str:
        """What it is called in tables and figures."""
        return self.name

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that scores depend on."""
        return ()

    def digests(self) -> list[tuple[str, str]]:
        """The name and the sha256 of each source that scores depend on."""
        return [(path.name, _digest(path)) for path in self.files]

    @property
    def cut(self) -> float:
        """Pairs with such a score or a higher one are taken for implied."""
        return 0.0

    @abstractmethod
    def scores(self, pairs: Sequence[Pair], machine: Machine) -> Scores:
        """A score for each pair, None where it would never be taken for implied."""
