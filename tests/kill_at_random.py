"""Kill every writing command at random moments, then run it until it finishes.

    python tests/kill_at_random.py FOLDER KILLS [SEED] [WRITER...]

The signal is SIGKILL, SIGTERM or SIGINT; it goes to the command, one of its workers, or all.
Either there is no output before ("fresh"), or the command replaces that of another variant with
--force ("force"), or the killed command is another variant ("other"). Moments are drawn from the
whole duration of the command, sometimes with the start of Python. Then the command runs again, with
--force if it asks for that: its output must be that of an undisturbed run, with no file left over.
A process that gets SIGTERM or SIGINT must print one line and exit with the code of that signal,
unless it has finished before.
"""

import gc
import importlib
import math
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import crash_everywhere
import gen_server
from crash_everywhere import NEVER_REPLACING, Contents, Trial, contents, files_of, words

GEN = str(Path(sys.executable).with_name("gen"))
SITUATIONS = ("fresh", "force", "other")
IN_A_ROW = (1, 1, 1, 2, 3)
"""Numbers of kills in a row, to draw from."""
FRESH_PYTHON = 0.03
"""Share of runs in a new Python process, which may be killed while importing."""
ROWS = "comparatives --extra VARIANT --split train=4000,test=500 --shards 6"
DATASETS = {"dataset": f"{ROWS} --workers 1", "workers": f"{ROWS} --workers 2"}
"""Enough rows that most of the time is spent writing."""
SLOW = ("workers", "training")
"""Writers that are killed only in every third turn."""


class Kills(Trial):
    """A writer that is killed and run again, with its duration when undisturbed."""

    def __init__(self, folder: Path, writer: str, importing: float) -> None:
        self.duration, self.importing = math.inf, importing
        super().__init__(folder, writer)

    def undisturbed(self, variant: int) -> Contents:
        start = time.monotonic()
        output = super().undisturbed(variant)
        self.duration = min(self.duration, time.monotonic() - start)
        return output

    def kill_and_end(self, rng: random.Random, outcomes: Counter[str]) -> None:
        """Kill the writer one to three times in a row, then let it finish."""
        situation = "fresh" if self.writer in NEVER_REPLACING else rng.choice(SITUATIONS)
        existing = self.outputs[1] if situation == "force" else {}
        self.set_up(existing)
        line = words(self.writer, int(situation == "other"), force=situation == "force")
        for _ in range(rng.choice(IN_A_ROW)):
            outcomes[self._kill(line, rng)] += 1
            outcomes["kills"] = outcomes.total() - outcomes["too late"] - outcomes["kills"]
            self.check_complete(-1, files_of(existing))
        self._finish(f"{self.writer}, {situation}, after {outcomes['kills']} kills", situation)

    def _kill(self, line: list[str], rng: random.Random) -> str:
        """Start the command and kill it after a random time; return the outcome."""
        how = rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
        receiver = rng.choice(["all", "command", "worker"])
        fresh_python = rng.random() < FRESH_PYTHON
        command = self._start_python(line) if fresh_python else self._start(line)
        time.sleep(rng.uniform(0, self.duration + self.importing * fresh_python))
        workers = _workers(command) if receiver == "worker" else []
        if workers:
            os.kill(rng.choice(workers), signal.SIGKILL)
        elif receiver == "all":
            os.killpg(command, how)
        else:
            os.kill(command, how)
        code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
        stderr = (self.folder / "stderr").read_text()
        if workers:
            assert code in (0, 2), (self.writer, code, stderr)
            return "a worker killed"
        if code == -how:  # SIGKILL, or before `gen` installs its handlers
            return f"{how.name} killed"
        if code == 128 + how:
            assert stderr.startswith("gen: interrupted"), stderr
            assert stderr.count("\n") == 1, stderr
            return f"{how.name} interrupted"
        assert code in (0, 2), (self.writer, how, receiver, fresh_python, code, stderr)
        return "too late"

    def _start(self, line: list[str]) -> int:
        """Start the command in a forked child; signals arrive only after handlers are installed."""
        from relsmith.cli.signals import exit_now, on_signals

        signals = [signal.SIGINT, signal.SIGTERM]
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        child = os.fork()
        if not child:
            os.setpgid(0, 0)
            stderr = str(self.folder / "stderr")
            os.dup2(os.open(stderr, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
            on_signals(exit_now)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
            gen_server.run(line, str(self.folder), dict(os.environ), [os.devnull, stderr])
        os.setpgid(child, child)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
        return child

    def _start_python(self, line: list[str]) -> int:
        with (self.folder / "stderr").open("w") as stderr:
            return subprocess.Popen(
                [GEN, *line],
                cwd=self.folder,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                start_new_session=True,
            ).pid

    def _finish(self, where: str, situation: str) -> None:
        """Run the command to its end, and compare the output with that of an undisturbed run."""
        code = self.run(0, force=False)
        stderr = (self.folder / "stderr").read_text()
        if contents(self.target) != self.outputs[0] and situation != "fresh":
            assert code == 2, f"{where}: {stderr}"
            assert "--force" in stderr, f"{where}: {stderr}"
            code = self.run(0, force=True)
            stderr = (self.folder / "stderr").read_text()
        assert code in (0, 2), f"{where}: {code}: {stderr}"
        assert contents(self.target) == self.outputs[0], f"{where}: {stderr}"


def _workers(command: int) -> list[int]:
    """Return the worker processes of a command."""
    children = Path(f"/proc/{command}/task/{command}/children").read_text().split()
    return [int(pid) for pid in children if b"spawn_main" in _command_line(pid)]


def _command_line(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def main(folder: Path, kills: int, seed: int, writers: list[str]) -> None:
    """Kill the writers in turn until the number of kills is reached."""
    # Shells make background processes ignore SIGINT, and `gen` would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    folder.mkdir(parents=True, exist_ok=True)
    crash_everywhere.WRITERS.update(DATASETS)
    writers = writers or list(crash_everywhere.WRITERS)
    start = time.monotonic()
    gen_server.preload()
    for name in ("torch", "torch._dynamo"):
        importlib.import_module(name)
    importing = time.monotonic() - start
    gc.freeze()
    crash_everywhere.prepare(folder, writers)
    trials = [Kills(folder, writer, importing) for writer in writers]
    print({trial.writer: round(trial.duration, 2) for trial in trials}, flush=True)  # noqa: T201
    rng, outcomes, turn, ends = random.Random(seed), Counter[str](), 0, 0
    while outcomes["kills"] < kills:
        for trial in trials:
            if trial.writer not in SLOW or turn % 3 == 0:
                trial.kill_and_end(rng, outcomes)
                ends += 1
        turn += 1
        print(ends, "runs have the same bytes after", dict(sorted(outcomes.items())), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int((*sys.argv, "0")[3]), sys.argv[4:])
