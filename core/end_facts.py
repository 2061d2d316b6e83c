"""A baseline that guesses the answer from the end facts, those that mention a query person.

A model that is no better has not combined facts.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from numpy import ndarray

T = TypeVar("T")

Features = tuple[str, ...]
"""The binary features of a question."""

INVERSE = "~"
"""Prefix of a relation that is read from its object to its subject."""

_PENALTY = 3.0
"""Weight of half the squared norm of the weights; the loss is summed over questions."""
_TOLERANCE = 1e-5
"""The largest gradient of the mean loss at which the regression has converged."""
_MAX_STEPS = 1000
_MEMORY = 10
"""Previous steps from which L-BFGS estimates the curvature."""


def with_inverses(facts: Sequence[tuple[T, str, T]]) -> list[tuple[T, str, T]]:
    """Return the inverse of every fact, then the facts."""
    return [*((y, f"{INVERSE}{word}", x) for x, word, y in facts), *facts]


def end_relations(
    facts: Sequence[tuple[T, str, T]], query: Sequence[T]
) -> tuple[list[str], list[str]]:
    """Return the relations that start at the first and those that end at the second person."""
    start, end = query
    read = with_inverses(facts)
    firsts = sorted({word for x, word, _ in read if x == start})
    lasts = sorted({word for _, word, y in read if y == end})
    return firsts, lasts


def end_fact_features(
    facts: Sequence[tuple[T, str, T]], query: Sequence[T], genders: Mapping[T, str]
) -> Features:
    """Return relations and numbers of facts at both ends, pairs of relations, and both genders."""
    firsts, lasts = end_relations(facts, query)
    features = [*(f"first {word}" for word in firsts), *(f"last {word}" for word in lasts)]
    features += [f"{first}, {last}" for first in firsts for last in lasts]
    for place, person in zip(("first", "last"), query, strict=True):
        number = sum(person in (x, y) for x, _, y in facts)
        features += [f"{place} gender {genders.get(person)}", f"{place} facts {number}"]
    return tuple(features)


def predict_from_end_facts(
    known: Iterable[tuple[Features, str]], asked: Iterable[Features]
) -> list[str]:
    """Return the answers of a logistic regression that was fitted to `known`; "" without any.

    It is multinomial with an L2 penalty, fitted by L-BFGS until it converges. Nothing is random.
    """
    counts: dict[Features, Counter[str]] = {}
    for features, answer in known:
        counts.setdefault(features, Counter())[answer] += 1
    if not counts:
        return ["" for _ in asked]
    import numpy as np

    answers = sorted({answer for counted in counts.values() for answer in counted})
    names = sorted({name for features in counts for name in features})
    column = {name: number for number, name in enumerate(names)}
    weights = _fit(
        _places(list(counts), column),
        np.array([[float(counted[answer]) for answer in answers] for counted in counts.values()]),
        len(names),
    )
    scores = _scores(weights, _places(list(asked), column))
    return [answers[number] for number in scores.argmax(1).tolist()]


def _places(rows: Sequence[Features], column: Mapping[str, int]) -> "ndarray":
    """Return the columns of the features of each row; beyond them, and if unknown, the last."""
    import numpy as np

    most = max(map(len, rows), default=0)
    places = np.full((len(rows), most), len(column))
    for number, features in enumerate(rows):
        found = [column.get(name, len(column)) for name in features]
        places[number, : len(found)] = found
    return places


def _scores(weights: "ndarray", places: "ndarray") -> "ndarray":
    """Return the sum of the weights at these places, as rows x answers."""
    import numpy as np

    scores = np.zeros((len(places), weights.shape[1]))
    for each in places.T:
        scores += weights[each]
    return scores


def _fit(places: "ndarray", counts: "ndarray", width: int) -> "ndarray":
    """Return the weights, as features x answers, and a last row of zeros.

    `counts` says for each row how often it has each answer.
    """
    import numpy as np

    totals, answers = counts.sum(1, keepdims=True), counts.shape[1]
    flat, longest = places.ravel(), places.shape[1]

    def loss(weights: "ndarray") -> "tuple[float, ndarray]":
        shaped = weights.reshape(width, answers)
        scores = _scores(np.pad(shaped, ((0, 1), (0, 0))), places)
        scores -= scores.max(1, keepdims=True)
        odds = np.exp(scores)
        sums = odds.sum(1, keepdims=True)
        value = (totals * np.log(sums)).sum() - (counts * scores).sum()
        errors = totals * odds / sums - counts
        gradient = [
            np.bincount(flat, np.repeat(error, longest), width + 1)[:width] for error in errors.T
        ]
        penalty = _PENALTY / 2 * _dot(weights, weights)
        return value + penalty, np.stack(gradient, 1).ravel() + _PENALTY * weights

    # Where features are frequent, the loss is curved.
    often = np.bincount(flat, np.repeat(totals, longest), width + 1)[:width]
    curvature = np.repeat(often / answers + _PENALTY, answers)
    found = _minimize(loss, curvature, _TOLERANCE * totals.sum())
    return np.pad(found.reshape(width, answers), ((0, 1), (0, 0)))


def _minimize(
    loss: "Callable[[ndarray], tuple[float, ndarray]]", curvature: "ndarray", tolerance: float
) -> "ndarray":
    """Minimise a convex loss, given its approximate curvature, by L-BFGS.

    References: Nocedal and Wright, Numerical optimization, algorithms 7.4 and 3.1.
    """
    import numpy as np

    place = np.zeros_like(curvature)
    value, gradient = loss(place)
    memory: list[tuple[ndarray, ndarray]] = []
    for _ in range(_MAX_STEPS):
        if np.abs(gradient).max() <= tolerance:
            break
        direction, shares = gradient.copy(), []
        for step, change in reversed(memory):
            shares.append(_dot(step, direction) / _dot(change, step))
            direction -= shares[-1] * change
        direction /= curvature
        if memory:
            step, change = memory[-1]
            direction *= _dot(step, change) / _dot(change, change / curvature)
        for (step, change), share in zip(memory, reversed(shares), strict=True):
            direction += step * (share - _dot(change, direction) / _dot(change, step))
        length, slope = 1.0, _dot(gradient, direction)
        while True:
            new = place - length * direction
            new_value, new_gradient = loss(new)
            if new_value <= value - 1e-4 * length * slope or length < 1e-9:
                break
            length /= 2
        step, change = new - place, new_gradient - gradient
        if _dot(step, change) > 0:
            memory = [*memory, (step, change)][-_MEMORY:]
        place, value, gradient = new, new_value, new_gradient
    return place


def _dot(left: "ndarray", right: "ndarray") -> float:
    """Return the inner product, without the threads of a BLAS library."""
    return float((left * right).sum())
