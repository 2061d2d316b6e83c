"""Precision against recall as more and more pairs are taken for implied."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import ndarray


@dataclass(frozen=True, eq=False)
class Curve:
    """A point for each score that occurs, from the highest on; pairs of one score come together."""

    taken: "ndarray"
    """How many pairs are taken for implied."""
    right: "ndarray"
    """How many of them rightly."""
    implied: float

    @classmethod
    def of(cls, scores: "ndarray", implied: "ndarray", numbers: "ndarray | None" = None) -> "Curve":
        """Rank pairs by their scores, of each of which there is one, or so many.

        What is no finite score is never taken for implied.
        """
        import numpy as np

        numbers = np.ones(len(scores)) if numbers is None else numbers
        sure = np.flatnonzero(np.isfinite(scores))
        order = sure[np.argsort(-scores[sure], kind="stable")]
        last = np.append(np.diff(scores[order]) != 0, True)[: len(order)]
        taken, right = numbers[order].cumsum()[last], (numbers * implied)[order].cumsum()[last]
        return cls(taken, right, float((numbers * implied).sum()))

    @property
    def precisions(self) -> "ndarray":
        """At each point the share of the taken that is right; 0 where nothing is taken."""
        precisions: ndarray = self.right / self.taken.clip(1)
        return precisions

    @property
    def recalls(self) -> "ndarray":
        """At each point the share of the implied that is found; 0 where nothing is implied."""
        recalls: ndarray = self.right / max(self.implied, 1)
        return recalls

    def area(self, above: float = 0.5) -> float:
        """The area under the part with such a precision or a higher one.

        Every gain in recall counts with the precision at which it is had, as in average precision.
        """
        import numpy as np

        gains = np.diff(self.recalls, prepend=0) * self.precisions
        return float(gains[self.precisions >= above].sum())

    def recall_at(self, precision: float) -> float:
        """The highest recall at such a precision or a higher one; 0 where there is none."""
        return float(self.recalls[self.precisions >= precision].max(initial=0))
