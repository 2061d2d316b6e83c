"""What `gen eval` does with methods of relation inference: score every pair, and count."""

from collections.abc import Sequence
from typing import Any

from typing_extensions import override

from ..device import find_device
from ..model import Order, Outcome
from .model import InferenceModel, Machine
from .pairs import read_pairs
from .reports import inference
from .results import Result, data_of, run


class InferenceOutcome(Outcome[Result]):
    """The figures of a single result stand alone, and not in a list."""

    @override
    def as_json(self) -> Any:
        summaries = super().as_json()
        return summaries[0] if len(summaries) == 1 else summaries


def evaluate(models: Sequence[InferenceModel], order: Order) -> InferenceOutcome:
    """Evaluate methods on the pairs, and on those of `--test-on`."""
    machine = Machine(str(find_device(order.device)), order.batch)
    read = [(path, read_pairs(path, order.test)) for path in (order.path, *order.test_on)]
    results = []
    for model in models:
        with order.bar(f"eval {model.label}", len(read)) as advance:
            for done, (path, pairs) in enumerate(read, 1):
                data = data_of(path, order.test, pairs)
                results.append(run(model, data, pairs, machine, order.out))
                advance(done)
    return InferenceOutcome(results, inference)
