"""gen view from the command line: served until a signal, or written as a file; one-line errors."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from relsmith import Dataset, make, write
from relsmith.web.server import listen

GEN = str(Path(sys.executable).with_name("gen"))
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("made")
    write(make("comparatives"), home / "data", {"train": 30, "test": 5})
    write(make("comparatives"), home / "other", {"train": 2})
    (home / "strange.jsonl").write_text('{"id": "clutrr-v4-s0-test-0", "answer": "aunt"}\n')
    line = json.dumps({"id": "comparatives-v1-s0-test-0", "answer": "Nadia"})
    (home / "twice.jsonl").write_text(f"{line}\n{line}\n")
    return home


@pytest.fixture
def data(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "data"


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_the_page_is_served_until_a_signal(data: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in sorted(data.iterdir())}
    with subprocess.Popen(
        [GEN, "view", "data", "--no-browser"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout
        line = server.stdout.readline()
        assert line.startswith("data: http://127.0.0.1:")
        home = line.split()[1]
        assert "comparatives" in httpx.get(f"{home}rows").text
        assert httpx.get(f"{home}row/test/4").status_code == 200
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=30)
    assert (server.returncode, out, err) == (0, "", "")
    assert {path: path.read_bytes() for path in sorted(data.iterdir())} == before


@pytest.mark.slow
def test_a_browser_is_opened_by_default(data: Path, tmp_path: Path) -> None:
    """Use a program that records the address as browser."""
    note = tmp_path / "opened"
    opener = tmp_path / "opener"
    opener.write_text(f"#!/bin/sh\necho \"$1\" > '{note}'\n")
    opener.chmod(0o755)
    for words, opens in ((["--no-browser"], False), ([], True)):
        with subprocess.Popen(
            [GEN, "view", "data", *words],
            cwd=tmp_path,
            env=os.environ | {"BROWSER": str(opener)},
            stdout=subprocess.PIPE,
            text=True,
        ) as server:
            assert server.stdout
            home = server.stdout.readline().split()[1]
            httpx.get(f"{home}rows")
            for _ in range(100 if opens else 3):
                if note.exists() and note.read_text():
                    break
                server.poll()
                signal.sigtimedwait([], 0.05)
            server.terminate()
        assert note.exists() == opens
    assert note.read_text().strip() == home


def test_a_file_is_written(gen: Run, data: Path, tmp_path: Path) -> None:
    run = gen("view", "data", "--static", "page.html", "--sample", "7")
    assert (run.returncode, run.stdout) == (0, "7 of 35 rows written: page.html\n")
    text = (tmp_path / "page.html").read_text()
    assert text.count("<article") == 7
    assert text.startswith("<!doctype html>")
    for row in (Dataset(data)[0], Dataset(data)[30]):
        assert row.id in text
    again = gen("view", "data", "--static", "page.html")
    assert again.returncode == 2
    assert "--force" in again.stderr
    assert gen("view", "data", "--static", "page.html", "--force", "-q").stdout == ""
    whole = gen("view", "data", "--static", "all.html", "--sample", "1000")
    assert whole.stdout == "35 of 35 rows written: all.html\n"
    same = gen("view", "data", "--static", "same.html")
    assert same.returncode == 0
    assert (tmp_path / "same.html").read_bytes() == (tmp_path / "page.html").read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "DIR: missing; add it"),
        ("nowhere", "nowhere is not a finished dataset"),
        ("data --port 0", "expected a whole number of 1 or more, but got '0'"),
        ("data --port 70000", "--port: expected a number up to 65535, but got 70000"),
        ("data --port TAKEN", "--port: cannot listen on TAKEN: Address already in use; name anoth"),
        ("data --host no.such.host.invalid", "is not an address of this machine; try 127.0.0.1"),
        ("data --sample 5", "--sample: has an effect only with --static; leave it out"),
        ("data --force", "--force: has an effect only with --static; leave it out"),
        ("data --static x.html --port 9000", "--port: has no effect with --static; leave it out"),
        ("data --static x.html --no-browser", "--no-browser: has no effect with --static"),
        ("data --static x.html --host 0.0.0.0", "--host: has no effect with --static"),
        ("data --static x.html --sample 0", "expected a whole number of 1 or more"),
        ("data --static x.html --predictions none.jsonl", "cannot read 'none.jsonl'"),
        ("data --static x.html --predictions strange.jsonl", "strange.jsonl:1: data has no row"),
        ("data --static x.html --predictions twice.jsonl", "twice.jsonl:2: "),
        ("data --static data", "--static"),
        ("data --static twice.jsonl --force --predictions twice.jsonl", "twice.jsonl"),
    ],
)
def test_mistakes_are_one_line(gen: Run, data: Path, tmp_path: Path, words: str, said: str) -> None:
    with listen(port=0) as taken:
        port = str(taken.getsockname()[1])
        run = gen("view", *words.replace("TAKEN", port).split())
    assert run.returncode == 2, run.stdout
    assert run.stdout == ""
    assert said.replace("TAKEN", port) in run.stderr
    assert run.stderr.count("\n") == 1
    assert not (tmp_path / "x.html").exists()


@pytest.mark.parametrize("name", ["starlette", "uvicorn", "jinja2"])
def test_without_the_extra_it_says_what_to_install(
    gen: Run, data: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / f"{name}.py").write_text(f"raise ModuleNotFoundError(name={name!r})")
    run = gen("view", "data", PYTHONPATH=str(tmp_path / "site"))
    assert run.returncode == 2
    assert run.stderr == (
        f"gen: pages need {name}: pip install '.[web]' in a checkout of relsmith\n"
    )


def test_the_page_says_the_language_of_a_story(gen: Run, tmp_path: Path) -> None:
    write(make("clutrr", siblings="de"), tmp_path / "both", {"train": 2})
    assert gen("view", "both", "--static", "page.html").returncode == 0
    text = (tmp_path / "page.html").read_text()
    assert re.findall(r'class="input" lang="(\w+)"', text) == ["en", "de"]
