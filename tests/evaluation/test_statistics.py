"""Intervals and tests, against the same done by brute force."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from numpy import ndarray
from numpy.random import Generator, default_rng

from relsmith.evaluation.statistics import (
    SWAPS,
    Estimate,
    compare,
    estimate,
    holm,
    kolmogorov_smirnov,
    resampled,
    share,
    wilson,
)
from relsmith.testing.profile import scaled

SEED = st.integers(0, 2**32)
NOT_SHRUNK = [Phase.explicit, Phase.generate]
"""Brute force is slow, and another seed is no simpler."""


def accuracies(random: Generator, seeds: int, rows: int) -> ndarray:
    """Right or wrong, some rows harder than others."""
    ease = random.beta(1, 1, rows)
    right = random.random((seeds, rows)) < ease
    return np.stack([right, np.ones((seeds, rows))], -1).astype(float)


def ratios(random: Generator, seeds: int, rows: int) -> ndarray:
    """So many words right of so many, another number in each row."""
    words = random.integers(0, 6, (1, rows)).repeat(seeds, 0)
    right = random.binomial(words, random.random((1, rows)))
    return np.stack([right, words], -1).astype(float)


def quotient(sums: ndarray) -> float:
    return float(sums[0] / sums[1]) if sums[1] else 0.0


def brute_force(groups: Sequence[ndarray], random: Generator, samples: int = 2000) -> Estimate:
    """Rows and seeds drawn one by one."""

    def figure(group: ndarray, seeds: Sequence[int], rows: Sequence[int]) -> float:
        return sum(quotient(group[seed, rows].sum(0)) for seed in seeds) / len(seeds)

    seeds = groups[0].shape[0]
    drawn = []
    for _ in range(samples):
        which = random.integers(0, seeds, seeds).tolist()
        rows = [random.integers(0, group.shape[1], group.shape[1]).tolist() for group in groups]
        figures = [figure(group, which, some) for group, some in zip(groups, rows, strict=True)]
        drawn.append(sum(figures) / len(groups))
    every = [figure(group, range(seeds), list(range(group.shape[1]))) for group in groups]
    low, high = np.percentile(drawn, [2.5, 97.5]).tolist()
    return Estimate(sum(every) / len(every), low, high)


def close(found: Estimate, expected: Estimate) -> bool:
    """The same mean, and ends as near as a thousand samples can tell: some 5 standard errors."""
    tolerance = 0.12 * (expected.high - expected.low) + 0.01
    assert found.mean == pytest.approx(expected.mean)
    assert found.low == pytest.approx(expected.low, abs=tolerance)
    assert found.high == pytest.approx(expected.high, abs=tolerance)
    return True


@settings(max_examples=scaled(12), phases=NOT_SHRUNK)
@given(SEED, st.integers(1, 4), st.integers(30, 120), st.sampled_from([accuracies, ratios]))
def test_intervals_are_those_of_drawing_rows_and_seeds(seed, seeds, rows, draw) -> None:
    random = default_rng(seed)
    group = draw(random, seeds, rows)
    found = estimate([group])
    assert found and close(found, brute_force([group], random))


@settings(max_examples=scaled(4), phases=NOT_SHRUNK)
@given(SEED, st.integers(1, 3))
def test_groups_count_alike_whatever_their_size(seed: int, seeds: int) -> None:
    random = default_rng(seed)
    groups = [accuracies(random, seeds, 20), ratios(random, seeds, 90)]
    found = estimate(groups)
    assert found and close(found, brute_force(groups, random))


@given(SEED, st.integers(1, 5), st.integers(1, 60), st.sampled_from([accuracies, ratios]))
def test_an_interval_holds_the_mean(seed, seeds, rows, draw) -> None:
    group = draw(default_rng(seed), seeds, rows)
    found = estimate([group])
    if found is None:
        assert not group[..., 1].any()
        return
    assert -1e-9 <= found.low <= found.mean + 1e-9
    assert found.mean - 1e-9 <= found.high <= 1 + 1e-9
    assert found.half == (found.high - found.low) / 2
    assert found.scaled(100) == pytest.approx([100 * part for part in found])


@given(SEED, st.integers(1, 3), st.integers(1, 60), st.sampled_from([accuracies, ratios]))
def test_the_order_of_rows_and_rows_unanswered_tell_nothing(seed, seeds, rows, draw) -> None:
    random = default_rng(seed)
    group = draw(random, seeds, rows)
    unanswered = np.full((seeds, 5, 2), np.nan)
    mixed = np.concatenate([group, unanswered], 1)[:, random.permutation(rows + 5)]
    assert estimate([mixed]) == estimate([group])
    half_done = np.concatenate([group, draw(random, seeds, 5)], 1)
    half_done[-1, rows:] = np.nan  # a run that was cut short after its first seed
    assert estimate([half_done]) == estimate([group])


def test_what_cannot_be_divided_has_no_figure() -> None:
    assert estimate([]) is None
    assert estimate([np.zeros((2, 0, 2))]) is None
    assert estimate([np.full((1, 4, 2), np.nan)]) is None
    assert estimate([np.zeros((1, 4, 2))]) is None
    taken_by_one_seed = np.array([[[0.0, 0.0]], [[1.0, 1.0]]])
    assert estimate([taken_by_one_seed]) == (0.5, 0, 1)
    some = accuracies(default_rng(1), 1, 30)
    assert estimate([some, np.zeros((1, 4, 2))]) == estimate([some])


@given(SEED)
def test_more_rows_of_each_kind_narrow_the_interval(seed: int) -> None:
    group = accuracies(default_rng(seed), 1, 40)
    found, narrow = estimate([group]), estimate([group.repeat(16, 1)])
    assert found and narrow
    assert narrow.mean == pytest.approx(found.mean)
    assert found.half / 4 == pytest.approx(narrow.half, rel=0.25)


def test_seeds_that_differ_widen_the_interval() -> None:
    rows = 400
    low, high = (np.arange(rows) < share * rows for share in (0.2, 0.8))
    ones = np.ones(rows)
    apart = np.stack([np.stack([low, ones], -1), np.stack([high, ones], -1)])
    alike = np.stack([np.stack([low, ones], -1)] * 2)
    wide, narrow = estimate([apart]), estimate([alike])
    assert wide and narrow
    assert wide.mean == pytest.approx(0.5)
    assert (wide.low, wide.high) == (pytest.approx(0.2, abs=0.05), pytest.approx(0.8, abs=0.05))
    alone = estimate([alike[:1]])
    assert alone and close(narrow, alone)
    (any_figure,) = resampled(apart, lambda kinds, numbers: [quotient(numbers @ kinds)])
    assert close(any_figure, wide)


@settings(max_examples=scaled(10))
@given(SEED, st.sampled_from([accuracies, ratios]), st.sampled_from([1, 3]))
def test_any_figure_has_the_interval_that_a_ratio_has(seed, draw, seeds) -> None:
    group = draw(default_rng(seed), seeds, 80)

    def figures(kinds: ndarray, numbers: ndarray) -> tuple[float, float]:
        share = quotient(numbers @ kinds)
        return share, 1 - share

    found, rest = resampled(group, figures)
    expected = estimate([group])
    assert expected and close(found, expected)
    assert (rest.low, rest.high) == (pytest.approx(1 - found.high), pytest.approx(1 - found.low))


def exact(first: ndarray, second: ndarray) -> float:
    """The chance of such a difference over every way to swap rows."""

    def difference(swaps: Sequence[bool]) -> float:
        chosen = np.array(swaps)[:, None]
        left, right = np.where(chosen, second, first), np.where(chosen, first, second)
        return abs(quotient(right.sum(0)) - quotient(left.sum(0)))

    seen = difference([False] * len(first))
    ways = list(product([False, True], repeat=len(first)))
    return sum(difference(swaps) >= seen - 1e-12 for swaps in ways) / len(ways)


def near(found: float, chance: float) -> bool:
    """As near as ten thousand draws can tell: 5 standard errors."""
    return abs(found - chance) <= 5 * np.sqrt(chance * (1 - chance) / SWAPS) + 2 / SWAPS


@settings(max_examples=scaled(30))
@given(SEED, st.integers(1, 9), st.sampled_from([accuracies, ratios]))
def test_chances_are_those_of_all_swaps(seed, rows, draw) -> None:
    random = default_rng(seed)
    first, second = draw(random, 1, rows), draw(random, 1, rows)
    found = compare(first, second)
    assert near(found.p, exact(first[0], second[0]))
    assert found.first == pytest.approx(quotient(first[0].sum(0)))
    assert found.second == pytest.approx(quotient(second[0].sum(0)))
    assert found.difference == pytest.approx(found.second - found.first)


@settings(max_examples=scaled(30))
@given(SEED, st.integers(1, 3), st.integers(1, 3), st.integers(1, 60))
def test_which_of_the_two_comes_first_only_turns_the_sign(seed, seeds, others, rows) -> None:
    random = default_rng(seed)
    first, second = accuracies(random, seeds, rows), accuracies(random, others, rows)
    forth, back = compare(first, second), compare(second, first)
    assert back.difference == pytest.approx(-forth.difference)
    assert (back.first, back.second) == pytest.approx((forth.second, forth.first))
    assert near(back.p, forth.p) or near(forth.p, back.p)
    tolerance = 0.12 * (forth.high - forth.low) + 0.01
    assert back.low == pytest.approx(-forth.high, abs=tolerance)
    assert back.high == pytest.approx(-forth.low, abs=tolerance)
    assert forth.low - 1e-9 <= forth.difference <= forth.high + 1e-9


@given(SEED, st.integers(1, 3), st.integers(1, 40), st.sampled_from([accuracies, ratios]))
def test_nothing_differs_from_itself(seed, seeds, rows, draw) -> None:
    group = draw(default_rng(seed), seeds, rows)
    found = compare(group, group)
    assert (found.difference, found.low, found.high, found.p) == (0, 0, 0, 1)


def test_without_a_difference_every_chance_comes_as_often() -> None:
    random = default_rng(7)
    chances = []
    for _ in range(scaled(150, least=60)):
        scores = random.normal(0, 1, (2, 1, 25))
        both = np.stack([scores, np.ones_like(scores)], -1)
        chances.append(compare(both[0], both[1]).p)
    distance, likely = kolmogorov_smirnov(chances, np.linspace(0, 1, 5000).tolist())
    assert likely > 0.01, distance


def test_a_difference_is_found_and_rows_that_one_lacks_are_left_out() -> None:
    random = default_rng(5)
    worse = accuracies(random, 2, 200)
    better = np.maximum(worse, accuracies(random, 2, 200))
    found = compare(worse, better)
    assert found.p < 0.001
    assert 0 < found.low < found.difference < found.high
    lacking = np.concatenate([better, np.full((2, 50, 2), np.nan)], 1)
    more = np.concatenate([worse, accuracies(random, 2, 50)], 1)
    assert compare(more, lacking) == found


@given(st.lists(st.integers(0, 1000), max_size=8), st.integers(0, 1000))
def test_holm_refuses_what_the_textbook_refuses(thousandths: list[int], level: int) -> None:
    """The lowest chance against level / m, the next against level / (m - 1), until one fails."""
    chances, alpha = [number / 1000 for number in thousandths], (level + 0.5) / 1000
    rejected: set[int] = set()
    for rank, place in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        if chances[place] > alpha / (len(chances) - rank):
            break
        rejected.add(place)
    corrected = holm(chances)
    assume(alpha < 1)
    assert {place for place, chance in enumerate(corrected) if chance <= alpha} == rejected
    assert all(chance <= after <= 1 for chance, after in zip(chances, corrected, strict=True))


@given(st.lists(st.floats(0, 1), max_size=8), st.randoms(use_true_random=False))
def test_holm_knows_no_order(chances, random) -> None:
    order = random.sample(range(len(chances)), len(chances))
    corrected = holm(chances)
    assert holm([chances[place] for place in order]) == [corrected[place] for place in order]
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


VALUES = st.lists(st.integers(0, 9).map(float), min_size=1, max_size=40)


@given(VALUES, VALUES)
def test_the_distance_of_two_distributions(first: list[float], second: list[float]) -> None:
    distance, likely = kolmogorov_smirnov(first, second)
    shares = [
        sum(value <= limit for value in some) / len(some)
        for limit in range(10)
        for some in (first, second)
    ]
    assert distance == pytest.approx(
        max(abs(a - b) for a, b in zip(shares[::2], shares[1::2], strict=True))
    )
    assert 0 <= likely <= 1
    assert kolmogorov_smirnov(second, first) == pytest.approx((distance, likely))
    assert kolmogorov_smirnov(first, first) == (0, 1)


def test_how_likely_a_distance_is() -> None:
    """1.358 and 1.628 are the textbook's limits for 5 and 1 %."""
    grid = [float(number) for number in range(200)]
    for limit, chance in ((1.358, 0.05), (1.628, 0.01)):
        moved = [value + round(limit * (2 / 200) ** 0.5 * 200) for value in grid]
        assert kolmogorov_smirnov(grid, moved)[1] == pytest.approx(chance, rel=0.2)


