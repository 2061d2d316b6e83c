"""Stories evaluated as ordered, and the tables of what came out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..device import find_device
from ..model import Order
from ..seeds import run_models
from ..table import Table
from ..training import Training
from .model import StoryModel
from .reports import by_k, by_test
from .results import Evaluation, Result


@dataclass(frozen=True)
class Results:
    """The results of some models on the same tests."""

    each: list[Result]

    def as_json(self) -> list[dict[str, Any]]:
        """Means and standard errors."""
        return [result.summary() for result in self.each]

    def tables(self) -> list[Table]:
        """Accuracy by k, and by test where there are several."""
        several = len(self.each[0].setup.tests) > 1
        return by_k(self.each) + ([by_test(self.each)] if several else [])


def evaluate(models: Sequence[StoryModel], order: Order) -> Results:
    """Train and test as ordered."""
    evaluation = Evaluation(
        (order.path, order.train),
        [(folder, order.test) for folder in (order.path, *order.test_on)],
        find_device(order.device),
        training=Training(epochs=order.epochs, patience=order.patience, batch=order.batch),
    )
    return Results(
        run_models(
            models,
            order,
            len(evaluation.train.stories),
            lambda model, tick: evaluation.run(model, order.seeds, order.out, tick=tick),
        )
    )
