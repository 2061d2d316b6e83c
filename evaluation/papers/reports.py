"""The tables and figures of the papers, by name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import plots
from ..report import Table
from ..result import Result
from .analogy import task as analogy
from .cloze.task import table_4
from .inference.curve import draw as draw_precision
from .inference.task import inference
from .stories import task as stories


@dataclass(frozen=True)
class PaperReport:
    """A table of a paper, with its figure if there is one."""

    task: str
    summary: str
    make: Callable[..., list[Table]]
    """Makes the tables from results, and if it marks figures the name of a model."""
    draw: Callable[[Sequence[Result], Sequence[Table], Path], None] | None = None
    marks: bool = False
    """Whether figures above and below those of a model can be marked."""


REPORTS = {
    "generalization": PaperReport(
        "stories",
        "Accuracy by k of models trained on short stories (figure 3.5 of the CLUTRR thesis).",
        stories.generalization,
        lambda results, tables, path: plots.draw_curves(tables, path),
    ),
    "robustness": PaperReport(
        "stories",
        "Accuracy by noise in training and test (table 3.8 of the CLUTRR thesis).",
        stories.robustness,
        lambda results, tables, path: plots.draw_matrix(tables, path),
        marks=True,
    ),
    "inference": PaperReport(
        "inferences",
        "Precision and recall of relation inference (figure 2 of Levy and Dagan).",
        inference,
        lambda results, tables, path: draw_precision(results, path),
    ),
    "analogy-groups": PaperReport(
        "analogies",
        "Accuracy on analogies by group of relations (table 1 of Rezaee and Camacho-Collados).",
        analogy.accuracy_by_group,
    ),
    "analogy-negatives": PaperReport(
        "analogies",
        "Accuracy on the paper's negatives, with their share of true ones, and on sound ones.",
        analogy.compare_negatives,
    ),
    "cloze-models": PaperReport(
        "cloze",
        "Matches, top 5 and surprisal of models on cloze tests (table 4 of Bisk et al.).",
        table_4,
    ),
}
