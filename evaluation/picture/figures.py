"""The numbers of the picture: shares of rows with their intervals, by whatever rows are like."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from itertools import islice
from typing import Any

from ...errors import InvalidOption, hint
from ...scoring.answers import UNKNOWN
from ..statistics import Difference, Estimate, compare, holm, share, wilson
from .record import Answer, Answers, cluster

NOTHING = "(nothing read)"
"""What stands for the answer where none could be read."""
_MOST_MEASURED = 5000
"""So many rows are enough for what a generator measures."""
_MEASURE = re.compile(r"(?P<name>.+), k = (?P<k>\d+) \(%\)")


@dataclass(frozen=True)
class Cell:
    """A share of so many rows or groups."""

    rows: int
    share: Estimate


def cell(values: Sequence[float], answers: Sequence[Answer]) -> Cell | None:
    """The mean of numbers of these answers; None where there are none."""
    if not values:
        return None
    return Cell(len(values), share(values, [answer.cluster for answer in answers]))


def right(answers: Iterable[Answer]) -> Cell | None:
    """How many of these are right."""
    listed = list(answers)
    return cell([answer.value for answer in listed], listed)


@dataclass(frozen=True)
class Change:
    """Siblings with one thing changed, each beside the first of its group."""

    first: Cell
    sibling: Cell
    both: Cell
    kept: Cell | None
    """Of those whose first is right, how many siblings are."""
    alike: Cell | None
    """How many say the same as their first does, where that can be told."""


@dataclass(frozen=True)
class Consistency:
    """What becomes of a story's answer where the story is told otherwise."""

    whole: Cell
    """Groups of which all rows are right."""
    changes: Mapping[str, Change]
    """By what was changed."""


@dataclass(frozen=True)
class Abstention:
    """How often `unknown` is said where it is the answer, and where it is not."""

    open: Cell
    known: Cell


@dataclass(frozen=True)
class Model:
    """All figures of one model."""

    name: str
    overall: Cell
    by: Mapping[str, Mapping[Any, Cell]]
    consistency: Consistency | None
    abstention: Abstention | None
    confusion: Mapping[tuple[str, str], int]
    """How often which target was answered by what; empty where answers are not known."""
    unread: Cell | None
    """How many answers there was nothing to read in."""


@dataclass(frozen=True)
class Baseline:
    """What can be had without what is tested, over all rows and for each k."""

    name: str
    overall: Estimate
    by_k: Mapping[Any, Estimate]


@dataclass(frozen=True)
class Comparison:
    """Two models on the rows that both answered."""

    first: str
    second: str
    rows: int
    difference: Difference
    corrected: float


@dataclass(frozen=True)
class Figures:
    """All that the page shows in numbers."""

    generator: str
    columns: list[str]
    models: list[Model]
    baselines: list[Baseline]
    comparisons: list[Comparison]

    def as_json(self) -> dict[str, Any]:
        """For programs: shares with their rows and intervals."""
        return {
            "generator": self.generator,
            "models": [_model_json(model) for model in self.models],
            "baselines": [
                {"name": each.name, "overall": _plain(each.overall), "k": _plain(each.by_k)}
                for each in self.baselines
            ],
            "comparisons": [
                {
                    "first": comparison.first,
                    "second": comparison.second,
                    "rows": comparison.rows,
                    **comparison.difference._asdict(),
                    "corrected": comparison.corrected,
                }
                for comparison in self.comparisons
            ],
        }


def _plain(thing: Any) -> Any:
    """Shares and what is made of them, with texts for keys."""
    if isinstance(thing, Estimate):
        return list(thing)
    if isinstance(thing, Cell):
        return {"rows": thing.rows, **thing.share._asdict()}
    if isinstance(thing, Mapping):
        return {str(name): _plain(part) for name, part in thing.items()}
    return _plain(vars(thing)) if is_dataclass(thing) else thing


def _model_json(model: Model) -> dict[str, Any]:
    confusion = [
        {"target": target, "answer": answer, "rows": count}
        for (target, answer), count in model.confusion.items()
    ]
    parts = _plain(vars(model) | {"confusion": confusion})
    return {"model": parts.pop("name"), **parts}


