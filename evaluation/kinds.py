"""The kinds of rows that models read, and who evaluates each."""

from collections.abc import Sequence
from importlib import import_module

from ..errors import InvalidOption
from .model import Model, Order, Outcome

_FOLDERS = {"analogies": "analogy", "cloze": "cloze", "inferences": "relinf", "stories": "stories"}


def evaluate(models: Sequence[Model], order: Order) -> Outcome:
    """Evaluate models that read the same kind of rows."""
    reads = models[0].reads
    if reads not in _FOLDERS:
        raise InvalidOption(
            f"--model: {models[0].name} reads {reads!r}; models read {', '.join(_FOLDERS)}"
        )
    outcome: Outcome = import_module(f".{_FOLDERS[reads]}.outcome", __package__).evaluate(
        models, order
    )
    return outcome
