"""Causal language models: probabilities of words from word pieces."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from relsmith.errors import InvalidOption
from relsmith.evaluation.model import RunContext
from relsmith.evaluation.papers.cloze.encoding import FIRST_WORD, ClozeVocabulary, EncodedPairs
from relsmith.evaluation.papers.cloze.models.causal import (
    CausalLM,
    PieceLanguageModel,
    TunedCausalLM,
)
from relsmith.evaluation.papers.cloze.task import ClozeRow, ClozeTask

Figures = Callable[..., dict[str, float]]


@pytest.fixture(scope="module")
def gpt(tmp_path_factory: pytest.TempPathFactory, pairs: list[ClozeRow]) -> Path:
    """A tiny random GPT, with words of several pieces."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("gpt")
    pieces = Tokenizer(models.BPE())
    pieces.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pieces.decoder = decoders.ByteLevel()
    texts = [" " + " ".join([*pair.abstract, *pair.concrete]) for pair in pairs]
    trainer = trainers.BpeTrainer(vocab_size=450, special_tokens=["<end>"], show_progress=False)
    pieces.train_from_iterator(texts, trainer)
    PreTrainedTokenizerFast(tokenizer_object=pieces, eos_token="<end>").save_pretrained(folder)
    torch.manual_seed(0)
    size = pieces.get_vocab_size()
    config = GPT2Config(vocab_size=size, n_positions=128, n_embd=64, n_layer=1, n_head=4)
    config.initializer_range = 0.1
    config.resid_pdrop = config.embd_pdrop = config.attn_pdrop = 0.0
    GPT2LMHeadModel(config).save_pretrained(folder)
    return folder


def test_probabilities_of_words_are_products_over_pieces(gpt: Path, pairs: list[ClozeRow]) -> None:
    vocabulary = ClozeVocabulary.of(pairs[:12])
    data = EncodedPairs.of(pairs[:12], vocabulary, 20)
    words = PieceLanguageModel(str(gpt), 0.0, vocabulary).eval()
    batch = data.batch(torch.arange(2))
    places = torch.tensor([[1, 3], [2, 4]])
    with torch.no_grad():
        told = words.predict(batch, places, places).logs.exp()
        assert torch.allclose(told.sum(-1), torch.ones(2, 2), atol=1e-4)
        assert not told[..., :FIRST_WORD].any()
        several = 0
        for word in range(FIRST_WORD, len(vocabulary), 7):
            pieces, before = words._text(batch, 0)
            chance = by_hand(words, pieces[: before[3]], words.pieces[word])
            assert float(told[0, 1, word]) == pytest.approx(chance, rel=1e-3)
            several += len(words.pieces[word]) > 1
        assert several > 3
        some = (
            PieceLanguageModel(str(gpt), 0.02, vocabulary)
            .eval()
            .predict(batch, places, places)
            .logs.exp()
        )
    assert torch.allclose(some.sum(-1), torch.ones(2, 2), atol=1e-4)
    assert not torch.allclose(some, told, atol=1e-4)


def by_hand(words: PieceLanguageModel, before: list[int], spelled: list[int]) -> float:
    """Compute piece by piece, with a search through all words for continuations."""
    chance = 1.0
    for at in range(len(spelled) + 1):
        begun = spelled[:at]
        others = [one for one in words.pieces[FIRST_WORD:] if one[:at] == begun]
        ways = sorted({one[at] for one in others if len(one) > at})
        ends = any(len(one) == at for one in others)
        logits = words.model(input_ids=torch.tensor([before + begun])).logits[0, -1]
        each = dict(zip(ways, logits.softmax(-1)[ways].tolist(), strict=True))
        whole = 1.0 if ends else sum(each.values())
        chance *= (each[spelled[at]] if at < len(spelled) else 1 - sum(each.values())) / whole
    return chance


def test_only_the_tuned_model_learns(gpt: Path, pairs: list[ClozeRow]) -> None:
    """A quick version of overfitting: the loss falls within a few epochs."""
    vocabulary = ClozeVocabulary.of(pairs[:8])
    data = EncodedPairs.of(pairs[:8], vocabulary, 13)
    limits = {"epochs": 6, "batch": 4, "validation": 0}
    job = RunContext(training=ClozeTask.training.model_copy(update=limits))
    nats = {}
    for model in (
        CausalLM(path=str(gpt), floor=0.05),
        TunedCausalLM(path=str(gpt), learning_rate=0.003, most=20, floor=0.05),
    ):
        predictor, _ = model.learn(data, vocabulary, job)
        assert isinstance(predictor, PieceLanguageModel)
        with torch.no_grad():
            nats[model.name] = float(predictor.loss(data.all, "likelihood"))
    assert nats["causal-lm-tuned"] < 0.7 * nats["causal-lm"], nats


@pytest.mark.slow
def test_only_the_tuned_model_overfits(gpt: Path, pairs: list[ClozeRow], figures: Figures) -> None:
    vocabulary = ClozeVocabulary.of(pairs)
    data = EncodedPairs.of(pairs, vocabulary, 13)
    limits = {"epochs": 40, "batch": 8, "validation": 0}
    job = RunContext(training=ClozeTask.training.model_copy(update=limits))
    alone = CausalLM(path=str(gpt), floor=0.05)
    tuned = TunedCausalLM(path=str(gpt), learning_rate=0.003, most=20, floor=0.05)
    matches = {}
    for model in (alone, tuned):
        predictor, _ = model.learn(data, vocabulary, job)
        measured = figures(predictor, pairs, data, vocabulary)
        matches[model.name] = measured["restricted_match"]
    assert matches["causal-lm"] < 10
    assert matches["causal-lm-tuned"] > 90, matches


def test_models_that_cannot_be_loaded_are_named(
    tmp_path: Path, few: EncodedPairs, pairs: list[ClozeRow]
) -> None:
    with pytest.raises(InvalidOption, match="cannot load"):
        CausalLM(path=str(tmp_path)).learn(few, ClozeVocabulary.of(pairs), RunContext())
    assert CausalLM(path=str(tmp_path)).files() == {"path": tmp_path}
    assert CausalLM(path="gpt2").files() == {}


def test_texts_that_are_too_long_are_refused(gpt: Path, pairs: list[ClozeRow]) -> None:
    vocabulary = ClozeVocabulary.of(pairs)
    words = PieceLanguageModel(str(gpt), 0.1, vocabulary)
    words.most = 10
    with pytest.raises(InvalidOption, match=r"longest: \d+ word pieces are more than the 10"):
        words.loss(EncodedPairs.of(pairs, vocabulary, 50).batch(torch.arange(3)), "likelihood")
