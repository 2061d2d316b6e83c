"""What `gen eval` does with models of cloze tests: train on one split, fill blanks of others."""

from collections.abc import Sequence

from ...dataset import Dataset
from ..device import find_device
from ..model import Order, Outcome
from ..seeds import run_models
from .harness import Training
from .model import ClozeModel
from .reports import cloze
from .results import Evaluation, Result


def evaluate(models: Sequence[ClozeModel], order: Order) -> Outcome[Result]:
    """Train and test as ordered; a dataset without the test's split is only trained on."""
    own = order.test in Dataset(order.path).manifest.splits or not order.test_on
    evaluation = Evaluation(
        (order.path, order.train),
        [(folder, order.test) for folder in ((order.path,) if own else ()) + order.test_on],
        find_device(order.device),
        training=Training(**order.limits()),
    )
    return Outcome(run_models(models, order, evaluation.train.data.rows, evaluation.run), cloze)
