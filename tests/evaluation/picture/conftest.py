"""Stories, and logs of a made-up model: by Inspect, by lm-eval, and plain."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from relsmith import Dataset, write
from relsmith.example import Example
from relsmith.generators.clutrr import Clutrr
from relsmith.scoring.scorer import score
from relsmith.storage import files

Speaker = Callable[[Example], str]


@pytest.fixture(scope="session")
def stories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Groups of a story and three siblings, of two to four facts."""
    out = tmp_path_factory.mktemp("picture") / "stories"
    options = {"k": "2..4", "noise": "supporting", "siblings": "names,noise,inverse"}
    write(Clutrr.configure(options), out, {"train": 200, "test": 48})
    return out


@pytest.fixture(scope="session")
def rows(stories: Path) -> list[Example]:
    return list(Dataset(stories).rows("test"))


@pytest.fixture(scope="session")
def speaker(rows: list[Example]) -> Speaker:
    """A deterministic model that is right less often for larger k."""
    targets = sorted({row.target for row in rows})

    def say(row: Example) -> str:
        random = Random(row.id)
        right = random.random() < 1.3 - 0.25 * row.metadata["k"]
        others = [target for target in targets if target != row.target]
        return f"Let me see.\nThe answer is {row.target if right else random.choice(others)}."

    return say


@pytest.fixture(scope="session")
def plain_log(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Example], speaker: Speaker
) -> Path:
    path = tmp_path_factory.mktemp("plain") / "mine.jsonl"
    lines = [json.dumps({"id": row.id, "answer": speaker(row)}) for row in rows]
    path.write_text("\n".join(lines))
    return path


@pytest.fixture(scope="session")
def inspect_log(
    tmp_path_factory: pytest.TempPathFactory, stories: Path, rows: list[Example], speaker: Speaker
) -> Path:
    """Write the log of an Inspect run without running it; a run takes ten seconds."""
    return written_log(tmp_path_factory.mktemp("inspect") / "log.eval", stories, rows, speaker)


def written_log(path: Path, data: Path, rows: list[Example], *speakers: Speaker) -> Path:
    """Write a log as Inspect 0.3 does for our task; each speaker answers each row once."""
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec
    from inspect_ai.log import write_eval_log as write_log
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Score

    samples = []
    for epoch, speaker in enumerate(speakers, 1):
        for row in rows:
            given = score(row, speaker(row))
            kept = {"generator": "clutrr", **row.record()}
            samples.append(
                EvalSample(
                    id=row.id,
                    epoch=epoch,
                    input=row.input,
                    target=row.target,
                    metadata=kept.pop("metadata") | kept,
                    output=ModelOutput.from_content("mockllm/speaker", speaker(row)),
                    scores={
                        "relsmith_score": Score(
                            value=given.value, answer=given.answer, explanation=given.why
                        )
                    },
                )
            )
    spec = EvalSpec(
        created="2026-01-02T03:04:05+00:00",
        task="relsmith/clutrr",
        task_args={"dataset": str(data)},
        dataset=EvalDataset(name="clutrr"),
        model="mockllm/speaker",
        config=EvalConfig(epochs=len(speakers)),
        metadata={"digest": files.digest(data / "manifest.json")},
    )
    write_log(EvalLog(eval=spec, status="success", samples=samples), str(path))
    return path


def run_inspect(folder: Path, data: Path, rows: list[Example], *speakers: Speaker) -> Path:
    """Run Inspect with an attempt of each speaker at the first rows; return the log."""
    given = {
        "data": str(data),
        "folder": str(folder),
        "rows": len(rows),
        "said": {row.id: [speaker(row) for speaker in speakers] for row in rows},
        "tries": len(speakers),
    }
    return Path(run_beside("run_inspect.py", given).splitlines()[-1].removeprefix("file://"))


def run_beside(name: str, given: dict[str, Any]) -> str:
    """Run a script of this folder and return its output."""
    run = subprocess.run(
        [sys.executable, Path(__file__).with_name(name)],
        input=json.dumps(given),
        cwd=given["folder"],
        env=os.environ | {"HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def lm_eval_line(number: int, row: Example, said: str, value: float) -> dict[str, Any]:
    """A line as lm-eval 0.4.13 writes it with --log_samples."""
    return {
        "doc_id": number,
        "doc": row.record(),
        "target": row.target,
        "arguments": {"gen_args_0": {"arg_0": row.input, "arg_1": {"until": []}}},
        "resps": [[said]],
        "filtered_resps": [said],
        "filter": "none",
        "metrics": ["exact_match"],
        "doc_hash": "0",
        "prompt_hash": "0",
        "target_hash": "0",
        "exact_match": value,
    }
