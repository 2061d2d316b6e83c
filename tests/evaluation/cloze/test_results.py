"""From folders to results, and from results to tables, phrases and pictures."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch

from relsmith import write
from relsmith.errors import InvalidOption, NotADataset, NotFound
from relsmith.evaluation.cloze import reports
from relsmith.evaluation.cloze.harness import Training
from relsmith.evaluation.cloze.model import ClozeModel
from relsmith.evaluation.cloze.models.sequence import Seq2seq
from relsmith.evaluation.cloze.models.transducer import Transducer
from relsmith.evaluation.cloze.models.trigram import Trigram
from relsmith.evaluation.cloze.results import Alignment, Evaluation, Result, load_results
from relsmith.evaluation.cloze.rows import read_pairs
from relsmith.generators.cloze import Cloze
from relsmith_comparatives import Comparatives

SMALL: dict[str, Any] = {"hidden": 12, "embedding": 8, "longest": 16}


@pytest.fixture(scope="module")
def evaluation(cloze_folder: Path) -> Evaluation:
    return Evaluation(
        (cloze_folder, "train"),
        [(cloze_folder, "test")],
        torch.device("cpu"),
        training=Training(epochs=2, batch=50),
    )


@pytest.fixture(scope="module")
def out(evaluation: Evaluation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of a transducer and two others."""
    folder = tmp_path_factory.mktemp("results")
    models: list[ClozeModel] = [
        Transducer(**SMALL, marginal=1),
        Seq2seq(**SMALL),
        Trigram(longest=16),
    ]
    for model in models:
        evaluation.run(model, 2, folder)
    return folder


def test_a_result_holds_what_it_depends_on(evaluation: Evaluation, out: Path) -> None:
    found = json.loads((out / "pairs-seq2seq.json").read_text())
    setup = found["setup"]
    assert setup["train"]["manifest"] == evaluation.train.data.manifest
    assert setup["hyperparameters"]["hidden"] == 12 and setup["training"]["epochs"] == 2
    assert set(setup["versions"]) == {"relsmith", "python", "torch"}
    assert [run["seed"] for run in found["runs"]] == [0, 1]
    assert set(found["runs"][0]["tests"][0]["figures"]) == {"restricted", "full"}
    match = [run["tests"][0]["figures"]["restricted"]["match"] for run in found["runs"]]
    assert found["mean"][0]["restricted"]["match"][0] == pytest.approx(sum(match) / 2)
    trigram = json.loads((out / "pairs-trigram.json").read_text())
    assert len(trigram["runs"]) == 1
    assert not (out / "checkpoints").exists()


def test_runs_that_are_there_are_kept(evaluation: Evaluation, out: Path, tmp_path: Path) -> None:
    before = (out / "pairs-seq2seq.json").read_bytes()
    again = evaluation.run(Seq2seq(**SMALL), 1, out)
    assert len(again.runs) == 1
    assert (out / "pairs-seq2seq.json").read_bytes() == before
    fresh = evaluation.run(Seq2seq(**SMALL), 1, tmp_path)
    assert fresh.runs == again.runs
    with pytest.raises(InvalidOption, match=r"another setup \(hyperparameters differs\)"):
        evaluation.run(Seq2seq(hidden=13), 1, out)
    with pytest.raises(InvalidOption, match="vectors: there is no file"):
        evaluation.run(Seq2seq(vectors="nowhere.txt"), 1, tmp_path)


def test_the_table_has_ours_and_the_papers(out: Path) -> None:
    restricted, full = reports.cloze(load_results([out]))
    assert [line.model for line in restricted.lines] == ["seq2seq", "transducer", "trigram"]
    seq2seq, transducer, trigram = restricted.lines
    assert seq2seq.paper[0] == (23.57, 0.0) and trigram.paper == [None] * 9
    assert transducer.paper[-1] == (6.18, 0.0)
    assert seq2seq.cells[-2:] == [None, None]
    assert transducer.cells[-1] and transducer.cells[-1][0] >= 1
    assert trigram.yardstick
    assert all(line.paper == [None] * 9 for line in full.lines)
    low, match, high = (restricted.lines[0].cells[at] for at in (1, 0, 2))
    assert low and match and high and low[0] <= high[0]


