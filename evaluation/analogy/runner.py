"""What `gen eval` does with models of analogies: every relation and probe by itself."""

from collections.abc import Sequence

from ...errors import InvalidOption
from ..device import find_device
from ..model import Order, Outcome
from ..training import Training
from .model import AnalogyModel
from .reports import by_group
from .results import Evaluation, Result


def evaluate(models: Sequence[AnalogyModel], order: Order) -> Outcome[Result]:
    """Train and test every model on the splits of one dataset."""
    if order.test_on:
        raise InvalidOption("--test-on: analogies are tested on the dataset itself; leave it out")
    evaluation = Evaluation(
        order.path,
        (order.train, order.test),
        find_device(order.device),
        training=Training(**order.limits()),
    )
    results = []
    for model in models:
        total = evaluation.work(model, order.seeds)
        with order.bar(f"eval {model.label}", total) as advance:
            results.append(evaluation.run(model, order.seeds, order.out, tick=advance))
    return Outcome(results, by_group)
