"""Aggregation of votes to labels."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

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
