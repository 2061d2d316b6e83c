"""The numbers of the page: shares of right rows with intervals, by row labels."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy import ndarray

from ...clusters import clusters
from ...dataset.statistics import measures
from ...errors import InvalidOption, hint
from ...scoring.answers import UNKNOWN
from ..report import Comparison, with_holm
from ..statistics import Estimate, Sample, difference, share, wilson
from .record import Answer, ModelAnswers

NOTHING = "(nothing read)"
"""Stands for the answer if none was extracted."""
_MAX_MEASURED_ROWS = 5000
"""Rows from which the generator's measures are computed."""
_MEASURE = re.compile(r"(?P<name>(?!floor).+), k = (?P<k>\d+) \(%\)")


@dataclass(frozen=True)
class Cell:
    """A share of a number of rows or groups."""

    rows: int
    share: Estimate
    sample: Sample | None = field(default=None, compare=False)
    """The share as it was drawn, for differences."""

    def minus(self, other: "Cell") -> Estimate:
        """Return the difference to another share of the same model; clusters are paired."""
        if self.sample is None or other.sample is None:
            return self.share.minus(other.share)
        found = difference(other.sample, self.sample, same_seeds=True)
        return Estimate(found.difference, found.low, found.high)


def cell(values: Sequence[float], answers: Sequence[Answer]) -> Cell | None:
    """Return the mean of a number of each answer; None if there are none."""
    sample = Sample.of_means(np.array([values], float), _drawn(answers)) if answers else None
    return Cell(len(answers), sample.estimate(), sample) if sample else None


def _drawn(answers: Sequence[Answer]) -> ndarray:
    """Return the clusters of answers; if there is only one, their rows were drawn."""
    keys = [answer.cluster for answer in answers]
    return np.array(keys if len(set(keys)) > 1 else [answer.id for answer in answers])


def right(answers: Sequence[Answer]) -> Cell | None:
    """Return the share of right answers; None if there are no answers."""
    return cell([answer.value for answer in answers], answers)


@dataclass(frozen=True)
class SiblingFigures:
    """Shares for siblings with one perturbation, compared with the first rows of their groups."""

    first: Cell
    sibling: Cell
    both: Cell
    kept: Cell | None
    """Right siblings among those whose first row is right."""
    alike: Cell | None
    """Siblings with the same answer as their first row, if that is known."""


@dataclass(frozen=True)
class Consistency:
    """Consistency on groups of siblings."""

    whole: Cell
    """Groups with only right rows."""
    changes: Mapping[str, SiblingFigures]
    """By perturbation."""


@dataclass(frozen=True)
class Abstention:
    """Share of `unknown` where it is the answer (open), and where it is not (known)."""

    open: Cell
    known: Cell


@dataclass(frozen=True)
class ModelFigures:
    """All figures of one model."""

    name: str
    overall: Cell
    by: Mapping[str, Mapping[Any, Cell]]
    consistency: Consistency | None
    abstention: Abstention | None
    confusion: Mapping[tuple[str, str], int]
    """Counts of (target, answer); empty if answers are not known."""
    unread: Cell | None
    """Share of replies without an extracted answer."""


@dataclass(frozen=True)
class Baseline:
    """A baseline's share over all rows and by k."""

    name: str
    overall: Estimate
    by_k: Mapping[Any, Estimate]


@dataclass(frozen=True)
class Figures:
    """All numbers of the page."""

    generator: str
    columns: list[str]
    models: list[ModelFigures]
    baselines: list[Baseline]
    comparisons: list[Comparison]
    notes: list[str] = field(default_factory=list)
    """Sentences about baselines that are missing."""

    def as_json(self) -> dict[str, Any]:
        """Return plain dictionaries: shares with rows and intervals."""
        return {
            "generator": self.generator,
            "models": [_model_json(model) for model in self.models],
            "baselines": [
                {"name": each.name, "overall": _plain(each.overall), "k": _plain(each.by_k)}
                for each in self.baselines
            ],
            "comparisons": [comparison.as_json() for comparison in self.comparisons],
            "notes": self.notes,
        }


def _plain(thing: Any) -> Any:
    """Turn dataclasses and mappings into plain dictionaries with string keys."""
    if isinstance(thing, Estimate):
        return list(thing)
    if isinstance(thing, Cell):
        clusters = {"clusters": len(thing.sample.keys)} if thing.sample else {}
        return {"rows": thing.rows, **clusters, **thing.share._asdict()}
    if isinstance(thing, Mapping):
        return {str(name): _plain(part) for name, part in thing.items()}
    return _plain(vars(thing)) if is_dataclass(thing) else thing


