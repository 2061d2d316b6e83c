"""Cloze tests evaluated as ordered, and the tables of what came out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...dataset import Dataset
from ..device import find_device
from ..model import Order
from ..seeds import run_models
from ..table import Table
from .harness import Training
from .model import ClozeModel
from .reports import cloze
from .results import Evaluation, Result


@dataclass(frozen=True)
class Results:
    """The results of some models on the same tests."""

    each: list[Result]

    def as_json(self) -> list[dict[str, Any]]:
        """Means, standard errors and intervals."""
        return [result.summary() for result in self.each]

    def tables(self) -> list[Table]:
        """Table 4 for each test."""
        return cloze(self.each)


def evaluate(models: Sequence[ClozeModel], order: Order) -> Results:
    """Train and test as ordered; a dataset without the test's split is only trained on."""
    own = order.test in Dataset(order.path).manifest.splits or not order.test_on
    evaluation = Evaluation(
        (order.path, order.train),
        [(folder, order.test) for folder in ((order.path,) if own else ()) + order.test_on],
        find_device(order.device),
        training=Training(epochs=order.epochs, patience=order.patience, batch=order.batch),
    )
    return Results(
        run_models(
            models,
            order,
            len(evaluation.train.pairs),
            lambda model, tick: evaluation.run(model, order.seeds, order.out, tick=tick),
        )
    )