def test_spans_are_those_of_the_alignments(out: Path) -> None:
    found = reports.load_alignments([out], "transducer", "pairs/test")
    assert len(found) == 40
    lengths = []
    for one in found:
        assert len(one.alignment) == len(one.concrete) <= 15
        assert one.alignment == sorted(one.alignment)
        assert one.alignment[-1] == len(one.abstract) - 1
        lengths += [one.alignment.count(place) for place in set(one.alignment)]
    (result,) = load_results([out / "pairs-transducer.json"])
    assert result.runs[0].tests[0].span == pytest.approx(sum(lengths) / len(lengths))
    assert {one.split for one in reports.load_alignments([out], "transducer", None)} == {
        "pairs/train"
    }


def test_phrases_by_hand() -> None:
    one = Alignment(
        split="a/train",
        abstract=["drain", "pasta"],
        concrete=["put", "big", "strainer", "in", "sink", "."],
        alignment=[0, 0, 0, 1, 1, 1],
        blanks=[(1, 3), (4, 5)],
    )
    other = Alignment(
        split="a/train",
        abstract=["drain", "rice"],
        concrete=["big", "sink"],
        alignment=[0, 1],
        blanks=[],
    )
    phrases = reports.Phrases([one, other])
    assert phrases.pairs == {
        ("drain", "big"): 2,
        ("drain", "strainer"): 1,
        ("drain", "big strainer"): 1,
        ("pasta", "sink"): 1,
        ("rice", "sink"): 1,
    }
    big = phrases.of_abstract("drain", 2)
    assert [(found.phrase, found.count) for found in big] == [("big", 2)]
    assert big[0].pmi == pytest.approx(math.log2(2 * 6 / (2 * 4)))
    both = phrases.of_concrete("big", 1)
    assert [(found.phrase, found.count) for found in both] == [("drain", 3)]
    assert both[0].pmi == pytest.approx(math.log2(3 * 6 / (3 * 4)))
    assert [found.phrase for found in phrases.of_concrete("sink", 1)] == ["pasta", "rice"]
    assert phrases.common(phrases.abstract, 1) == ["drain"]


def test_alignments_are_drawn(out: Path, tmp_path: Path) -> None:
    found = reports.load_alignments([out], "transducer", None)
    reports.draw_alignments(reports.chosen(found, [0, 3]), tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 5000
    with pytest.raises(InvalidOption, match="there is no row 900"):
        reports.chosen(found, [900])
    with pytest.raises(InvalidOption, match="--plot: cannot draw"):
        reports.draw_alignments(found[:1], tmp_path / "a.nothing")


def test_what_is_missing_is_named(out: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no alignments by transducer-param"):
        reports.load_alignments([out], "transducer-param", None)
    with pytest.raises(NotFound, match=r"--split: no alignments of 'x'; there are pairs/train"):
        reports.load_alignments([out], "transducer", "x")
    (tmp_path / "x-transducer.alignments.jsonl").write_text("{}\n")
    with pytest.raises(NotADataset, match="holds no alignments"):
        reports.load_alignments([tmp_path], "transducer", None)
    write(Comparatives(), tmp_path / "other", {"train": 3})
    with pytest.raises(NotADataset, match="is no cloze test with an abstract"):
        read_pairs(tmp_path / "other", "train")


def test_rows_of_every_form_are_read(tmp_path: Path) -> None:
    for form in ("all", "one", "bank"):
        write(Cloze(form=form, difficulty=False), tmp_path / form, {"train": 20})
        for pair in read_pairs(tmp_path / form, "train"):
            assert pair.blanks and (form != "one" or len(pair.blanks) == 1)
            assert not any(
                word in pair.abstract for a, b in pair.blanks for word in pair.concrete[a:b]
            )


@pytest.mark.parametrize("split", ["train", "valid"])
def test_kidscook_is_read_as_it_is(root: Path, tmp_path: Path, split: str) -> None:
    data = root.parent / "shared" / "data" / "kidscook"
    if not data.is_dir():
        pytest.skip("needs the KidsCook corpus")
    write(
        Cloze(
            profile="kidscook",
            input=str(data / f"{split}.jsonl"),
            whitelist=str(data / "approved.txt"),
        ),
        tmp_path / split,
        {split: 300},
    )
    lines = (data / f"{split}.jsonl").read_text().splitlines()
    official = [row for row in map(json.loads, lines) if row["blanks"]]
    same = 0
    for pair, row in zip(read_pairs(tmp_path / split, split), official, strict=False):
        same += pair.concrete == row["concrete"] and pair.blanks == [
            (start, end) for start, end, _ in row["blanks"]
        ]
    assert same >= 295


def test_a_result_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"runs": []}')
    with pytest.raises(NotADataset, match="no result of gen eval"):
        load_results([tmp_path])
    assert Result.model_fields["reads"].default == "cloze"