def _model_json(model: ModelFigures) -> dict[str, Any]:
    confusion = [
        {"target": target, "answer": answer, "rows": count}
        for (target, answer), count in model.confusion.items()
    ]
    parts = _plain(vars(model) | {"confusion": confusion})
    return {"model": parts.pop("name"), **parts}


def figures(models: Sequence[ModelAnswers], columns: Sequence[str] = ()) -> Figures:
    """Compute all figures; `columns` are labels to group rows by, in addition to k and noise."""
    for column in columns:
        if not any(answers.labels(column) for answers in models):
            known = sorted({name for some in models for name in some.answers[0].metadata})
            raise InvalidOption(f"--by: no row has the label {column!r}; {hint(column, known)}")
    wanted = [*dict.fromkeys(("k", "noise", *columns))]
    divided = [
        column
        for column in wanted
        if any(len(answers.labels(column)) > (column == "noise") for answers in models)
    ]
    measured, missing = _measured(models)
    has_k = any(answers.labels("k") for answers in models)
    return Figures(
        models[0].generator,
        divided,
        [_model(answers, divided) for answers in models],
        baselines(models, measured),
        comparisons(models),
        [f"There is no baseline from end facts: {missing}."] if missing and has_k else [],
    )


def _model(answers: ModelAnswers, columns: Sequence[str]) -> ModelFigures:
    overall = right(answers.answers)
    assert overall  # a log without answers is refused
    known = all(answer.extracted is not None for answer in answers.answers)
    return ModelFigures(
        answers.model,
        overall,
        {column: cells for column in columns if (cells := by(answers, column))},
        _consistency(answers),
        _abstention(answers.answers) if known else None,
        _confusion(answers.answers) if known else {},
        cell([not answer.extracted for answer in answers.answers], answers.answers)
        if known
        else None,
    )


def by(answers: ModelAnswers, column: str) -> dict[Any, Cell]:
    """Return the share of right rows for each label of a column."""
    parts: dict[Any, list[Answer]] = {value: [] for value in answers.labels(column)}
    if parts:
        for answer in answers.answers:
            parts[answer.label(column)].append(answer)
    return {value: found for value, part in parts.items() if (found := right(part))}


def _consistency(answers: ModelAnswers) -> Consistency | None:
    groups: dict[str, dict[str, Answer]] = {}
    for answer in answers.answers:
        group = answer.metadata.get("group")
        if group:
            groups.setdefault(str(group), {})[str(answer.metadata.get("perturbation") or "")] = (
                answer
            )
    # A group counts if its first and another row were answered.
    whole = [group for group in groups.values() if "" in group and len(group) > 1]
    if not whole:
        return None
    names = [*dict.fromkeys(name for group in whole for name in group if name)]
    size = max(map(len, whole))
    full = [group for group in whole if len(group) == size]
    all_right = [min(answer.value for answer in group.values()) for group in full]
    together = cell(all_right, [group[""] for group in full])
    assert together
    return Consistency(
        together,
        {
            name: _change(name, [group for group in whole if name in group], answers)
            for name in names
        },
    )


def _change(
    name: str, groups: Sequence[Mapping[str, Answer]], answers: ModelAnswers
) -> SiblingFigures:
    pairs = [(group[""], group[name]) for group in groups]
    firsts, siblings = zip(*pairs, strict=True)
    alike = [agrees for pair in pairs if (agrees := _agrees(*pair, name, answers)) is not None]
    both = cell([min(first.value, sibling.value) for first, sibling in pairs], firsts)
    first, sibling = right(firsts), right(siblings)
    assert first and sibling and both
    same = cell(alike, firsts) if len(alike) == len(pairs) else None
    kept = right([sibling for first, sibling in pairs if first.right])
    return SiblingFigures(first, sibling, both, kept, same)


def _agrees(first: Answer, sibling: Answer, change: str, answers: ModelAnswers) -> float | None:
    """Return whether a sibling has the same answer as its first row; None if unknown."""
    if first.extracted is None or sibling.extracted is None:
        return None
    expected = first.extracted
    if answers.dataset and change in ("inverse", "gender"):
        expected = answers.dataset.equivalent_answer(first.id, sibling.id, expected)
    return float(bool(expected) and expected == sibling.extracted)


