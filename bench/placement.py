"""How many questions a placement needs: random, stratified, and adaptive choice of questions.

Simulated candidates and a replay of our own result files. Strata are k, kind of noise, and whether
a baseline that knows the end facts alone is wrong. The adaptive choice takes the next question from
the stratum that shrinks the variance most, by an explanatory item response model: the logit of a
right answer is that of the stratum, linear in its metadata, plus an ability, plus a second ability
times a loading that is linear in the metadata too. It is fitted to the other models. All choices
have the estimate and the interval of `gen exam place`, and stop at the same margin.

    python bench/placement.py docs/results/stories/runs --out docs/results/placement/placement.json

References: De Boeck and Wilson, Explanatory item response models, 2004; Neyman, On the two
different aspects of the representative method, 1934.
"""

import argparse
from collections.abc import Iterator, Mapping
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy import ndarray
from scipy.optimize import minimize

from relsmith.evaluation import result as results
from relsmith.exam.placement import MIN_QUESTIONS, estimate

MARGINS = (0.1, 0.07)
LIMIT, BATCH, SEED = 500, 20, 7
CHOICES = "random", "stratified", "adaptive"
BASELINE = "ends-logistic"
SKIPPED = {BASELINE, "ends-only", "majority"}
PRIOR = np.array([1.5, 1.0])
"""Standard deviations of the two abilities."""
DATA = {
    "stories, k 2 to 10": "gen-big",
    "short stories, k 2 to 10": "gen-lm",
    "official stories, k 2 to 10": "official-089907f8",
    "stories with noise, k 2 to 3": "robust-clean",
}


class Pool(NamedTuple):
    """Test rows by stratum, metadata of strata, and right answers: candidates x rows."""

    strata: ndarray
    features: ndarray
    right: ndarray
    models: list[str]


def pool_of(k: ndarray, noise: ndarray, misled: ndarray, right: ndarray, models: list[str]) -> Pool:
    """Return the pool of rows with these labels; its features are linear, with one interaction."""
    names, strata = np.unique(np.stack([k, noise, misled], 1), axis=0, return_inverse=True)
    lengths, noises, misleading = names.T.astype(float)
    scaled = (lengths - lengths.mean()) / lengths.std()
    columns = [np.ones(len(names)), scaled, misleading, scaled * misleading]
    columns += [(noises == each).astype(float) for each in np.unique(noises)[1:]]
    return Pool(strata.ravel(), np.stack(columns, 1), right, models)


def recorded(folder: Path, name: str) -> Pool:
    """Return the pool of a result file: each run of a model is a candidate."""
    every = results.load([folder / f"{name}.json.gz"])
    (baseline,) = (each for each in every if each.setup.label == BASELINE)
    tests = {test.label: test for test in baseline.setup.tests}

    def rows(each: results.Result) -> ndarray:
        place = {test.label: number for number, test in enumerate(each.setup.tests)}
        return np.concatenate([each.numbers[place[t]][..., 0] for t in tests if t in place], 1)

    columns = [test.column("k") for test in tests.values()]
    k = np.concatenate([np.array(column.values)[column.places] for column in columns])
    noise = np.repeat(np.arange(len(tests)), [test.rows for test in tests.values()])
    misled = rows(baseline)[0] == 0
    runs = [
        (each.setup.label, right)
        for each in every
        if each.setup.label not in SKIPPED
        for right in rows(each)
        if len(right) == len(k) and not np.isnan(right).any()
    ]
    return pool_of(k, noise, misled, np.stack([right for _, right in runs]), [m for m, _ in runs])


def simulated(rng: np.random.Generator) -> Pool:
    """Return candidates of two abilities, composing facts and resisting end facts, on 4000 rows."""
    k, noise = rng.integers(2, 9, 4000), rng.integers(0, 3, 4000)
    misled, (first, second) = rng.random(4000) < 0.5, rng.normal(0, PRIOR[:, None], (2, 40))
    hard = 0.5 * (k - 5) + 0.4 * noise + 0.8 * misled + rng.normal(0, 0.7, 4000)
    logit = first[:, None] - hard + second[:, None] * (misled - 0.5) * 2
    right = (rng.random(logit.shape) < 0.05 + 0.95 / (1 + np.exp(-logit))).astype(float)
    return pool_of(k, noise, misled, right, [str(number) for number in range(40)])


