"""Blanks filled: by the likeliest words or by drawn ones, after right words or after own ones."""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from ...device import random_number
from .encoding import Batch, Encoded, Vocabulary
from .prediction import Predictor
from .task import VOCABULARIES, Filled, Guess

Choose = Callable[[Tensor], Tensor]
"""Given the logarithms of chances: the number of a word."""


def likeliest(logs: Tensor) -> Tensor:
    """The number of the likeliest word."""
    return logs.argmax(-1)


def drawing(temperature: float, seed: int) -> Choose:
    """Draws words at a temperature, the same for the same seed; at 0 the likeliest."""
    if not temperature:
        return likeliest
    # On the CPU, so that devices draw alike; the largest of chances with Gumbel noise is a draw.
    generator = torch.Generator().manual_seed(random_number(seed, "answers"))

    def draw(logs: Tensor) -> Tensor:
        noise = -(-torch.rand(logs.shape, generator=generator).log()).log()
        return likeliest(logs / temperature + noise.to(logs.device))

    return draw


@torch.no_grad()
def fill(
    predictor: Predictor,
    data: Encoded,
    vocabulary: Vocabulary,
    choose: Choose = likeliest,
    *,
    batch: int = 100,
) -> list[Filled]:
    """Fill the blanks of every row, with the words of either vocabulary for answers."""
    spelling = vocabulary.spelling()
    nothing: dict[str, list[Guess]] = {name: [] for name in VOCABULARIES}
    filled = [Filled([], nothing, nothing)] * len(data)
    # By length, so that little is padded.
    rows = [row for row, blanks in enumerate(data.blanks) if blanks]
    rows.sort(key=lambda row: (int(data.all.target_lengths[row]), row))
    for numbers in torch.split(torch.tensor(rows), batch) if rows else ():
        blanks = [data.blanks[row] for row in numbers.tolist()]
        filling = _Filling(predictor, data.batch(numbers), blanks, choose)
        by = [
            filling.fill(vocabulary.allowed(name == "restricted", data.all.source.device))
            for name in VOCABULARIES
        ]
        for number, row in enumerate(numbers.tolist()):
            sizes = [end - start for start, end in data.blanks[row]]
            oracle, greedy = (
                {
                    name: _guesses(said[side][number], sum(sizes), spelling)
                    for name, said in zip(VOCABULARIES, by, strict=True)
                }
                for side in (0, 1)
            )
            cost = filling.told.cost
            costs = None if cost is None else cost[number, : sum(sizes)].tolist()
            filled[row] = Filled(sizes, oracle, greedy, costs)
    return filled


class _Filling:
    """Some texts, the places of their blanked words, and what a model says there."""

    def __init__(
        self,
        predictor: Predictor,
        batch: Batch,
        blanks: list[list[tuple[int, int]]],
        choose: Choose,
    ) -> None:
        self.predictor, self.batch, self.choose = predictor, batch, choose
        self.places, self.starts = _places(blanks, batch.target.device)
        self.gold = batch.target.gather(1, self.places)
        self.told = predictor.predict(batch, self.places, self.starts)

    def fill(self, allowed: Tensor) -> tuple[Tensor, Tensor]:
        """What `_said` says of every place, after right words and after own ones."""
        logs = _among(self.told.logs, allowed)
        return _said(self.choose(logs), logs, self.gold, allowed), self._greedy(allowed)

    def _greedy(self, allowed: Tensor) -> Tensor:
        """From left to right."""
        target = self.batch.target.clone()
        rows = torch.arange(len(target), device=target.device)
        columns = []
        for column in range(self.places.shape[1]):
            here = slice(column, column + 1)
            place, start = self.places[:, here], self.starts[:, here]
            told = self.predictor.predict(replace(self.batch, target=target), place, start)
            logs = _among(told.logs, allowed)
            chosen = self.choose(logs)
            columns.append(_said(chosen, logs, self.gold[:, here], allowed))
            target[rows, place[:, 0]] = chosen[:, 0]
        return torch.cat(columns, 1)


def _places(blanks: list[list[tuple[int, int]]], device: torch.device) -> tuple[Tensor, Tensor]:
    """The place of each blanked word, and that of its blank's first; 1 beyond the last."""
    each = [[(place, start) for start, end in row for place in range(start, end)] for row in blanks]
    size = max(map(len, each))
    filled = torch.tensor([[*row, *[(1, 1)] * (size - len(row))] for row in each], device=device)
    places, starts = filled.unbind(-1)
    return places, starts


def _among(logs: Tensor, allowed: Tensor) -> Tensor:
    """Chances among the words that may be answers."""
    return logs.float().masked_fill(~allowed, -torch.inf).log_softmax(-1)


def _said(chosen: Tensor, logs: Tensor, gold: Tensor, allowed: Tensor) -> Tensor:
    """[batch, places, 3]: the word, the right one's rank (-1: it may not be one), and its nats."""
    right = logs.gather(-1, gold.unsqueeze(-1))
    ranks = (logs > right).sum(-1).where(allowed[gold], -1)
    nats = (-right.squeeze(-1)).where(allowed[gold], 0)
    return torch.stack([chosen.double(), ranks.double(), nats.double()], -1)


def _guesses(said: Tensor, count: int, spelling: list[str]) -> list[Guess]:
    return [
        Guess(spelling[int(word)], int(rank) if rank >= 0 else None, nats)
        for word, rank, nats in said[:count].tolist()
    ]
