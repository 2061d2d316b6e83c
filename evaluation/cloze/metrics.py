"""How well blanks are filled: matches, the top five, surprisal, and how long alignments stay.

A blank shows how many words it has. With `oracle`, the right words of earlier blanks stand before
a blank; with `greedy`, the model's own. Words that are not among those that may be answers are
misses, and have no surprisal.

References: section 4.1 of Bisk et al., Benchmarking Hierarchical Script Knowledge, 2019.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from ..device import random_number
from .encoding import Batch, Encoded, Vocabulary
from .prediction import Predictor

FIGURES = {
    "match": ("matches", "blanks"),
    "top5": ("top5", "tokens"),
    "greedy_match": ("greedy_matches", "blanks"),
    "greedy_top5": ("greedy_top5", "tokens"),
    "surprisal": ("nats", "known"),
    "transition": ("cost", "tokens"),
}
"""Each figure is the sum of one column over all rows by that of another."""
COLUMNS = list(dict.fromkeys(column for pair in FIGURES.values() for column in pair))
TOP = 5
_SAMPLES = 1000


@torch.no_grad()
def measure(
    predictor: Predictor,
    data: Encoded,
    vocabulary: Vocabulary,
    *,
    restricted: bool,
    batch: int = 100,
) -> Tensor:
    """For each row with a blank, what `COLUMNS` say, summed over its blanks."""
    device = data.all.source.device
    allowed = vocabulary.allowed(restricted, device)
    rows = [row for row, blanks in enumerate(data.blanks) if blanks]
    # By length, so that little is padded.
    rows.sort(key=lambda row: (int(data.all.target_lengths[row]), row))
    columns = torch.zeros(len(data), len(COLUMNS), dtype=torch.double)
    for numbers in torch.split(torch.tensor(rows), batch):
        blanks = [data.blanks[row] for row in numbers.tolist()]
        columns[numbers] = _measure(predictor, data.batch(numbers), blanks, allowed).cpu()
    return columns[sorted(rows)]


def _measure(
    predictor: Predictor, batch: Batch, blanks: list[list[tuple[int, int]]], allowed: Tensor
) -> Tensor:
    places, starts, first, real = _places(blanks, batch.target.device)
    gold = batch.target.gather(1, places)
    answerable = allowed[gold] & real
    told = predictor.predict(batch, places, starts)
    logs = _among(told.logs, allowed)
    nats = -logs.gather(2, gold.unsqueeze(-1)).squeeze(-1)
    right = (logs.argmax(-1) == gold) & answerable
    greedy_right, greedy_top = _greedy(predictor, batch, places, starts, gold, answerable, allowed)
    columns = {
        "matches": _whole(right, first, real).sum(1),
        "blanks": (first & real).sum(1),
        "top5": (_at_top(logs, gold) & answerable).sum(1),
        "tokens": real.sum(1),
        "greedy_matches": _whole(greedy_right, first, real).sum(1),
        "greedy_top5": greedy_top.sum(1),
        "nats": nats.where(answerable, 0).sum(1),
        "known": answerable.sum(1),
        "cost": told.cost.where(real, 0).sum(1),
    }
    return torch.stack([columns[name].double() for name in COLUMNS], 1)


def _places(
    blanks: list[list[tuple[int, int]]], device: torch.device
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The place of each blanked word, that of its blank's first, whether it is that, and real."""
    each = [[(place, start) for start, end in row for place in range(start, end)] for row in blanks]
    size = max(map(len, each))
    filled = torch.tensor([[*row, *[(1, 1)] * (size - len(row))] for row in each], device=device)
    counts = torch.tensor([len(row) for row in each], device=device)
    real = torch.arange(size, device=device) < counts.unsqueeze(1)
    places, starts = filled.unbind(-1)
    return places, starts, places == starts, real


def _among(logs: Tensor, allowed: Tensor) -> Tensor:
    """Chances among the words that may be answers."""
    return logs.masked_fill(~allowed, -torch.inf).log_softmax(-1)


def _at_top(logs: Tensor, gold: Tensor) -> Tensor:
    likelier = logs > logs.gather(-1, gold.unsqueeze(-1))
    return likelier.sum(-1) < TOP


def _whole(right: Tensor, first: Tensor, real: Tensor) -> Tensor:
    """At the first word of each blank: whether all its words are right."""
    wrong = torch.zeros_like(right[:, 0])
    whole = torch.zeros_like(right)
    for column in range(right.shape[1] - 1, -1, -1):
        wrong = (wrong | ~right[:, column]) & real[:, column]
        whole[:, column] = first[:, column] & real[:, column] & ~wrong
        wrong = wrong & ~first[:, column]
    return whole


def _greedy(
    predictor: Predictor,
    batch: Batch,
    places: Tensor,
    starts: Tensor,
    gold: Tensor,
    answerable: Tensor,
    allowed: Tensor,
) -> tuple[Tensor, Tensor]:
    """Fill the blanks from left to right: which words are right, and which at the top."""
    target = batch.target.clone()
    rows = torch.arange(len(target), device=target.device)
    right, top = torch.zeros_like(answerable), torch.zeros_like(answerable)
    for column in range(places.shape[1]):
        place, start = places[:, column : column + 1], starts[:, column : column + 1]
        told = predictor.predict(replace(batch, target=target), place, start)
        logs = _among(told.logs[:, 0], allowed)
        answer = logs.argmax(-1)
        right[:, column] = (answer == gold[:, column]) & answerable[:, column]
        top[:, column] = _at_top(logs, gold[:, column]) & answerable[:, column]
        target[rows, place[:, 0]] = answer
    return right, top


def figures(columns: Tensor) -> dict[str, float]:
    """The figures over all rows; shares in percent."""
    sums = dict(zip(COLUMNS, columns.sum(0).tolist(), strict=True))
    return {
        name: (100 if bottom != "known" and top != "cost" else 1) * sums[top] / max(sums[bottom], 1)
        for name, (top, bottom) in FIGURES.items()
    }


def intervals(columns: Tensor, *, samples: int = _SAMPLES) -> dict[str, tuple[float, float]]:
    """95 % of figures over rows drawn anew with replacement lie within these."""
    generator = np.random.Generator(np.random.PCG64(random_number("bootstrap")))
    rows = columns.numpy()
    drawn = [
        figures(torch.from_numpy(rows[generator.integers(len(rows), size=len(rows))]))
        for _ in range(samples)
    ]
    return {
        name: tuple(np.percentile([sample[name] for sample in drawn], [2.5, 97.5]).tolist())
        for name in FIGURES
    }


def spans(alignment: Sequence[int]) -> list[tuple[int, int, int]]:
    """Where words aligned to one word of the abstract start and end, and which one it is."""
    edges = [0, *(j for j in range(1, len(alignment)) if alignment[j] != alignment[j - 1])]
    return [(start, end, alignment[start]) for start, end in pairwise([*edges, len(alignment)])]
