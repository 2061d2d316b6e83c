"""Intervals and tests, against scipy, statsmodels, matrices and simulations."""

import gc
from collections.abc import Sequence
from functools import cache
from itertools import product
from math import sqrt
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy import ndarray
from numpy.random import Generator, default_rng
from scipy import stats
from statsmodels.api import OLS
from statsmodels.stats.multitest import multipletests

from relsmith.evaluation.statistics import (
    SWAPS,
    Difference,
    Estimate,
    Sample,
    Sampling,
    compare,
    difference,
    holm,
    share,
    student_p,
    wilson,
)
from relsmith.testing.profile import scaled, thinned

SEED = st.integers(0, 2**32)


def means_of(values: ndarray) -> ndarray:
    """Return seeds x rows of values as numerators, with denominators of 1."""
    return np.stack([values, np.ones_like(values)], -1)


def accuracies(random: Generator, seeds: int, rows: int) -> ndarray:
    """Return right and wrong answers to rows of different difficulty."""
    return means_of((random.random((seeds, rows)) < random.beta(1, 1, rows)).astype(float))


def ratios(random: Generator, seeds: int, rows: int) -> ndarray:
    """Return numbers of right words and of words, which differ between rows."""
    words = random.integers(0, 6, (1, rows)).repeat(seeds, 0)
    right = random.binomial(words, random.random((1, rows)))
    return np.stack([right, words], -1).astype(float)


def sampled(sums: ndarray, clusters: ndarray | None = None) -> Sample:
    sample = Sample.of(sums, np.arange(sums.shape[1]) if clusters is None else clusters)
    assert sample
    return sample


def compared(first: ndarray, second: ndarray, clusters: ndarray | None = None) -> Difference:
    keys = np.arange(first.shape[1]) if clusters is None else clusters
    found = compare(first, second, keys)
    assert found
    return found


@given(st.floats(-50, 50), st.floats(1, 5000))
def test_student_distribution_equals_scipy(t: float, freedom: float) -> None:
    assert student_p(t, freedom) == pytest.approx(2 * stats.t.sf(abs(t), freedom), abs=1e-7)


@given(SEED, st.integers(3, 40))
def test_intervals_over_rows_equal_scipy(seed: int, rows: int) -> None:
    values = default_rng(seed).normal(3, 2, (1, rows))
    expected = stats.t.interval(0.95, rows - 1, values.mean(), stats.sem(values[0]))
    found = sampled(means_of(values)).estimate()
    assert found == pytest.approx((values.mean(), *expected), abs=1e-4)


@given(SEED, st.integers(2, 6))
def test_intervals_over_seeds_equal_scipy(seed: int, seeds: int) -> None:
    by_seed = default_rng(seed).normal(5, 2, seeds)
    rows = means_of(np.repeat(by_seed[:, None], 30, 1))
    expected = stats.t.interval(0.95, seeds - 1, by_seed.mean(), stats.sem(by_seed))
    assert sampled(rows).estimate() == pytest.approx((by_seed.mean(), *expected), abs=1e-3)


@given(SEED, st.integers(2, 12), st.integers(1, 8))
def test_intervals_over_equal_clusters_equal_statsmodels(seed, clusters, size) -> None:
    random = default_rng(seed)
    groups = random.permutation(np.repeat(np.arange(clusters), size))
    values = 9 + random.normal(0, 1, clusters)[groups] + random.normal(0, 1, len(groups))
    fit = OLS(values, np.ones(len(groups))).fit(
        cov_type="cluster", cov_kwds={"groups": groups}, use_t=True
    )
    found = sampled(means_of(values[None]), groups).estimate()
    low, high = fit.conf_int()[0]
    assert found == pytest.approx((fit.params[0], low, high), abs=1e-3)


@given(SEED, st.integers(2, 12))
def test_the_variance_of_unequal_clusters_is_unbiased(seed: int, clusters: int) -> None:
    """Compute for clusters of equal variance, from dense matrices, after Bell and McCaffrey."""
    random = default_rng(seed)
    sizes = random.integers(1, 30, clusters)
    weights = sizes / sizes.sum()
    values = random.normal(10, 1, clusters)  # not a share, which has another interval
    groups = np.repeat(np.arange(clusters), sizes)
    sample = sampled(means_of(values[groups][None]), groups)
    residuals = np.diag(weights) @ (np.eye(clusters) - np.outer(np.ones(clusters), weights))
    assert sample.effects[0] == pytest.approx(residuals @ values)
    form = residuals.T @ residuals
    factor = weights @ weights / np.trace(form)
    variance = factor * values @ form @ values
    freedom = max(1, np.trace(form) ** 2 / np.trace(form @ form))
    half = stats.t.ppf(0.975, freedom) * sqrt(variance)
    found = sample.estimate()
    assert (found.low, found.high) == pytest.approx(
        (found.mean - half, found.mean + half), rel=1e-3, abs=1e-3
    )


