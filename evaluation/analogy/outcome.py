"""Analogies evaluated as ordered, and the tables of what came out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import InvalidOption
from ..device import find_device
from ..model import Order
from ..table import Table
from ..training import Training
from .model import AnalogyModel
from .reports import by_group
from .results import Evaluation, Result


@dataclass(frozen=True)
class Results:
    """The results of some models on the same test."""

    each: list[Result]

    def as_json(self) -> list[dict[str, Any]]:
        """Means and standard errors."""
        return [result.summary() for result in self.each]

    def tables(self) -> list[Table]:
        """Accuracy by group of relations."""
        return by_group(self.each)


def evaluate(models: Sequence[AnalogyModel], order: Order) -> Results:
    """Train and test as ordered."""
    if order.test_on:
        raise InvalidOption("--test-on: analogies are tested on the dataset itself; leave it out")
    evaluation = Evaluation(
        order.path,
        (order.train, order.test),
        find_device(order.device),
        training=Training(epochs=order.epochs, patience=order.patience, batch=order.batch),
    )
    results = []
    for model in models:
        total = evaluation.work(model, order.seeds)
        with order.bar(f"eval {model.label}", total) as advance:
            results.append(evaluation.run(model, order.seeds, order.out, tick=advance))
    return Results(results)
