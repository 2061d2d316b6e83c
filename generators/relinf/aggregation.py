"""From votes to labels, and how far the annotators can be trusted.

Dawid and Skene, Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm,
1979; Fleiss, Measuring nominal scale agreement among many raters, 1971; Krippendorff's alpha.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...errors import MissingExtra, install_command
from ...scoring.agreement import krippendorff_alpha
from .annotation import Vote, tally
from .label import LABELS, Label

Votes = Mapping[str, Sequence[Vote]]
ORDER: tuple[Label, ...] = tuple(LABELS)
ROUNDS = 100
SMOOTHING = 0.01
_FRACTION = re.compile(r"([1-9]\d*)/([1-9]\d*)")


class Verdict(NamedTuple):
    """A label that was agreed on, and how surely."""

    label: Label
    confidence: float


def check_rule(rule: str) -> str:
    """Hand back a rule that can be applied: all-but-one, majority, dawid-skene or k/n."""
    if rule in ("all-but-one", "majority", "dawid-skene"):
        return rule
    read = _FRACTION.fullmatch(rule)
    if not read:
        raise ValueError(
            f"expected all-but-one, majority, dawid-skene or a number of votes such as 4/5, "
            f"but got {rule!r}"
        )
    k, n = int(read[1]), int(read[2])
    if not n / 2 < k <= n:
        raise ValueError(f"{rule!r}: more than half must agree; try {n // 2 + 1}/{n}")
    return rule


def aggregate(votes: Votes, rule: str = "all-but-one") -> dict[str, Verdict | None]:
    """The label of each task by a rule; None where the annotators do not agree enough."""
    if rule == "dawid-skene":
        return {**dawid_skene(votes)}
    return {task: _counted(tally(cast), rule) for task, cast in votes.items()}


def _counted(counts: Mapping[Label, int], rule: str) -> Verdict | None:
    total = sum(counts.values())
    label = max(ORDER, key=lambda label: counts[label])
    agreed = counts[label] >= _needed(total, rule)
    return Verdict(label, round(counts[label] / total, 4)) if agreed else None


def _needed(total: int, rule: str) -> int:
    if rule == "majority":
        return total // 2 + 1
    if rule == "all-but-one":
        return max(total - 1, 2)
    k, n = map(int, rule.split("/"))
    return max(k, math.ceil(k * total / n))


def dawid_skene(votes: Votes) -> dict[str, Verdict]:
    """Weigh every annotator by how often they err, as the votes themselves show."""
    np = _numpy()
    tasks = list(votes)
    workers = {vote.worker: 0 for cast in votes.values() for vote in cast}
    workers = {worker: n for n, worker in enumerate(sorted(workers))}
    cells = [
        (n, workers[vote.worker], ORDER.index(vote.label))
        for n, task in enumerate(tasks)
        for vote in votes[task]
    ]
    if not cells:
        return {}
    task, worker, label = np.array(cells).T
    sure = np.zeros((len(tasks), len(ORDER)))
    np.add.at(sure, (task, label), 1)
    sure /= sure.sum(axis=1, keepdims=True)
    for _ in range(ROUNDS):
        errs = np.full((len(workers), len(ORDER), len(ORDER)), SMOOTHING)
        np.add.at(errs, (worker, slice(None), label), sure[task])
        errs /= errs.sum(axis=2, keepdims=True)
        logs = np.tile(np.log(sure.mean(axis=0) + 1e-12), (len(tasks), 1))
        np.add.at(logs, task, np.log(errs[worker, :, label]))
        before, sure = sure, np.exp(logs - logs.max(axis=1, keepdims=True))
        sure /= sure.sum(axis=1, keepdims=True)
        if np.abs(sure - before).max() < 1e-9:
            break
    best = sure.argmax(axis=1)
    return {
        name: Verdict(ORDER[best[n]], round(float(sure[n, best[n]]), 4))
        for n, name in enumerate(tasks)
    }


def alpha(votes: Votes) -> float | None:
    """Krippendorff's alpha, for any number of votes a task."""
    return krippendorff_alpha(tally(cast) for cast in votes.values())


def fleiss_kappa(votes: Votes) -> float | None:
    """Agreement beyond chance over the tasks with as many votes as most tasks have."""
    sizes = Counter(len(cast) for cast in votes.values() if len(cast) > 1)
    if not sizes:
        return None
    raters = max(sizes, key=lambda size: (sizes[size], size))
    rows = [tally(cast) for cast in votes.values() if len(cast) == raters]
    pairs = raters * (raters - 1)
    observed = sum(sum(n * (n - 1) for n in row.values()) / pairs for row in rows) / len(rows)
    shares = [sum(row[label] for row in rows) / (raters * len(rows)) for label in ORDER]
    chance = sum(share * share for share in shares)
    return None if chance == 1 else (observed - chance) / (1 - chance)


class Worker(NamedTuple):
    """What an annotator's votes are worth."""

    worker: str
    votes: int
    with_others: float | None
    """How often they say what most of the others say, where most say the same."""
    nonsense: float


def worker_quality(votes: Votes) -> list[Worker]:
    """Every annotator, the least in agreement first."""
    agreed: dict[str, list[bool]] = {}
    said: dict[str, list[Label]] = {}
    for cast in votes.values():
        counts = tally(cast)
        for vote in cast:
            rest = {label: counts[label] - (label == vote.label) for label in ORDER}
            said.setdefault(vote.worker, []).append(vote.label)
            best = max(rest.values())
            if best > (len(cast) - 1) / 2:
                agreed.setdefault(vote.worker, []).append(rest[vote.label] == best)
    workers = [
        Worker(
            worker,
            len(labels),
            sum(agreed[worker]) / len(agreed[worker]) if worker in agreed else None,
            labels.count("nonsense") / len(labels),
        )
        for worker, labels in sorted(said.items())
    ]
    return sorted(workers, key=lambda worker: (worker.with_others is None, worker.with_others))


class Precision(NamedTuple):
    """How the labels fare against an expert's."""

    compared: int
    agreed: int

    @property
    def precision(self) -> float | None:
        """The share of labels that the expert gives as well."""
        return self.agreed / self.compared if self.compared else None


def against_experts(verdicts: Mapping[str, Verdict | None], experts: Votes) -> Precision:
    """Compare the kept labels with those that experts agree on, where there are both."""
    expected = aggregate(experts, "majority")
    pairs = [
        (verdict.label, expert.label)
        for task, verdict in verdicts.items()
        if verdict and verdict.label != "nonsense" and (expert := expected.get(task))
    ]
    return Precision(len(pairs), sum(ours == theirs for ours, theirs in pairs))


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        raise MissingExtra(f"this needs numpy: {install_command('annotate')}") from None
    return numpy
