"""Monotone alignments of a concrete text to its abstract: the sum over all, or the best one.

For every word j of the concrete text and every word i of the abstract, a model gives the
probability of the word if it is aligned to i, and of a shift to i + 1 before it. All values are
logarithms, vectorised over the batch and over i; only the words j are processed in turn.

References: appendix A of Bisk et al., Benchmarking Hierarchical Script Knowledge, 2019; Yu, Buys
and Blunsom, Online segment to segment neural transduction, 2016.
"""

import torch
from torch import Tensor
from torch.nn import functional


def transitions(shift: Tensor) -> Tensor:
    """Return the log-probability of each step from k to i, at every word (equations 4 to 6).

    `shift` [batch, words, abstract] is the logit of a shift away from i. The result is
    [batch, words, k, i]: shifts at k, ..., i - 1, then an emit at i; backward steps are -inf.
    """
    steps = shift_logs(shift)
    emit = functional.logsigmoid(-shift)
    logs = (steps + emit).unsqueeze(-2) - steps.unsqueeze(-1)
    size = shift.shape[-1]
    backward = torch.ones(size, size, dtype=torch.bool, device=shift.device).tril(-1)
    return logs.masked_fill(backward, -torch.inf)


def shift_logs(shift: Tensor) -> Tensor:
    """Return the log-probability of shifting from the first word of the abstract to each."""
    size = shift.shape[-1]
    earlier = torch.ones(size, size, device=shift.device, dtype=shift.dtype).triu(1)
    return functional.logsigmoid(shift) @ earlier


def forward(words: Tensor, steps: Tensor) -> Tensor:
    """Return log alpha_i(j) for every word j and every i (equation 7).

    `words` [batch, words, abstract] has the log-probability of each word from each i, `steps`
    is the output of `transitions`. The first word starts at the first word of the abstract.
    """
    alpha, alphas = _start(words), []
    for j in range(words.shape[1]):
        alpha = words[:, j] + torch.logsumexp(alpha.unsqueeze(-1) + steps[:, j], 1)
        alphas.append(alpha)
    return torch.stack(alphas, 1)


def likelihood(alphas: Tensor, source_lengths: Tensor, target_lengths: Tensor) -> Tensor:
    """Return log p(y, a_n = m | x): the last words of both texts are aligned."""
    rows = torch.arange(len(alphas), device=alphas.device)
    last, end = (lengths.to(alphas.device) - 1 for lengths in (target_lengths, source_lengths))
    return alphas[rows, last, end]


def viterbi(words: Tensor, steps: Tensor) -> tuple[Tensor, Tensor]:
    """Like `forward` with the maximum for the sum; also return back pointers."""
    alpha, alphas, pointers = _start(words), [], []
    for j in range(words.shape[1]):
        most, origin = (alpha.unsqueeze(-1) + steps[:, j]).max(1)
        alpha = words[:, j] + most
        alphas.append(alpha)
        pointers.append(origin)
    return torch.stack(alphas, 1), torch.stack(pointers, 1)


def trace(pointers: Tensor, source_lengths: Tensor, target_lengths: Tensor) -> Tensor:
    """Return the best alignment [batch, words] that ends at both last words; 0 beyond the end."""
    ends, lasts = (lengths.to(pointers.device) - 1 for lengths in (source_lengths, target_lengths))
    place, places = ends, []
    for j in range(pointers.shape[1] - 1, -1, -1):
        place = torch.where(lasts == j, ends, place)
        places.append(torch.where(lasts >= j, place, 0))
        place = pointers[:, j].gather(1, place.unsqueeze(1)).squeeze(1)
    return torch.stack(places[::-1], 1)


def step_logs(shift: Tensor, alignment: Tensor) -> Tensor:
    """Return the log-probability of every step of an alignment [batch, words]."""
    steps, emit = shift_logs(shift), functional.logsigmoid(-shift)
    before = functional.pad(alignment, (1, 0))[:, :-1]
    end, start = alignment.unsqueeze(-1), before.unsqueeze(-1)
    costs = (steps + emit).gather(2, end) - steps.gather(2, start)
    return costs.squeeze(-1)


def _start(words: Tensor) -> Tensor:
    """Return the initial alpha: all mass at the first word of the abstract."""
    alpha = words.new_full((words.shape[0], words.shape[2]), -torch.inf)
    alpha[:, 0] = 0
    return alpha
