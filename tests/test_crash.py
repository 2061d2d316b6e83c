"""Killed runs leave no partial output, and the same command resumes them."""

import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from relsmith import Dataset, verify
from relsmith.errors import NotADataset
from relsmith.testing.profile import profile, scaled

GEN = str(Path(sys.executable).with_name("gen"))
REQUEST = [GEN, "comparatives", "--rows", "150000", "--shards", "100", "--workers", "2", "-q"]
KILLS = 20
"""Fewer than shards; otherwise the run could finish before the last kill."""


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class Reader(threading.Thread):
    """A thread that opens the folder repeatedly and counts incomplete datasets."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self.folder = folder
        self.incomplete = 0
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.wait(0.01):
            try:
                manifest = Dataset(self.folder).manifest
            except NotADataset:
                continue
            sizes = [(self.folder / file.name).stat().st_size for file in manifest.files]
            if sizes != [file.bytes for file in manifest.files]:
                self.incomplete += 1


def _wait_for_another_shard(folder: Path) -> None:
    def count() -> int:
        return len(list((folder / ".unfinished").glob("*.jsonl.json")))

    before, deadline = count(), time.monotonic() + 60
    while count() == before:
        assert time.monotonic() < deadline, "no shard was finished in a minute"
        time.sleep(0.002)


@pytest.mark.slow
def test_a_run_killed_twenty_times_ends_in_the_same_bytes(tmp_path: Path) -> None:
    undisturbed, disturbed = tmp_path / "undisturbed", tmp_path / "disturbed"
    subprocess.run([*REQUEST, "--out", undisturbed], check=True)
    reader = Reader(disturbed)
    reader.start()
    rng = random.Random(20)
    for turn in range(KILLS):
        run = subprocess.Popen([*REQUEST, "--out", disturbed], start_new_session=True)
        if turn % 2:
            _wait_for_another_shard(disturbed)
        time.sleep(rng.uniform(0, 0.05 if turn % 2 else 0.6))
        # In turn the parent alone, whose workers must then exit, and the whole process group.
        (os.kill if turn % 4 < 2 else os.killpg)(run.pid, signal.SIGKILL)
        assert run.wait() == -signal.SIGKILL, "the run ended before it could be killed"
        with pytest.raises(NotADataset):
            Dataset(disturbed)
    subprocess.run([*REQUEST, "--out", disturbed], check=True)
    reader.stopped.set()
    reader.join()
    assert reader.incomplete == 0
    assert contents(disturbed) == contents(undisturbed)


def kill_everywhere(folder: Path, step: int, *writers: str) -> dict[str, int]:
    """Kill the writers before every `step`th operation; return the number of kills of each."""
    script = Path(__file__).with_name("crash_everywhere.py")
    run = subprocess.run(
        [sys.executable, script, folder, str(step), *writers],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    counts: dict[str, int] = {}
    for writer, _, count in map(str.split, run.stdout.splitlines()):
        counts[writer] = counts.get(writer, 0) + int(count)
    return counts


def test_a_dataset_killed_at_some_file_operations(tmp_path: Path) -> None:
    counts = kill_everywhere(tmp_path, 31, "dataset")
    assert counts["dataset"] >= 6, "the audit hook misses operations"


@pytest.mark.slow
def test_all_writers_killed_at_many_file_operations(tmp_path: Path) -> None:
    counts = kill_everywhere(tmp_path, 1 if profile() == "search" else 12)
    assert min(counts.values()) >= 2, "the audit hook misses operations"
    assert len(counts) == 9


@pytest.mark.slow
def test_all_writers_killed_at_random_moments(tmp_path: Path) -> None:
    script = Path(__file__).with_name("kill_at_random.py")
    run = subprocess.run(
        [sys.executable, script, tmp_path, str(scaled(30))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def test_a_full_disk_is_one_line_and_leaves_no_partial_file(gen, tmp_path: Path) -> None:
    def small_files_only() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    run = subprocess.run(
        [GEN, "comparatives", "--rows", "700", "--out", "full"],
        cwd=tmp_path,
        preexec_fn=small_files_only,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert "cannot write into full: File too large" in run.stderr
    assert [path.name for path in (tmp_path / "full").iterdir()] == [".unfinished"]
    assert [path.name for path in (tmp_path / "full" / ".unfinished").iterdir()] == ["request.json"]
    assert gen("comparatives", "--rows", 700, "--out", "full", "-q").returncode == 0
    assert list(verify(tmp_path / "full")) == []
