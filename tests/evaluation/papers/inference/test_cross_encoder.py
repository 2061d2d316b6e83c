"""Cross-encoders: a tiny one with random weights, made here."""

from pathlib import Path

import pytest
import torch

from relsmith.errors import InvalidOption
from relsmith.evaluation.model import RunContext
from relsmith.evaluation.papers.inference.cross_encoder import CrossEncoder
from relsmith.evaluation.papers.inference.task import Assertion, InferencePair
from relsmith.evaluation.training import Training

FOURS = RunContext(training=Training(batch=4))
WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] x1 y1 eats bites likes .".split()
PAIRS = [
    InferencePair(Assertion("x1", one, "y1"), Assertion("x1", other, "y1"), one == other)
    for one in ("eats", "bites", "likes")
    for other in ("eats", "bites")
]


def tiny(folder: Path, labels: list[str]) -> Path:
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=32,
        initializer_range=0.5,
        num_labels=len(labels),
        id2label=dict(enumerate(labels)),
        label2id={label: at for at, label in enumerate(labels)},
    )
    torch.manual_seed(3)
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def alone(path: str, premise: str, hypothesis: str) -> float:
    """Return the probability of the second label, without our code."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    encoded = AutoTokenizer.from_pretrained(path)(premise, hypothesis, return_tensors="pt")
    model = AutoModelForSequenceClassification.from_pretrained(path).eval()
    with torch.no_grad():
        return float(model(**encoded).logits[0].exp()[1] / model(**encoded).logits[0].exp().sum())


def test_probabilities_of_the_label(tmp_path: Path) -> None:
    path = str(tiny(tmp_path / "nli", ["CONTRADICTION", "ENTAILMENT", "NEUTRAL"]))
    model = CrossEncoder(path=path)
    found = [score for score in model.scores(PAIRS, FOURS) if score is not None]
    assert len(found) == len(PAIRS)
    assert all(0 <= score <= 1 for score in found)
    assert found[4] == pytest.approx(alone(path, "X1 likes y1.", "X1 eats y1."), abs=1e-5)
    assert len({round(score, 5) for score in found}) == len(PAIRS)
    # Neither the batch nor its padding matters.
    assert model.scores(PAIRS, RunContext(training=Training(batch=1))) == pytest.approx(
        found, abs=1e-5
    )
    parts = [
        CrossEncoder(path=path, implied=label).scores(PAIRS, FOURS)
        for label in ("contradiction", "entailment", "neutral")
    ]
    assert [sum(row) for row in zip(*parts, strict=True)] == pytest.approx([1] * len(PAIRS))  # type: ignore[arg-type]
    assert list(parts[1]) == found
    assert model.label == "cross-encoder nli"
    assert model.model_dump(mode="json")["path"] == "nli"
    assert set(model.digests()) == {"path", "WordNet"}
    after = CrossEncoder(path=path, lemma=True).scores(PAIRS, FOURS)
    assert [score for score in after if score is not None and score > 1] == [2.0, 2.0]


def test_a_single_score_and_unknown_labels(tmp_path: Path) -> None:
    single = CrossEncoder(path=str(tiny(tmp_path / "single", ["score"])))
    assert all(0 <= (score or 0) <= 1 for score in single.scores(PAIRS, FOURS))
    path = str(tiny(tmp_path / "other", ["A", "B"]))
    with pytest.raises(InvalidOption, match="no label 'entailment'; set implied to one of a, b"):
        CrossEncoder(path=path).scores(PAIRS, FOURS)
    with pytest.raises(InvalidOption, match="cannot load"):
        CrossEncoder(path=str(tmp_path / "none")).scores(PAIRS, FOURS)
