"""Results of cloze models, tables and figures."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from relsmith import write
from relsmith.errors import InvalidOption, NotFound
from relsmith.evaluation import report
from relsmith.evaluation.model import Model, RunContext
from relsmith.evaluation.papers.cloze import task as cloze
from relsmith.evaluation.papers.cloze.models.sequence import Seq2seq
from relsmith.evaluation.papers.cloze.models.transducer import Transducer
from relsmith.evaluation.papers.cloze.models.trigram import Trigram
from relsmith.evaluation.result import load
from relsmith.evaluation.runner import EvalConfig, evaluate
from relsmith.evaluation.task import Fold
from relsmith.generators.cloze import Cloze

SMALL: dict[str, Any] = {"hidden": 12, "embedding": 8, "longest": 16}
MODELS: list[Model] = [
    Transducer(**SMALL, marginal=1),
    Seq2seq(**SMALL),
    Trigram(longest=16),
]


@contextmanager
def no_bar(_: str, __: int) -> Iterator[Any]:
    yield lambda done: None


def order(folder: Path, out: Path, **more: Any) -> EvalConfig:
    limits = {"epochs": 2, "batch": 50}
    return EvalConfig(
        folder, no_bar, **{"out": out, "device": "cpu", "seeds": 2, "limits": limits} | more
    )


@pytest.fixture(scope="module")
def out(cloze_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of a transducer and two others."""
    folder = tmp_path_factory.mktemp("results")
    evaluate(MODELS, order(cloze_folder, folder, predictions=True))
    return folder


@pytest.mark.slow
def test_networks_train_with_the_settings_of_the_task(cloze_folder: Path, out: Path) -> None:
    kept = json.loads((out / "pairs-seq2seq.json").read_text())["results"][0]
    setup = kept["setup"]
    assert setup["hyperparameters"]["hidden"] == 12
    training = {"epochs": 2, "patience": 5, "batch": 50, "clip": 5.0, "precision": "float32"}
    assert setup["training"] == training | {"validation": 0.1}
    assert set(setup["versions"]) == {"relsmith", "python", "torch"}
    assert [run["seed"] for run in kept["runs"]] == [0, 1]
    learning = kept["runs"][0]["folds"][0]
    assert learning["epochs"] == 2 and 0 < learning["validation"] < 9
    trigram = json.loads((out / "pairs-trigram.json").read_text())["results"][0]
    assert len(trigram["runs"]) == 1
    assert not (out / "checkpoints").exists()


def test_finished_runs_are_not_repeated(cloze_folder: Path, out: Path, tmp_path: Path) -> None:
    before = (out / "pairs-seq2seq.json").read_bytes()
    (again,) = evaluate([Seq2seq(**SMALL)], order(cloze_folder, out))
    assert (out / "pairs-seq2seq.json").read_bytes() == before
    (fresh,) = evaluate([Seq2seq(**SMALL)], replace(order(cloze_folder, tmp_path), seeds=1))
    assert fresh.runs == again.runs[:1]
    with pytest.raises(InvalidOption, match=r"another setup \(hyperparameters differs\)"):
        evaluate([Seq2seq(hidden=13)], order(cloze_folder, out))
    with pytest.raises(InvalidOption, match="vectors: no such file"):
        evaluate([Seq2seq(vectors="nowhere.txt")], order(cloze_folder, tmp_path))


def test_figures_are_those_of_the_kept_answers(cloze_folder: Path, out: Path) -> None:
    rows = cloze.ClozeTask().read(cloze_folder, "test")
    targets = dict(zip(rows.ids, rows.rows, strict=True))
    (result,) = load([out / "pairs-seq2seq.json"])
    for seed in (0, 1):
        path = out / f"pairs-seq2seq.seed{seed}.predictions.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert [line["id"] for line in lines] == rows.ids
        right, asked = 0, 0
        for line in lines:
            pair = targets[line["id"]]
            # 15 words are left of each text.
            wanted = [" ".join(pair.concrete[a : min(b, 15)]) for a, b in pair.blanks if a < 15]
            assert line["answer"] == " | ".join(line["greedy"])
            right += sum(map(str.__eq__, line["oracle"], wanted))
            asked += len(wanted)
        sums = result.sums("restricted_match")[seed].sum(0)
        assert sums.tolist() == [100 * right, asked]


def test_the_table_has_our_figures_and_the_published_ones(out: Path) -> None:
    (table,) = cloze.table_4(load([out], "cloze"))
    assert [line.model for line in table.lines] == ["seq2seq", "transducer", "trigram"]
    seq2seq, transducer, trigram = table.lines
    assert seq2seq.paper[0] == (23.57, 0.0) and trigram.paper == [None] * 7
    assert transducer.paper[-1] == (6.18, 0.0)
    assert seq2seq.cells[-2:] == [None, None]
    span, transition = transducer.cells[-1], transducer.cells[-2]
    assert span and span.mean >= 1 and transition and transition.low <= transition.high
    assert trigram.baseline
    assert "matches without the abstract: " in table.note and "(trigram)" in table.note
    alone = cloze.table_4(load([out / "pairs-transducer.json"]))
    assert "evaluate lstm-lm or trigram" in alone[-1].note


def test_results_are_divided_and_compared(out: Path) -> None:
    results = load([out], "cloze")
    (table,) = report.by(results, ["blanks"], "restricted_surprisal")
    assert all(head.startswith("blanks=") for head in table.columns)
    seq2seq, trigram = (load([out / f"pairs-{name}.json"]) for name in ("seq2seq", "trigram"))
    (compared,) = report.compared(seq2seq, trigram, [], "restricted_top5")
    assert compared.rows == 40 and 0 < compared.difference.p <= 1
    with pytest.raises(NotFound, match="seq2seq and trigram have no span in common"):
        report.compared(seq2seq, trigram, [], "span")


def test_spans_are_runs_of_words_aligned_to_one_word(cloze_folder: Path, out: Path) -> None:
    rows = cloze.ClozeTask().read(cloze_folder, "test")
    (result,) = load([out / "pairs-transducer.json"])
    sums = result.sums("span")[0]
    words, runs = sums.sum(0).tolist()
    assert words == sum(min(len(row.concrete), 15) for row in rows.rows)
    assert len(rows.rows) <= runs <= sum(min(len(row.abstract), 16) for row in rows.rows)


@pytest.mark.slow
def test_sampled_answers_are_the_same_for_the_same_seed(cloze_folder: Path) -> None:
    task = cloze.ClozeTask()
    train, test = (task.read(cloze_folder, split) for split in ("train", "test"))
    fold = Fold("", train, [test], [range(len(test))])
    training = task.training.model_copy(update={"epochs": 1})

    def answers(model: Model, seed: int) -> Any:
        return model.fit(fold, RunContext(seed, training=training)).answers(test)

    drawn = Transducer(**SMALL, temperature=1.0)
    first = answers(drawn, 0)
    assert first == answers(drawn, 0)
    assert first != answers(Transducer(**SMALL), 0)


def test_a_dataset_without_a_test_split_is_only_trained_on(
    cloze_folder: Path, tmp_path: Path
) -> None:
    write(Cloze(difficulty=False), tmp_path / "valid", {"valid": 10})
    (result,) = evaluate(
        [Trigram()],
        order(cloze_folder, tmp_path / "out", test="valid", test_on=(tmp_path / "valid",)),
    )
    assert [data.label for data in result.setup.tests] == ["valid (valid)"]
