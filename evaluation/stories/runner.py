"""What `gen eval` does with models of stories: train on one split, test on others, by k."""

from collections.abc import Sequence

from ..device import find_device
from ..model import Order, Outcome
from ..seeds import run_models
from ..table import Table
from ..training import Training
from .model import StoryModel
from .reports import by_k, by_test
from .results import Evaluation, Result


def evaluate(models: Sequence[StoryModel], order: Order) -> Outcome[Result]:
    """Train every model with every seed, and take all tests."""
    evaluation = Evaluation(
        (order.path, order.train),
        [(folder, order.test) for folder in (order.path, *order.test_on)],
        find_device(order.device),
        training=Training(**order.limits()),
    )
    return Outcome(run_models(models, order, evaluation.train.data.rows, evaluation.run), _tables)


def _tables(results: list[Result]) -> list[Table]:
    """Accuracy by k, and by test where there are several."""
    return by_k(results) + ([by_test(results)] if len(results[0].setup.tests) > 1 else [])
