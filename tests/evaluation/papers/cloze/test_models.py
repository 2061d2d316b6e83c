"""Properties of every model of cloze tests."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from relsmith.errors import InvalidOption
from relsmith.evaluation.model import MODELS, RunContext
from relsmith.evaluation.papers.cloze.encoding import (
    FIRST_WORD,
    START,
    ClozeBatch,
    ClozeVocabulary,
    EncodedPairs,
)
from relsmith.evaluation.papers.cloze.model import (
    ClozeModel,
    ClozeNetwork,
    ClozeObjective,
)
from relsmith.evaluation.papers.cloze.models.parts import word_vectors
from relsmith.evaluation.papers.cloze.models.sequence import LSTMLanguageModel
from relsmith.evaluation.papers.cloze.models.transducer import Transducer, TransducerModule
from relsmith.evaluation.papers.cloze.models.trigram import Trigram
from relsmith.evaluation.papers.cloze.task import ClozeRow, ClozeTask
from relsmith.evaluation.trainer import Progress, split_validation, train
from relsmith.evaluation.training import Training

SMALL = {"hidden": 64, "embedding": 32, "dropout": 0.0, "learning_rate": 0.02}
NETWORKS = {
    "lstm-lm": SMALL,
    "seq2seq": SMALL,
    "seq2seq-attention": SMALL,
    "transducer": SMALL | {"marginal": 3},
    "transducer-param": SMALL | {"marginal": 3},
}


OVERFITTING = {"epochs": 40, "batch": 16, "validation": 0}
Figures = Callable[..., dict[str, float]]


def network(name: str) -> ClozeNetwork:
    found = MODELS.get(name).configure(NETWORKS[name])
    assert isinstance(found, ClozeNetwork)
    return found


@pytest.fixture(scope="module")
def short(pairs: list[ClozeRow]) -> tuple[EncodedPairs, ClozeVocabulary]:
    """64 pairs, the concrete texts cut to 12 tokens, with the remaining blanks."""
    vocabulary = ClozeVocabulary.of(pairs)
    return EncodedPairs.of(pairs, vocabulary, 13), vocabulary


QUICK = ("trigram",)
"""Models that memorize their rows in two seconds; the others run in the slow tier."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)
        for name in [*NETWORKS, "trigram"]
    ],
)
def test_every_model_overfits(
    name: str, pairs: list[ClozeRow], short: tuple[EncodedPairs, ClozeVocabulary], figures: Figures
) -> None:
    data, vocabulary = short
    model = network(name) if name in NETWORKS else Trigram()
    job = RunContext(training=ClozeTask.training.model_copy(update=OVERFITTING))
    predictor, _ = model.learn(data, vocabulary, job)
    if isinstance(predictor, TransducerModule):
        # It learns aligned words; a blank is aligned without its words.
        assert nats_where_aligned(predictor, data.all) < 0.2
    measured = figures(predictor, pairs, data, vocabulary)
    assert measured["restricted_match"] > AT_LEAST[name], measured


AT_LEAST = {
    "seq2seq": 95,
    "seq2seq-attention": 95,
    "transducer": 65,
    "transducer-param": 90,
    "lstm-lm": 78,  # without the abstract, texts have the same beginning
    "trigram": 60,
}


@torch.no_grad()
def nats_where_aligned(module: TransducerModule, batch: ClozeBatch) -> float:
    abstract, concrete = module.reader(batch)
    words = module._words(abstract, concrete, batch.target)
    said = words.gather(2, module.align(batch).unsqueeze(-1)).squeeze(-1)
    return -float(said[batch.target_mask].mean())


def pronounced(module: torch.nn.Module) -> torch.nn.Module:
    """Enlarge the weights, so that words differ clearly."""
    with torch.no_grad():
        for weight in module.parameters():
            weight.mul_(4)
    return module.eval()


