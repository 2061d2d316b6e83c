"""Intervals and tests of figures, from how their rows were drawn.

Rows come in clusters, such as the stories of one clause, and every cluster is answered by the
same seeds. Both are random and crossed: the variance of a figure is that of clusters (with the
mean over seeds), plus that of seeds, minus their interaction, which both contain. p values are
means of those of the t distributions of clusters and of seeds, weighted by their variances (close
to Cochran and Cox; alone, 95 % intervals cover 97.3 % where both vary alike), and of one with
Satterthwaite's degrees of freedom (alone, 92 % where three seeds dominate). A percentile bootstrap
covers less, and permutations of 3 + 3 seeds have no p value below 0.1.

References: Bell and McCaffrey, Bias reduction in standard errors for linear regression with
multi-stage samples, 2002; Cameron, Gelbach and Miller, Robust inference with multiway clustering,
2011; Satterthwaite, An approximate distribution of estimates of variance components, 1946;
Cochran and Cox, Experimental designs, 1957; Wilson, Probable inference, 1927; Korn and Graubard,
Confidence intervals for proportions estimated from survey data, 1998; Newcombe, Interval estimation
for the difference between independent proportions, 1998; Holm, A simple sequentially rejective
multiple test procedure, 1979.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import atan, exp, lgamma, log1p, pi, sqrt
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy import ndarray

from ..clusters import NORMAL, wilson_interval
from ..seed import hash_key

if TYPE_CHECKING:
    from numpy.random import Generator

SWAPS = 10_000
"""Random permutations of a paired test, if there are too many to try all."""
_MAX_EXACT = 13
"""Clusters of which all permutations are tried."""
_SATTERTHWAITE = 0.15
"""Weight of the p value with Satterthwaite's degrees of freedom, chosen by simulation."""
_FEW = 5
"""Effective number of right or wrong rows below which the interval of a share is Wilson's."""
_SAMPLES = 200
"""Bootstrap samples of figures that are not ratios."""


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


@dataclass(frozen=True, eq=False)
class Sampling:
    """How the rows of a test set were drawn: in clusters of rows that resemble each other."""

    unit: str
    """Name of the clusters, such as clauses; rows if each row is a cluster."""
    clusters: ndarray
    """For each row, the number of its cluster."""

    def keys(self, rows: ndarray) -> ndarray:
        """Return the clusters of the rows of a mask; if there is only one, its rows were drawn."""
        chosen: ndarray = self.clusters[rows]
        several = len(chosen) and (chosen != chosen[0]).any()
        return chosen if several else -1 - np.flatnonzero(rows)