def test_wilson_holds_the_share_he_is_asked_for() -> None:
    """His limits are the shares that what was seen is just as far from as 95 % allow."""
    for right, rows in ((0, 7), (3, 7), (7, 7), (40, 400)):
        mean, low, high = wilson(right / rows, rows)
        assert 0 <= low <= mean <= high <= 1
        for limit in (low, high):
            if 0 < limit < 1:
                away = abs(mean - limit) / (limit * (1 - limit) / rows) ** 0.5
                assert away == pytest.approx(1.96, abs=1e-3)
        assert low < high


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=50))
def test_single_rows_are_worth_one_each_and_copies_nothing(values: list[float]) -> None:
    single = share(values, range(len(values)))
    assert single == pytest.approx(wilson(sum(values) / len(values), len(values)))
    copies = share(values * 3, [*range(len(values))] * 3)
    assert copies == pytest.approx(single)


def test_a_share_of_groups_holds_the_true_one_often_enough() -> None:
    """Groups of six rows that are mostly answered alike, as siblings are."""
    random = np.random.default_rng(0)
    held = plainly = 0
    for _ in range(400):
        luck = np.repeat(random.random(40), 6)
        own = random.random(240)
        values = (np.where(random.random(240) < 0.7, luck, own) < 0.6).astype(float)
        _, low, high = share(values.tolist(), np.repeat(range(40), 6).tolist())
        held += low <= 0.6 <= high
        _, low, high = share(values.tolist(), range(240))
        plainly += low <= 0.6 <= high
    assert held >= 0.93 * 400
    assert plainly < 0.85 * 400
