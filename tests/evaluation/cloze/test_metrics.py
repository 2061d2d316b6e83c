"""Every figure again, blank by blank and word by word."""

import itertools
import math

import pytest
import torch
from torch import Tensor

from relsmith.evaluation.cloze.encoding import FIRST_WORD, UNKNOWN, Batch, Encoded, Vocabulary
from relsmith.evaluation.cloze.metrics import COLUMNS, figures, intervals, measure, spans
from relsmith.evaluation.cloze.prediction import Prediction
from relsmith.evaluation.cloze.rows import Pair


class Bigrams:
    """Chances that depend on the word before and on how long the blank has been, by a table."""

    def __init__(self, words: int) -> None:
        generator = torch.Generator().manual_seed(4)
        self.table = torch.randn(words, words, generator=generator).mul(2).log_softmax(-1)

    def predict(self, batch: Batch, places: Tensor, starts: Tensor) -> Prediction:
        before = batch.target.gather(1, places - 1)
        return Prediction(self.table[before], (places - starts).float() + 0.5)


def slow(
    model: Bigrams, data: Encoded, allowed: list[int]
) -> tuple[dict[str, float], list[list[int]]]:
    """The figures by loops."""
    sums = dict.fromkeys(COLUMNS, 0.0)
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


@pytest.mark.parametrize("restricted", [True, False])
def test_figures_are_those_of_a_slow_loop(pairs: list[Pair], restricted: bool) -> None:
    # Blanks of one to three words, side by side too, and answers that training does not know.
    cut = [
        Pair(pair.abstract, pair.concrete[:9], [(0, 1), (2, 5), (5, 7), (8, 9)]) for pair in pairs
    ]
    vocabulary = Vocabulary.of(cut[:40])
    data = Encoded.of(cut, vocabulary, 9)
    model = Bigrams(len(vocabulary))
    # So that some are right.
    for text in data.all.target[::3].tolist():
        for before, after in itertools.pairwise(text):
            model.table[before, after] = -0.1
    columns = measure(model, data, vocabulary, restricted=restricted, batch=10)
    allowed = vocabulary.allowed(restricted).nonzero().squeeze(1).tolist()
    sums, _ = slow(model, data, allowed)
    assert dict(zip(COLUMNS, columns.sum(0).tolist(), strict=True)) == pytest.approx(sums, rel=1e-4)
    assert 0 < sums["greedy_matches"] < sums["matches"] < sums["blanks"]
    assert sums["known"] < sums["tokens"]
    found = figures(columns)
    assert found["match"] == pytest.approx(100 * sums["matches"] / sums["blanks"])
    assert found["surprisal"] == pytest.approx(sums["nats"] / sums["known"], rel=1e-4)
    assert found["transition"] == pytest.approx(sums["cost"] / sums["tokens"])
    for name, (low, high) in intervals(columns, samples=200).items():
        assert low <= found[name] <= high


def test_intervals_are_as_wide_as_they_should_be() -> None:
    torch.manual_seed(0)
    columns = torch.zeros(400, len(COLUMNS), dtype=torch.double)
    columns[:, COLUMNS.index("blanks")] = 1
    columns[:, COLUMNS.index("matches")] = (torch.rand(400) < 0.3).double()
    low, high = intervals(columns)["match"]
    assert high - low == pytest.approx(100 * 2 * 1.96 * math.sqrt(0.21 / 400), rel=0.15)
    assert intervals(columns) == intervals(columns)


def test_unknown_words_are_never_answers() -> None:
    vocabulary = Vocabulary.of([Pair(["a"], ["b", "c", "c"], [(1, 2)])], 2)
    assert list(vocabulary.words) == ["c"]
    assert vocabulary.allowed(False).tolist() == [False] * FIRST_WORD + [True]
    assert vocabulary.numbers(["c", "zzz"]) == [FIRST_WORD, UNKNOWN]
    assert vocabulary.allowed(True).sum() == 1


def test_spans_are_runs_of_one_word() -> None:
    assert spans([0, 0, 2, 2, 2, 3]) == [(0, 2, 0), (2, 5, 2), (5, 6, 3)]
    assert spans([1]) == [(0, 1, 1)]
