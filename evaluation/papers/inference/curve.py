"""Precision-recall curves."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import ndarray


@dataclass(frozen=True, eq=False)
class Curve:
    """A point for each distinct score, highest first; pairs with equal scores enter together."""

    predicted: "ndarray"
    """Number of pairs predicted as implied."""
    right: "ndarray"
    """Number of these that are implied."""
    implied: float

    @classmethod
    def of(cls, scores: "ndarray", implied: "ndarray", numbers: "ndarray | None" = None) -> "Curve":
        """Rank pairs by score; `numbers` are the weights of pairs, by default 1.

        Pairs without a finite score are never predicted as implied.
        """
        import numpy as np

        numbers = np.ones(len(scores)) if numbers is None else numbers
        sure = np.flatnonzero(np.isfinite(scores))
        order = sure[np.argsort(-scores[sure], kind="stable")]
        last = np.append(np.diff(scores[order]) != 0, True)[: len(order)]
        predicted, right = numbers[order].cumsum()[last], (numbers * implied)[order].cumsum()[last]
        return cls(predicted, right, float((numbers * implied).sum()))

    @property
    def precisions(self) -> "ndarray":
        """Precision at each point; 0 if nothing is predicted."""
        return self.right / self.predicted.clip(1)

    @property
    def recalls(self) -> "ndarray":
        """Recall at each point; 0 if no pair is implied."""
        return self.right / max(self.implied, 1)

    def area(self, above: float = 0.5) -> float:
        """Return the area under the part with at least this precision.

        Every gain in recall counts with its precision, as in average precision.
        """
        import numpy as np

        gains = np.diff(self.recalls, prepend=0) * self.precisions
        return float(gains[self.precisions >= above].sum())

    def recall_at(self, precision: float) -> float:
        """Return the highest recall with at least this precision; 0 if there is none."""
        return float(self.recalls[self.precisions >= precision].max(initial=0))
