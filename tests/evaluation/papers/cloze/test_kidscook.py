"""The trigram baseline on the paper's corpus."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from relsmith.evaluation.model import RunContext
from relsmith.evaluation.papers.cloze.encoding import ClozeVocabulary, EncodedPairs
from relsmith.evaluation.papers.cloze.models.trigram import Trigram
from relsmith.evaluation.papers.cloze.task import ClozeRow

Figures = Callable[..., dict[str, float]]


def official(path: Path) -> list[ClozeRow]:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [
        ClozeRow(
            row["abstract"], row["concrete"], [(start, end) for start, end, _ in row["blanks"]]
        )
        for row in rows
        if row["blanks"]
    ]


@pytest.mark.slow
def test_a_trigram_reaches_the_published_figures(root: Path, figures: Figures) -> None:
    data = root.parent / "shared" / "data" / "kidscook"
    if not data.is_dir():
        pytest.skip("needs the KidsCook corpus")
    train, valid = (official(data / f"{split}.jsonl") for split in ("train", "valid"))
    model = Trigram()
    vocabulary = ClozeVocabulary.of(train, model.least)
    learnt, tested = (EncodedPairs.of(pairs, vocabulary, model.longest) for pairs in (train, valid))
    predictor, _ = model.learn(learnt, vocabulary, RunContext())
    measured = figures(predictor, valid, tested, vocabulary)
    assert measured["restricted_match"] == pytest.approx(23.2, abs=1)
    assert measured["restricted_top5"] == pytest.approx(53.5, abs=1)
    assert measured["restricted_surprisal"] == pytest.approx(3.78, abs=0.05)
