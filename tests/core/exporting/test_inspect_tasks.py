"""Inspect, offline: right answers score 1, wrong answers and nonsense 0."""

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from respondents import Respondent, oracle, right_letter, wrong, wrong_letter

import relsmith
from relsmith import Example
from relsmith.testing.profile import thinned

pytestmark = pytest.mark.filterwarnings("default")
Data = Callable[[str], Path]


def task_of(name: str, **options: object) -> Any:
    from relsmith.exporting.inspect_tasks import TASKS

    return TASKS[name](**options)


def row_of(sample: Any) -> Example:
    told = sample.metadata
    return Example(sample.id, told["input"], told["choices"], told["target"], told)


def run(task: Any, logs: Path, *respondents: Respondent) -> Any:
    """Return the log of an evaluation by Inspect; each respondent answers every row."""
    from inspect_ai import eval as evaluate
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    rows = {sample.input: row_of(sample) for sample in task.dataset}
    assert len(rows) == len(task.dataset)
    answers = {
        text: [answer for who in respondents if (answer := who(row)) is not None]
        for text, row in rows.items()
    }
    times = max(map(len, answers.values()))

    def reply(messages: Any, tools: Any, choice: Any, config: Any) -> ModelOutput:
        told = answers[messages[-1].text]
        output = ModelOutput.from_content("mockllm", told.pop() if told else "")
        # Else Inspect downloads a tokenizer to count tokens.
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    (log,) = evaluate(task, model=model, epochs=times, log_dir=str(logs), display="none")
    assert log.status == "success", log.error
    assert len(log.samples) == len(rows) * times
    assert not any(answers.values())
    return log


def metrics(log: Any) -> dict[str, float]:
    (scored,) = log.results.scores
    return {name: metric.value for name, metric in scored.metrics.items()}


def test_right_answers_score_one_and_wrong_ones_zero(folder: Path, tmp_path: Path) -> None:
    name = relsmith.Dataset(folder).manifest.generator
    rows = list(relsmith.Dataset(folder).rows("test"))
    log = run(task_of(name, dataset=str(folder)), tmp_path, oracle)
    assert {sample.id for sample in log.samples} == {row.id for row in rows}
    assert metrics(log)["accuracy"] == 1.0
    log = run(task_of(name, dataset=str(folder)), tmp_path, *thinned(wrong(rows), least=2))
    points = {
        sample.id: (sample.metadata["target"], sample.output.completion)
        for sample in log.samples
        if sample.scores["relsmith_score"].value != 0
    }
    assert not points
    assert metrics(log)["accuracy"] == 0.0


@pytest.mark.parametrize(
    "name",
    [
        "comparatives",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in (
                "clutrr",
                "clutrr-choices",
                "clutrr-yes-no",
                "analogy",
                "cloze-choice",
                "relinf-aggregate",
            )
        ),
    ],
)
def test_letters_of_choices(data: Data, name: str, tmp_path: Path) -> None:
    folder = data(name)
    generator = relsmith.Dataset(folder).manifest.generator
    tried = ((right_letter, 1.0), (wrong_letter, 0.0), (oracle, 1.0))
    for respondent, due in thinned(tried):
        task = task_of(generator, dataset=str(folder), style="choices")
        assert "\nB. " in task.dataset[0].input
        assert metrics(run(task, tmp_path, respondent))["accuracy"] == due


@pytest.mark.slow
def test_accuracy_is_reported_by_k_noise_and_perturbation(data: Data, tmp_path: Path) -> None:
    def knows_two(row: Example) -> str:
        return oracle(row) if row.metadata["k"] == 2 else "no idea"

    log = run(task_of("clutrr", dataset=str(data("clutrr"))), tmp_path, knows_two)
    told = metrics(log)
    assert (told["k=2"], told["k=3"], told["k=4"]) == (1.0, 0.0, 0.0)
    assert told["noise=supporting+irrelevant+disconnected"] == told["accuracy"]
    log = run(task_of("clutrr", dataset=str(data("clutrr-siblings"))), tmp_path, oracle)
    assert {f"perturbation={what}" for what in ("words", "names", "inverse")} <= set(metrics(log))


