"""Aggregation of votes to labels, and the agreement of annotators."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...scoring.agreement import krippendorff_alpha
from .annotation import Vote, count_labels
from .label import LABELS, Label

Votes = Mapping[str, Sequence[Vote]]
LABEL_ORDER: tuple[Label, ...] = tuple(LABELS)
_FRACTION = re.compile(r"([1-9]\d*)/([1-9]\d*)")


class AggregatedLabel(NamedTuple):
    """A label and its confidence: the share of votes."""

    label: Label
    confidence: float


def check_rule(rule: str) -> str:
    """Return the rule; raise ValueError unless it is all-but-one, majority or k/n."""
    if rule in ("all-but-one", "majority"):
        return rule
    read = _FRACTION.fullmatch(rule)
    if not read:
        raise ValueError(
            f"expected all-but-one, majority or a number of votes such as 4/5, but got {rule!r}"
        )
    k, n = int(read[1]), int(read[2])
    if not n / 2 < k <= n:
        raise ValueError(f"{rule!r}: more than half must agree; try {n // 2 + 1}/{n}")
    return rule


def aggregate(votes: Votes, rule: str = "all-but-one") -> dict[str, AggregatedLabel | None]:
    """Return the label of each task by a rule; None if the annotators do not agree enough."""
    return {task: _label_by_count(count_labels(cast), rule) for task, cast in votes.items()}


def _label_by_count(counts: Mapping[Label, int], rule: str) -> AggregatedLabel | None:
    total = sum(counts.values())
    label = max(LABEL_ORDER, key=lambda label: counts[label])
    agreed = counts[label] >= _votes_needed(total, rule)
    return AggregatedLabel(label, round(counts[label] / total, 4)) if agreed else None


def _votes_needed(total: int, rule: str) -> int:
    if rule == "majority":
        return total // 2 + 1
    if rule == "all-but-one":
        return max(total - 1, 2)
    k, n = map(int, rule.split("/"))
    return max(k, math.ceil(k * total / n))


def alpha(votes: Votes) -> float | None:
    """Return Krippendorff's alpha; tasks may have any number of votes."""
    return krippendorff_alpha(count_labels(cast) for cast in votes.values())


class WorkerQuality(NamedTuple):
    """Quality of an annotator's votes."""

    worker: str
    votes: int
    with_others: float | None
    """Agreement with the majority of the others, where there is one."""
    nonsense: float


def worker_quality(votes: Votes) -> list[WorkerQuality]:
    """Return the quality of every annotator, the lowest agreement first."""
    agreed: dict[str, list[bool]] = {}
    given: dict[str, list[Label]] = {}
    for cast in votes.values():
        counts = count_labels(cast)
        for vote in cast:
            rest = {label: counts[label] - (label == vote.label) for label in LABEL_ORDER}
            given.setdefault(vote.worker, []).append(vote.label)
            best = max(rest.values())
            if best > (len(cast) - 1) / 2:
                agreed.setdefault(vote.worker, []).append(rest[vote.label] == best)
    workers = [
        WorkerQuality(
            worker,
            len(labels),
            sum(agreed[worker]) / len(agreed[worker]) if worker in agreed else None,
            labels.count("nonsense") / len(labels),
        )
        for worker, labels in sorted(given.items())
    ]
    return sorted(workers, key=lambda worker: (worker.with_others is None, worker.with_others))


class Precision(NamedTuple):
    """Precision of labels against those of experts."""

    compared: int
    agreed: int

    @property
    def precision(self) -> float | None:
        """Share of the compared labels that agree; None if none were compared."""
        return self.agreed / self.compared if self.compared else None


def against_experts(labels: Mapping[str, AggregatedLabel | None], experts: Votes) -> Precision:
    """Compare labels other than nonsense with the majority labels of experts."""
    expected = aggregate(experts, "majority")
    pairs = [
        (label.label, expert.label)
        for task, label in labels.items()
        if label and label.label != "nonsense" and (expert := expected.get(task))
    ]
    return Precision(len(pairs), sum(ours == theirs for ours, theirs in pairs))
