"""Relation inference evaluated as ordered, and the tables of what came out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..device import find_device
from ..model import Order
from ..table import Table
from .model import InferenceModel, Machine
from .pairs import read_pairs
from .reports import inference
from .results import Result, data_of, run


@dataclass(frozen=True)
class Results:
    """The results of some methods."""

    each: list[Result]

    def as_json(self) -> dict[str, Any] | list[dict[str, Any]]:
        """The figures; a list of them where there are several results."""
        found = [result.summary() for result in self.each]
        return found[0] if len(found) == 1 else found

    def tables(self) -> list[Table]:
        """A table for each set of pairs."""
        return inference(self.each)


def evaluate(models: Sequence[InferenceModel], order: Order) -> Results:
    """Evaluate methods on the pairs, and on those of `--test-on`."""
    machine = Machine(str(find_device(order.device)), order.batch)
    read = [(path, read_pairs(path, order.test)) for path in (order.path, *order.test_on)]
    found = []
    for model in models:
        with order.bar(f"eval {model.label}", len(read)) as advance:
            for done, (path, pairs) in enumerate(read, 1):
                data = data_of(path, order.test, pairs)
                found.append(run(model, data, pairs, machine, order.out))
                advance(done)
    return Results(found)
