"""Simulated annotators with different error rates, for demonstrations and tests."""

from collections.abc import Iterable

from ...example import Example
from ...seed import Stream
from .annotation import Annotations, Vote
from .label import Label
from .retrieval import relation_key

VERSION = "2"
_ERROR_RATES = (0.03, 0.05, 0.08, 0.12, 0.2)
_FUNCTION_WORDS = frozenset(
    "be have do will would can could may might must of in on at by to".split()
)


def simulate_annotations(rows: Iterable[Example], workers: int) -> Annotations:
    """Return votes on every task: the expected label, or a guess by shared words, with errors."""
    votes: dict[str, list[Vote]] = {}
    for row in rows:
        task = row.metadata["task"]
        if task not in votes:
            label = _common_label(row)
            votes[task] = [_vote(task, worker, label) for worker in range(1, workers + 1)]
    return Annotations(votes)


def _common_label(row: Example) -> Label:
    metadata = row.metadata
    if metadata["expected"]:
        expected: Label = metadata["expected"]
        return expected
    stream = Stream("relinf", "simulated opinion", metadata["task"])
    words = set(relation_key(metadata["triple"][1])) - _FUNCTION_WORDS
    shared = words & set(relation_key(metadata["question"]["relation"]))
    if stream.random() < 0.1:
        return "nonsense"
    return "yes" if stream.random() < (0.7 if shared else 0.25) else "no"


def _vote(task: str, worker: int, correct: Label) -> Vote:
    stream = Stream("relinf", "simulated vote", task, worker)
    name = f"simulated-{worker}"
    if stream.random() >= _ERROR_RATES[(worker - 1) % len(_ERROR_RATES)]:
        return Vote(task, name, correct)
    labels: list[Label] = ["yes", "no", "nonsense"]
    return Vote(task, name, stream.choice([label for label in labels if label != correct]))
