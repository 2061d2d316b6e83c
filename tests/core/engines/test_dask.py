"""Shards on workers of a real cluster: the same results and bytes, errors in one line."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import dask
import psutil
import pytest
from dask_commands import children, running, wait_for
from shard_work import die_at_first, die_once, fail_on_two, fail_once, square, take_a_while

from relsmith import Dataset, export, start_engine, verify, write
from relsmith.dataset.shard import make_shard
from relsmith.errors import CannotWrite, CheckFailed
from relsmith.testing.profile import scaled
from relsmith_comparatives import Comparatives


@pytest.fixture(scope="module")
def engine():
    with start_engine("dask", cluster="local:2") as started:
        yield started


def test_every_shard_has_one_result(engine):
    seen = []
    engine.progress = seen.append
    assert sorted(engine.map_shards(square, range(30))) == [n * n for n in range(30)]
    assert seen[-1] == 30
    assert seen == sorted(seen)
    assert list(engine.map_shards(square, [])) == []


def test_exceptions_of_a_shard_are_raised(engine):
    with pytest.raises(CheckFailed, match="shard 2 is wrong"):
        list(engine.map_shards(fail_on_two, [0, 1, 2, 3]))


def test_a_shard_that_fails_on_one_machine_is_retried(engine, tmp_path):
    assert list(engine.map_shards(fail_once, [tmp_path / "note"])) == ["again"]
    with pytest.raises(CannotWrite):
        list(engine.map_shards(fail_once, [tmp_path / "absent" / "note"]))


def test_few_shards_are_submitted_at_a_time(engine):
    known = [
        engine.client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        for _ in engine.map_shards(take_a_while, range(40))
    ]
    assert len(known) == 40
    assert 1 < max(known) <= 2 * 3 + 1  # the one whose result was just received


def test_bytes_are_those_of_one_process(engine, tmp_path, contents):
    splits = {"train": scaled(2000), "test": scaled(300)}
    for encoding in ("jsonl", "parquet"):
        options = {"shards": 5, "encoding": encoding}
        alone, shared = tmp_path / f"alone.{encoding}", tmp_path / f"shared.{encoding}"
        write(Comparatives(), alone, splits, **options)
        write(Comparatives(), shared, splits, engine=engine, **options)
        assert contents(shared) == contents(alone)
    assert list(verify(shared, engine=engine)) == []
    export(alone, "csv", tmp_path / "csv")
    export(shared, "csv", tmp_path / "csv-shared", engine=engine)
    assert contents(tmp_path / "csv-shared") == contents(tmp_path / "csv")


def test_a_forged_row_is_found_by_workers_too(engine, tmp_path):
    write(Comparatives(), tmp_path, {"train": 200}, shards=2)
    path = tmp_path / "train-00001-of-00002.jsonl"
    path.write_bytes(path.read_bytes().replace(b"is taller", b"is longer", 1))
    assert any(path.name in finding for finding in verify(tmp_path, engine=engine))


@pytest.mark.slow
def test_only_the_shard_of_a_killed_worker_is_redone(engine, tmp_path):
    results = []
    for number in engine.map_shards(die_once, [(tmp_path, n) for n in range(4)]):
        results.append(number)
        (tmp_path / f"collected-{number}").touch()
    assert sorted(results) == [0, 1, 2, 3]
    assert [(tmp_path / f"tries-{n}").read_text() for n in range(4)] == ["xx", "x", "x", "x"]


@pytest.mark.slow
def test_a_slow_worker_is_waited_for(tmp_path):
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "10ms"}),
        start_engine("dask", cluster="local:1") as engine,
    ):
        assert list(engine.map_shards(die_at_first, [tmp_path / "note"])) == ["again"]


DYING = """
from relsmith import start_engine
from shard_work import always_die
if __name__ == "__main__":
    with start_engine("dask", cluster="local:1") as engine:
        try:
            list(engine.map_shards(always_die, [1]))
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
"""


@pytest.mark.slow
def test_workers_that_always_die_end_in_one_line(python):
    run = python(DYING)
    (line,) = run.stdout.splitlines()
    assert line.startswith("RelsmithError: workers of local:1 die one after another")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("--engine dusk", "no engine is called 'dusk'; did you mean 'dask'?"),
        ("--cluster local:2", "--cluster: the local engine has no cluster"),
        ("--engine dask --cluster local:2 --workers 2", "--workers: --cluster sets the number"),
        ("--engine dask --cluster local:0", "answers at local:0 (it is not an address)"),
        pytest.param(
            "--engine dask --cluster tcp://127.0.0.1:1",
            "no Dask scheduler answers at",
            marks=pytest.mark.slow,  # waits for a worker
        ),
    ],
)
def test_a_cluster_that_cannot_start_is_one_line_and_writes_nothing(
    gen, tmp_path, words, complaint
):
    run = gen("comparatives", "--rows", 5, "--out", "data", *words.split())
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert complaint in run.stderr
    assert list(tmp_path.iterdir()) == []


def test_only_formats_written_row_by_row_are_split(gen, tmp_path):
    write(Comparatives(), tmp_path / "data", {"train": 5})
    for words in ("--engine dask", "--workers 2"):
        run = gen("export", "data", "--to", "hub", *words.split())
        assert (run.returncode, run.stderr.count("\n")) == (2, 1)
        assert "hub is written by one process" in run.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


OTHER = {
    "without relsmith": (
        "no relsmith",
        {"sitecustomize.py": "import sys\nsys.modules['relsmith'] = None\n"},
    ),
    "of another version": (
        "relsmith 0.0.9",
        {"relsmith-0.0.9.dist-info/METADATA": "Name: relsmith\nVersion: 0.0.9\n"},
    ),
    "with another plugin": (
        "relsmith-comparatives 9",
        {
            "relsmith_comparatives-9.dist-info/METADATA": (
                "Name: relsmith-comparatives\nVersion: 9\n"
            ),
            "relsmith_comparatives-9.dist-info/entry_points.txt": (
                "[relsmith.generators]\ncomparatives = relsmith_comparatives:Comparatives\n"
            ),
        },
    ),
    "with another generator": (
        "generator comparatives 77",
        {
            "sitecustomize.py": "import relsmith_comparatives\n"
            "relsmith_comparatives.Comparatives.version = 77\n",
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("other", [pytest.param(name, marks=pytest.mark.slow) for name in OTHER])
def test_a_worker_with_other_versions_is_named_before_writing(
    gen, tmp_path, tmp_path_factory, other
):
    complaint, files = OTHER[other]
    beside = tmp_path_factory.mktemp("beside")
    for name, text in files.items():
        (beside / name).parent.mkdir(exist_ok=True)
        (beside / name).write_text(text)
    with running(tmp_path_factory.mktemp("cluster")) as cluster:
        cluster.start_worker("--no-nanny", PYTHONPATH=str(beside))
        cluster.wait_for_workers(1)
        words = ("--engine", "dask", "--cluster", cluster.address)
        run = gen("comparatives", "--rows", 5, "--out", "data", *words)
    assert run.returncode == 2, run.stderr
    assert run.stderr.count("\n") == 1
    assert f"has {complaint}, but this machine has " in run.stderr
    assert list(tmp_path.iterdir()) == []


def test_tasks_of_a_finished_run_write_nothing(tmp_path, contents):
    """Let a worker without client continue its shard while another run takes the folder."""
    write(Comparatives(), tmp_path / "whole", {"train": 50})
    shards = []

    class Remembering:
        def map_shards(self, work, specs):
            shards.extend(specs)
            for number, spec in enumerate(specs):
                if number == 1:
                    raise KeyboardInterrupt
                yield work(spec, print)

    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        write(Comparatives(), out, {"train": 50}, seed=1, shards=2, engine=Remembering())
    write(Comparatives(), out, {"train": 50}, force=True)
    before = contents(out)
    with pytest.raises(CannotWrite, match="another run has claimed it"):
        make_shard(shards[1], print)
    assert contents(out) == before == contents(tmp_path / "whole")
    assert len(Dataset(out)) == 50


def test_a_record_of_another_request_is_not_reused(tmp_path, contents):
    """Check shards of two requests with the same name, split and number of rows."""
    write(Comparatives(), tmp_path / "whole", {"train": 50}, shards=2)

    class Mixing:
        def map_shards(self, work, specs):
            for spec in specs:
                other = replace(spec, seed=9, request="")
                work(other, print)  # as a worker of an earlier run would leave it
                yield work(spec, print)

    write(Comparatives(), tmp_path / "out", {"train": 50}, shards=2, engine=Mixing())
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


@pytest.mark.slow
def test_an_interrupt_leaves_no_process(tmp_path):
    words = "comparatives --rows 4000000 --shards 40 --engine dask --cluster local:2 --out data"
    command = subprocess.Popen(
        [str(Path(sys.executable).with_name("gen")), *words.split()],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_for(lambda: list(tmp_path.glob("data/.unfinished/*.tmp")), "no shard is begun")
    started = children(command.pid)
    os.killpg(command.pid, signal.SIGINT)  # Ctrl-C sends it to all processes
    _, said = command.communicate(timeout=60)
    assert command.returncode == 130
    assert [line for line in said.splitlines() if " rows, " not in line] == [
        "gen: interrupted; nothing is half written; run the same command again"
    ]
    wait_for(lambda: not any(psutil.pid_exists(pid) for pid in started), "a worker stays")