def test_variance_components_by_hand() -> None:
    """Two seeds, four clusters of one row: clusters, plus seeds, minus the interaction."""
    values = np.array([[9.0, 1.0, 4.0, 6.0], [7.0, 3.0, 1.0, 1.0]])
    found = sampled(means_of(values)).estimate()
    by_cluster, by_seed = values.mean(0), values.mean(1)
    inner = values - by_cluster - by_seed[:, None] + values.mean()
    clusters = by_cluster.var(ddof=1) / 4
    seeds = by_seed.var(ddof=1) / 2 - (inner**2).sum() * 4 / 3 / 16 / 2
    assert seeds > 0
    distance = found.half / sqrt(clusters + seeds)
    share = seeds / (clusters + seeds)
    joint = 1 / (share**2 / 1 + (1 - share) ** 2 / 3)
    chances = [2 * stats.t.sf(distance, freedom) for freedom in (joint, 3, 1)]
    assert np.average(chances, weights=[0.15, 0.85 * (1 - share), 0.85 * share]) == pytest.approx(
        0.05, abs=1e-4
    )


class Design(NamedTuple):
    """How stories are drawn: clauses with an ease and a size, seeds, and both together."""

    clusters: int
    seed_deviation: float
    ease: tuple[float, float] = (1.0, 0.67)
    rows: int = 1000

    def probabilities(self, random: Generator, ease: ndarray, seeds: int) -> ndarray:
        moved = ease + random.normal(0, self.seed_deviation, seeds)[:, None]
        return (moved + random.normal(0, 0.05, (seeds, len(ease)))).clip(0, 1)

    @property
    @cache  # noqa: B019 - a tuple
    def truth(self) -> float:
        """The mean over all clauses and seeds."""
        random = default_rng(1)
        eases = random.beta(*self.ease, 200_000)
        moved = eases + random.normal(0, self.seed_deviation, len(eases))
        return float((moved + random.normal(0, 0.05, len(eases))).clip(0, 1).mean())

    def draw(self, random: Generator, models: int = 1, seeds: int = 3) -> list[ndarray]:
        """Return sums of models on the same rows: seeds x clusters x 2."""
        sizes = random.dirichlet(np.full(self.clusters, 4.0))
        sizes = 1 + random.multinomial(self.rows - self.clusters, sizes)
        ease = random.beta(*self.ease, self.clusters)
        tops = [
            random.binomial(sizes, self.probabilities(random, ease, seeds)) for _ in range(models)
        ]
        return [
            np.stack([top, np.broadcast_to(sizes, top.shape)], -1).astype(float) for top in tops
        ]


DESIGNS = [Design(*pair) for pair in product((13, 100), (0.01, 0.03, 0.1))]


def coverage(design: Design, times: int) -> float:
    random = default_rng(3)
    held = 0
    for _ in range(times):
        _, low, high = sampled(*design.draw(random)).estimate()
        held += low <= design.truth <= high
    return held / times


def rejections(design: Design, times: int, seeds: int = 3) -> float:
    random = default_rng(4)
    return sum(compared(*design.draw(random, 2, seeds)).p < 0.05 for _ in range(times)) / times


@pytest.mark.parametrize("design", thinned(DESIGNS, least=2))
def test_intervals_cover_and_tests_keep_their_level(design: Design) -> None:
    times = scaled(1500)
    error = sqrt(0.05 * 0.95 / times)
    assert 0.93 - 2 * error <= coverage(design, times) <= 0.97 + 2 * error
    assert rejections(design, times) <= 0.05 + 2 * error


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS)
def test_intervals_of_three_seeds_cover_93_to_97_per_cent(design: Design) -> None:
    assert 0.93 <= coverage(design, 4000) <= 0.97
    assert rejections(design, 4000) <= 0.07


