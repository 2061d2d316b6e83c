"""Monotone alignments of a concrete text to its abstract: summed over, or the best one.

For every word j of the concrete text and every word i of the abstract, a model says how likely the
word is when it is aligned to i, and whether to shift to i + 1 before. All is in logarithms and
vectorised over the batch and over i; only the words j come one after another.

References: appendix A of Bisk et al., Benchmarking Hierarchical Script Knowledge, 2019; Yu, Buys
and Blunsom, Online segment to segment neural transduction, 2016.
"""

import torch
from torch import Tensor
from torch.nn import functional


def transitions(shift: Tensor) -> Tensor:
    """How likely each step from k to i is, at every word (equations 4 to 6).

    `shift` [batch, words, abstract] is the logit of a shift away from i; what comes out is
    [batch, words, k, i]: shifts at k, ..., i - 1, then an emit at i, and never backward.
    """
    steps = shifts_before(shift)
    emit = functional.logsigmoid(-shift)
    logs = (steps + emit).unsqueeze(-2) - steps.unsqueeze(-1)
    size = shift.shape[-1]
    backward = torch.ones(size, size, dtype=torch.bool, device=shift.device).tril(-1)
    return logs.masked_fill(backward, -torch.inf)


def shifts_before(shift: Tensor) -> Tensor:
    """The logarithm of shifting from the first word of the abstract to each."""
    size = shift.shape[-1]
    earlier = torch.ones(size, size, device=shift.device, dtype=shift.dtype).triu(1)
    return functional.logsigmoid(shift) @ earlier


def forward(words: Tensor, steps: Tensor) -> Tensor:
    """The logarithm of alpha_i(j), for every word j and every i (equation 7).

    `words` [batch, words, abstract] says how likely each word is from each i, `steps` is what
    `transitions` made. The first word starts out from the first word of the abstract.
    """
    alpha, alphas = _start(words), []
    for j in range(words.shape[1]):
        alpha = words[:, j] + torch.logsumexp(alpha.unsqueeze(-1) + steps[:, j], 1)
        alphas.append(alpha)
    return torch.stack(alphas, 1)


def likelihood(alphas: Tensor, source_lengths: Tensor, target_lengths: Tensor) -> Tensor:
    """log p(y, a_n = m | x): the last word of one text is aligned to the last of the other."""
    rows = torch.arange(len(alphas), device=alphas.device)
    last, end = (lengths.to(alphas.device) - 1 for lengths in (target_lengths, source_lengths))
    logs: Tensor = alphas[rows, last, end]
    return logs


def best(words: Tensor, steps: Tensor) -> tuple[Tensor, Tensor]:
    """As `forward` with the best alignment for the sum, and where each came from."""
    alpha, alphas, pointers = _start(words), [], []
    for j in range(words.shape[1]):
        most, origin = (alpha.unsqueeze(-1) + steps[:, j]).max(1)
        alpha = words[:, j] + most
        alphas.append(alpha)
        pointers.append(origin)
    return torch.stack(alphas, 1), torch.stack(pointers, 1)


def trace(pointers: Tensor, source_lengths: Tensor, target_lengths: Tensor) -> Tensor:
    """The best alignment [batch, words] that ends at the last words of both; 0 beyond the end."""
    ends, lasts = (lengths.to(pointers.device) - 1 for lengths in (source_lengths, target_lengths))
    place, places = ends, []
    for j in range(pointers.shape[1] - 1, -1, -1):
        place = torch.where(lasts == j, ends, place)
        places.append(torch.where(lasts >= j, place, 0))
        place = pointers[:, j].gather(1, place.unsqueeze(1)).squeeze(1)
    return torch.stack(places[::-1], 1)


def step_costs(shift: Tensor, alignment: Tensor) -> Tensor:
    """The logarithm of every step of an alignment [batch, words], at every word."""
    steps, emit = shifts_before(shift), functional.logsigmoid(-shift)
    before = functional.pad(alignment, (1, 0))[:, :-1]
    end, start = alignment.unsqueeze(-1), before.unsqueeze(-1)
    costs = (steps + emit).gather(2, end) - steps.gather(2, start)
    return costs.squeeze(-1)


def _start(words: Tensor) -> Tensor:
    """Before the first word, all is at the first word of the abstract."""
    alpha = words.new_full((words.shape[0], words.shape[2]), -torch.inf)
    alpha[:, 0] = 0
    return alpha