class Model(NamedTuple):
    """A fitted item response model: logits of strata, and loadings of the second ability."""

    easiness: ndarray
    loading: ndarray

    def shares(self, right: ndarray, asked: ndarray) -> ndarray:
        """Return the expected share of right answers by stratum, after these answers."""
        design = np.stack([np.ones_like(self.loading), self.loading], 1)
        ability = np.zeros(2)
        for _ in range(6):  # Newton's method; the posterior is concave
            share = 1 / (1 + np.exp(-(self.easiness + design @ ability)))
            gradient = design.T @ (right - asked * share) - ability / PRIOR**2
            weighted = design * (asked * share * (1 - share))[:, None]
            ability += np.linalg.solve(design.T @ weighted + np.diag(1 / PRIOR**2), gradient)
        return 1 / (1 + np.exp(-(self.easiness + design @ ability)))


def fit(features: ndarray, right: ndarray, rows: ndarray) -> Model:
    """Fit the item response model to right answers of candidates by stratum."""
    width, count = features.shape[1], len(right)

    def loss(place: ndarray) -> tuple[float, ndarray]:
        weights, loads = place[:width], place[width : 2 * width]
        ability, loading = place[2 * width :].reshape(2, count), features @ loads
        logit = features @ weights + ability[0][:, None] + ability[1][:, None] * loading
        error = rows / (1 + np.exp(-logit)) - right
        value = (rows * np.logaddexp(0, logit) - right * logit).sum()
        value += (ability**2 / PRIOR[:, None] ** 2).sum() / 2 + (place[: 2 * width] ** 2).sum() / 2
        abilities = np.stack([error.sum(1), error @ loading]) + ability / PRIOR[:, None] ** 2
        slopes = [error.sum(0) @ features + weights, ability[1] @ error @ features + loads]
        return value, np.concatenate([*slopes, abilities.ravel()])

    scale = rows.mean() / 20  # as many rows as a placement has, so that priors matter as much
    right, rows = right / scale, rows / scale
    start = np.concatenate([np.zeros(width), np.eye(width)[2], np.zeros(2 * count)])
    found = minimize(loss, start, jac=True, method="L-BFGS-B").x
    return Model(features @ found[:width], features @ found[width : 2 * width])


def stratified_rows(pool: Pool, right: ndarray, rng: np.random.Generator) -> Iterator[int]:
    """Yield rows evenly from the strata, as `gen exam place` does; from one, at random."""
    sizes, seen = np.bincount(pool.strata), np.zeros(pool.strata.max() + 1)
    order = rng.permutation(len(right))
    offset, place = rng.random(len(sizes)), np.zeros(len(right))
    for row in order:
        stratum = pool.strata[row]
        place[row] = (seen[stratum] + offset[stratum]) / sizes[stratum]
        seen[stratum] += 1
    yield from np.argsort(place).tolist()


def adaptive_rows(
    model: Model, pool: Pool, right: ndarray, rng: np.random.Generator
) -> Iterator[int]:
    """Yield a batch evenly from the strata, then rows of those that shrink the variance most."""
    sizes = np.bincount(pool.strata)
    left = [rng.permutation(np.flatnonzero(pool.strata == s)).tolist() for s in range(len(sizes))]
    correct, asked = np.zeros(len(sizes)), np.zeros(len(sizes))
    start, shares = stratified_rows(pool, right, rng), model.shares(correct, asked)
    for number in range(len(right)):
        if number < MIN_QUESTIONS:
            row = next(start)
            stratum = int(pool.strata[row])
            left[stratum].remove(row)
        else:
            if number % 5 == 0:
                shares = model.shares(correct, asked)
            spread = (sizes / len(right)) ** 2 * shares * (1 - shares)
            gain = spread / ((asked + 0.5) * (asked + 1.5))
            stratum = int(np.where(asked < sizes, gain, -1).argmax())
            row = left[stratum].pop()
        asked[stratum] += 1
        correct[stratum] += right[row]
        yield row