@pytest.mark.slow
@pytest.mark.parametrize("ease", [(40.0, 4.0), (5.0, 5.0)])
def test_intervals_cover_shares_near_one(ease: tuple[float, float]) -> None:
    for clusters in (13, 100):
        assert 0.92 <= coverage(Design(clusters, 0.01, ease), 2000) <= 0.99


def test_intervals_that_ignore_clusters_or_seeds_do_not_cover() -> None:
    """Check that the simulation detects wrong intervals."""
    random, design = default_rng(5), Design(100, 0.1)
    rows = seeds = 0
    for _ in range(200):
        (sums,) = design.draw(random)
        mean = (sums[..., 0].sum(1) / sums[0, :, 1].sum()).mean()
        rows += abs(mean - design.truth) <= 1.96 * sqrt(mean * (1 - mean) / 1000)
        found = sampled(sums.mean(0, keepdims=True)).estimate()
        seeds += found.low <= design.truth <= found.high
    assert rows < 0.6 * 200
    assert seeds < 0.75 * 200


@pytest.mark.parametrize("clusters", [5, 13, 40])
def test_the_permutation_test_equals_scipy(clusters: int) -> None:
    random = default_rng(clusters)
    groups = np.repeat(np.arange(clusters), 3)
    first, second = random.normal(0, 1, (2, len(groups))) + random.normal(0, 1, clusters)[groups]
    second += 0.3
    sides = [np.bincount(groups, side) for side in (first, second)]
    expected = stats.permutation_test(
        sides,
        lambda x, y, axis: (y - x).mean(axis),
        permutation_type="samples",
        n_resamples=np.inf if clusters < 14 else 20_000,
        vectorized=True,
        rng=default_rng(1),
    ).pvalue
    found = compared(means_of(first[None]), means_of(second[None]), groups)
    near = 1e-9 if clusters < 14 else 5 * sqrt(expected * (1 - expected) * 2 / SWAPS)
    assert found.p == pytest.approx(expected, abs=near)
    assert (found.clusters, found.seeds) == (clusters, (1, 1))


@given(SEED, st.integers(3, 30))
def test_a_paired_interval_equals_scipy(seed: int, rows: int) -> None:
    first, second = default_rng(seed).normal(0, 1, (2, 1, rows))
    expected = stats.ttest_rel(second[0], first[0]).confidence_interval()
    found = compared(means_of(first), means_of(second))
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1e-4)


@given(SEED, st.integers(2, 5), st.integers(2, 5))
def test_differences_over_seeds_alone_equal_welchs_test(seed, seeds, others) -> None:
    random = default_rng(seed)
    first, second = random.normal(5, 1, seeds), random.normal(6, 2, others)
    rows = [means_of(np.repeat(side[:, None], 20, 1)) for side in (first, second)]
    expected = stats.ttest_ind(first, second, equal_var=False).pvalue
    assert compared(*rows).p == pytest.approx(expected, abs=1e-6)


@given(SEED, st.integers(1, 3), st.integers(1, 3), st.integers(2, 30))
def test_order_of_the_two_only_changes_the_sign(seed, seeds, others, rows) -> None:
    random = default_rng(seed)
    first, second = accuracies(random, seeds, rows), accuracies(random, others, rows)
    forth, back = compared(first, second), compared(second, first)
    assert back.difference == pytest.approx(-forth.difference)
    assert (back.low, back.high) == pytest.approx((-forth.high, -forth.low))
    assert back.p == pytest.approx(forth.p, abs=0.03)
    assert forth.low - 1e-9 <= forth.difference <= forth.high + 1e-9
    assert (forth.first, forth.second) == (back.second, back.first)


@given(SEED, st.integers(1, 3), st.integers(1, 40), st.sampled_from([accuracies, ratios]))
def test_a_result_does_not_differ_from_itself(seed, seeds, rows, draw) -> None:
    group = draw(default_rng(seed), seeds, rows)
    assume(group[..., 1].any())
    found = compared(group, group)
    assert (found.difference, found.p) == (0, 1)


def test_a_difference_is_found_on_the_common_rows() -> None:
    random = default_rng(5)
    worse = accuracies(random, 2, 200)
    better = np.maximum(worse, accuracies(random, 2, 200))
    found = compared(worse, better)
    assert found.p < 0.001
    assert 0 < found.low < found.difference < found.high
    lacking = np.concatenate([better, np.full((2, 50, 2), np.nan)], 1)
    more = np.concatenate([worse, accuracies(random, 2, 50)], 1)
    assert compared(more, lacking) == found
    assert compare(worse, np.full_like(worse, np.nan), np.arange(200)) is None


