"""The tables and figures of the papers, by name."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from pydantic import Field
from typing_extensions import override

from .. import plots
from ..model import Configurable
from ..report import Table
from ..result import load
from .analogy import task as analogy
from .cloze.task import table_4
from .inference.curve import draw as draw_curves
from .inference.task import inference
from .stories import task as stories

Made = tuple[Sequence[Table], Callable[[Path], None] | None]
"""Tables, and a function that draws the figure to a file, if there is one."""


class PaperReport(Configurable):
    """A table or figure of a paper."""

    @abstractmethod
    def make(self, places: Sequence[Path]) -> Made:
        """Make the tables and the figure from results in files and folders."""


class Generalization(PaperReport):
    """Accuracy by k of models trained on short stories (figure 3.5 of the CLUTRR thesis)."""

    name: ClassVar = "generalization"

    @override
    def make(self, places: Sequence[Path]) -> Made:
        tables = stories.generalization(load(places, "stories"))
        return tables, partial(plots.draw_curves, tables)


class Robustness(PaperReport):
    """Accuracy by noise in training and test (table 3.8 of the CLUTRR thesis)."""

    name: ClassVar = "robustness"
    versus: str = Field("", description="mark figures above or below this model")

    @override
    def make(self, places: Sequence[Path]) -> Made:
        tables = stories.robustness(load(places, "stories"), self.versus)
        return tables, partial(plots.draw_matrix, tables)


class Inference(PaperReport):
    """Precision and recall of relation inference (figure 2 of Levy and Dagan)."""

    name: ClassVar = "inference"

    @override
    def make(self, places: Sequence[Path]) -> Made:
        results = load(places, "inferences")
        return inference(results), partial(draw_curves, results)


class AnalogyGroups(PaperReport):
    """Accuracy on analogies by group of relations (table 1 of Rezaee and Camacho-Collados)."""

    name: ClassVar = "analogy-groups"

    @override
    def make(self, places: Sequence[Path]) -> Made:
        return analogy.accuracy_by_group(load(places, "analogies")), None


class AnalogyNegatives(PaperReport):
    """Accuracy on the paper's negatives, with their share of true ones, and on sound ones."""

    name: ClassVar = "analogy-negatives"
    probe: str = Field("random", description="the probe to compare")

    @override
    def make(self, places: Sequence[Path]) -> Made:
        return analogy.compare_negatives(load(places, "analogies"), self.probe), None


class ClozeModels(PaperReport):
    """Matches, top 5 and surprisal of models on cloze tests (table 4 of Bisk et al.)."""

    name: ClassVar = "cloze-models"

    @override
    def make(self, places: Sequence[Path]) -> Made:
        return table_4(load(places, "cloze")), None


REPORTS: dict[str, type[PaperReport]] = {
    report.name: report
    for report in (
        *(Generalization, Robustness, Inference),
        *(AnalogyGroups, AnalogyNegatives, ClozeModels),
    )
}