@dataclass(frozen=True, eq=False)
class Sample:
    """A figure as it was drawn: its value for each seed, and the effect of each cluster on it."""

    figures: ndarray
    """The figure of each seed."""
    effects: ndarray
    """Seeds x clusters: by how much each cluster moves the figure; linearised, with sum zero."""
    weights: ndarray
    """The share of each cluster in the figure."""
    keys: ndarray
    """The sorted names of the clusters."""
    rows: float
    """The sum of the denominator."""
    scale: float | None = None
    """The upper limit, if the figure is a share; else None."""

    @classmethod
    def of(cls, sums: ndarray, clusters: ndarray, scale: float = 1.0) -> Self | None:
        """Make the sample of a ratio from numerators and denominators, seeds x rows x 2.

        Rows with NaN are ignored. Returns None if all denominators are zero.
        """
        answered = ~np.isnan(sums[..., 0]).any(0)
        sums, clusters = sums[:, answered], clusters[answered]
        if not sums[..., 1].any():
            return None
        keys, places = np.unique(clusters, return_inverse=True)
        by_cluster = np.zeros((len(keys), len(sums), 2))
        np.add.at(by_cluster, places, sums.transpose(1, 0, 2))
        by_cluster = by_cluster.transpose(1, 0, 2)
        totals = by_cluster.sum(1)
        bottoms = np.where(totals[:, 1] == 0, 1, totals[:, 1])[:, None]
        figures = totals[:, :1] / bottoms
        weights = (by_cluster[..., 1] / bottoms).mean(0)
        is_share = bool((sums >= 0).all() and (sums[..., 0] <= scale * sums[..., 1] + 1e-9).all())
        return cls(
            figures[:, 0],
            (by_cluster[..., 0] - figures * by_cluster[..., 1]) / bottoms,
            weights / weights.sum(),
            keys,
            float(totals[:, 1].mean()),
            scale if is_share else None,
        )

    @classmethod
    def of_means(cls, values: ndarray, clusters: ndarray) -> Self | None:
        """Make the sample of a mean of values, seeds x rows."""
        return cls.of(np.stack([values, 1 + 0 * values], -1), clusters)

    @classmethod
    def averaged(cls, parts: Sequence[ndarray], scale: float = 1.0) -> Self | None:
        """Make the sample of a mean over parts with equal weights, which are what was drawn."""
        answered = [part[:, ~np.isnan(part[..., 0]).any(0)] for part in parts]
        filled = [part.sum(1) for part in answered if part[..., 1].any()]
        if len(filled) < 2:
            rows = [part for part in answered if part[..., 1].any()]
            return cls.of(rows[0], np.arange(rows[0].shape[1]), scale) if rows else None
        quotients = [part[:, 0] / np.where(part[:, 1] == 0, 1, part[:, 1]) for part in filled]
        pairs = np.stack([[figures, np.ones_like(figures)] for figures in quotients])
        sample = cls.of(pairs.transpose(2, 0, 1), np.arange(len(filled)), scale)
        count = float(sum(part[:, 1].mean() for part in filled))
        return replace(sample, rows=count) if sample else None

    @classmethod
    def bootstrap(
        cls, numbers: ndarray, clusters: ndarray, figures: Callable[[ndarray], Sequence[float]]
    ) -> list[Self]:
        """Make samples of shares that are not ratios, from seeds x rows x numbers without NaN.

        `figures` is called with the rows of a seed, and with those of clusters drawn anew; its
        deviations stand for the effects of clusters.
        """
        keys, places, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
        random, chances = _random("bootstrap"), np.full(len(keys), 1 / len(keys))
        drawn = [random.multinomial(len(keys), chances)[places] for _ in range(_SAMPLES)]
        whole = np.array([figures(seed) for seed in numbers])
        again = np.array([[figures(seed.repeat(n, 0)) for seed in numbers] for n in drawn])
        effects = (again - again.mean(0)) / sqrt(_SAMPLES)
        return [
            cls(values, some.T, sizes / sizes.sum(), keys, float(len(places)), 1.0)
            for values, some in zip(whole.T, effects.transpose(2, 0, 1), strict=True)
        ]

    @property
    def is_uniform(self) -> bool:
        """Whether the figure is a share for which all rows are right, or all wrong."""
        return self.scale is not None and bool(np.isin(self.figures, (0.0, self.scale)).all())

    @property
    def scaled_effects(self) -> ndarray:
        """Effects whose sum of squares is the variance of the figure, if clusters vary alike."""
        expected, _ = _moments(self.weights)
        return self.effects * sqrt((self.weights @ self.weights) / expected if expected else 1)

    def estimate(self) -> Estimate:
        """Return the mean over seeds with its 95 % interval."""
        mean = float(self.figures.mean())
        scaled = self.scaled_effects
        spread = _Spread.of(scaled.mean(0), [(self.figures, scaled)], self.weights)
        half = spread.quantile * sqrt(spread.variance)
        if self.scale is None:
            return Estimate(mean, mean - half, mean + half)
        share = min(1.0, mean / self.scale)
        # The effective number of rows: that of clusters if all rows are right or all are wrong;
        # the fewer rows differ from the rest, the less their variance is known.
        seen = self.rows * min(share, 1 - share)
        each = spread.variance / self.scale**2 / (share * (1 - share)) if 0 < share < 1 else 0.0
        worth = (seen + 1) / (seen * each + 1 / len(self.keys))
        if worth * min(share, 1 - share) < _FEW:
            quantile = spread.quantile if spread.variance else NORMAL
            return wilson(share, worth, quantile).scaled(self.scale)
        return Estimate(mean, max(0.0, mean - half), min(self.scale, mean + half))


