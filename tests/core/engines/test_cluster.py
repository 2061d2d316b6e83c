"""A cluster with joining and dying machines: nothing lost or repeated, the same bytes."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from statistics import linear_regression

import psutil
import pytest
from dask_commands import Cluster, children, running, wait_for

from relsmith import Dataset, make, verify, write
from relsmith.testing.profile import scaled

pytestmark = pytest.mark.slow

GEN = str(Path(sys.executable).with_name("gen"))
ROWS, SHARDS = 240_000, 24
REQUEST = [GEN, "comparatives", "--rows", str(ROWS), "--shards", str(SHARDS), "-q"]
KILLS = scaled(12)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the bytes written by one process."""
    out = tmp_path_factory.mktemp("undisturbed") / "data"
    write(make("comparatives"), out, {"train": ROWS}, shards=SHARDS)
    return contents(out)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_any_number_of_workers_makes_the_same_bytes(
    tmp_path: Path, undisturbed: dict[str, bytes], count: int
) -> None:
    words = ["--engine", "dask", "--cluster", f"local:{count}"]
    subprocess.run([*REQUEST, *words, "--out", tmp_path / "data"], check=True)
    assert contents(tmp_path / "data") == undisturbed


def start(cluster: Cluster, out: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*REQUEST, "--engine", "dask", "--cluster", cluster.address, "--out", out]
    )


