"""Findings: sentences about the figures, made by rules.

A sentence claims a difference only if its 95 % interval excludes zero; otherwise it says that
there is no significant difference. Nothing is said about causes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..report import Comparison
from ..statistics import Estimate
from .figures import NOTHING, Baseline, Cell, Figures, ModelFigures

SIGNIFICANCE = 0.05
"""Two models differ if the corrected p value is below this."""


@dataclass(frozen=True)
class ReportFinding:
    """A sentence, and the model it is about; empty if it is about several."""

    model: str
    text: str


def findings(figures: Figures) -> list[ReportFinding]:
    """Return all sentences, by model, and then about every two models."""
    found = [
        ReportFinding(model.name, text)
        for model in figures.models
        for text in _of_model(model, figures)
    ]
    return found + [ReportFinding("", _compared(comparison)) for comparison in figures.comparisons]


def _of_model(model: ModelFigures, figures: Figures) -> Iterator[str]:
    yield f"{percent(model.overall.share.mean)} of {model.overall.rows} rows are right " + (
        f"({interval(model.overall.share)})."
    )
    if "k" in model.by:
        yield from _trend(model)
    for baseline in figures.baselines:
        yield from _beside(model, baseline)
    yield from _noise(model)
    yield from _consistency(model)
    yield from _abstention(model)
    yield from _confusion(model)


def percent(share: float) -> str:
    """Format a share; only exact values appear as 0.0 % and 100.0 %."""
    if 0 < share < 0.001:
        return "under 0.1 %"
    if 0.999 < share < 1:
        return "over 99.9 %"
    return f"{100 * share:.1f} %"


def points(difference: float) -> str:
    """Format a difference in percentage points."""
    return f"{100 * difference:.1f}"


def interval(share: Estimate) -> str:
    """Format the interval of a share."""
    return f"95 % interval {100 * share.low:.1f} to {100 * share.high:.1f} %"


def _between(difference: Estimate) -> str:
    return f"95 % interval {points(difference.low)} to {points(difference.high)} points"


def _trend(model: ModelFigures) -> Iterator[str]:
    """Compare the smallest k with the largest."""
    cells = model.by["k"]
    if len(cells) < 2:
        return
    (least, first), *_, (most, last) = cells.items()
    ends = f"{percent(first.share.mean)} at k = {least} to {percent(last.share.mean)} at k = {most}"
    if changed := _changed(first, last, "falls", "rises"):
        word, by = changed
        yield f"Accuracy {word} from {ends}: by {points(by.mean)} points ({_between(by)})."
    else:
        yield (
            f"Accuracy at k = {least} ({percent(first.share.mean)}) and at k = {most} "
            f"({percent(last.share.mean)}) does not differ significantly."
        )


def _changed(before: Cell, after: Cell, down: str, up: str) -> tuple[str, Estimate] | None:
    """Return a word for a significant difference, and how large it is."""
    fall = before.minus(after)
    if fall.low > 0:
        return down, fall
    return (up, after.minus(before)) if fall.high < 0 else None


def standing(share: Estimate, baseline: Estimate) -> str:
    """Compare a share with a baseline."""
    difference = share.minus(baseline)
    if difference.low > 0:
        return "above"
    return "below" if difference.high < 0 else "not distinguishable"


def _beside(model: ModelFigures, baseline: Baseline) -> Iterator[str]:
    """Compare a model with a baseline for each k, or over all rows if k is unknown."""
    cells = model.by.get("k", {})
    where: dict[str, list[Any]] = {}
    for k, cell in cells.items():
        if k in baseline.by_k:
            where.setdefault(standing(cell.share, baseline.by_k[k]), []).append(k)
    parts = [
        f"{word} at k = {listed(where[word])}"
        for word in ("above", "below", "not distinguishable")
        if word in where
    ] or [f"{standing(model.overall.share, baseline.overall)} over all rows"]
    yield f"Compared with {baseline.name}: {'; '.join(parts)}."


def listed(values: Sequence[Any]) -> str:
    """List numbers in order; runs of three or more as "first to last"."""
    runs: list[list[Any]] = []
    for value in values:
        if runs and isinstance(value, int) and runs[-1][-1] == value - 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    parts = [f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return ", ".join(parts)


def _noise(model: ModelFigures) -> Iterator[str]:
    """Compare rows with each type of noise with clean ones."""
    cells = model.by.get("noise", {})
    clean = cells.get("clean")
    if not clean:
        return
    for kind, noisy in cells.items():
        if kind == "clean":
            continue
        shares = (
            f"With {kind} noise {percent(noisy.share.mean)} of {noisy.rows} rows are right, "
            f"without noise {percent(clean.share.mean)} of {clean.rows}"
        )
        if changed := _changed(clean, noisy, "fewer", "more"):
            word, by = changed
            yield f"{shares}: {points(by.mean)} points {word} ({_between(by)})."
        else:
            yield f"{shares}: no significant difference."


def _consistency(model: ModelFigures) -> Iterator[str]:
    found = model.consistency
    if not found:
        return
    yield (
        f"All rows of a group are right in {percent(found.whole.share.mean)} of "
        f"{found.whole.rows} groups ({interval(found.whole.share)})."
    )
    kept = [
        f"{name} {percent(change.kept.share.mean)} of {change.kept.rows}"
        for name, change in found.changes.items()
        if change.kept
    ]
    if kept:
        shares = ", ".join(kept)
        yield f"If the first row of a group is right, so is its sibling, by change: {shares}."


def _abstention(model: ModelFigures) -> Iterator[str]:
    found = model.abstention
    if not found:
        return
    more = found.open.minus(found.known)
    if more.low > 0:
        how = "more often where it should"
    elif more.high < 0:
        how = "less often where it should than where it should not"
    else:
        how = "no significant difference"
    yield (
        f"It says unknown to {percent(found.open.share.mean)} of {found.open.rows} rows where that "
        f"is the answer, and to {percent(found.known.share.mean)} of {found.known.rows} where it "
        f"is not: {how}."
    )


def _confusion(model: ModelFigures) -> Iterator[str]:
    wrong = {pair: count for pair, count in model.confusion.items() if pair[0] != pair[1]}
    if model.unread and model.unread.share.mean > 0:
        unread = round(model.unread.share.mean * model.unread.rows)
        yield f"{unread} of {model.unread.rows} replies contain no answer."
    named = {pair: count for pair, count in wrong.items() if pair[1] != NOTHING}
    most = max(named.values(), default=0)
    most_frequent = [pair for pair, count in named.items() if count == most]
    if most > 1 and len(most_frequent) == 1:
        target, answer = most_frequent[0]
        yield (
            f"Its most frequent confusion is {answer!r} for {target!r}: {most} of "
            f"{sum(wrong.values())} wrong answers."
        )


def _compared(comparison: Comparison) -> str:
    found, first, second = comparison.difference, comparison.first, comparison.second
    by, low, high = found.difference, found.low, found.high
    both = f"On the {comparison.rows} rows that both answered, "
    chance = f"p = {comparison.corrected:.4f}, {found.clusters} {comparison.unit}"
    if high < 0:
        first, second, by, low, high = second, first, -by, -high, -low
    if comparison.corrected >= SIGNIFICANCE or low <= 0:
        names = f"{comparison.first} and {comparison.second}"
        return f"{both}{names} do not differ significantly ({chance})."
    return (
        f"{both}{second} is right more often than {first}: by {points(by)} points "
        f"({_between(Estimate(by, low, high))}, {chance})."
    )