def share(values: Sequence[float], clusters: Iterable[Hashable]) -> Estimate:
    """Return the mean of values in [0, 1], one for each row, with its interval for one seed."""
    found = Sample.of_means(np.array([values], float), np.array(list(map(str, clusters))))
    assert found
    return found.estimate()


def wilson(mean: float, rows: float, quantile: float = NORMAL) -> Estimate:
    """Return Wilson's interval for a share of `rows` independent rows."""
    return Estimate(mean, *wilson_interval(mean, rows, quantile))


def _moments(weights: ndarray) -> tuple[float, float]:
    """Return mean and half the variance of the sum of squared effects, for means of variance 1.

    That is tr(M) and tr(M M), where the effects of cluster means y are W (I - 1 w') y.
    """
    squares = weights**2
    total, a = float(squares.sum()), float(weights @ weights)
    b, c = float(weights @ squares), float(squares @ squares)
    mean = total - 2 * b + total * a
    cross = -2 * float((squares**2) @ weights) + total * float(squares @ squares)
    return mean, c + 2 * cross + 2 * b * b + 2 * a * c - 4 * total * a * b + (total * a) ** 2


def _seed_variance(figures: ndarray, effects: ndarray) -> tuple[float, float]:
    """Return the variance of a mean over seeds without the interaction, and its freedom."""
    seeds = len(figures)
    inner = float(((effects - effects.mean(0)) ** 2).sum()) / (seeds * (seeds - 1))
    return max(0.0, float(figures.var(ddof=1)) / seeds - inner), seeds - 1.0


@dataclass(frozen=True)
class _Spread:
    """The variance of a figure as (part, degrees of freedom): that of clusters, then of seeds."""

    parts: tuple[tuple[float, float], ...]

    @classmethod
    def of(
        cls, effects: ndarray, models: Sequence[tuple[ndarray, ndarray]], weights: ndarray
    ) -> Self:
        """Estimate it from effects by cluster, and of each model figures and effects by seed.

        The degrees of freedom of the seeds of two models are Welch's.
        """
        mean, square = _moments(weights / weights.sum())
        freedom = max(1.0, mean**2 / square) if square > 0 else 1.0
        seeds = [_seed_variance(*model) for model in models if len(model[0]) > 1]
        total, squares = sum(part for part, _ in seeds), sum(v * v / f for v, f in seeds)
        clusters = float(effects @ effects), freedom
        return cls((clusters, (total, total**2 / squares)) if squares else (clusters,))

    @cached_property
    def variance(self) -> float:
        """The sum of the parts."""
        return sum(part for part, _ in self.parts)

    def p(self, distance: float) -> float:
        """Return the two-sided p value of a distance in standard deviations."""
        return sum(weight * student_p(distance, freedom) for weight, freedom in self._mixture)

    @cached_property
    def _mixture(self) -> list[tuple[float, float]]:
        """Weights and degrees of freedom of t distributions."""
        if len(self.parts) == 1:
            return [(1.0, self.parts[0][1])]
        shares = [(part / self.variance, freedom) for part, freedom in self.parts]
        joint = 1 / sum(share**2 / freedom for share, freedom in shares)
        rest = 1 - _SATTERTHWAITE
        return [(_SATTERTHWAITE, joint), *((rest * share, freedom) for share, freedom in shares)]

    @cached_property
    def quantile(self) -> float:
        """Distance with the p value 0.05: by Newton's method, from below."""
        distance = 1.9599
        while (excess := self.p(distance) - 0.05) > 1e-9:
            slope = sum(w * student_density(distance, freedom) for w, freedom in self._mixture)
            distance += excess / (2 * slope)
        return distance


class Difference(NamedTuple):
    """A difference with its interval and p value, and how much was drawn."""

    first: float
    second: float
    difference: float
    low: float
    high: float
    p: float
    clusters: int
    seeds: tuple[int, int]


def compare(first: ndarray, second: ndarray, clusters: ndarray) -> Difference | None:
    """Compare two models on the same rows, each seeds x rows x 2; None if no row is in both."""
    missing = np.isnan(first[..., 0]).any(0) | np.isnan(second[..., 0]).any(0)
    samples = [Sample.of(each[:, ~missing], clusters[~missing]) for each in (first, second)]
    return difference(samples[0], samples[1]) if samples[0] and samples[1] else None


