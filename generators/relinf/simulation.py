"""Annotators that do not exist, for demonstrations and tests: some careful, some not."""

from collections.abc import Iterable

from ...example import Example
from ...seed import Stream
from .annotation import Annotations, Vote
from .label import Label
from .retrieval import relation_key

VERSION = "2"
_ERRORS = (0.03, 0.05, 0.08, 0.12, 0.2)
_NOT_TELLING = frozenset("be have do will would can could may might must of in on at by to".split())


def simulated(rows: Iterable[Example], workers: int) -> Annotations:
    """Votes on every task: one opinion, as expected or swayed by words in common, and errors."""
    votes: dict[str, list[Vote]] = {}
    for row in rows:
        task = row.metadata["task"]
        if task not in votes:
            opinion = _opinion(row)
            votes[task] = [_vote(task, worker, opinion) for worker in range(1, workers + 1)]
    return Annotations(votes)


def _opinion(row: Example) -> Label:
    metadata = row.metadata
    if metadata["expected"]:
        expected: Label = metadata["expected"]
        return expected
    stream = Stream("relinf", "simulated opinion", metadata["task"])
    theirs = set(relation_key(metadata["triple"][1])) - _NOT_TELLING
    shared = theirs & set(relation_key(metadata["question"]["relation"]))
    if stream.random() < 0.1:
        return "nonsense"
    return "yes" if stream.random() < (0.7 if shared else 0.25) else "no"


def _vote(task: str, worker: int, opinion: Label) -> Vote:
    stream = Stream("relinf", "simulated vote", task, worker)
    name = f"simulated-{worker}"
    if stream.random() >= _ERRORS[(worker - 1) % len(_ERRORS)]:
        return Vote(task, name, opinion)
    labels: list[Label] = ["yes", "no", "nonsense"]
    return Vote(task, name, stream.choice([label for label in labels if label != opinion]))
