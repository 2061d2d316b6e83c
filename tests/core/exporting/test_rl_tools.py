"""The real tools, offline: verifiers scores its tasks, TRL calls the reward."""

import asyncio
import json
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest
from scorer_probes import correct_answers, non_answers, wrong_answers

from relsmith import Dataset, Example, Generator, export, make, write
from relsmith.prompting.prompt import Prompter
from relsmith.scoring.scorer import answer_key

from ...conftest import QUESTIONS

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def folder(kind_of_question: tuple[str, Generator], tmp_path: Path) -> Path:
    kind, generator = kind_of_question
    name = kind.replace(", ", " ")
    write(generator, tmp_path / name, {"train": 6, "test": 4})
    return tmp_path / name


def answers(row) -> list[tuple[str, float]]:
    """Return texts with their scores: right answers, wrong answers and non-answers."""
    wrong = [*wrong_answers(row)[::3], *non_answers(row)]
    return [(text, 1.0) for text in correct_answers(row)] + [(text, 0.0) for text in wrong]


def test_verifiers_gives_our_scores(
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
    rows = [row for row in Dataset(folder).rows("test") if answer_key(row).right]
    assert [task.data.id for task in tasks] == [row.id for row in rows]

    async def scored(task, text: str) -> float:
        reply = vf.AssistantMessage(content=text)
        trace = vf.Trace(
            task=TraceTask(type=type(task).__name__, data=task.data),
            agent=AgentInfo(config=vf.AgentConfig()),
            nodes=[MessageNode(message=reply, sampled=True)],
        )
        await task.score(trace)
        assert set(trace.rewards) == {"reward"}
        return trace.reward

    for task, row in zip(tasks, rows, strict=True):
        assert row.input in task.data.prompt_text
        assert task.data.answer == answer_key(row).right
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
    reward = runpy.run_path(str(tmp_path / "trl" / "reward.py"))["reward"]
    rows = {row.id: row for row in Dataset(folder).rows("train")}
    inputs, completions, worths = [], [], []
    for record in data:
        assert record["prompt"][0]["role"] == "user"
        assert record["answer"] == answer_key(rows[record["id"]]).right
        for text, worth in answers(rows[record["id"]]):
            inputs.append(record)
            completions.append([{"role": "assistant", "content": text}])
            worths.append(worth)
    trainer = SimpleNamespace(  # columns that the trainer itself reads
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


TEXTS = {"oracle": correct_answers, "anti-oracle": wrong_answers, "garbler": non_answers}
WORTH = {"oracle": 1.0, "anti-oracle": 0.0, "garbler": 0.0}


class Players:
    """Run a local OpenAI-compatible server with models that answer right, wrong or nonsense."""

    def __init__(self, rows: list[Example]) -> None:
        self.rows = {Prompter("cot")(row).text: row for row in rows}
        self.keys: set[str] = set()
        self.asked = 0

    def reply(self, model: str, prompt: str) -> str:
        texts = TEXTS[model](self.rows[prompt])
        self.asked += 1
        return texts[self.asked * 5 % len(texts)]

    @contextmanager
    def serving(self) -> Iterator[str]:
        players = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                players.keys.add(self.headers["authorization"])
                (message,) = body["messages"]
                said = players.reply(body["model"], message["content"])
                choices = [
                    [{"index": 0, "delta": {"role": "assistant", "content": said}}],
                    [{"index": 0, "delta": {}, "finish_reason": "stop"}],
                ]
                about = {"id": "0", "object": "chat.completion.chunk", "created": 0}
                parts = [about | {"model": body["model"], "choices": part} for part in choices]
                lines = [f"data: {part}\n\n" for part in (*map(json.dumps, parts), "[DONE]")]
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.end_headers()
                self.wfile.write("".join(lines).encode())

            def log_message(self, *_: object) -> None:
                pass

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_port}/v1"
            server.shutdown()


EVAL = """
import sys
from verifiers.v1.cli.eval.main import main

_, options, packages, *models = sys.argv
for package in packages.split():
    for model in models:
        main([package, *options.split(), "-m", model, "-o", f"outputs/{package}/{model}"])
"""
UV = """#!/bin/sh
# Stands for uv, which would fetch what the chat program of verifiers imports: it is all here.
case "$*" in
*--help*) echo --script ;;
"python find "*) echo '{}' ;;
esac
"""


# The functions of the command are tested with every question type above.
SOME = ["relation", "who", "which", "bank", "labelled"]


def test_the_command_of_verifiers_gives_our_scores(candidates: Path, tmp_path: Path) -> None:
    """Run vf-eval with a server; right answers score 1, wrong ones and nonsense 0."""
    pytest.importorskip("verifiers.v1")
    rows: dict[str, list[Example]] = {}
    for kind in SOME:
        name, options = QUESTIONS[kind]
        more = {"candidates": str(candidates)} if name == "relinf-aggregate" else {}
        write(make(name, **options, **more), tmp_path / kind, {"train": 6, "test": 4})
        export(tmp_path / kind, "verifiers", tmp_path / "packages" / kind)
        asked = [row for row in Dataset(tmp_path / kind).rows("test") if answer_key(row).right]
        rows[f"relsmith-{kind}"] = asked[:2]
    # As installed by pip, without downloads.
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    packages = (tmp_path / "packages").iterdir()
    subprocess.run([*pip, "--target", tmp_path / "site", *packages], check=True)
    uv = tmp_path / "bin" / "uv"
    uv.parent.mkdir()
    uv.write_text(UV.format(sys.executable))
    uv.chmod(0o755)
    secret = "sk-of-nobody-1234"
    players = Players([row for some in rows.values() for row in some])
    with players.serving() as address:
        # One process for all, because starting takes longer than evaluating.
        options = (
            f"--env.taskset.split test -n 2 --no-push "
            f"--client.base-url {address} --client.api-key-var SOME_API_KEY"
        )
        run = subprocess.run(
            [sys.executable, "-c", EVAL, options, " ".join(rows), *WORTH],
            cwd=tmp_path,
            env=os.environ
            | {
                "PATH": f"{uv.parent}:{os.environ['PATH']}",
                "PYTHONPATH": str(tmp_path / "site"),
                "HOME": str(tmp_path / "home"),
                "SOME_API_KEY": secret,
                "COLUMNS": "200",
            },
            capture_output=True,
            text=True,
            check=False,
        )
    assert run.returncode == 0, run.stdout + run.stderr
    printed = re.findall(r"reward (\S+) · err (\S+)", run.stdout)
    due = [(f"{worth:.2f}", "0.00") for worth in WORTH.values()]
    assert printed == due * len(rows), run.stdout
    for package, asked in rows.items():
        for model, worth in WORTH.items():
            (traces,) = (tmp_path / "outputs" / package / model).glob("*/traces.jsonl")
            made = [json.loads(line)["traces"][0] for line in traces.read_text().splitlines()]
            assert {trace["task"]["data"]["id"] for trace in made} == {row.id for row in asked}
            assert [trace["rewards"]["reward"]["score"] for trace in made] == [worth] * len(asked)
    assert players.keys == {f"Bearer {secret}"}
    for path in (path for path in tmp_path.rglob("*") if path.is_file()):
        assert secret.encode() not in path.read_bytes(), path
    assert secret not in run.stdout + run.stderr


def test_missing_verifiers_is_one_line(tmp_path: Path) -> None:
    write(make("comparatives"), tmp_path / "tall people", {"train": 4})
    export(tmp_path / "tall people", "verifiers", tmp_path / "package")
    code = """
import sys

sys.modules["verifiers"] = None  # as where it is not installed
try:
    import relsmith_tall_people
except ImportError as error:
    print(error)
"""
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(tmp_path / "package")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.startswith("relsmith-tall-people needs verifiers 0.4 (")
    assert run.stdout.endswith("): pip install 'verifiers>=0.4,<0.5'\n")
    assert run.stdout.count("\n") == 1
