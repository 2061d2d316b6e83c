"""The recursion compared with an enumeration of all monotone alignments."""

import itertools
import math
import random
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from relsmith.evaluation.papers.cloze.transduction import (
    forward,
    likelihood,
    step_logs,
    trace,
    transitions,
    viterbi,
)

Case = tuple[Tensor, Tensor]


def cases(count: int) -> Iterator[Case]:
    """Random word probabilities and shift logits, for texts and abstracts of up to 5 words."""
    for number in range(count):
        draw = random.Random(number)
        words, abstract = draw.randint(1, 5), draw.randint(1, 5)
        torch.manual_seed(number)
        yield (
            torch.randn(words, abstract).mul(2).sigmoid().log(),
            torch.randn(words, abstract).mul(draw.choice([0, 1, 3])),
        )


def alignments(words: int, abstract: int) -> Iterator[tuple[int, ...]]:
    """Yield every alignment that never goes back and ends at the last word of the abstract."""
    for found in itertools.product(range(abstract), repeat=words):
        if found[-1] == abstract - 1 and all(a <= b for a, b in itertools.pairwise(found)):
            yield found


def by_hand(words: Tensor, shift: Tensor, alignment: tuple[int, ...]) -> float:
    """Compute equation 2 with equations 4 to 6 for the steps, factor by factor."""
    chance, before = 1.0, 0
    for j, place in enumerate(alignment):
        moves = [1 / (1 + math.exp(-float(shift[j, i]))) for i in range(place + 1)]
        chance *= math.prod(moves[before:place]) * (1 - moves[place]) * math.exp(words[j, place])
        before = place
    return math.log(chance)


def lengths(case: Case) -> tuple[Tensor, Tensor]:
    words, abstract = case[0].shape
    return torch.tensor([abstract]), torch.tensor([words])


def test_the_sum_is_over_all_alignments() -> None:
    for words, shift in cases(200):
        alphas = forward(words[None], transitions(shift[None]))
        summed = float(likelihood(alphas, *lengths((words, shift))))
        each = [by_hand(words, shift, one) for one in alignments(*words.shape)]
        assert summed == pytest.approx(math.log(sum(map(math.exp, each))), abs=1e-5)


def test_the_best_is_the_best_of_all_alignments() -> None:
    for words, shift in cases(200):
        scores, pointers = viterbi(words[None], transitions(shift[None]))
        found = tuple(trace(pointers, *lengths((words, shift)))[0].tolist())
        each = {one: by_hand(words, shift, one) for one in alignments(*words.shape)}
        assert by_hand(words, shift, found) == pytest.approx(max(each.values()), abs=1e-5)
        score = float(likelihood(scores, *lengths((words, shift))))
        assert score == pytest.approx(max(each.values()), abs=1e-5)


def test_the_costs_of_steps_are_those_of_the_alignment() -> None:
    for words, shift in cases(50):
        for one in alignments(*words.shape):
            steps = step_logs(shift[None], torch.tensor([one]))
            said = sum(float(words[j, place]) for j, place in enumerate(one))
            whole = by_hand(words, shift, one)
            assert float(steps.sum()) + said == pytest.approx(whole, abs=1e-5)


def padded(several: list[Case]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return a batch of all texts, padded with values that must not matter."""
    sizes = torch.tensor([case[0].shape for case in several])
    shape = (len(several), *sizes.amax(0).tolist())
    words, shift = torch.full(shape, -0.01), torch.full(shape, 5.0)
    for row, (one, other) in enumerate(several):
        words[row, : one.shape[0], : one.shape[1]] = one
        shift[row, : one.shape[0], : one.shape[1]] = other
    return words, shift, sizes[:, 1], sizes[:, 0]


def test_padding_changes_nothing() -> None:
    several = list(cases(40))
    words, shift, *sizes = padded(several)
    steps = transitions(shift)
    together = likelihood(forward(words, steps), *sizes)
    traced = trace(viterbi(words, steps)[1], *sizes)
    for row, case in enumerate(several):
        steps = transitions(case[1][None])
        alone = likelihood(forward(case[0][None], steps), *lengths(case))
        assert float(together[row]) == pytest.approx(float(alone), abs=1e-5)
        own = trace(viterbi(case[0][None], steps)[1], *lengths(case))[0]
        assert traced[row, : len(own)].tolist() == own.tolist()
        assert not traced[row, len(own) :].any()


def test_gradients_are_finite_and_right() -> None:
    words, shift, *sizes = padded(list(cases(30)))
    for hard in (1.0, 40.0):
        leaf, moves = words.clone().requires_grad_(), (shift * hard).requires_grad_()
        likelihood(forward(leaf, transitions(moves)), *sizes).sum().backward()
        assert leaf.grad is not None and moves.grad is not None
        assert leaf.grad.isfinite().all() and moves.grad.isfinite().all()
        # The gradient of a word is its alignment probability, which sums to 1 for each word.
        counted = leaf.grad.sum(-1)
        assert torch.allclose(counted[:, 0], torch.ones(len(words)), atol=1e-4)
    small = torch.randn(1, 4, 3, dtype=torch.double, requires_grad=True)
    moves = torch.randn(1, 4, 3, dtype=torch.double, requires_grad=True)
    ends = (torch.tensor([3]), torch.tensor([4]))
    assert torch.autograd.gradcheck(
        lambda a, b: likelihood(forward(a, transitions(b)), *ends), (small, moves)
    )
