"""lm-eval, offline: right answers score 1, wrong answers and nonsense 0."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from respondents import Respondent, oracle, wrong

import relsmith
from relsmith import Example
from relsmith.errors import InvalidOption
from relsmith.exporting.lm_eval import task_name
from relsmith.testing.profile import scaled

pytestmark = pytest.mark.filterwarnings("default")
Data = Callable[[str], Path]


@pytest.fixture
def exported(folder: Path, tmp_path: Path) -> Path:
    """Return the export, moved after it was written."""
    relsmith.export(folder, "lm-eval", tmp_path / "first")
    shutil.move(tmp_path / "first", tmp_path / "moved" / "tasks")
    return tmp_path / "moved" / "tasks"


def row_of(doc: dict[str, Any]) -> Example:
    return Example(doc["id"], doc["input"], doc["choices"], doc["target"], doc["metadata"])


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    """A model registered with lm-eval; ASKED sets how it answers."""
    from lm_eval.api.model import LM
    from lm_eval.api.registry import register_model

    @register_model("relsmith-respondent")
    class Model(LM):
        def generate_until(self, requests: Any, disable_tqdm: bool = False) -> list[str]:
            SHOWN.extend(request.args[0] for request in requests)
            return [WRITES[-1](row_of(request.doc)) or "" for request in requests]

        def loglikelihood(self, requests: Any, disable_tqdm: bool = False) -> Any:
            return [(CHOOSES[-1](*request.args, request.doc), False) for request in requests]

        def loglikelihood_rolling(self, requests: Any, disable_tqdm: bool = False) -> Any:
            raise NotImplementedError

    return "relsmith-respondent"


WRITES: list[Respondent] = []
CHOOSES: list[Callable[[str, str, dict[str, Any]], float]] = []
SHOWN: list[str] = []


def evaluate(model: str, tasks: Path, names: list[str], **options: Any) -> Any:
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(tasks), include_defaults=False)
    return simple_evaluate(
        model, tasks=names, task_manager=manager, bootstrap_iters=0, log_samples=True, **options
    )


def scored(results: Any, task: str | None = None) -> dict[str, float]:
    """Return the scores of each row by id, in one task or in all."""
    return {
        sample["doc"]["id"]: sample["acc"]
        for name, samples in results["samples"].items()
        for sample in samples
        if task in (None, name)
    }


@pytest.mark.slow
def test_right_answers_score_one_and_wrong_ones_zero(
    folder: Path, exported: Path, model: str
) -> None:
    rows = list(relsmith.Dataset(folder).rows("test"))
    name = task_name(folder)
    WRITES.append(oracle)
    results = evaluate(model, exported, [name, f"{name}_cot"])
    for task in results["samples"]:
        assert scored(results, task=task) == dict.fromkeys(scored(results, task=task), 1.0)
    # The document is the row.
    found = {
        sample["doc"]["id"]: row_of(sample["doc"])
        for samples in results["samples"].values()
        for sample in samples
    }
    assert found == {row.id: row for row in rows}
    assert set(scored(results)) == set(found)
    # Respondents alternate over rows; in the tests of Inspect each answers every row.
    turns = {row.id: number for number, row in enumerate(rows)}
    for shift in range(scaled(2)):
        WRITES.append(in_turn(wrong(rows), turns, shift))
        given = scored(evaluate(model, exported, [name]))
        points = {row.id: WRITES[-1](row) for row in rows if given[row.id]}
        assert not points


def in_turn(several: list[Respondent], turns: dict[str, int], shift: int) -> Respondent:
    def answer(row: Example) -> str:
        return several[(turns[row.id] + shift) % len(several)](row) or ""

    return answer


@pytest.mark.slow
def test_choices_are_distinct(folder: Path, exported: Path, model: str) -> None:
    rows = {row.id: row for row in relsmith.Dataset(folder).rows("test")}
    name = f"{task_name(folder)}_choices"
    if not (exported / f"{name}.yaml").exists():
        assert not any(row.choices for row in rows.values())
        return
    CHOOSES.append(lambda context, choice, doc: float(choice == f" {doc['target']}"))
    assert set(scored(evaluate(model, exported, [name])).values()) == {1.0}
    CHOOSES.append(lambda context, choice, doc: -float(choice == f" {doc['target']}"))
    results = evaluate(model, exported, [name])
    assert set(scored(results).values()) == {0.0}
    for samples in results["samples"].values():
        for sample in samples:
            row = rows[sample["doc"]["id"]]
            assert not row.choices or sample["doc"]["options"] == row.choices
            assert len(set(sample["doc"]["options"])) == len(sample["doc"]["options"]) > 1


@pytest.mark.slow
def test_there_is_a_task_for_each_k_and_a_group_of_all(
    data: Data, tmp_path: Path, model: str
) -> None:
    folder = data("clutrr")
    relsmith.export(folder, "lm-eval", tmp_path / "tasks")
    WRITES.append(lambda row: oracle(row) if row.metadata["k"] == 2 else "no idea")
    results = evaluate(model, tmp_path / "tasks", ["relsmith_clutrr"])
    by_k = {name: result["acc,none"] for name, result in results["results"].items()}
    assert by_k == {
        "relsmith_clutrr": 8 / 24,
        "relsmith_clutrr_k2": 1.0,
        "relsmith_clutrr_k3": 0.0,
        "relsmith_clutrr_k4": 0.0,
    }
    assert results["groups"]["relsmith_clutrr"]["acc,none"] == 8 / 24
    alone = evaluate(model, tmp_path / "tasks", ["relsmith_clutrr_k2"])
    assert alone["results"]["relsmith_clutrr_k2"]["acc,none"] == 1.0


def test_few_shot_examples_are_of_train(data: Data, tmp_path: Path, model: str) -> None:
    folder = data("clutrr-siblings")
    relsmith.export(folder, "lm-eval", tmp_path / "tasks")
    WRITES.append(oracle)
    SHOWN.clear()
    evaluate(model, tmp_path / "tasks", [task_name(folder)], num_fewshot=2)
    dataset = relsmith.Dataset(folder)
    train = [row.input for row in dataset.rows("train")]
    test = [row.input for row in dataset.rows("test")]
    assert len(SHOWN) == len(test)
    for text in SHOWN:
        assert sum(other in text for other in train) == 2
        assert sum(other in text for other in test) == 1


@pytest.mark.slow
def test_few_shot_examples_need_train(tmp_path: Path, model: str) -> None:
    relsmith.write(relsmith.make("comparatives"), tmp_path / "only", {"test": 12})
    relsmith.export(tmp_path / "only", "lm-eval", tmp_path / "tasks")
    WRITES.append(oracle)
    assert set(scored(evaluate(model, tmp_path / "tasks", ["relsmith_only"])).values()) == {1.0}
    with pytest.raises(AssertionError, match="no documents available"):
        evaluate(model, tmp_path / "tasks", ["relsmith_only"], num_fewshot=1)


def test_rows_without_answers_are_refused(tmp_path: Path) -> None:
    relsmith.write(relsmith.make("relinf"), tmp_path / "data", {"train": 5})
    with pytest.raises(InvalidOption, match="rows of relinf have no answer"):
        relsmith.export(tmp_path / "data", "lm-eval", tmp_path / "tasks")
    assert not (tmp_path / "tasks").exists()