@pytest.mark.parametrize("name", NETWORKS)
@torch.no_grad()
def test_padding_is_masked(name: str, short: tuple[EncodedPairs, ClozeVocabulary]) -> None:
    data, vocabulary = short
    torch.manual_seed(1)
    module = pronounced(network(name).build(data, vocabulary))
    rows = torch.arange(0, 64, 5)
    batch = data.batch(rows)
    wide = ClozeBatch(
        torch.nn.functional.pad(batch.source, (0, 3)),
        batch.source_lengths,
        torch.nn.functional.pad(batch.target, (0, 4)),
        batch.target_lengths,
    )
    # The padding, with any content.
    for tensor, lengths in (
        (wide.source, wide.source_lengths),
        (wide.target, wide.target_lengths + 1),
    ):
        for row, length in enumerate(lengths.tolist()):
            tensor[row, length:] = FIRST_WORD + row
    shortest = int(batch.target_lengths.min())
    places = torch.arange(1, shortest + 1).expand(len(rows), -1)
    for stage in network(name).stages:
        alone = sum(float(module.loss(data.batch(row[None]), stage)) for row in rows)
        assert float(module.loss(batch, stage)) == pytest.approx(alone, rel=1e-4)
        assert float(module.loss(wide, stage)) == pytest.approx(alone, rel=1e-4)
    narrow, wider = (module.predict(one, places, places) for one in (batch, wide))
    assert torch.allclose(narrow.logs, wider.logs, atol=1e-5)
    if narrow.cost is not None:
        assert torch.allclose(narrow.cost, wider.cost, atol=1e-5)
    assert (narrow.cost is not None) == name.startswith("transducer")


@pytest.mark.parametrize("name", [*NETWORKS, "trigram"])
def test_predictions_are_probabilities_given_earlier_words(
    name: str, short: tuple[EncodedPairs, ClozeVocabulary]
) -> None:
    data, vocabulary = short
    torch.manual_seed(2)
    if name in NETWORKS:
        predictor = network(name).build(data, vocabulary).eval()
    else:
        predictor, _ = Trigram().learn(data, vocabulary, RunContext())  # type: ignore[assignment]
    batch = data.batch(torch.arange(8))
    places = torch.full((8, 1), 4)
    told = predictor.predict(batch, places, places)  # type: ignore[operator]
    assert torch.allclose(told.logs.exp().sum(-1), torch.ones(8, 1), atol=1e-4)
    target = batch.target.clone()
    target[:, 4:] = FIRST_WORD
    again = predictor.predict(replace(batch, target=target), places, places)  # type: ignore[operator]
    assert torch.allclose(told.logs, again.logs, atol=1e-5)
    if told.cost is not None:
        assert torch.allclose(told.cost, again.cost, atol=1e-5)


def test_a_trigram_by_hand() -> None:
    vocabulary = ClozeVocabulary.of(
        [ClozeRow(["x"], ["a", "b"], [(1, 2)]), ClozeRow(["x"], ["a", "c"], [])]
    )
    data = EncodedPairs.of(
        [ClozeRow(["x"], list("ab"), []), ClozeRow(["x"], list("ac"), [])], vocabulary, 50
    )
    predictor, _ = Trigram(discount=0.5).learn(data, vocabulary, RunContext())
    a, b, c, x = (vocabulary.words[word] for word in "abcx")
    batch = data.batch(torch.tensor([0]))
    logs = predictor.predict(batch, torch.tensor([[1, 2]]), torch.tensor([[1, 2]])).logs[0].exp()
    # a, b and c each follow one word: 0.5 / 3 each, and the other half for all 7 numbers.
    rest = 0.5 / 7
    one = {a: 0.5 / 3 + rest, b: 0.5 / 3 + rest, c: 0.5 / 3 + rest, x: rest}
    two = {word: 0.5 * one[word] + (0.25 if word in (b, c) else 0) for word in one}
    three = {word: 0.5 * two[word] + (0.25 if word in (b, c) else 0) for word in one}
    for word in one:
        assert float(logs[1, word]) == pytest.approx(three[word], abs=1e-6)
    assert float(logs[0, a]) == pytest.approx(0.75 + 0.25 * (0.75 + 0.25 * one[a]), abs=1e-6)