def figures(every: Sequence[Answers], columns: Sequence[str] = ()) -> Figures:
    """All figures; `columns` are further ones to divide rows by, beside k and noise."""
    models = [answers for answers in every if not answers.baseline]
    for column in columns:
        if not any(answers.labels(column) for answers in models):
            known = sorted({name for some in models for name in some.answers[0].metadata})
            raise InvalidOption(f"--by: no row has a {column!r}; {hint(column, known)}")
    wanted = [*dict.fromkeys(("k", "noise", *columns))]
    divided = [
        column
        for column in wanted
        if any(len(answers.labels(column)) > (column == "noise") for answers in models)
    ]
    return Figures(
        models[0].generator,
        divided,
        [_model(answers, divided) for answers in models],
        baselines(every),
        comparisons(models),
    )


def _model(answers: Answers, columns: Sequence[str]) -> Model:
    overall = right(answers.answers)
    assert overall  # a log without answers is refused
    known = all(answer.read is not None for answer in answers.answers)
    return Model(
        answers.model,
        overall,
        {column: cells for column in columns if (cells := by(answers, column))},
        _consistency(answers),
        _abstention(answers.answers) if known else None,
        _confusion(answers.answers) if known else {},
        cell([float(not answer.read) for answer in answers.answers], answers.answers)
        if known
        else None,
    )


def by(answers: Answers, column: str) -> dict[Any, Cell]:
    """How many are right among rows that are alike in one respect, for each likeness."""
    parts: dict[Any, list[Answer]] = {value: [] for value in answers.labels(column)}
    if parts:
        for answer in answers.answers:
            parts[answer.label(column)].append(answer)
    return {value: found for value, part in parts.items() if (found := right(part))}


def _consistency(answers: Answers) -> Consistency | None:
    groups: dict[str, dict[str, Answer]] = {}
    for answer in answers.answers:
        group = answer.metadata.get("group")
        if group:
            groups.setdefault(str(group), {})[str(answer.metadata.get("change") or "")] = answer
    # A group counts where its first and another row were answered.
    whole = [group for group in groups.values() if "" in group and len(group) > 1]
    if not whole:
        return None
    names = [*dict.fromkeys(name for group in whole for name in group if name)]
    size = max(map(len, whole))
    full = [group for group in whole if len(group) == size]
    all_right = [min(answer.value for answer in group.values()) for group in full]
    return Consistency(
        Cell(len(full), share(all_right, range(len(full)))),
        {
            name: _change(name, [group for group in whole if name in group], answers)
            for name in names
        },
    )


def _change(name: str, groups: Sequence[Mapping[str, Answer]], answers: Answers) -> Change:
    pairs = [(group[""], group[name]) for group in groups]
    firsts, siblings = zip(*pairs, strict=True)
    both = [min(first.value, sibling.value) for first, sibling in pairs]
    kept = [sibling for first, sibling in pairs if first.right]
    alike = [agrees for pair in pairs if (agrees := _agrees(*pair, name, answers)) is not None]
    first, sibling, each = right(firsts), right(siblings), cell(both, firsts)
    assert first and sibling and each
    told = cell(alike, firsts) if len(alike) == len(pairs) else None
    return Change(first, sibling, each, right(kept), told)


def _agrees(first: Answer, sibling: Answer, change: str, answers: Answers) -> float | None:
    """Whether a sibling is answered as its first is, where the log has both answers."""
    if first.read is None or sibling.read is None:
        return None
    said = first.read
    if change in ("inverse", "gender"):
        if answers.dataset is None:
            return None
        said = answers.dataset.agreeing(first.id, sibling.id, said)
    return float(bool(said) and said == sibling.read)


def _abstention(answers: Sequence[Answer]) -> Abstention | None:
    parts = []
    for is_open in (True, False):
        rows = [answer for answer in answers if (answer.target == UNKNOWN) == is_open]
        said = cell([float(answer.read == UNKNOWN) for answer in rows], rows)
        if said is None:
            return None
        parts.append(said)
    return Abstention(*parts)


def _confusion(answers: Sequence[Answer]) -> dict[tuple[str, str], int]:
    counts = Counter(
        (answer.target, answer.target if answer.value == 1 else answer.read or NOTHING)
        for answer in answers
    )
    return dict(sorted(counts.items()))


