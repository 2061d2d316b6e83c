import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from shard_work import always_die, die_once, fail_on_two, square

from relsmith import Local
from relsmith.errors import CheckFailed, RelsmithError


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_every_shard_has_one_result(workers):
    seen = []
    results = Local(workers, seen.append).map_shards(square, range(10))
    assert sorted(results) == [number * number for number in range(10)]
    assert seen[-1] == 10
    assert seen == sorted(seen)


@pytest.mark.parametrize("workers", [1, 3])
def test_no_shards_have_no_results(workers):
    assert list(Local(workers).map_shards(square, [])) == []


def test_only_the_shard_of_a_killed_worker_is_redone(tmp_path):
    results = []
    for number in Local(2).map_shards(die_once, [(tmp_path, n) for n in range(4)]):
        results.append(number)
        (tmp_path / f"collected-{number}").touch()
    assert sorted(results) == [0, 1, 2, 3]
    assert [(tmp_path / f"tries-{n}").read_text() for n in range(4)] == ["xx", "x", "x", "x"]


def test_workers_that_always_die_end_in_one_line():
    with pytest.raises(RelsmithError, match="workers die") as caught:
        list(Local(2).map_shards(always_die, [1, 2]))
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


def test_workers_that_cannot_be_started_end_in_one_line(monkeypatch):
    """Check BrokenPipeError of a shard, unlike that of stdout, which makes `gen` exit silently."""

    def submit(*_):
        raise BrokenPipeError

    monkeypatch.setattr(ProcessPoolExecutor, "submit", submit)
    with pytest.raises(RelsmithError, match="workers die"):
        list(Local(2).map_shards(always_die, [1, 2]))


@pytest.mark.parametrize("workers", [1, 2])
def test_exceptions_of_a_shard_are_raised(workers):
    with pytest.raises(CheckFailed, match="shard 2 is wrong"):
        list(Local(workers).map_shards(fail_on_two, [0, 1, 2, 3]))


LINGERING = """
import signal, sys
from pathlib import Path
from relsmith import Local
from shard_work import linger
# Where tests run in the background, SIGINT is ignored by all below.
signal.signal(signal.SIGINT, signal.default_int_handler)
list(Local(2).map_shards(linger, [Path(word) for word in sys.argv[1:]]))
"""


@pytest.mark.parametrize("death", [signal.SIGKILL, signal.SIGINT])
def test_workers_die_with_their_parent(tmp_path, death):
    notes = [tmp_path / "one", tmp_path / "two"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    parent = subprocess.Popen(
        [sys.executable, "-c", LINGERING, *notes], env=environment, stderr=subprocess.DEVNULL
    )
    try:
        wait_until(lambda: all(note.exists() for note in notes))
        workers = [int(note.read_text()) for note in notes]
        assert all(map(alive, workers))
        parent.send_signal(death)
        parent.wait(timeout=30)
        wait_until(lambda: not any(map(alive, workers)))
    finally:
        parent.kill()
        parent.wait()


def alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until(happened) -> None:
    for _ in range(300):
        if happened():
            return
        time.sleep(0.1)
    raise AssertionError("waited for half a minute in vain")
