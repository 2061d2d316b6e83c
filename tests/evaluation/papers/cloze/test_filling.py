"""Every figure recomputed with loops."""

import itertools
import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from relsmith.evaluation.papers.cloze.encoding import (
    FIRST_WORD,
    UNKNOWN,
    ClozeBatch,
    ClozeVocabulary,
    EncodedPairs,
    Prediction,
)
from relsmith.evaluation.papers.cloze.filling import fill, word_sampler
from relsmith.evaluation.papers.cloze.task import ClozeRow, ClozeTask

Figures = Callable[..., dict[str, float]]


class Bigrams:
    """Probabilities from a table, by the word before and the position in the blank."""

    def __init__(self, words: int) -> None:
        generator = torch.Generator().manual_seed(4)
        self.table = torch.randn(words, words, generator=generator).mul(2).log_softmax(-1)

    def predict(self, batch: ClozeBatch, places: Tensor, starts: Tensor) -> Prediction:
        before = batch.target.gather(1, places - 1)
        return Prediction(self.table[before], (places - starts).float() + 0.5)


def slow(
    model: Bigrams, data: EncodedPairs, allowed: list[int]
) -> tuple[dict[str, float], list[list[int]]]:
    """Return the figures by loops."""
    names = "matches blanks top5 tokens greedy_matches greedy_top5 nats known cost"
    sums = dict.fromkeys(names.split(), 0.0)
    answers = []
    for text, blanks in zip(data.all.target.tolist(), data.blanks, strict=True):
        filled = list(text)
        for start, end in blanks:
            own = list(text[:start])
            right = True
            for place in range(start, end):
                told = model.table[text[place - 1]]
                chances = {word: float(told[word].exp()) for word in allowed}
                sums["tokens"] += 1
                sums["cost"] += place - start + 0.5
                if text[place] in allowed:
                    mine = chances[text[place]]
                    sums["known"] += 1
                    sums["nats"] -= math.log(mine / sum(chances.values()))
                    sums["top5"] += sum(other > mine for other in chances.values()) < 5
                own.append(max(allowed, key=lambda word: float(model.table[own[-1]][word])))
                greedy = {word: float(model.table[filled[place - 1]][word]) for word in allowed}
                if text[place] in allowed:
                    mine = greedy[text[place]]
                    sums["greedy_top5"] += sum(other > mine for other in greedy.values()) < 5
                filled[place] = max(allowed, key=greedy.__getitem__)
                right = right and filled[place] == text[place]
            sums["blanks"] += 1
            sums["matches"] += own[start:end] == text[start:end]
            sums["greedy_matches"] += right
        answers.append(filled)
    return sums, answers


def cut_pairs(
    pairs: list[ClozeRow],
) -> tuple[list[ClozeRow], ClozeVocabulary, EncodedPairs, Bigrams]:
    """Blanks of one to three words, also adjacent ones, and answers unknown in training."""
    blanks = [(0, 1), (2, 5), (5, 7), (8, 9)]
    cut = [ClozeRow(pair.abstract, pair.concrete[:9], blanks) for pair in pairs]
    vocabulary = ClozeVocabulary.of(cut[:40])
    data = EncodedPairs.of(cut, vocabulary, 9)
    model = Bigrams(len(vocabulary))
    # So that some are right.
    for text in data.all.target[::3].tolist():
        for before, after in itertools.pairwise(text):
            model.table[before, after] = -0.1
    return cut, vocabulary, data, model


def test_figures_equal_a_slow_loop(pairs: list[ClozeRow], figures: Figures) -> None:
    cut, vocabulary, data, model = cut_pairs(pairs)
    task, name = ClozeTask(), "restricted"
    filled = fill(model, data, vocabulary, batch=10)
    rows = [task.numbers(*row) for row in zip(cut, filled, strict=True)]
    columns = dict(zip(task.columns, map(sum, zip(*rows, strict=True)), strict=True))
    allowed = vocabulary.allowed().nonzero().squeeze(1).tolist()
    sums, answers = slow(model, data, allowed)
    found = {key: columns.get(f"{name}_{key}", columns.get(key)) for key in sums}
    assert found == pytest.approx(sums, rel=1e-4)
    assert 0 < sums["greedy_matches"] < sums["matches"] < sums["blanks"]
    assert sums["known"] < sums["tokens"]
    spelling = vocabulary.spelling()
    for row, text in zip(filled, answers, strict=True):
        # The last blank is cut off.
        assert [word for words in row.blanks(row.greedy) for word in words] == [
            spelling[text[place]] for place in (1, 3, 4, 5, 6, 7)
        ]
    measured = figures(model, cut, data, vocabulary)
    assert measured[f"{name}_match"] == pytest.approx(100 * sums["matches"] / sums["blanks"])
    assert measured[f"{name}_surprisal"] == pytest.approx(sums["nats"] / sums["known"], rel=1e-4)
    assert measured["transition"] == pytest.approx(sums["cost"] / sums["tokens"])


def test_rows_without_a_blank_before_the_cut_count_nothing(pairs: list[ClozeRow]) -> None:
    vocabulary = ClozeVocabulary.of(pairs)
    late = [ClozeRow(pair.abstract, pair.concrete, [(8, 9)]) for pair in pairs[:3]]
    filled = fill(Bigrams(len(vocabulary)), EncodedPairs.of(late, vocabulary, 5), vocabulary)
    for row in zip(late, filled, strict=True):
        numbers = dict(zip(ClozeTask.columns, ClozeTask().numbers(*row), strict=True))
        assert not any(value for name, value in numbers.items() if name not in ("cost", "aligned"))


def test_answers_are_sampled_by_their_probabilities() -> None:
    logs = torch.tensor([0.5, 0.3, 0.2, 0.0]).log().expand(20_000, 4)
    for temperature in (1.0, 0.5, 2.0):
        drawn = word_sampler(temperature, 3)(logs)
        wanted = torch.tensor([0.5, 0.3, 0.2, 0.0]) ** (1 / temperature)
        shares = torch.bincount(drawn, minlength=4) / len(drawn)
        assert torch.allclose(shares, wanted / wanted.sum(), atol=0.015)
        assert torch.equal(drawn, word_sampler(temperature, 3)(logs))
        assert not torch.equal(drawn, word_sampler(temperature, 4)(logs))
    assert set(word_sampler(0, 3)(logs).tolist()) == {0}


def test_sampled_answers_change_matches_but_not_ranks(pairs: list[ClozeRow]) -> None:
    _, vocabulary, data, model = cut_pairs(pairs)
    likely = fill(model, data, vocabulary)
    drawn = fill(model, data, vocabulary, word_sampler(1.5, 0))
    assert drawn == fill(model, data, vocabulary, word_sampler(1.5, 0))
    assert drawn != fill(model, data, vocabulary, word_sampler(1.5, 1))
    for one, other in zip(likely, drawn, strict=True):
        assert [guess[1:] for guess in one.oracle] == [guess[1:] for guess in other.oracle]
    words = [[guess.word for row in rows for guess in row.oracle] for rows in (likely, drawn)]
    assert words[0] != words[1]


def test_unknown_words_are_never_answers() -> None:
    vocabulary = ClozeVocabulary.of([ClozeRow(["a"], ["b", "c", "c", "d", "d"], [(0, 2)])], 2)
    assert list(vocabulary.words) == ["c", "d"]
    assert vocabulary.allowed().tolist() == [False] * FIRST_WORD + [True, False]
    assert vocabulary.numbers(["c", "zzz"]) == [FIRST_WORD, UNKNOWN]