@pytest.mark.parametrize("start", [1, 3, 6])
@pytest.mark.parametrize("name", ["transducer", "transducer-param"])
@torch.no_grad()
def test_a_blank_is_aligned_at_the_end_of_the_text_before_it(
    name: str, start: int, short: tuple[EncodedPairs, ClozeVocabulary]
) -> None:
    data, vocabulary = short
    torch.manual_seed(2)
    module = pronounced(network(name).build(data, vocabulary))
    assert isinstance(module, TransducerModule)
    ends = set()
    for row in range(10):
        batch = data.batch(torch.tensor([row]))
        abstract, concrete = module.reader(batch)
        shift = module._shift(abstract, concrete)[0]
        size = int(batch.source_lengths[0])
        end, cost = end_of_prefix(module, batch, start), 0.0
        while name == "transducer-param" and end < size - 1 and shift[start - 1, end] > 0:
            cost -= math.log(shift[start - 1, end].sigmoid())
            end += 1
        ends.add(end)
        places = torch.tensor([[start, start + 1]])
        told = module.predict(batch, places, torch.full_like(places, start))
        for column in (0, 1):
            at = concrete[:, start - 1 + column]
            logs = module._scores(abstract[:, end], at).log_softmax(-1)
            assert torch.allclose(told.logs[0, column], logs[0], atol=1e-4)
            emit = -math.log((-shift[start - 1 + column, end]).sigmoid())
            wanted = emit + cost * (column == 0)
            assert float(told.cost[0, column]) == pytest.approx(wanted, abs=1e-4)
    assert len(ends) > 1 or (name == "transducer" and start == 1)


def end_of_prefix(module: TransducerModule, batch: ClozeBatch, start: int) -> int:
    """Return the end of the best alignment of the words before, by trying each end."""
    if start == 1:
        return 0
    target, count = batch.target[:, :start], torch.tensor([start - 1])
    tried = []
    for cut in range(1, int(batch.source_lengths[0]) + 1):
        part = ClozeBatch(batch.source[:, :cut], torch.tensor([cut]), target, count)
        tried.append((-float(module._hard_loss(part, module.align(part))), cut - 1))
    return max(tried)[1]


def test_a_transducer_learns_in_both_stages(
    short: tuple[EncodedPairs, ClozeVocabulary], pairs: list[ClozeRow]
) -> None:
    """A quick version of overfitting: the loss of each stage falls."""
    data, vocabulary = short
    model = network("transducer")
    torch.manual_seed(0)
    module = model.build(data, vocabulary)
    with torch.no_grad():
        before = [float(module.loss(data.all, stage)) for stage in model.stages]
    training = ClozeTask.training.model_copy(update=OVERFITTING | {"epochs": 5})
    train(ClozeObjective(model, module, data, 32), RunContext(training=training))
    with torch.no_grad():
        after = [float(module.loss(data.all, stage)) for stage in model.stages]
    assert len(before) > 1
    assert all(later < 0.7 * first for first, later in zip(before, after, strict=True))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_numbers(
    short: tuple[EncodedPairs, ClozeVocabulary], tmp_path: Path
) -> None:
    data, vocabulary = short
    model = network("transducer").model_copy(update={"dropout": 0.3, "marginal": 2})

    def learn(seed: int, **more: Any) -> Progress:
        torch.manual_seed(seed)
        lesson = ClozeObjective(model, model.build(data, vocabulary), data, 32)
        training = ClozeTask.training.model_copy(update={"epochs": 4, "patience": 9})
        return train(lesson, RunContext(seed=seed, training=training, **more))

    first = learn(5)
    assert first.history == learn(5).history
    assert first.history != learn(6).history
    assert first.epoch == 4 and first.best_epoch > first.begun == 2

    # Killed after each epoch, and resumed.
    class Killed(Exception):
        pass

    def kill(_: float) -> None:
        raise Killed

    for _ in range(3):
        with pytest.raises(Killed):
            learn(5, checkpoint=tmp_path / "c.pt", advance=kill)
    resumed = learn(5, checkpoint=tmp_path / "c.pt")
    assert (resumed.history, resumed.best) == (first.history, first.best)


def test_validation_takes_no_more_rows_at_once_than_training(
    short: tuple[EncodedPairs, ClozeVocabulary], monkeypatch: pytest.MonkeyPatch
) -> None:
    data, vocabulary = short
    model = network("transducer-param")
    lesson = ClozeObjective(model, model.build(data, vocabulary).eval(), data, 8)
    sizes = []
    loss = lesson.loss
    monkeypatch.setattr(
        lesson, "loss", lambda rows, stage: (sizes.append(len(rows)), loss(rows, stage))[1]
    )
    with torch.no_grad():
        _, lowest = lesson.validate([torch.arange(40), torch.arange(40, 64)], "marginal")
        whole, words = loss(torch.arange(64), "marginal")
    assert sizes == [8] * 8
    assert -lowest == pytest.approx(float(whole) / words, rel=1e-4)