def test_parts_of_one_model_are_compared_by_shared_clusters_and_seeds() -> None:
    """Clusters that both parts have cancel; without shared ones, variances add."""
    random = default_rng(2)
    ease, seeds = random.normal(0, 5, 20), random.normal(0, 9, 3)
    rows = seeds[:, None] + ease + random.normal(0, 0.1, (3, 20))
    first, second = sampled(means_of(rows)), sampled(means_of(rows + 1))
    shared = difference(first, second, same_seeds=True)
    assert shared.difference == pytest.approx(1)
    assert shared.high - shared.low < 0.01
    apart = difference(first, second, paired=False, same_seeds=True)
    assert apart.clusters == 40
    welch = stats.ttest_ind(rows.mean(0), rows.mean(0) + 1, equal_var=False).confidence_interval()
    assert apart.high - apart.low == pytest.approx(welch.high - welch.low, rel=0.03)


@given(SEED, st.integers(1, 5), st.integers(1, 60), st.sampled_from([accuracies, ratios]))
def test_an_interval_contains_the_mean_and_keeps_the_bounds(seed, seeds, rows, draw) -> None:
    random = default_rng(seed)
    group = draw(random, seeds, rows)
    sample = Sample.of(100 * group * [1, 0.01], random.integers(0, 7, rows), 100)
    if sample is None:
        assert not group[..., 1].any()
        return
    found = sample.estimate()
    assert -1e-9 <= found.low <= found.mean + 1e-9
    assert found.mean - 1e-9 <= found.high <= 100 + 1e-9
    assert found.half == (found.high - found.low) / 2
    assert found.scaled(0.01) == pytest.approx([part / 100 for part in found])


@given(SEED, st.integers(1, 3), st.integers(1, 60), st.sampled_from([accuracies, ratios]))
def test_order_of_rows_and_unanswered_rows_do_not_matter(seed, seeds, rows, draw) -> None:
    random = default_rng(seed)
    group, clusters = draw(random, seeds, rows), random.integers(0, 9, rows + 5)
    assume(group[..., 1].any())
    mixed = np.concatenate([group, np.full((seeds, 5, 2), np.nan)], 1)
    mixed[0, rows:] = 1  # a run that was cut short after its first seed
    if seeds == 1:
        mixed[0, rows:] = np.nan
    order = random.permutation(rows + 5)
    found = sampled(mixed[:, order], clusters[order]).estimate()
    assert found == pytest.approx(sampled(group, clusters[:rows]).estimate())


def test_figures_with_denominator_zero_are_missing() -> None:
    for nothing in (np.zeros((2, 0, 2)), np.full((1, 4, 2), np.nan), np.zeros((1, 4, 2))):
        assert Sample.of(nothing, np.arange(nothing.shape[1])) is None
        assert Sample.averaged([nothing]) is None
    assert Sample.averaged([]) is None
    taken_by_one_seed = sampled(np.array([[[0.0, 0.0]], [[1.0, 1.0]]])).estimate()
    assert taken_by_one_seed == pytest.approx((0.5, 0, 1), abs=0.01)


@pytest.mark.parametrize("mean", [0, 1])
def test_rows_that_are_all_right_count_by_cluster(mean: int) -> None:
    clusters = np.arange(1000) % 13
    right = np.full((3, 1000), float(mean))
    found = sampled(means_of(right), clusters).estimate()
    assert found == pytest.approx(wilson(mean, 13))
    right[0, 0] = 1 - mean
    nearly = sampled(means_of(right), clusters).estimate()
    assert 0.5 * found.half < nearly.half < found.half
    alone = sampled(means_of(right[:1] * 0 + mean)).estimate()
    assert alone.half == pytest.approx(wilson(mean, 1000).half)


def test_differences_of_perfect_scores_are_uncertain() -> None:
    """Newcombe's interval, of 13 clusters, for 0 % against 100 %, and for equal scores."""
    clusters = np.arange(1000) % 13
    none, every = (sampled(means_of(np.full((1, 1000), value)), clusters) for value in (0.0, 1.0))
    apart, equal = difference(none, every), difference(every, every)
    length = wilson(1, 13).mean - wilson(1, 13).low
    assert (apart.low, apart.high) == pytest.approx((1 - sqrt(2) * length, 1))
    assert (equal.low, equal.high) == pytest.approx((-length, length))
    half = sampled(means_of(np.arange(1000)[None] % 2), clusters)
    same = difference(half, half)
    assert (same.low, same.high) == pytest.approx((0, 0))


