"""An evaluation from file to file: score the pairs, count, keep what came out."""

import platform
import re
from collections.abc import Sequence
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field

from ... import files
from ...kb import wordnet
from ..record import Part, Setup, load_all, save_json
from ..seeds import earlier_result
from .curve import Curve, Point
from .model import InferenceModel, Machine
from .pairs import Pair

FORMAT = 1


class Data(Part):
    """The pairs, known by the digest of their file or of their dataset's manifest."""

    name: str
    split: str | None = Field(description="of a dataset; a file has none")
    sha256: str
    pairs: int
    implied: int


class InferenceSetup(Setup):
    """The pairs, and the digest of every file that scores come from."""

    data: Data
    label: str
    sources: list[tuple[str, str]] = Field(description="name and sha256 of each file used")
    wordnet: str = Field(description="digest of WordNet")


class Result(Part):
    """What a method finds: where it draws the line itself, and wherever the line is drawn."""

    # The file says precision and recall as well; they are computed anew from the counts.
    model_config = ConfigDict(frozen=True, extra="ignore")

    format: int = FORMAT
    setup: InferenceSetup
    predicted: int
    tp: int
    points: list[tuple[int, int]] = Field(description="[predicted, right] of each score")

    @cached_property
    def curve(self) -> Curve:
        """Precision against recall."""
        return Curve([Point(*point) for point in self.points], self.setup.data.implied)

    def summary(self) -> dict[str, Any]:
        """The figures."""
        chosen = Point(self.predicted, self.tp)
        return {
            "model": self.setup.label,
            "data": self.setup.data.name,
            "precision": self.curve.precision(chosen),
            "recall": self.curve.recall(chosen),
            "tp": self.tp,
            "predicted": self.predicted,
            "implied": self.setup.data.implied,
            "pairs": self.setup.data.pairs,
            "area": self.curve.area(),
            "recall_at_0.8": self.curve.recall_at(0.8),
        }

    def save(self, path: Path) -> None:
        """Write it whole or not at all, on one line: a curve may have thousands of points."""
        content = {"summary": self.summary(), **self.model_dump(mode="json")}
        save_json(path, content, indented=False)


def run(
    model: InferenceModel, data: Data, pairs: Sequence[Pair], machine: Machine, out: Path
) -> Result:
    """Evaluate a method, unless the folder has the result."""
    setup = _setup(model, data, machine)
    path = out / f"{_plain(data.name)}-{_plain(model.label)}.json"
    if earlier := earlier_result(path, setup, load_results):
        return earlier
    scores = model.scores(pairs, machine)
    curve = Curve.of(scores, [pair.implied for pair in pairs])
    taken = [score is not None and score >= model.cut for score in scores]
    result = Result(
        setup=setup,
        predicted=sum(taken),
        tp=sum(pair.implied for pair, yes in zip(pairs, taken, strict=True) if yes),
        points=[(point.predicted, point.right) for point in curve.points],
    )
    result.save(path)
    return result


def data_of(path: Path, split: str, pairs: Sequence[Pair]) -> Data:
    """What is said of the pairs in results."""
    folder = path.is_dir()
    return Data(
        name=path.resolve().name if folder else path.stem,
        split=split if folder else None,
        sha256=files.digest(path / "manifest.json" if folder else path),
        pairs=len(pairs),
        implied=sum(pair.implied for pair in pairs),
    )


def _setup(model: InferenceModel, data: Data, machine: Machine) -> InferenceSetup:
    versions = {name: metadata.version(name) for name in ("relsmith", *model.packages)}
    return InferenceSetup(
        data=data,
        model=model.name,
        label=model.label,
        hyperparameters=model.model_dump(mode="json"),
        sources=model.digests(),
        wordnet=wordnet.source().digest,
        device=machine.device.partition(":")[0] if model.packages else "cpu",
        versions={**versions, "python": platform.python_version()},
    )


def _plain(label: str) -> str:
    return re.sub(r"[^\w.,+-]+", "-", label.replace(" + ", "+")).strip("-")


def load_results(places: Sequence[Path]) -> list[Result]:
    """The results in these files, and in every file of these folders."""
    return load_all(places, Result, "inferences")
