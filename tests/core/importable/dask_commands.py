"""A Dask cluster started by commands: a scheduler and workers."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any


def wait_for(what: Callable[[], Any], why: str, seconds: float = 60) -> Any:
    """Return the content of a file as soon as it exists."""
    patience = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < patience, f"waited for {seconds} seconds in vain: {why}"
        time.sleep(0.02)
    return found


class Cluster:
    """The started commands, and the address of the scheduler."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder, self.environment = folder, environment
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.commands: list[subprocess.Popen[bytes]] = []
        self.scheduler: subprocess.Popen[bytes]

    def start(self, *words: object, **environment: str) -> subprocess.Popen[bytes]:
        """Start a command of dask, which ends with this cluster."""
        with (self.folder / f"log-{len(self.commands)}").open("wb") as log:
            command = subprocess.Popen(
                [sys.executable, "-m", "dask", *map(str, words)],
                cwd=self.folder,
                env=os.environ | self.environment | environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.commands.append(command)
        return command

    def start_scheduler(self) -> None:
        """Start a scheduler at the same address."""
        place = f"--host 127.0.0.1 --port {self.port}".split()
        self.scheduler = self.start("scheduler", *place, "--no-dashboard")

    def start_worker(self, *words: object, **environment: str) -> subprocess.Popen[bytes]:
        """Start a worker, which is restarted when it dies unless it has no nanny."""
        usual = "--nthreads 1 --memory-limit 0 --no-dashboard --host 127.0.0.1".split()
        usual += ["--local-directory", str(self.folder)]
        return self.start("worker", self.address, *usual, *words, **environment)

    def wait_for_workers(self, count: int) -> None:
        """Wait until the scheduler has `count` workers."""
        code = (
            f"import json; from distributed import Client; c = Client({self.address!r}, timeout=60)"
            f"; c.wait_for_workers({count}, timeout=60); print(json.dumps(list(c.nthreads())))"
        )
        run = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code], capture_output=True, check=True
        )
        assert len(json.loads(run.stdout)) >= count

    def stop(self) -> None:
        """Kill all commands and their children."""
        for command in self.commands:
            with suppress(ProcessLookupError):
                os.killpg(command.pid, signal.SIGKILL)
            command.wait()


@contextmanager
def running(folder: Path, **environment: str) -> Iterator[Cluster]:
    """Run a scheduler."""
    folder.mkdir(exist_ok=True)
    cluster = Cluster(folder, environment)
    try:
        cluster.start_scheduler()
        yield cluster
    finally:
        cluster.stop()


def children(process: int) -> list[int]:
    """Return all living descendants of a process."""
    import psutil

    with suppress(psutil.NoSuchProcess):
        return [child.pid for child in psutil.Process(process).children(recursive=True)]
    return []