def test_copies_of_rows_add_no_precision() -> None:
    values = accuracies(default_rng(1), 1, 40)[0, :, 0].tolist()
    single = share(values, range(40))
    assert share(values * 3, [*range(40)] * 3) == pytest.approx(single, abs=1e-3)
    assert Sample.of_means(np.empty((1, 0)), np.array([])) is None


def test_rows_of_a_single_cluster_are_resampled() -> None:
    sampling = Sampling("clauses", np.array([0, 0, 1, 1, 1]))
    every = np.ones(5, bool)
    assert sampling.keys(every).tolist() == [0, 0, 1, 1, 1]
    assert len(set(sampling.keys(sampling.clusters == 1).tolist())) == 3
    first, second = (set(sampling.keys(sampling.clusters == part).tolist()) for part in (0, 1))
    assert not first & second


def test_parts_have_equal_weight_whatever_their_size() -> None:
    random = default_rng(1)
    parts = [accuracies(random, 2, rows) for rows in (5, 20, 90)]
    means = [part[..., 0].mean() for part in parts]
    by_seed = means_of(np.stack([part[..., 0].mean(1) for part in parts], 1))
    found = Sample.averaged(parts)
    assert found and found.estimate().mean == pytest.approx(np.mean(means))
    assert found.effects == pytest.approx(sampled(by_seed).effects)
    assert found.rows == 115
    alone, without = Sample.averaged(parts[:1]), Sample.averaged([parts[0], np.zeros((2, 4, 2))])
    assert alone and without
    assert alone.estimate() == without.estimate() == sampled(parts[0]).estimate()


@settings(max_examples=scaled(30))
@given(SEED, st.sampled_from([1, 3]))
def test_intervals_of_other_figures_agree_with_those_of_means(seed: int, seeds: int) -> None:
    random = default_rng(seed)
    group, clusters = accuracies(random, seeds, 200), random.integers(0, 30, 200)
    expected = sampled(group, clusters).estimate()
    found, rest = Sample.bootstrap(
        group, clusters, lambda rows: (rows[:, 0].mean(), 1 - rows[:, 0].mean())
    )
    assert found.estimate().mean == pytest.approx(expected.mean)
    assert found.estimate().half == pytest.approx(expected.half, rel=0.25)
    assert rest.estimate().half == pytest.approx(found.estimate().half)


@settings(max_examples=scaled(300))
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_equals_statsmodels(chances: list[float]) -> None:
    gc.freeze()  # statsmodels collects garbage, which takes a second with all imported modules
    corrected = multipletests(chances, method="holm")[1].tolist()
    gc.unfreeze()
    assert holm(chances) == pytest.approx(corrected)


def test_wilson_interval_solves_its_equation() -> None:
    """Check that the observed share is 1.96 standard errors from both limits."""
    for right, rows in ((0, 7), (3, 7), (7, 7), (40, 400)):
        mean, low, high = wilson(right / rows, rows)
        assert 0 <= low <= mean <= high <= 1
        for limit in (low, high):
            if 0 < limit < 1:
                away = abs(mean - limit) / (limit * (1 - limit) / rows) ** 0.5
                assert away == pytest.approx(1.96, abs=1e-3)
        assert low < high


def test_newcombe_interval_of_the_published_example() -> None:
    """Check the example of the paper: 56 of 70 and 48 of 80."""
    found = wilson(56 / 70, 70).minus(wilson(48 / 80, 80))
    assert found == pytest.approx(Estimate(0.2, 0.0524, 0.3339), abs=1e-4)


def test_intervals_of_shares_of_groups_cover() -> None:
    """Check groups of six rows with mostly equal answers, such as siblings."""
    random = np.random.default_rng(0)
    held = plainly = 0
    groups: Sequence[int] = np.repeat(range(40), 6).tolist()
    for _ in range(100):
        luck = np.repeat(random.random(40), 6)
        values = (np.where(random.random(240) < 0.7, luck, random.random(240)) < 0.6).astype(float)
        _, low, high = share(values.tolist(), groups)
        held += low <= 0.6 <= high
        _, low, high = share(values.tolist(), range(240))
        plainly += low <= 0.6 <= high
    assert held >= 92
    assert plainly < 85
