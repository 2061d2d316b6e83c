"""Tables of figures, with those of a paper beneath ours."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Figure = tuple[float, float]
"""A mean and its standard error, 0 where there is none."""


@dataclass(frozen=True)
class Line:
    """A model's figures in the order of the columns, None where there is none; the paper's too."""

    model: str
    yardstick: bool
    cells: list[Figure | None]
    paper: list[Figure | None]


@dataclass(frozen=True)
class Table:
    """A title, column heads, and a line for each model, yardsticks last."""

    title: str
    columns: list[str]
    lines: list[Line]
    note: str = ""
    digits: int = 2
    head: str = "model"

    def as_json(self) -> dict[str, Any]:
        """The table as plain dictionaries."""
        return {
            "title": self.title,
            "note": self.note,
            "rows": [
                {
                    "model": line.model,
                    "yardstick": line.yardstick,
                    "figures": dict(zip(self.columns, line.cells, strict=True)),
                    "paper": {
                        column: cell
                        for column, cell in zip(self.columns, line.paper, strict=True)
                        if cell
                    },
                }
                for line in self.lines
            ],
        }


def mean_and_error(values: Sequence[float]) -> Figure:
    """The mean, and the standard error of it; a single value has none, which reads 0."""
    mean = sum(values) / len(values)
    if len(values) == 1:
        return mean, 0.0
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, math.sqrt(variance / len(values))
