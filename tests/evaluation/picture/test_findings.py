"""Every sentence is checked against numbers recomputed from the answers."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from relsmith.evaluation.picture.figures import Baseline, Cell, Figures, ModelFigures, figures
from relsmith.evaluation.picture.findings import ReportFinding, findings, listed, percent
from relsmith.evaluation.picture.record import Answer, ModelAnswers
from relsmith.evaluation.statistics import Estimate, wilson
from relsmith.testing.profile import scaled

# The code below is independent of the code under test: variances of clusters from matrices,
# intervals with scipy's quantiles or as the roots of Wilson's equation, differences to baselines
# as Newcombe has them, and counts.

Three = tuple[float, float, float]


def roots(mean: float, rows: float, quantile: float) -> Three:
    square = quantile**2
    low, high = sorted(np.roots([rows + square, -(2 * rows * mean + square), rows * mean**2]).real)
    return mean, float(low), float(high)


def projection(weights: np.ndarray) -> tuple[float, float]:
    """Expected sum of squared residuals of cluster means of variance 1, and its freedom."""
    size = len(weights)
    form = np.diag(weights) @ (np.eye(size) - np.outer(np.ones(size), weights))
    form = form.T @ form
    mean, square = np.trace(form), (form * form).sum()
    return float(mean), max(1.0, float(mean**2 / square)) if square > 0 else 1.0


class ClusteredShare:
    """A share of rows in clusters: by how much each cluster moves it, and its weight."""

    def __init__(self, values: Sequence[float], groups: Sequence[Any], ids: Sequence[Any]) -> None:
        names = list(groups) if len(set(groups)) > 1 else list(ids)
        self.mean, self.rows = float(np.mean(values)), len(values)
        self.effects: dict[Any, float] = dict.fromkeys(names, 0.0)
        for value, name in zip(values, names, strict=True):
            self.effects[name] += (value - self.mean) / self.rows
        counts = Counter(names)
        self.weights = {name: counts[name] / self.rows for name in self.effects}
        weights = np.array(list(self.weights.values()))
        expected, self.freedom = projection(weights)
        scale = sqrt(weights @ weights / expected) if expected > 1e-12 else 1.0
        self.scaled = {name: scale * effect for name, effect in self.effects.items()}

    @property
    def interval(self) -> Three:
        variance = sum(effect**2 for effect in self.scaled.values())
        quantile = float(student.ppf(0.975, self.freedom)) if variance else 1.959964
        rare = min(self.mean, 1 - self.mean)
        each = variance / (self.mean * (1 - self.mean)) if rare > 0 else 0.0
        seen = self.rows * rare
        worth = (seen + 1) / (seen * each + 1 / len(self.effects))
        if worth * rare < 5:
            return roots(self.mean, worth, quantile)
        half = quantile * sqrt(variance)
        return self.mean, max(0.0, self.mean - half), min(1.0, self.mean + half)

    def minus(self, other: "ClusteredShare") -> Three:
        """The difference to other rows of the same model."""
        names = sorted({*self.effects, *other.effects})
        parts = [self.scaled.get(name, 0) - other.scaled.get(name, 0) for name in names]
        weights = [
            sqrt(self.weights.get(name, 0) ** 2 + other.weights.get(name, 0) ** 2) for name in names
        ]
        if {self.mean, other.mean} <= {0.0, 1.0}:
            return apart(self.interval, other.interval)
        _, freedom = projection(np.array(weights) / sum(weights))
        half = float(student.ppf(0.975, freedom)) * sqrt(sum(part**2 for part in parts))
        mean = self.mean - other.mean
        return mean, mean - half, mean + half


def apart(first: Three, second: Three) -> Three:
    mean = first[0] - second[0]
    low = mean - sqrt((first[0] - first[1]) ** 2 + (second[2] - second[0]) ** 2)
    return mean, low, mean + sqrt((first[2] - first[0]) ** 2 + (second[0] - second[1]) ** 2)


class ModelShares:
    """The answers of a model, and shares computed from them."""

    def __init__(self, answers: ModelAnswers, every: Sequence[ModelAnswers]) -> None:
        self.rows = list(answers.answers)
        self.all = list({row.id: row for some in every for row in some.answers}.values())

    def right(self, wanted: Callable[[Answer], bool] = lambda row: True) -> ClusteredShare:
        rows = [row for row in self.rows if wanted(row)]
        return clustered([row.value for row in rows], rows)

    def part(self, k: int) -> ClusteredShare:
        return self.right(lambda row: row.metadata["k"] == k)

    def at(self, k: int) -> Three:
        return self.part(k).interval

    def baseline(self, name: str, k: int | None) -> Three:
        rows = [row for row in self.all if k is None or row.metadata["k"] == k]
        if name == "chance":
            value = 1 / len({row.target for row in self.all})
            return value, value, value
        most = re.fullmatch(r"the most frequent answer \((.*)\)", name)
        assert most, name
        counts = Counter(row.target for row in self.all)
        assert counts[most[1]] == max(counts.values())
        hits = [float(row.target == most[1]) for row in rows]
        return clustered(hits, rows).interval

    @property
    def ks(self) -> list[int]:
        return sorted({row.metadata["k"] for row in self.rows})


def clustered(values: Sequence[float], rows: Sequence[Answer]) -> ClusteredShare:
    return ClusteredShare(values, [group(row) for row in rows], [row.id for row in rows])


def group(row: Answer) -> str:
    return str(row.metadata["group"] or row.id)


def numbers(text: str) -> list[int]:
    """2 to 4, 6: 2, 3, 4, 6."""
    some: list[int] = []
    for part in text.split(", "):
        first, _, last = part.partition(" to ")
        some += range(int(first), int(last or first) + 1)
    return some


def about(said: str, true: float, near: float = 0.051) -> None:
    if said in ("under 0.1 %", "over 99.9 %"):
        assert 0 < true < 0.001 or 0.999 < true < 1
        return
    assert float(said.removesuffix(" %")) == pytest.approx(100 * true, abs=near)
    if said in ("0.0 %", "100.0 %"):
        assert true in (0, 1)


P = r"((?:under |over )?[\d.]+ %)"
KS = r"([\d, to]+?)"
SPAN = r"95 % interval (-?[\d.]+) to (-?[\d.]+)"


def overall(told: ModelShares, share: str, rows: str, low: str, high: str) -> None:
    mean, least, most = told.right().interval
    about(share, mean)
    assert int(rows) == told.right().rows
    assert (float(low), float(high)) == pytest.approx((100 * least, 100 * most), abs=0.051)


def trend(told: ModelShares, way: str, *said: str) -> None:
    first, least, last, most, by, low, high = said
    assert (int(least), int(most)) == (told.ks[0], told.ks[-1])
    about(first, told.at(int(least))[0])
    about(last, told.at(int(most))[0])
    ends = [told.part(int(least)), told.part(int(most))]
    mean, under, over = ends[way != "falls"].minus(ends[way == "falls"])
    assert under > 0
    parts = (float(by), float(low), float(high))
    assert parts == pytest.approx((100 * mean, 100 * under, 100 * over), abs=0.051)


def no_trend(told: ModelShares, least: str, first: str, most: str, last: str) -> None:
    _, low, high = told.part(int(least)).minus(told.part(int(most)))
    assert (int(least), int(most)) == (told.ks[0], told.ks[-1])
    assert low <= 0 <= high
    about(first, told.at(int(least))[0])
    about(last, told.at(int(most))[0])


def check_standing(told: ModelShares, word: str, name: str, ks: Sequence[int | None]) -> None:
    for k in ks:
        share = told.right().interval if k is None else told.at(k)
        _, low, high = apart(share, told.baseline(name, k))
        assert {"above": low > 0, "below": high < 0}.get(word, low <= 0 <= high), (word, k)


def beside(told: ModelShares, name: str, parts: str) -> None:
    named: list[int] = []
    for part in parts.split("; "):
        word, ks = part.split(" at k = ")
        check_standing(told, word, name, numbers(ks))
        named += numbers(ks)
    assert sorted(named) == told.ks


def noise(
    told: ModelShares, kind: str, share: str, rows: str, clean: str, others: str, end: str
) -> None:
    noisy = told.right(lambda row: row.metadata["noise"] == [kind])
    without = told.right(lambda row: row.metadata["noise"] == [])
    assert (int(rows), int(others)) == (noisy.rows, without.rows)
    about(share, noisy.mean)
    about(clean, without.mean)
    _, low, high = without.minus(noisy)
    claimed = re.fullmatch(rf"([\d.]+) points (fewer|more) \({SPAN} points\)", end)
    if not claimed:
        assert end == "no significant difference"
        assert low <= 0 <= high
        return
    fewer = without.minus(noisy) if claimed[2] == "fewer" else noisy.minus(without)
    assert fewer[1] > 0
    parts = [float(claimed[1]), float(claimed[3]), float(claimed[4])]
    assert parts == pytest.approx([100 * part for part in fewer], abs=0.051)


def whole(told: ModelShares, share: str, groups: str, low: str, high: str) -> None:
    every: dict[str, list[float]] = {}
    for row in told.rows:
        if row.metadata["group"]:
            every.setdefault(row.metadata["group"], []).append(row.value)
    most = max(map(len, every.values()))
    full = [min(values) for values in every.values() if len(values) == most]
    assert int(groups) == len(full)
    mean, least, top = ClusteredShare(full, range(len(full)), range(len(full))).interval
    about(share, mean)
    assert (float(low), float(high)) == pytest.approx((100 * least, 100 * top), abs=0.051)


def kept(told: ModelShares, parts: str) -> None:
    firsts = {group(row): row for row in told.rows if not row.metadata["perturbation"]}
    for change, share, rows in re.findall(rf"(\w+) {P} of (\d+)(?:, |$)", parts):
        after = [
            row.value
            for row in told.rows
            if row.metadata["perturbation"] == change and firsts[group(row)].value > 0.5
        ]
        assert int(rows) == len(after)
        about(share, sum(after) / len(after))


def abstains(told: ModelShares, share: str, rows: str, other: str, rest: str, end: str) -> None:
    parts = []
    for is_open, said, count in ((True, share, rows), (False, other, rest)):
        some = [row for row in told.rows if (row.target == "unknown") == is_open]
        assert int(count) == len(some)
        parts.append(clustered([float(row.extracted == "unknown") for row in some], some))
        about(said, parts[-1].mean)
    _, low, high = parts[0].minus(parts[1])
    assert {
        "more often where it should": low > 0,
        "less often where it should than where it should not": high < 0,
        "no significant difference": low <= 0 <= high,
    }[end]


def unread(told: ModelShares, some: str, rows: str) -> None:
    assert int(some) == sum(not row.extracted for row in told.rows) > 0
    assert int(rows) == len(told.rows)


def confused(told: ModelShares, answer: str, target: str, most: str, rows: str) -> None:
    wrong = [row for row in told.rows if row.value <= 0.5]
    assert int(rows) == len(wrong)
    counts = Counter((row.extracted, row.target) for row in wrong if row.extracted)
    assert counts[answer, target] == int(most) == max(counts.values())
    assert list(counts.values()).count(int(most)) == 1


RULES: list[tuple[str, Callable[..., None]]] = [
    (rf"{P} of (\d+) rows are right \({SPAN} %\)\.", overall),
    (
        rf"Accuracy (falls|rises) from {P} at k = (\d+) to {P} at k = (\d+): by ([\d.]+) points "
        rf"\({SPAN} points\)\.",
        trend,
    ),
    (
        rf"Accuracy at k = (\d+) \({P}\) and at k = (\d+) \({P}\) does not differ significantly\.",
        no_trend,
    ),
    (r"Compared with (.+): (.+)\.", beside),
    (
        rf"With (\w+) noise {P} of (\d+) rows are right, without noise {P} of (\d+): (.+)\.",
        noise,
    ),
    (rf"All rows of a group are right in {P} of (\d+) groups \({SPAN} %\)\.", whole),
    (
        r"If the first row of a group is right, so is its sibling, by change: (.+)\.",
        kept,
    ),
    (
        rf"It says unknown to {P} of (\d+) rows where that is the answer, and to {P} of (\d+) "
        r"where it is not: (.+)\.",
        abstains,
    ),
    (r"(\d+) of (\d+) replies contain no answer\.", unread),
    (r"Its most frequent confusion is '(.+)' for '(.+)': (\d+) of (\d+) wrong answers\.", confused),
]


def check(every: Sequence[ModelAnswers], said: Sequence[ReportFinding]) -> set[str]:
    """Check that each sentence follows a rule and is true; return the rules used."""
    used = set()
    for finding in said:
        if not finding.model:
            compared(every, finding.text)
            continue
        told = ModelShares(next(some for some in every if some.model == finding.model), every)
        fitting = [
            (rule, found) for text, rule in RULES if (found := re.fullmatch(text, finding.text))
        ]
        assert len(fitting) == 1, finding.text
        rule, found = fitting[0]
        rule(told, *found.groups())
        used.add(rule.__name__)
    return used


def compared(every: Sequence[ModelAnswers], text: str) -> None:
    found = re.fullmatch(
        r"On the (\d+) rows that both answered, "
        r"(?:(\w+) and (\w+) do not differ significantly \(.*\)"
        rf"|(\w+) is right more often than (\w+): by ([\d.]+) points \({SPAN} points, p = .*\))\.",
        text,
    )
    assert found, text
    by_name = {some.model: {row.id: row.value for row in some.answers} for some in every}
    first, second = (by_name[found[2] or found[4]], by_name[found[3] or found[5]])
    both = [name for name in first if name in second]
    assert int(found[1]) == len(both)
    mean = float(np.mean([first[name] - second[name] for name in both]))
    # The difference in each group, and how often a random assignment gives at least the total.
    rows = {row.id: row for row in every[0].answers}
    by_group = Counter[str]()
    for name in both:
        by_group[group(rows[name])] += first[name] - second[name]  # type: ignore[assignment]
    differences = np.array(list(by_group.values()))
    coins = np.random.default_rng(0).choice([-1, 1], size=(4000, len(differences)))
    as_far = np.abs(coins @ differences) >= abs(differences.sum()) - 1e-9
    p = float(as_far.mean())
    if found[4]:
        assert float(found[6]) == pytest.approx(100 * mean, abs=0.051)
        assert 0 < float(found[7]) <= float(found[6]) <= float(found[8])
        assert p < 0.06
    else:  # up to three simultaneous comparisons
        assert p > 0.01


WORDS = ["aunt", "uncle", "niece", "unknown"]


@st.composite
def logs(draw: Any) -> list[ModelAnswers]:
    """Random answers of one to three models to the same rows."""
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    ks = draw(st.lists(st.integers(2, 9), min_size=1, max_size=5, unique=True))
    together = draw(st.sampled_from([1, 3]))
    each = draw(st.sampled_from([1, 4, 80]))
    kinds = draw(st.sampled_from([[[]], [[], ["supporting"]], [["supporting"], ["irrelevant"]]]))
    words = draw(st.sampled_from([WORDS, WORDS[:3]]))
    rows = []
    for k in ks:
        for _ in range(each):
            name = f"clutrr-v4-s0-test-{len(rows)}"
            for place in range(together):
                metadata = {
                    "k": k,
                    "noise": kinds[int(random.integers(len(kinds)))],
                    "group": name if together > 1 else "",
                    "perturbation": ["", "names", "order"][place],
                }
                rows.append((str(random.choice(words)), metadata))
    every = []
    for model in ["one", "two", "three"][: draw(st.integers(1, 3))]:
        chances = {k: draw(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9, 1.0])) for k in ks}
        if draw(st.booleans()):
            chances = dict(zip(sorted(ks), sorted(chances.values(), reverse=True), strict=True))
        loose = draw(st.sampled_from([0.0, 0.5, 1.0]))
        answers = []
        luck = float(random.random())
        for number, (target, metadata) in enumerate(rows):
            if not metadata["perturbation"] or random.random() < loose:
                luck = float(random.random())
            right = luck < chances[metadata["k"]]
            others = [word for word in [*words, ""] if word != target]
            read = target if right else str(random.choice(others))
            name = f"clutrr-v4-s0-test-{number}"
            drawn = str(metadata["group"] or name)
            told = Answer(name, target, float(right), "", read, metadata, cluster=drawn)
            answers.append(told)
        every.append(ModelAnswers(model, "clutrr", answers, "mine"))
    return every


def test_every_sentence_is_true_and_every_rule_is_used() -> None:
    used: set[str] = set()

    @settings(max_examples=scaled(50, least=50))
    @given(logs())
    def collect(every: list[ModelAnswers]) -> None:
        used.update(check(every, findings(figures(every))))

    collect()
    assert used == {rule.__name__ for _, rule in RULES}


def model(shares: dict[int, float], rows: int) -> ModelFigures:
    cells = {k: Cell(rows, wilson(share, rows)) for k, share in shares.items()}
    return ModelFigures("m", Cell(rows, wilson(0.5, rows)), {"k": cells}, None, None, {}, None)


def said(shares: dict[int, float], baseline: dict[int, float], rows: int = 400) -> str:
    """The sentence about a model and an exact baseline."""
    exact = {k: Estimate(value, value, value) for k, value in baseline.items()}
    stick = Baseline("the stick", Estimate(0.5, 0.5, 0.5), exact)
    found = findings(Figures("clutrr", ["k"], [model(shares, rows)], [stick], []))
    return next(finding.text for finding in found if "the stick" in finding.text)


@pytest.mark.parametrize(
    ("shares", "baseline", "rows", "text"),
    [
        (
            {2: 0.9, 3: 0.8, 4: 0.6, 5: 0.3, 6: 0.1},
            dict.fromkeys(range(2, 7), 0.3),
            400,
            "above at k = 2 to 4; below at k = 6; not distinguishable at k = 5.",
        ),
        ({2: 0.9, 3: 0.9}, {2: 0.3, 3: 0.9}, 400, "above at k = 2; not distinguishable at k = 3."),
        ({2: 0.9, 3: 0.8}, {2: 0.3}, 400, "above at k = 2."),
        ({2: 0.1, 3: 0.1}, {2: 0.3, 3: 0.3}, 400, "below at k = 2, 3."),
        ({2: 0.9}, {}, 400, "not distinguishable over all rows."),
        ({2: 1.0, 3: 1.0}, {2: 0.3, 3: 0.9}, 5, "above at k = 2; not distinguishable at k = 3."),
    ],
)
def test_sentences_about_a_baseline(
    shares: dict[int, float], baseline: dict[int, float], rows: int, text: str
) -> None:
    assert said(shares, baseline, rows) == f"Compared with the stick: {text}"


def test_percent_never_rounds_to_0_or_100() -> None:
    assert percent(0.9999) == "over 99.9 %"
    assert percent(0.0001) == "under 0.1 %"
    assert (percent(1), percent(0), percent(0.5)) == ("100.0 %", "0.0 %", "50.0 %")


def test_listed_numbers() -> None:
    assert listed([2, 3, 4, 6, 8, 9]) == "2 to 4, 6, 8, 9"
    assert numbers("2 to 4, 6, 8, 9") == [2, 3, 4, 6, 8, 9]
    assert listed(["a", "b"]) == "a, b"
