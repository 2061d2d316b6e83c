"""From a folder to results, and from results to tables."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from relsmith.errors import InvalidOption, NotADataset, NotFound
from relsmith.evaluation.stories import reports
from relsmith.evaluation.stories.models.gat import GAT
from relsmith.evaluation.stories.results import (
    Evaluation,
    Result,
    Run,
    Score,
    load_results,
)
from relsmith.evaluation.stories.yardsticks import Majority, Rules
from relsmith.evaluation.table import mean_and_error
from relsmith.evaluation.training import Training

TRAINING = Training(epochs=2, batch=100)


@pytest.fixture(scope="module")
def evaluation(folder: Path, noisy: Path) -> Evaluation:
    tests = [(folder, "test"), (noisy, "test")]
    return Evaluation((folder, "train"), tests, torch.device("cpu"), training=TRAINING)


def test_a_result_says_all_that_it_depends_on(evaluation: Evaluation, tmp_path: Path) -> None:
    result = evaluation.run(GAT(rounds=1), 2, tmp_path)
    (path,) = tmp_path.iterdir()
    assert path.name == "clean-gat.json"
    held = json.loads(path.read_text())
    assert held["setup"]["hyperparameters"]["rounds"] == 1
    assert held["setup"]["training"]["epochs"] == 2
    assert len(held["setup"]["train"]["manifest"]) == 64
    assert held["setup"]["versions"]["torch"] == torch.__version__
    assert [run["seed"] for run in held["runs"]] == [0, 1]
    accuracies = [run.tests[1].accuracy for run in result.runs]
    mean, error = held["mean"][1]["accuracy"]
    assert mean == pytest.approx(sum(accuracies) / 2)
    assert error == pytest.approx(abs(accuracies[0] - accuracies[1]) / 2)
    assert load_results([tmp_path]) == [result]


def test_seeds_that_are_there_are_not_run_again(evaluation: Evaluation, tmp_path: Path) -> None:
    first = evaluation.run(GAT(rounds=1), 1, tmp_path)
    seen: list[int] = []
    more = evaluation.run(GAT(rounds=1), 2, tmp_path, tick=lambda seed, done: seen.append(seed))
    assert set(seen) == {1}
    assert more.runs[0] == first.runs[0]
    assert more.runs[1] != first.runs[0]
    with pytest.raises(InvalidOption, match=r"another setup \(hyperparameters differs\)"):
        evaluation.run(GAT(rounds=2), 1, tmp_path)


def test_a_killed_evaluation_leaves_a_checkpoint_and_goes_on(
    evaluation: Evaluation, tmp_path: Path
) -> None:
    def kill(seed: int, done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluation.run(GAT(rounds=1), 1, tmp_path, tick=kill)
    (checkpoint,) = (tmp_path / "checkpoints").iterdir()
    assert checkpoint.name.startswith("gat-")
    ticks: list[int] = []
    again = evaluation.run(GAT(rounds=1), 1, tmp_path, tick=lambda seed, done: ticks.append(done))
    assert len(ticks) == 1
    assert again.runs[0] == evaluation.run_seed(GAT(rounds=1), 0)
    assert not (tmp_path / "checkpoints").exists()


def test_guessers_have_one_run(evaluation: Evaluation, tmp_path: Path) -> None:
    assert len(evaluation.run(Majority(), 5, tmp_path).runs) == 1


def test_answers_are_counted_by_k(evaluation: Evaluation) -> None:
    score = evaluation.run_seed(Majority(), 0).tests[0]
    (answer,) = set(Majority().guess(evaluation.train.stories, evaluation.tests[0].stories))
    asked = [(story.k, story.target == answer) for story in evaluation.tests[0].stories]
    for k in (2, 3, 4, 5):
        assert score.rows[k] == sum(one == k for one, _ in asked)
        assert score.right[k] == asked.count((k, True))
    assert score.accuracy == sum(right for _, right in asked) / 120


def test_means_and_standard_errors() -> None:
    assert mean_and_error([0.5]) == (0.5, 0.0)
    mean, error = mean_and_error([0.2, 0.4, 0.9])
    assert mean == pytest.approx(0.5)
    assert error == pytest.approx(0.20816659994661327)


def a_result(evaluation: Evaluation, model: Any, trained: str, tested: str, right: int) -> Result:
    """A result as if of datasets with other noise."""
    setup = evaluation.setup(model)
    data = setup.train.model_copy(update={"options": {"noise": [trained]}, "k": [2, 3]})
    test = data.model_copy(update={"options": {"noise": [tested]}})
    setup = setup.model_copy(update={"train": data, "tests": [test]})
    score = Score(rows={2: 10, 3: 10}, right={2: right, 3: right})
    return Result(
        setup=setup, runs=[Run(seed=0, epochs=1, best_epoch=1, validation=0, tests=[score])]
    )


def test_the_noise_matrix_has_ours_and_the_thesis(evaluation: Evaluation, tmp_path: Path) -> None:
    results = [
        a_result(evaluation, GAT(), "none", "supporting", 3),
        a_result(evaluation, GAT(), "irrelevant", "irrelevant", 9),
        a_result(evaluation, Majority(), "none", "supporting", 1),
    ]
    table = reports.robustness(results)
    assert table.columns == ["clean > supporting", "irrelevant > irrelevant"]
    gat, majority = table.lines
    assert (gat.model, majority.model) == ("gat", "majority")
    assert gat.cells == [(0.3, 0.0), (0.9, 0.0)]
    assert gat.paper == [(0.24, 0.20), (0.93, 0.01)]
    assert majority.cells == [(0.1, 0.0), None]
    reports.draw_matrix(table, tmp_path / "matrix.png")
    assert (tmp_path / "matrix.png").stat().st_size > 5000
    with pytest.raises(NotFound, match="two or more kinds of training noise"):
        reports.robustness(results[:1])


def test_the_curves_are_by_k(evaluation: Evaluation, tmp_path: Path) -> None:
    result = evaluation.run(Rules(), 1, tmp_path / "results")
    (table,) = reports.generalization([result])
    assert table.columns == ["k=2", "k=3", "k=4", "k=5"]
    assert table.lines[0].cells == [result.accuracy(0, k) for k in (2, 3, 4, 5)]
    assert table.lines[0].yardstick
    gat = evaluation.run(GAT(rounds=1), 1, tmp_path / "results")
    reports.draw_curves(reports.generalization([result, gat]), tmp_path / "curves.svg")
    assert "gat" in (tmp_path / "curves.svg").read_text()
    with pytest.raises(NotFound, match="more values of k than training"):
        reports.generalization([a_result(evaluation, GAT(), "none", "none", 1)])


def test_noise_is_read_off_the_manifest() -> None:
    assert reports.noise_of({"noise": ["none"]}) == "clean"
    assert reports.noise_of({"noise": ["supporting"]}) == "supporting"
    assert reports.noise_of({"noise": ["supporting", "irrelevant"]}) is None
    assert reports.noise_of({}) == "clean"


def test_what_is_no_result_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="holds no results"):
        load_results([tmp_path])
    with pytest.raises(NotFound, match="No such file"):
        load_results([tmp_path / "none.json"])
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(NotADataset, match="it is not JSON"):
        load_results([tmp_path])
    (tmp_path / "a.json").write_text('{"runs": []}')
    with pytest.raises(NotADataset, match="no result of gen eval"):
        load_results([tmp_path])


def test_results_of_other_models_are_told_from_rubbish(root: Path) -> None:
    with pytest.raises(NotADataset, match=r"models that read stories .*; name results that are"):
        load_results([root / "docs" / "results" / "cloze"])