def baselines(every: Sequence[Answers]) -> list[Baseline]:
    """Chance and the commonest answer, what the generator measures, and baselines of gen eval."""
    rows = _all_rows([answers for answers in every if not answers.baseline])
    found = [_chance(rows), _commonest(rows)] if all(answer.target for answer in rows) else []
    found += _measured(every)
    for answers in every:
        if answers.baseline and (overall := right(answers.answers)):
            shares = {k: cell.share for k, cell in by(answers, "k").items()}
            found.append(Baseline(answers.model, overall.share, shares))
    return found


def _all_rows(models: Sequence[Answers]) -> list[Answer]:
    """Each row that any model answered, once."""
    return list({answer.id: answer for answers in models for answer in answers.answers}.values())


def _baseline(
    name: str, rows: Sequence[Answer], mean: Callable[[Sequence[Answer]], Estimate]
) -> Baseline:
    """What can be had of all rows, and of those of each k."""
    parts: dict[Any, list[Answer]] = {}
    for row in rows:
        if (k := row.label("k")) is not None:
            parts.setdefault(k, []).append(row)
    return Baseline(name, mean(rows), {k: mean(parts[k]) for k in sorted(parts)})


def _chance(rows: Sequence[Answer]) -> Baseline:
    """Any of the choices; where there are none, any of the answers that occur."""
    occurring = len({row.target for row in rows})

    def mean(part: Sequence[Answer]) -> Estimate:
        chances = [1 / (len(row.choices) or occurring) for row in part]
        value = sum(chances) / len(chances)
        return Estimate(value, value, value)

    return _baseline("chance", rows, mean)


def _commonest(rows: Sequence[Answer]) -> Baseline:
    """The answer that is most frequent in these rows, always."""
    counts = Counter(row.target for row in rows)
    most = min(counts, key=lambda target: (-counts[target], target))

    def often(part: Sequence[Answer]) -> Estimate:
        hits = [float(row.target == most) for row in part]
        return share(hits, [row.cluster for row in part])

    return _baseline(f"the commonest answer ({most})", rows, often)


def _measured(every: Sequence[Answers]) -> list[Baseline]:
    """What the generator measures of each k; the interval is that of as many stories.

    It leaves open questions out, and so is no baseline where there are some.
    """
    answered = next((answers.dataset for answers in every if answers.dataset), None)
    is_open = any(answer.target == UNKNOWN for answers in every for answer in answers.answers)
    if answered is None or is_open:
        return []
    rows = list(islice(answered.rows(), _MOST_MEASURED))
    # Rows about one story tell no more than one of them.
    counts = Counter(k for k, _ in {(row.metadata.get("k"), cluster(row)) for row in rows})
    named: dict[str, dict[Any, Estimate]] = {}
    for measure, value in answered.measures(rows).items():
        parts = _MEASURE.fullmatch(measure)
        if parts and counts[int(parts["k"])]:
            k = int(parts["k"])
            named.setdefault(parts["name"], {})[k] = wilson(value / 100, counts[k])
    found = []
    for name, by_k in named.items():
        total = sum(counts[k] for k in by_k)
        mean = sum(counts[k] * each.mean for k, each in by_k.items()) / total
        found.append(Baseline(f"the {name}", wilson(mean, total), by_k))
    return found


def comparisons(models: Sequence[Answers]) -> list[Comparison]:
    """Every two models on what both answered; chances are corrected for there being several."""
    pairs = []
    for number, first in enumerate(models):
        for second in models[number + 1 :]:
            shared = [name for name in first.by_id if name in second.by_id]
            if shared:
                sides = [_sums(answers, shared) for answers in (first, second)]
                pairs.append((first, second, len(shared), compare(*sides)))
    corrected = holm([difference.p for *_, difference in pairs])
    return [
        Comparison(first.model, second.model, rows, difference, chance)
        for (first, second, rows, difference), chance in zip(pairs, corrected, strict=True)
    ]


def _sums(answers: Answers, names: Sequence[str]) -> Any:
    """For each group of rows how many are right, and how many there are."""
    import numpy as np

    sums: dict[Any, list[float]] = {}
    for name in names:
        answer = answers.by_id[name]
        pair = sums.setdefault(answer.cluster, [0.0, 0.0])
        pair[0] += answer.value
        pair[1] += 1
    return np.array([list(sums.values())])
