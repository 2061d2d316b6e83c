"""Precision against recall as more and more pairs are taken for implied."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

Scores = Sequence[float | None]
"""How sure a method is that each pair is implied; None where it would never say so."""


class Point(NamedTuple):
    """So many pairs are taken for implied, so many of them rightly."""

    predicted: int
    right: int


@dataclass(frozen=True)
class Curve:
    """A point for each score that occurs, from the highest on; pairs of one score come together."""

    points: list[Point]
    positives: int

    @classmethod
    def of(cls, scores: Scores, implied: Sequence[bool]) -> "Curve":
        """Rank pairs by their scores."""
        ranked = [(score, label) for score, label in zip(scores, implied, strict=True)]
        sure = sorted(
            ((score, label) for score, label in ranked if score is not None),
            key=lambda pair: -pair[0],
        )
        points, predicted, right = [], 0, 0
        for _, same in groupby(sure, key=lambda pair: pair[0]):
            labels = [label for _, label in same]
            predicted, right = predicted + len(labels), right + sum(labels)
            points.append(Point(predicted, right))
        return cls(points, sum(implied))

    def precision(self, point: Point) -> float:
        """The share of the predicted that is right; 0 where nothing is predicted."""
        return point.right / point.predicted if point.predicted else 0.0

    def recall(self, point: Point) -> float:
        """The share of the implied that is found; 0 where nothing is implied."""
        return point.right / self.positives if self.positives else 0.0

    def area(self, above: float = 0.5) -> float:
        """The area under the part with such a precision or a higher one.

        Every gain in recall counts with the precision at which it is had, as in average precision.
        """
        area = before = 0.0
        for point in self.points:
            recall, precision = self.recall(point), self.precision(point)
            if precision >= above:
                area += (recall - before) * precision
            before = recall
        return area

    def recall_at(self, precision: float) -> float:
        """The highest recall at such a precision or a higher one; 0 where there is none."""
        return max(
            (self.recall(point) for point in self.points if self.precision(point) >= precision),
            default=0.0,
        )


def union(layers: Sequence[Scores]) -> list[float | None]:
    """Scores from 0 to 1 of several methods as one: what an earlier method finds comes before.

    A pair has the score of the first method that finds it, raised by one for each method after.
    """
    last = len(layers) - 1
    return [
        next((last - place + score for place, score in enumerate(own) if score is not None), None)
        for own in zip(*layers, strict=True)
    ]