def _abstention(answers: Sequence[Answer]) -> Abstention | None:
    parts = []
    for is_open in (True, False):
        rows = [answer for answer in answers if (answer.target == UNKNOWN) == is_open]
        abstained = cell([answer.extracted == UNKNOWN for answer in rows], rows)
        if abstained is None:
            return None
        parts.append(abstained)
    return Abstention(*parts)


def _confusion(answers: Sequence[Answer]) -> dict[tuple[str, str], int]:
    counts = Counter(
        (answer.target, answer.target if answer.value == 1 else answer.extracted or NOTHING)
        for answer in answers
    )
    return dict(sorted(counts.items()))


def baselines(models: Sequence[ModelAnswers], measured: Sequence[Baseline]) -> list[Baseline]:
    """Return chance, the most frequent answer, and the generator's measures."""
    rows = list({answer.id: answer for some in models for answer in some.answers}.values())
    found = [_chance(rows), _most_frequent(rows)] if all(answer.target for answer in rows) else []
    return [*found, *measured]


def _baseline(
    name: str, rows: Sequence[Answer], mean: Callable[[Sequence[Answer]], Estimate]
) -> Baseline:
    """Apply an estimate to all rows and to those of each k."""
    parts: dict[Any, list[Answer]] = {}
    for row in rows:
        if (k := row.label("k")) is not None:
            parts.setdefault(k, []).append(row)
    return Baseline(name, mean(rows), {k: mean(parts[k]) for k in sorted(parts)})


def _chance(rows: Sequence[Answer]) -> Baseline:
    """Return the chance of guessing: among the choices of a row, or the answers that occur."""
    occurring = len({row.target for row in rows})

    def mean(part: Sequence[Answer]) -> Estimate:
        chances = [1 / (len(row.choices) or occurring) for row in part]
        value = sum(chances) / len(chances)
        return Estimate(value, value, value)

    return _baseline("chance", rows, mean)


def _most_frequent(rows: Sequence[Answer]) -> Baseline:
    """Return the share of the most frequent answer of these rows."""
    counts = Counter(row.target for row in rows)
    most = min(counts, key=lambda target: (-counts[target], target))

    def often(part: Sequence[Answer]) -> Estimate:
        hits = [float(row.target == most) for row in part]
        return share(hits, _drawn(part))

    return _baseline(f"the most frequent answer ({most})", rows, often)


def _measured(every: Sequence[ModelAnswers]) -> tuple[list[Baseline], str]:
    """Return the generator's measures by k, with the interval of as many stories.

    Baselines among them are fitted to training rows; if there is none, the second is the reason.
    """
    answered = every[0].dataset
    if answered is None:
        return [], "there is no dataset"
    if any(answer.target == UNKNOWN for answers in every for answer in answers.answers):
        return [], "some answers are unknown"
    rows = list(islice(answered.rows(), _MAX_MEASURED_ROWS))
    # Rows of one cluster count once.
    keys = clusters((row.id, row.metadata) for row in rows).keys
    counts = Counter(
        k for k, _ in {(row.metadata.get("k"), key) for row, key in zip(rows, keys, strict=True)}
    )
    named: dict[str, dict[Any, Estimate]] = {}
    for measure, value in measures(answered.dataset, answered.splits).items():
        parts = _MEASURE.fullmatch(measure)
        if parts and counts[int(parts["k"])]:
            k = int(parts["k"])
            named.setdefault(parts["name"], {})[k] = wilson(value / 100, counts[k])
    found = []
    for name, by_k in named.items():
        total = sum(counts[k] for k in by_k)
        mean = sum(counts[k] * each.mean for k, each in by_k.items()) / total
        found.append(Baseline(f"the {name}", wilson(mean, total), by_k))
    no_rows = "the dataset has no training rows, and its generator cannot make them here"
    return found, "" if any("baseline" in name for name in named) else no_rows


def comparisons(models: Sequence[ModelAnswers]) -> list[Comparison]:
    """Compare every two models on the rows that both answered, with Holm's correction."""
    found = []
    for number, first in enumerate(models):
        for second in models[number + 1 :]:
            shared = [name for name in first.by_id if name in second.by_id]
            one, other = ([some.by_id[name] for name in shared] for some in (first, second))
            left, right = (cell([row.value for row in rows], one) for rows in (one, other))
            if left and right and left.sample and right.sample:
                names, both = (first.model, second.model), difference(left.sample, right.sample)
                unit = first.unit if both.clusters < len(shared) else "rows"
                found.append(Comparison("accuracy", *names, len(shared), both, unit))
    return with_holm(found)