def test_a_log_can_be_read_without_the_dataset(data: Data, tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log

    folder = data("clutrr-siblings")
    log = run(task_of("clutrr", dataset=str(folder)), tmp_path, oracle)
    saved = read_eval_log(log.location)
    samples = {sample.id: sample for sample in saved.samples}
    for row in relsmith.Dataset(folder).rows("test"):
        sample = samples[row.id]
        assert sample.target == row.target
        due = row.metadata | {
            "generator": "clutrr",
            "input": row.input,
            "choices": row.choices,
            "target": row.target,
            "cluster": sample.metadata["cluster"],
        }
        assert sample.metadata == due
        assert sample.scores["relsmith_score"].explanation == "right"
    # Siblings are one cluster, so the standard error is that of groups.
    groups = {sample.metadata["group"]: sample.metadata["cluster"] for sample in saved.samples}
    assert all(groups[each.metadata["group"]] == each.metadata["cluster"] for each in saved.samples)
    assert 1 < len(set(groups.values())) <= len(groups) < len(saved.samples)
    manifest = relsmith.Dataset(folder).manifest
    assert saved.eval.metadata["seed"] == manifest.seed
    assert saved.eval.metadata["options"] == manifest.options
    assert saved.eval.task_registry_name.removeprefix("relsmith/") == "clutrr"


@pytest.mark.slow
def test_a_log_is_scored_again_without_the_dataset(data: Data, tmp_path: Path) -> None:
    from inspect_ai import score
    from inspect_ai.log import read_eval_log

    from relsmith.exporting.inspect_tasks import relsmith_score

    log = run(task_of("clutrr", dataset=str(data("clutrr"))), tmp_path, oracle)
    again = score(read_eval_log(log.location), relsmith_score(), action="overwrite", display="none")
    assert metrics(again)["accuracy"] == 1.0


def test_rows_are_made_on_demand(tmp_path: Path) -> None:
    task = task_of("clutrr", k="2..4", noise=["supporting"], rows=12, seed=3)
    made = relsmith.make("clutrr", k="2..4", noise="supporting")
    due = made.split("test", splits=("train", "test"), seed=3)[:12]
    assert [(s.id, s.target) for s in task.dataset] == [(row.id, row.target) for row in due]
    assert metrics(run(task, tmp_path, oracle))["accuracy"] == 1.0


def test_few_shot_examples_are_of_train_and_another_story(data: Data) -> None:
    folder = data("clutrr-siblings")
    train = {row.input for row in relsmith.Dataset(folder).rows("train")}
    for sample in task_of("clutrr", dataset=str(folder), style="few-shot", shots=2).dataset:
        shown = [text for text in train if text in sample.input]
        assert len(shown) == 2
        assert sample.input.endswith(f"{sample.metadata['input']}\nAnswer:")


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("clutrr", {"dataset": "nowhere"}, "nowhere is not a finished dataset"),
        ("clutrr", {"k": "9..2"}, "k: expected low..high, but got '9..2'"),
        ("clutrr", {"colour": "red"}, "colour"),
        ("clutrr", {"style": "fancy"}, "style: expected zero-shot, few-shot, cot or choices"),
        ("clutrr", {"rows": 0}, "rows: expected a whole number of 1 or more, but got 0"),
        ("clutrr", {"split": "test"}, "split: only datasets have splits"),
        ("cloze", {"rows": 10**6}, "rows: there are "),
        ("cloze", {"style": "choices", "rows": 2}, "has no choices to list"),
        ("relinf", {}, "rows of relinf have no answers to score by"),
        ("analogy", {"dataset": "COMPARATIVES"}, "has rows of comparatives, not of analogy"),
        ("comparatives", {"dataset": "COMPARATIVES", "seed": 1}, "seed: has no effect on rows of "),
    ],
)
def test_mistakes_are_one_line(data: Data, name: str, options: dict[str, Any], said: str) -> None:
    from inspect_ai._util.error import PrerequisiteError

    if options.get("dataset") == "COMPARATIVES":
        options = options | {"dataset": str(data("comparatives"))}
    with pytest.raises(PrerequisiteError) as refused:
        task_of(name, **options)
    assert said in str(refused.value.message)
    assert "\n" not in str(refused.value.message)


@pytest.mark.slow
def test_a_family_of_generators_shares_a_name(data: Data) -> None:
    folder = data("relinf-aggregate")
    assert len(task_of("relinf", dataset=str(folder)).dataset) == 12


def test_the_entry_point_of_inspect_has_the_tasks() -> None:
    from inspect_ai._util.registry import registry_info

    (point,) = (point for point in entry_points(group="inspect_ai") if point.name == "relsmith")
    tasks = point.load().TASKS
    assert {"clutrr", "comparatives"} <= set(tasks)
    for name, made in tasks.items():
        assert registry_info(made).name.removeprefix("relsmith/") == name


NO_NETWORK = dict.fromkeys(("HTTPS_PROXY", "https_proxy"), "http://127.0.0.1:9")
"""Return an environment without network access."""


@pytest.mark.slow
def test_inspect_finds_the_tasks_by_its_entry_point(data: Data, tmp_path: Path) -> None:
    """Run the command with Inspect's mock model, which always gives the same answer."""
    run = subprocess.run(
        [
            *(sys.executable, "-m", "inspect_ai", "eval", "relsmith/clutrr"),
            *("-T", f"dataset={data('clutrr')}", "-T", "rows=3", "--model", "mockllm/model"),
            *("--display", "plain", "--log-dir", str(tmp_path / "logs")),
        ],
        env=os.environ | {"TIKTOKEN_CACHE_DIR": str(tmp_path / "empty")} | NO_NETWORK,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "accuracy" in run.stdout
    assert len(list((tmp_path / "logs").glob("*.eval"))) == 1
