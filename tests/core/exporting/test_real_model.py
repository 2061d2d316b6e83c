"""A real language model end to end: SmolLM2-135M-Instruct through Inspect, offline."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import relsmith

pytestmark = [pytest.mark.slow, pytest.mark.torch, pytest.mark.filterwarnings("default")]

ROWS = 8
LIMITS = ("--max-tokens", "8", "--max-connections", "4", "--display", "plain")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from relsmith.evaluation import pretrained

    return pretrained.save("smollm2", tmp_path_factory.mktemp("model") / "smollm2")


@pytest.fixture(scope="module")
def server(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of an OpenAI-compatible server by transformers."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log"
    command = [sys.executable, "-c", SERVE, "serve", model.name, "--device", "cpu", "--port", port]
    with log.open("w") as file:
        process = subprocess.Popen(
            list(map(str, command)),
            cwd=model.parent,  # its name is the requested one
            env=os.environ | OFFLINE,
            stdout=file,
            stderr=file,
        )
    try:
        for _ in range(300):
            assert process.poll() is None, log.read_text()
            try:
                urllib.request.urlopen(f"http://localhost:{port}/health", timeout=5).close()
                break
            except OSError:
                time.sleep(1)
        yield f"http://localhost:{port}/v1"
    finally:
        process.terminate()
        process.wait()


SERVE = "from transformers.cli.transformers import main; main()"
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}


def evaluate(folder: Path, *words: object, **environment: str) -> Any:
    """Return the log of `inspect eval` from the command line."""
    from inspect_ai.log import read_eval_log

    relsmith.write(relsmith.make("analogy"), folder / "pairs", {"test": ROWS})
    run = subprocess.run(
        [
            *(sys.executable, "-m", "inspect_ai", "eval", "relsmith/analogy"),
            *("-T", "dataset=pairs", "--log-dir", "logs", *LIMITS),
            *map(str, words),
        ],
        cwd=folder,
        env=os.environ | OFFLINE | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    (log,) = (folder / "logs").glob("*.eval")
    return read_eval_log(str(log))


def check(log: Any, folder: Path) -> None:
    """Check that every row was answered, and has our score."""
    assert log.status == "success"
    rows = {row.id: row for row in relsmith.Dataset(folder / "pairs").rows()}
    assert {sample.id for sample in log.samples} == set(rows)
    assert sum(bool(sample.output.completion.strip()) for sample in log.samples) > ROWS // 2
    for sample in log.samples:
        due = relsmith.score(rows[sample.id], sample.output.completion)
        scored = sample.scores["relsmith_score"]
        assert (scored.value, scored.answer) == (due.value, due.answer)


def test_real_model_with_transformers(model: Path, tmp_path: Path) -> None:
    log = evaluate(
        tmp_path,
        *("--model", "hf/smollm2", "-M", f"model_path={model}"),
        *("-M", "device=cpu", "-M", "do_sample=false"),
    )
    check(log, tmp_path)


def openai() -> dict[str, str]:
    """Return an environment with the version of openai that Inspect needs, unlike the extra rl."""
    if int(version("openai").partition(".")[0]) >= 3:
        return {}
    beside = Path(sys.prefix, "beside")
    if not beside.exists():
        pytest.skip("Inspect wants openai 3, verifiers 2: make test-full puts the one beside")
    return {"PYTHONPATH": str(beside)}


def test_real_model_behind_an_openai_server(server: str, tmp_path: Path) -> None:
    log = evaluate(
        tmp_path,
        *("--model", "openai-api/local/smollm2", "--model-base-url", server, "--temperature", "0"),
        LOCAL_API_KEY="none",
        **openai(),
    )
    check(log, tmp_path)
    # Keys are in the environment only.
    assert "LOCAL_API_KEY" not in log.model_dump_json()