def test_workers_killed_while_writing_lose_nothing(
    tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    """Kill workers, which their nannies restart; another one joins meanwhile."""
    moments, killed, turn = random.Random(30), 0, 0
    with running(tmp_path / "cluster") as cluster:
        nannies = [cluster.start_worker() for _ in range(2)]
        cluster.wait_for_workers(2)
        while killed < KILLS:
            out, turn = tmp_path / f"data-{turn}", turn + 1
            run = start(cluster, out)
            while run.poll() is None:
                # Not forever: on a slow machine no shard would finish between two kills.
                if killed < KILLS:
                    killed += kill_one_at_work(nannies, moments)
                time.sleep(moments.uniform(0.1, 1.5))
                if killed >= KILLS // 2 and len(nannies) == 2:
                    nannies.append(cluster.start_worker())
            assert run.returncode == 0, f"after {killed} kills"
            assert contents(out) == undisturbed
    assert len({row.id for row in Dataset(out)}) == ROWS


def kill_one_at_work(nannies: list[subprocess.Popen[bytes]], moments: random.Random) -> int:
    """Kill a worker that has the file of a shard open; return 1 if there was one."""
    workers = [pid for nanny in nannies for pid in children(nanny.pid)]
    for pid in moments.sample(workers, len(workers)):
        try:
            names = [file.path for file in psutil.Process(pid).open_files()]
            if any("/.unfinished/" in name for name in names):
                os.kill(pid, signal.SIGKILL)
                return 1
        except (psutil.Error, ProcessLookupError):
            continue
    return 0


def test_a_restarted_scheduler_is_found(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    out = tmp_path / "data"
    with running(tmp_path / "cluster") as cluster:
        cluster.start_worker()
        cluster.wait_for_workers(1)
        run = start(cluster, out)
        wait_for(lambda: list(out.glob(".unfinished/*.jsonl.json")), "no shard is finished")
        cluster.scheduler.kill()
        cluster.scheduler.wait()
        time.sleep(1)
        cluster.start_scheduler()
        for _ in range(2):
            cluster.start_worker()
        assert run.wait(timeout=120) == 0
    assert contents(out) == undisturbed


def test_a_killed_run_resumes_with_another_engine(
    tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    """Check that workers which continue for a while do no harm."""
    out = tmp_path / "data"
    with running(tmp_path / "cluster") as cluster:
        cluster.start_worker()
        cluster.start_worker()
        cluster.wait_for_workers(2)
        run = start(cluster, out)
        wait_for(lambda: list(out.glob(".unfinished/*.jsonl.json")), "no shard is finished")
        run.kill()
        run.wait()
        subprocess.run([*REQUEST, "--workers", "2", "--out", out], check=True)
        assert contents(out) == undisturbed
        time.sleep(3)
        assert contents(out) == undisturbed


def test_a_lost_cluster_is_one_line(tmp_path: Path) -> None:
    out = tmp_path / "data"
    with running(tmp_path / "cluster") as cluster:
        cluster.start_worker("--no-nanny")
        cluster.wait_for_workers(1)
        words = ["--engine", "dask", "--cluster", cluster.address, "--out", out]
        run = subprocess.Popen([*REQUEST, *words], stderr=subprocess.PIPE, text=True)
        wait_for(lambda: list(out.glob(".unfinished/*.jsonl.json")), "no shard is finished")
        cluster.stop()
        _, said = run.communicate(timeout=180)
    assert run.returncode == 2
    assert said.count("\n") == 1
    assert "has had no scheduler for 60 seconds" in said
    assert "continues where it stopped" in said


def test_shards_that_workers_wrote_are_verified_by_them(tmp_path: Path) -> None:
    with running(tmp_path / "cluster") as cluster:
        cluster.start_worker()
        cluster.wait_for_workers(1)
        words = ["--engine", "dask", "--cluster", cluster.address]
        out = tmp_path / "data"
        request = [GEN, "clutrr", "--rows", "2000", "--shards", "4", "--out", out]
        for command in (request, [GEN, "verify", out], [GEN, "export", out, "--to", "chat"]):
            subprocess.run([*command, *words, "-q"], check=True)
    assert list(verify(out)) == []


@pytest.mark.search
def test_scheduler_memory_does_not_grow_with_shards(tmp_path: Path) -> None:
    """Run shards without work; `bench/scale.py scheduler` runs 100,000.

    A leak is a block of memory or more per shard. Scheduler and worker report their blocks just
    after garbage was collected.
    """
    code = """
import sys, time
from relsmith import start_engine
from shard_work import nothing
if __name__ == "__main__":
    with start_engine("dask", cluster=sys.argv[1]) as engine:
        size = "[__import__('gc').collect(), __import__('sys').getallocatedblocks()][1]"
        known = "lambda dask_scheduler: len(dask_scheduler.tasks)"
        for count, _ in enumerate(engine.map_shards(nothing, range(int(sys.argv[2])))):
            if count % 400 == 399:
                time.sleep(2.1)
            if count and count % 400 == 0:
                tasks = engine.client.run_on_scheduler(eval(known))
                scheduler = engine.client.run_on_scheduler(eval, size)
                (worker,) = engine.client.run(eval, size).values()
                print(count, tasks, scheduler, worker)
"""
    shards = 2001
    importable = str(Path(__file__).parents[1] / "importable")
    unwatched = {  # logs have a maximum length, and time series grow with time
        "DASK_DISTRIBUTED__ADMIN__LOW_LEVEL_LOG_LENGTH": "10",
        "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "1h",
        "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    }
    with running(tmp_path / "cluster", PYTHONPATH=importable, **unwatched) as cluster:
        cluster.start_worker("--no-nanny")
        cluster.wait_for_workers(1)
        run = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code, cluster.address, str(shards)],
            env=os.environ | cluster.environment,
            capture_output=True,
            text=True,
            check=False,
        )
    assert run.returncode == 0, run.stderr
    lines = [[*map(int, line.split())] for line in run.stdout.splitlines()]
    counts, known, *blocks = zip(*lines, strict=True)
    assert counts == (400, 800, 1200, 1600, 2000)
    assert max(known) <= 3 + 1
    for name, column in zip(("scheduler", "worker"), blocks, strict=True):
        slope, _ = linear_regression(counts, column)
        assert slope < 1, f"the {name} keeps {slope:.2f} blocks of each shard: {column}"
