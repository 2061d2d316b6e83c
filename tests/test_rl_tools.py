"""Inside the real tools, offline: verifiers scores its tasks, TRL calls the reward itself."""

import asyncio
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from relsmith import Dataset, Generator, export, write
from relsmith.probes import garbled, impostors, oracles
from relsmith.rl import reward
from relsmith.scoring import key

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def folder(question: tuple[str, Generator], tmp_path: Path) -> Path:
    name = question[0].replace(", ", " ")
    write(question[1], tmp_path / name, {"train": 6, "test": 4})
    return tmp_path / name


def answers(row) -> list[tuple[str, float]]:
    """Texts and what they are worth: an oracle's, an anti-oracle's, a garbler's."""
    wrong = [*impostors(row)[::3], *garbled(row)]
    return [(text, 1.0) for text in oracles(row)] + [(text, 0.0) for text in wrong]


def test_verifiers_scores_as_we_do(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vf = pytest.importorskip("verifiers.v1")
    from verifiers.v1.graph import MessageNode
    from verifiers.v1.trace import AgentInfo, TraceTask
    from verifiers.v1.utils.loaders import load_environment, resolve_env_config

    export(folder, "verifiers", tmp_path / "package")
    monkeypatch.syspath_prepend(str(tmp_path / "package"))
    name = f"relsmith-{folder.name.replace(' ', '-')}"
    config = resolve_env_config({"taskset": {"id": name, "split": "test"}})
    environment = load_environment(config)
    tasks = list(environment.taskset)
    rows = [row for row in Dataset(folder).rows("test") if key(row).right]
    assert [task.data.id for task in tasks] == [row.id for row in rows]

    async def scored(task, text: str) -> float:
        reply = vf.AssistantMessage(content=text)
        trace = vf.Trace(
            task=TraceTask(type=type(task).__name__, data=task.data),
            agent=AgentInfo(config=vf.AgentConfig()),
            nodes=[MessageNode(message=reply, sampled=True)],
        )
        await task.score(trace)
        assert set(trace.rewards) == {"right"}
        return trace.reward

    for task, row in zip(tasks, rows, strict=True):
        assert row.input in task.data.prompt_text
        for text, worth in answers(row):
            assert asyncio.run(scored(task, text)) == worth, text


def test_trl_calls_the_reward_as_its_trainer_does(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("trl")
    from accelerate import Accelerator
    from datasets import load_dataset
    from trl import GRPOTrainer

    export(folder, "trl", tmp_path / "trl")
    data = load_dataset(
        "json",
        data_files=str(tmp_path / "trl" / "train.jsonl"),
        split="train",
        cache_dir=str(tmp_path / "cache"),
    )
    rows = {row.id: row for row in Dataset(folder).rows("train")}
    inputs, completions, worths = [], [], []
    for record in data:
        assert record["prompt"][0]["role"] == "user"
        for text, worth in answers(rows[record["id"]]):
            inputs.append(record)
            completions.append([{"role": "assistant", "content": text}])
            worths.append(worth)
    trainer = SimpleNamespace(  # what the trainer's own function looks at
        accelerator=Accelerator(cpu=True),
        args=SimpleNamespace(report_to=[]),
        state=SimpleNamespace(global_step=0),
        reward_funcs=[reward],
        reward_func_names=["reward"],
        reward_processing_classes=[None],
        environments=None,
        _log_completion_extra=None,
        _log_metric=None,
    )
    prompts = [record["prompt"] for record in inputs]
    ids = [[0]] * len(inputs)
    given = GRPOTrainer._calculate_rewards(trainer, inputs, prompts, completions, ids)
    assert given[:, 0].tolist() == worths


def test_the_environment_can_be_installed(tmp_path: Path) -> None:
    """As any package; verifiers finds it by its name then."""
    pytest.importorskip("verifiers.v1")
    from relsmith import make

    write(make("comparatives"), tmp_path / "tall people", {"train": 4})
    export(tmp_path / "tall people", "verifiers", tmp_path / "package")
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", site, tmp_path / "package"], check=True)
    code = f"""
import sys; sys.path.insert(0, {str(site)!r})
from verifiers.v1.utils.loaders import load_taskset, taskset_config_type
name = "relsmith-tall-people"
tasks = list(load_taskset(taskset_config_type(name)(id=name, style="zero-shot")))
assert len(tasks) == 4 and tasks[0].data.prompt.endswith("Answer:"), tasks
"""
    subprocess.run([sys.executable, "-c", code], check=True)
