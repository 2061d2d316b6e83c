"""Bootstrap intervals and paired tests over rows and seeds.

Rows with the same numbers are interchangeable, so samples are multinomial counts of distinct rows.
This is exactly the bootstrap, and fast for any number of rows.

References: Efron and Tibshirani, An introduction to the bootstrap, 1993; Fisher's paired
permutation test; Holm, A simple sequentially rejective multiple test procedure, 1979;
Newcombe, Interval estimation for the difference between independent proportions, 1998; Wilson,
Probable inference, 1927; Korn and Graubard, Confidence intervals for proportions with small
expected number of positive counts estimated from survey data, 1998.
"""

from collections.abc import Callable, Hashable, Sequence
from math import exp, nan, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy import ndarray

from ..seed import hash_key

if TYPE_CHECKING:
    from numpy.random import Generator

SAMPLES = 1000
"""Bootstrap samples."""
SWAPS = 10_000
"""Permutations of a paired test."""


class Estimate(NamedTuple):
    """A mean over seeds with its 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def half(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    def scaled(self, factor: float) -> "Estimate":
        """Return the estimate times a factor."""
        return Estimate(self.mean * factor, self.low * factor, self.high * factor)

    def minus(self, other: "Estimate") -> "Estimate":
        """Return the difference to an independent estimate (Newcombe's interval)."""
        mean = self.mean - other.mean
        below = sqrt((self.mean - self.low) ** 2 + (other.high - other.mean) ** 2)
        above = sqrt((self.high - self.mean) ** 2 + (other.mean - other.low) ** 2)
        return Estimate(mean, mean - below, mean + above)


def exact(value: float) -> Estimate:
    """Return a value without an interval."""
    return Estimate(value, nan, nan)


_NORMAL = 1.959964
"""The 97.5 % quantile of the normal distribution."""


def share(values: Sequence[float], groups: Sequence[Hashable]) -> Estimate:
    """Return the mean of values in [0, 1] with Wilson's interval, for one seed and few rows.

    Rows of a group may be correlated. The effective number of rows is the one at which independent
    rows would vary as the groups do; if nothing varies, the number of groups.
    """
    sums, sizes = dict[Hashable, float](), dict[Hashable, int]()
    for value, group in zip(values, groups, strict=True):
        sums[group] = sums.get(group, 0.0) + value
        sizes[group] = sizes.get(group, 0) + 1
    rows, mean = len(values), sum(values) / len(values)
    scatter = sum((sums[group] - sizes[group] * mean) ** 2 for group in sums)
    worth = mean * (1 - mean) * rows**2 / scatter if scatter > 1e-9 else len(sums)
    return wilson(mean, min(rows, worth))


def wilson(mean: float, rows: float) -> Estimate:
    """Return Wilson's interval for a share of `rows` independent rows."""
    square = _NORMAL**2 / rows
    middle = (mean + square / 2) / (1 + square)
    half = _NORMAL * sqrt(mean * (1 - mean) / rows + square / (4 * rows)) / (1 + square)
    return Estimate(mean, max(0.0, min(mean, middle - half)), min(1.0, max(mean, middle + half)))


def estimate(groups: Sequence[ndarray]) -> Estimate | None:
    """Return the mean of a figure over groups of rows with equal weights.

    A group is an array of seeds x rows x 2, as made by `Result.sums`. Rows with NaN are ignored.
    Returns None if all denominators are zero.
    """
    answered = [group[:, ~np.isnan(group[..., 0]).any(0)] for group in groups]
    groups = [group for group in answered if group[..., 1].any()]
    if not groups:
        return None
    random = _random("bootstrap")
    seeds = groups[0].shape[0]
    drawn_seeds = random.multinomial(seeds, [1 / seeds] * seeds, size=SAMPLES) / seeds
    samples = np.mean([_samples(group, drawn_seeds, random) for group in groups], axis=0)
    means = [float(np.mean(_divided(group.sum(1)))) for group in groups]
    low, high = np.percentile(samples, [2.5, 97.5]).tolist()
    return Estimate(sum(means) / len(means), low, high)


def _samples(group: ndarray, drawn_seeds: ndarray, random: "Generator") -> ndarray:
    """Return the figure of each bootstrap sample of rows and seeds."""
    kinds, counts = _kinds(group.transpose(1, 0, 2).reshape(group.shape[1], -1))
    drawn = random.multinomial(counts.sum(), counts / counts.sum(), size=SAMPLES)
    figures = _divided((drawn @ kinds).reshape(SAMPLES, group.shape[0], 2))
    samples: ndarray = (figures * drawn_seeds).sum(1)
    return samples


def resampled(
    group: ndarray, figures: Callable[[ndarray, ndarray], Sequence[float]]
) -> list[Estimate]:
    """Estimate figures that are not ratios of sums from seeds x rows x numbers without NaN.

    `figures` is called with the distinct rows of a seed and the count of each.
    """
    seeds = len(group)
    kinds, counts = _kinds(group.transpose(1, 0, 2).reshape(group.shape[1], -1))
    by_seed = np.split(kinds, seeds, axis=1)
    random, shares = _random("bootstrap"), counts / counts.sum()

    def mean(numbers: ndarray, drawn_seeds: ndarray) -> ndarray:
        each = [figures(by_seed[seed], numbers) for seed in np.flatnonzero(drawn_seeds)]
        return np.average(each, axis=0, weights=drawn_seeds[drawn_seeds > 0])

    samples = [
        mean(
            random.multinomial(counts.sum(), shares),
            random.multinomial(seeds, [1 / seeds] * seeds),
        )
        for _ in range(SAMPLES)
    ]
    lows, highs = np.percentile(samples, [2.5, 97.5], axis=0).tolist()
    means = mean(counts, np.ones(seeds)).tolist()
    return [Estimate(*three) for three in zip(means, lows, highs, strict=True)]


def _kinds(rows: ndarray) -> tuple[ndarray, ndarray]:
    """Return distinct rows and their counts; faster than `numpy.unique(axis=0)`."""
    kinds = np.zeros(len(rows), int)
    for column in rows.T:
        values, places = np.unique(column, return_inverse=True)
        kinds = np.unique(kinds * len(values) + places, return_inverse=True)[1]
    _, first, counts = np.unique(kinds, return_index=True, return_counts=True)
    return rows[first], counts


def _divided(sums: ndarray) -> ndarray:
    quotients: ndarray = sums[..., 0] / np.where(sums[..., 1] == 0, 1, sums[..., 1])
    return quotients


class Difference(NamedTuple):
    """A paired difference with its interval and p value."""

    first: float
    second: float
    difference: float
    low: float
    high: float
    p: float


def compare(first: ndarray, second: ndarray) -> Difference:
    """Compare two models on the same rows, each seeds x rows x 2, averaged over seeds.

    `p` is the share of random swaps of the two models within rows with a difference as large.
    """
    both = np.concatenate([first.mean(0), second.mean(0)], axis=1)
    both = both[~np.isnan(both).any(1)]
    kinds, counts = _kinds(both)
    random = _random("paired")
    left, right = (float(_divided(counts @ side)) for side in (kinds[:, :2], kinds[:, 2:]))
    drawn = random.multinomial(counts.sum(), counts / counts.sum(), size=SAMPLES) @ kinds
    differences = _divided(drawn[:, 2:]) - _divided(drawn[:, :2])
    low, high = np.percentile(differences, [2.5, 97.5]).tolist()
    swapped = random.binomial(counts, 0.5, size=(SWAPS, len(counts)))
    other_way = swapped @ (kinds[:, 2:] - kinds[:, :2])
    total = counts @ kinds
    by_chance = _divided(total[2:] - other_way) - _divided(total[:2] + other_way)
    as_far = int((np.abs(by_chance) >= abs(right - left) - 1e-12).sum())
    return Difference(left, right, right - left, low, high, (1 + as_far) / (1 + SWAPS))


def holm(chances: Sequence[float]) -> list[float]:
    """Return p values corrected for multiple tests (Holm)."""
    order = sorted(range(len(chances)), key=lambda place: chances[place])
    corrected, highest = [0.0] * len(chances), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(chances) - rank) * chances[place]))
        corrected[place] = highest
    return corrected


def kolmogorov_smirnov(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """Return the two-sample Kolmogorov-Smirnov statistic and its asymptotic p value."""
    every = np.concatenate([first, second])
    below, below_second = (
        np.searchsorted(np.sort(values), every, "right") / len(values) for values in (first, second)
    )
    distance = float(np.abs(below - below_second).max())
    size = len(first) * len(second) / (len(first) + len(second))
    return distance, _kolmogorov(sqrt(size) * distance)


def _kolmogorov(x: float) -> float:
    """Return the probability that the limiting statistic exceeds x."""
    if x < 0.2:
        return 1.0
    signs = (1.0, -1.0) * 50
    total = 2 * sum(sign * exp(-2 * (k * x) ** 2) for k, sign in enumerate(signs, 1))
    return min(1.0, max(0.0, total))


def _random(*purpose: str) -> "Generator":
    return np.random.Generator(np.random.PCG64(hash_key("evaluation", *purpose)))