def test_the_papers_preset_has_its_own_label(
    short: tuple[EncodedPairs, ClozeVocabulary], tmp_path: Path
) -> None:
    ours, paper = Transducer(), Transducer.configure({"preset": "paper", "hidden": "64"})
    assert (ours.hidden, ours.dropout, ours.vectors, ours.shift) == (256, 0.3, None, None)
    assert (paper.hidden, paper.dropout, paper.vectors, paper.shift) == (64, 0.5, "glove", 0.5)
    assert MODELS.get("seq2seq").configure({"preset": "paper"}).hidden == 128  # type: ignore[attr-defined]
    assert (ours.label, paper.label) == ("transducer", "transducer-paper")
    assert Transducer(preset="paper", temperature=0.5).label == "transducer-t0.5-paper"
    data, vocabulary = short
    path = tmp_path / "vectors.txt"
    path.write_text("".join(f"{word} 1 2\n" for word in vocabulary.words))
    fixed = paper.model_copy(update={"vectors": str(path)}).build(data, vocabulary)
    assert isinstance(fixed, TransducerModule) and fixed.fixed == 0.0
    by_lengths = ours.build(data, vocabulary)
    assert isinstance(by_lengths, TransducerModule) and by_lengths.fixed is not None
    assert 1 / (1 + math.exp(-by_lengths.fixed)) == pytest.approx(data.shift())
    for option, said in (("shift=1", "shift: expected"), ("preset=papr", "did you mean 'paper'")):
        name, _, value = option.partition("=")
        with pytest.raises(InvalidOption, match=said):
            Transducer.configure({name: value})


def test_an_abstract_is_either_trained_on_or_validated(
    pairs: list[ClozeRow], vocabulary: ClozeVocabulary
) -> None:
    doubled = [replace(pair, abstract=pairs[row // 2].abstract) for row, pair in enumerate(pairs)]
    data = EncodedPairs.of(doubled, vocabulary, 50)
    lesson = ClozeObjective(LSTMLanguageModel(), torch.nn.Linear(1, 1), data, 32)
    kept, learnt_from = (rows.tolist() for rows in split_validation(lesson.groups, 0.2, 0))
    assert sorted([*learnt_from, *kept]) == list(range(len(pairs)))
    assert kept and not {row // 2 for row in learnt_from} & {row // 2 for row in kept}


def test_word_vectors_from_a_file_are_fixed(
    short: tuple[EncodedPairs, ClozeVocabulary], tmp_path: Path
) -> None:
    data, vocabulary = short
    known = list(vocabulary.words)[:40]
    lines = [f"{word} {number} 0.5 -1" for number, word in enumerate(known)]
    path = tmp_path / "vectors.txt"
    path.write_text("\n".join(["2 3", *lines, "nowhere 1 2 3"]) + "\n")
    model = LSTMLanguageModel(vectors=str(path), hidden=8)
    table = word_vectors(model, vocabulary)
    assert table.weight.shape == (len(vocabulary), 3)
    assert table.weight[vocabulary.words[known[7]]].tolist() == [7, 0.5, -1]
    job = RunContext(training=Training(epochs=2, batch=32))
    after = model.learn(data, vocabulary, job)[0].reader.vectors.weight  # type: ignore[attr-defined]
    for number, word in enumerate(known):
        assert after[vocabulary.words[word]].tolist() == [number, 0.5, -1]
    free = LSTMLanguageModel(hidden=8, embedding=3).build(data, vocabulary)
    assert free.reader.vectors.weight.requires_grad
    path.write_text("zzzz 1 2\n")
    with pytest.raises(InvalidOption, match="has none of the"):
        word_vectors(model, vocabulary)


def test_texts_are_cut_and_start_counts(vocabulary: ClozeVocabulary, pairs: list[ClozeRow]) -> None:
    data = EncodedPairs.of(
        [ClozeRow(list("ab"), list("abcdef"), [(1, 3), (3, 6), (5, 6)])], vocabulary, 5
    )
    assert data.all.target.shape == (1, 5) and int(data.all.target[0, 0]) == START
    assert data.blanks == [[(2, 4), (4, 5)]]
    assert isinstance(MODELS.get("seq2seq").configure({}), ClozeModel)
