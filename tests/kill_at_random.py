"""Kill every writing command at random moments, then let it finish.

    python tests/kill_at_random.py FOLDER KILLS [SEED] [WRITER...]

By turns SIGKILL, SIGTERM and SIGINT; by turns the command alone, one of its workers, or all of them
together; where nothing stands, over another with --force, or another command that this one follows.
Moments are drawn from the whole span that the command takes, and now and then from the start of
Python. Then the command is given again, plainly, and with --force where it asks for that: it must
end in the bytes of one that nobody disturbed, with nothing left over. Whoever got SIGTERM or SIGINT
must have said one line and have the exit code of that signal, or be done.
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
COLD = 0.03
"""Share of runs in a new Python process, which may be killed while importing."""
ROWS = "comparatives --extra VARIANT --split train=4000,test=500 --shards 6"
DATASETS = {"dataset": f"{ROWS} --workers 1", "workers": f"{ROWS} --workers 2"}
"""Enough rows that most of the time is spent writing."""
SLOW = ("workers", "training")
"""Commands that run only every third time."""


class Kills(Trial):
    """A writer that is killed and restarted, with its duration when undisturbed."""

    def __init__(self, folder: Path, writer: str, importing: float) -> None:
        self.span, self.importing = math.inf, importing
        super().__init__(folder, writer)

    def undisturbed(self, variant: int) -> Contents:
        start = time.monotonic()
        whole = super().undisturbed(variant)
        self.span = min(self.span, time.monotonic() - start)
        return whole

    def kill_and_end(self, chance: random.Random, outcomes: Counter[str]) -> None:
        """Kill it several times in a row, then let it finish."""
        situation = "fresh" if self.writer in NEVER_REPLACING else chance.choice(SITUATIONS)
        standing = self.wholes[1] if situation == "force" else {}
        self.set_up(standing)
        said = words(self.writer, int(situation == "other"), force=situation == "force")
        for _ in range(chance.choice(IN_A_ROW)):
            outcomes[self._kill(said, chance)] += 1
            outcomes["kills"] = outcomes.total() - outcomes["too late"] - outcomes["kills"]
            self.check_whole(-1, files_of(standing))
        self._end(f"{self.writer}, {situation}, after {outcomes['kills']} kills", situation)

    def _kill(self, said: list[str], chance: random.Random) -> str:
        """Start the command and kill it after some time; return the outcome."""
        how = chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
        whom = chance.choice(["all", "command", "worker"])
        cold = chance.random() < COLD
        command = self._start_python(said) if cold else self._start(said)
        time.sleep(chance.uniform(0, self.span + self.importing * cold))
        workers = _workers(command) if whom == "worker" else []
        if workers:
            os.kill(chance.choice(workers), signal.SIGKILL)
        elif whom == "all":
            os.killpg(command, how)
        else:
            os.kill(command, how)
        code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
        printed = (self.folder / "said").read_text()
        if workers:
            assert code in (0, 2), (self.writer, code, printed)
            return "a worker killed"
        if code == -how:  # SIGKILL, or before `gen` had its first moment
            return f"{how.name} killed"
        if code == 128 + how:
            assert printed.startswith("gen: interrupted"), printed
            assert printed.count("\n") == 1, printed
            return f"{how.name} interrupted"
        assert code in (0, 2), (self.writer, how, whom, cold, code, printed)
        return "too late"

    def _start(self, said: list[str]) -> int:
        """Start it in a forked child; signals are sent only when handlers are installed."""
        from relsmith.cli.signals import exit_now, on_signals

        minded = [signal.SIGINT, signal.SIGTERM]
        signal.pthread_sigmask(signal.SIG_BLOCK, minded)
        child = os.fork()
        if not child:
            os.setpgid(0, 0)
            printed = str(self.folder / "said")
            os.dup2(os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
            on_signals(exit_now)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, minded)
            gen_server.run(said, str(self.folder), dict(os.environ), [os.devnull, printed])
        os.setpgid(child, child)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, minded)
        return child

    def _start_python(self, said: list[str]) -> int:
        with (self.folder / "said").open("w") as printed:
            return subprocess.Popen(
                [GEN, *said],
                cwd=self.folder,
                stdout=subprocess.DEVNULL,
                stderr=printed,
                start_new_session=True,
            ).pid

    def _end(self, where: str, situation: str) -> None:
        code = self.run(0, force=False)
        said = (self.folder / "said").read_text()
        if contents(self.place) != self.wholes[0] and situation != "fresh":
            assert code == 2, f"{where}: {said}"
            assert "--force" in said, f"{where}: {said}"
            code = self.run(0, force=True)
            said = (self.folder / "said").read_text()
        assert code in (0, 2), f"{where}: {code}: {said}"
        assert contents(self.place) == self.wholes[0], f"{where}: {said}"


def _workers(command: int) -> list[int]:
    """Return its current worker processes."""
    children = Path(f"/proc/{command}/task/{command}/children").read_text().split()
    return [int(pid) for pid in children if b"spawn_main" in _command_line(pid)]


def _command_line(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def main(folder: Path, kills: int, seed: int, writers: list[str]) -> None:
    """Cycle through the writers until the number of kills is reached."""
    # A shell starts what is in the background deaf to SIGINT, and gen would stay so.
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
    print({trial.writer: round(trial.span, 2) for trial in trials}, flush=True)  # noqa: T201
    chance, outcomes, turn, ends = random.Random(seed), Counter[str](), 0, 0
    while outcomes["kills"] < kills:
        for trial in trials:
            if trial.writer not in SLOW or turn % 3 == 0:
                trial.kill_and_end(chance, outcomes)
                ends += 1
        turn += 1
        print(ends, "ends alike after", dict(sorted(outcomes.items())), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int((*sys.argv, "0")[3]), sys.argv[4:])