def place(pool: Pool, rows: Iterator[int], right: ndarray) -> list[list[float]]:
    """Return for each margin the questions, the error, and whether the interval has the share."""
    keys = [(f"{stratum:03d}",) for stratum in range(pool.strata.max() + 1)]
    weights = dict(zip(keys, np.bincount(pool.strata) / len(right), strict=True))
    answered, found, share = list[tuple[tuple[str, ...], bool]](), list[list[float]](), right.mean()
    while len(found) < len(MARGINS):
        row = next(rows)
        answered.append((keys[pool.strata[row]], bool(right[row])))
        if len(answered) >= MIN_QUESTIONS and len(answered) % BATCH == 0:
            each = estimate(weights, answered)
            covers = each.low - 1e-9 <= share <= each.high + 1e-9
            for margin in MARGINS[len(found) :]:
                if each.margin > margin and len(answered) < LIMIT:
                    break
                found.append([len(answered), each.share - share, covers])
    return found


def compare(pool: Pool, repeats: int, seed: int) -> dict[str, Any]:
    """Return questions, coverage and error of each choice, as means over candidates."""
    placed: dict[str, list[list[list[float]]]] = {name: [] for name in CHOICES}
    whole, sizes = pool._replace(strata=np.zeros_like(pool.strata)), np.bincount(pool.strata)
    cells = np.stack([np.bincount(pool.strata, row) for row in pool.right])
    for number, right in enumerate(pool.right):
        others = np.array([name != pool.models[number] for name in pool.models])
        model = fit(pool.features, cells[others], sizes)
        for repeat in range(repeats):
            rng = np.random.default_rng([seed, number, repeat])
            placed["random"].append(place(whole, stratified_rows(whole, right, rng), right))
            placed["stratified"].append(place(pool, stratified_rows(pool, right, rng), right))
            placed["adaptive"].append(place(pool, adaptive_rows(model, pool, right, rng), right))
    table: dict[str, Any] = {"candidates": len(pool.right), "strata": len(sizes)}
    for name, every in placed.items():
        table[name] = {}
        for number, margin in enumerate(MARGINS):
            asked, error, covers = np.array(every)[:, number].T
            table[name][f"{100 * margin:.0f}"] = {
                "questions": round(float(asked.mean()), 1),
                "coverage": round(float(covers.mean()), 4),
                "error": round(100 * sqrt(float((error**2).mean())), 2),
            }
    return table


def markdown(tables: Mapping[str, Any]) -> list[str]:
    """Return the lines of the table in the docs."""
    heads = "rows", "candidates", "margin", *CHOICES, "coverage"
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name, table in tables.items():
        for margin in table["random"]:
            every = [table[choice][margin] for choice in CHOICES]
            first, *asked = (each["questions"] for each in every)
            cells = [f"{first:.0f}", *(f"{n:.0f} ({100 * (n / first - 1):+.0f} %)" for n in asked)]
            cells.append(", ".join(f"{100 * each['coverage']:.1f}" for each in every))
            lines.append(f"| {name} | {table['candidates']} | {margin} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Simulate and replay, and write a result file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("results", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--repeats", type=int, default=20)
    given = parser.parse_args()
    pools = {"simulated, two abilities": simulated(np.random.default_rng(SEED))}
    pools |= {name: recorded(given.results, file) for name, file in DATA.items()}
    tables = {name: compare(pool, given.repeats, SEED) for name, pool in pools.items()}
    print("\n".join(markdown(tables)))
    given.out.write_bytes(orjson.dumps(tables, option=orjson.OPT_INDENT_2))


if __name__ == "__main__":
    main()