def difference(
    first: Sample, second: Sample, *, paired: bool = True, same_seeds: bool = False
) -> Difference:
    """Compare two samples; clusters with the same key are paired by default, seeds optionally.

    Without several seeds `p` is that of a permutation test, which swaps the samples in clusters.
    The interval is Newcombe's if each sample is all right or all wrong.
    """
    if not paired:
        ends = np.cumsum([0, len(first.keys), len(second.keys)])
        first = replace(first, keys=np.arange(*ends[:2]))
        second = replace(second, keys=np.arange(*ends[1:]))
    keys = np.union1d(first.keys, second.keys)
    both = [_aligned(sample, keys) for sample in (first, second)]
    (left, w_left), (right, w_right) = both
    by = float(second.figures.mean() - first.figures.mean())
    seeds = len(first.figures), len(second.figures)
    models = (
        [(second.figures - first.figures, right - left)]
        if same_seeds
        else [(first.figures, left), (second.figures, right)]
    )
    weights = np.sqrt(w_left**2 + w_right**2)
    spread = _Spread.of(right.mean(0) - left.mean(0), models, weights)
    half = spread.quantile * sqrt(spread.variance)
    if np.array_equal(first.keys, second.keys) and seeds == (1, 1) and not same_seeds:
        own = second.effects[0] - first.effects[0]
        p = _permuted(own + by * (first.weights + second.weights) / 2)
    elif spread.variance > 1e-18:
        p = spread.p(by / sqrt(spread.variance))
    else:
        p = 1.0 if abs(by) < 1e-9 else 0.0
    means = float(first.figures.mean()), float(second.figures.mean())
    low, high = by - half, by + half
    if first.is_uniform and second.is_uniform:
        _, low, high = second.estimate().minus(first.estimate())
    return Difference(*means, by, low, high, p, len(keys), seeds)


def _aligned(sample: Sample, keys: ndarray) -> tuple[ndarray, ndarray]:
    """Return scaled effects and weights by these keys; zero for other clusters."""
    places = np.searchsorted(keys, sample.keys)
    effects, weights = np.zeros((len(sample.figures), len(keys))), np.zeros(len(keys))
    effects[:, places], weights[places] = sample.scaled_effects, sample.weights
    return effects, weights


def _permuted(parts: ndarray) -> float:
    """Return the p value of a sum whose parts may have either sign, two-sided."""
    if len(parts) <= _MAX_EXACT:
        signs = np.array(list(product((1, -1), repeat=len(parts))))
        extra = 0
    else:
        signs = _random("paired").choice([1, -1], (SWAPS, len(parts)))
        extra = 1
    as_far = int((np.abs(signs @ parts) >= abs(parts.sum()) - 1e-12).sum())
    return (extra + as_far) / (extra + len(signs))


def student_density(t: float, freedom: float) -> float:
    """Return the density of Student's t."""
    ratio = lgamma((freedom + 1) / 2) - lgamma(freedom / 2)
    return exp(ratio - (freedom + 1) / 2 * log1p(t * t / freedom)) / sqrt(freedom * pi)


def student_p(t: float, freedom: float) -> float:
    """Return the two-sided p value of Student's t: an integral over the angle atan(t / sqrt(f))."""
    start = atan(abs(t) / sqrt(freedom))
    # Beyond, the integrand is below 1e-16 of its value at the start.
    end = min(pi / 2, start + 9 / sqrt(freedom))
    places = (_NODES + 1) / 2
    angles = end - (end - start) * places**3  # dense at the end, where cos is 0
    heights = 3 * places**2 * np.exp((freedom - 1) * np.log(np.cos(angles)))
    density = student_density(0, freedom) * sqrt(freedom)
    return float(density * (end - start) * (_WEIGHTS @ heights)) if t else 1.0


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(100)


def holm(chances: Sequence[float]) -> list[float]:
    """Return p values corrected for multiple tests (Holm)."""
    order = sorted(range(len(chances)), key=lambda place: chances[place])
    corrected, highest = [0.0] * len(chances), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(chances) - rank) * chances[place]))
        corrected[place] = highest
    return corrected


def _random(*purpose: str) -> "Generator":
    return np.random.Generator(np.random.PCG64(hash_key("evaluation", *purpose)))
