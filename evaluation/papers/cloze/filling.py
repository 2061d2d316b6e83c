"""Fill blanks: with the most likely or with sampled words, after gold or after own words."""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from ...device import random_number
from .encoding import ClozeBatch, ClozeVocabulary, EncodedPairs, Predictor
from .task import FilledBlanks, Guess

WordChooser = Callable[[Tensor], Tensor]
"""Maps log-probabilities to word ids."""


def most_likely(logs: Tensor) -> Tensor:
    """Return the id of the most likely word."""
    return logs.argmax(-1)


def word_sampler(temperature: float, seed: int) -> WordChooser:
    """Return a sampler at a temperature, deterministic in the seed; at 0 the most likely word."""
    if not temperature:
        return most_likely
    # Gumbel-max sampling, on the CPU so that all devices draw alike.
    generator = torch.Generator().manual_seed(random_number(seed, "answers"))

    def draw(logs: Tensor) -> Tensor:
        noise = -(-torch.rand(logs.shape, generator=generator).log()).log()
        return most_likely(logs / temperature + noise.to(logs.device))

    return draw


@torch.no_grad()
def fill(
    predictor: Predictor,
    data: EncodedPairs,
    vocabulary: ClozeVocabulary,
    choose: WordChooser = most_likely,
    *,
    batch: int = 100,
) -> list[FilledBlanks]:
    """Fill the blanks of every row with words that are blanked in training."""
    spelling, allowed = vocabulary.spelling(), vocabulary.allowed(data.all.source.device)
    filled = [FilledBlanks([], [], [])] * len(data)
    # By length, to reduce padding.
    rows = [row for row, blanks in enumerate(data.blanks) if blanks]
    rows.sort(key=lambda row: (int(data.all.target_lengths[row]), row))
    for numbers in torch.split(torch.tensor(rows), batch) if rows else ():
        blanks = [data.blanks[row] for row in numbers.tolist()]
        filling = _Filling(predictor, data.batch(numbers), blanks, choose)
        both = filling.fill(allowed)
        for number, row in enumerate(numbers.tolist()):
            sizes = [end - start for start, end in data.blanks[row]]
            oracle, greedy = (_guesses(scored[number], sum(sizes), spelling) for scored in both)
            cost = filling.prediction.cost
            costs = None if cost is None else cost[number, : sum(sizes)].tolist()
            filled[row] = FilledBlanks(sizes, oracle, greedy, costs)
    return filled


class _Filling:
    """A batch, the positions of its blanked words, and the predictions there."""

    def __init__(
        self,
        predictor: Predictor,
        batch: ClozeBatch,
        blanks: list[list[tuple[int, int]]],
        choose: WordChooser,
    ) -> None:
        self.predictor, self.batch, self.choose = predictor, batch, choose
        self.places, self.starts = _blank_positions(blanks, batch.target.device)
        self.gold = batch.target.gather(1, self.places)
        self.prediction = predictor.predict(batch, self.places, self.starts)

    def fill(self, allowed: Tensor) -> tuple[Tensor, Tensor]:
        """Return the output of `_scored` at all positions, after gold words and after own words."""
        logs = _restricted(self.prediction.logs, allowed)
        return _scored(self.choose(logs), logs, self.gold, allowed), self._greedy(allowed)

    def _greedy(self, allowed: Tensor) -> Tensor:
        """Fill from left to right, each word after the model's own earlier ones."""
        target = self.batch.target.clone()
        rows = torch.arange(len(target), device=target.device)
        columns = []
        for column in range(self.places.shape[1]):
            here = slice(column, column + 1)
            place, start = self.places[:, here], self.starts[:, here]
            prediction = self.predictor.predict(replace(self.batch, target=target), place, start)
            logs = _restricted(prediction.logs, allowed)
            chosen = self.choose(logs)
            columns.append(_scored(chosen, logs, self.gold[:, here], allowed))
            target[rows, place[:, 0]] = chosen[:, 0]
        return torch.cat(columns, 1)


def _blank_positions(
    blanks: list[list[tuple[int, int]]], device: torch.device
) -> tuple[Tensor, Tensor]:
    """Return positions of blanked words and of their blanks' first words; 1 beyond the last."""
    each = [[(place, start) for start, end in row for place in range(start, end)] for row in blanks]
    size = max(map(len, each))
    filled = torch.tensor([[*row, *[(1, 1)] * (size - len(row))] for row in each], device=device)
    places, starts = filled.unbind(-1)
    return places, starts


def _restricted(logs: Tensor, allowed: Tensor) -> Tensor:
    return logs.float().masked_fill(~allowed, -torch.inf).log_softmax(-1)


def _scored(chosen: Tensor, logs: Tensor, gold: Tensor, allowed: Tensor) -> Tensor:
    """Return [batch, places, 3]: word, rank of the gold word (-1 if not allowed), and its nats."""
    right = logs.gather(-1, gold.unsqueeze(-1))
    ranks = (logs > right).sum(-1).where(allowed[gold], -1)
    nats = (-right.squeeze(-1)).where(allowed[gold], 0)
    return torch.stack([chosen.double(), ranks.double(), nats.double()], -1)


def _guesses(scored: Tensor, count: int, spelling: list[str]) -> list[Guess]:
    return [
        Guess(spelling[int(word)], int(rank) if rank >= 0 else None, nats)
        for word, rank, nats in scored[:count].tolist()
    ]
