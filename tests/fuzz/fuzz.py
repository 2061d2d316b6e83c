"""Spoil files and command lines by the thousand, and see that `gen` keeps its countenance.

    python tests/fuzz/fuzz.py FOLDER [FILES] [LINES] [SEED]

Cases are run in children of this process, many in each, with a limit of time and of memory. What
must hold: exit 0, 1 or 2; nothing unexpected, no traceback, nothing that steers a terminal. What
fails is kept in FOLDER/failures, with the command; FOLDER/left says how many there are to come. The
same seed tries the same.
"""

import contextlib
import gc
import importlib
import os
import random
import resource
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import typer

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import corpus  # noqa: E402 (found beside this file)
import gen_server  # noqa: E402 (found above)
import mutation  # noqa: E402 (found beside this file)

SECONDS = 20
BYTES = 1 << 30
IN_A_CHILD = 100
SIGNS = ("--debug shows", "Traceback", "Exception ignored", "\x1b", "\x9b", "\u202e")
os.environ |= {"COLUMNS": "100", "TERM": "dumb", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}

Case = tuple[str, Callable[[], list[str]]]
"""Its name, and what lays out its files and gives the words to type."""


class Fuzz:
    """A folder with good files, and a place in it where spoilt ones are tried."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.good, self.place = folder, folder / "good", folder / "place" / "within"
        self.printed = [folder / "said", folder / "complained"]
        self.failures = folder / "failures"
        self.slowest = 0.0
        for made in (self.good, self.failures):
            made.mkdir(parents=True, exist_ok=True)

    def prepare(self) -> None:
        """Import what is needed, make what is to be spoilt, and read all of it once.

        What is prepared by reading it, children inherit.
        """
        for name in gen_server.LIGHT:
            importlib.import_module(name)
        _put_together_once()
        if not (self.good / "other.sqlite").exists():
            corpus.make(self.good, lambda said: self.gen(said.split(), self.good), HERE.parents[1])
        for name, many in corpus.READERS.items():
            for said in many.split("|"):
                self.lay_out(name, (self.good / name).read_bytes())
                status = self.gen(self.words(name, said), self.place)
                assert status in (0, 1, 2), (name, said)
        gc.collect()
        gc.freeze()

    def gen(self, words: list[str], where: Path) -> int:
        """What `gen` exits with; what it prints is in two files."""
        os.chdir(where)
        kept = [os.dup(stream) for stream in (1, 2)]
        for stream, path in enumerate(self.printed, 1):
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(file, stream)
            os.close(file)
        sys.argv = ["gen", *words]
        status: object = 0
        try:
            importlib.import_module("relsmith.cli.main").main()
        except SystemExit as end:
            status = end.code or 0
        for stream, file in enumerate(kept, 1):
            (sys.stdout, sys.stderr)[stream - 1].flush()
            os.dup2(file, stream)
            os.close(file)
        os.chdir(self.folder)
        return status if isinstance(status, int) else 99

    def lay_out(self, name: str, data: bytes) -> None:
        """Put a file where it is tried, what belongs to it around it, and nothing else."""
        shutil.rmtree(self.place.parent, ignore_errors=True)
        self.place.mkdir(parents=True)
        folder, _, file = name.rpartition("/")
        for other in {
            "candidates",
            "labelled",
            "relations.tsv",
            "pairs.csv",
            "words.txt",
            folder or name,
        }:
            (self.place / other).symlink_to(self.good / other)
        if folder:
            shutil.copytree(self.good / folder, self.place / "d")
        place = self.place / "d" / file if folder else self.place / f"spoilt-{file}"
        place.write_bytes(data)

    def words(self, name: str, said: str) -> list[str]:
        """What is typed to have it read."""
        return [word.replace("{f}", f"spoilt-{name}").replace("{d}", "d") for word in said.split()]

    def file_case(self, n: int, seed: int) -> Case:
        """A spoilt file, read by a command that reads such files."""
        name, said = READERS[n % len(READERS)]
        chance = random.Random(f"{seed} file {n}")

        def lay_out() -> list[str]:
            self.lay_out(name, mutation.spoil((self.good / name).read_bytes(), chance))
            return self.words(name, said)

        return f"{seed}-file-{n}", lay_out

    def line_case(self, n: int, seed: int, pool: list[str]) -> Case:
        """A spoilt command line, among good files."""
        chance = random.Random(f"{seed} line {n}")
        words = corpus.LINES[n % len(corpus.LINES)].split()

        def lay_out() -> list[str]:
            shutil.rmtree(self.place.parent, ignore_errors=True)
            shutil.copytree(self.good, self.place)
            return mutation.spoil_words(words, pool, chance)

        return f"{seed}-line-{n}", lay_out

    def run(self, cases: list[Case]) -> None:
        """Run cases in children; where one is killed by a limit, go on after it in the next."""
        while cases:
            reading, writing = os.pipe()
            child = os.fork()
            if not child:
                self._be_child(cases[:IN_A_CHILD], writing)
            os.close(writing)
            with os.fdopen(reading) as told:
                times = [float(line) for line in told]
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            self.slowest = max(self.slowest, *times, 0.0)
            if status:
                name, _ = cases[len(times)]
                words = (self.folder / "words").read_text()
                self._keep(name, words, f"killed: {status}")
            cases = cases[len(times) + bool(status) :]
            (self.folder / "left").write_text(f"{len(cases)}\n")

    def _be_child(self, cases: list[Case], writing: int) -> None:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + BYTES, used + BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for name, lay_out in cases:
            words = lay_out()
            (self.folder / "words").write_text(shlex.join(words), "utf-8", "surrogateescape")
            signal.setitimer(signal.ITIMER_PROF, SECONDS)  # of its own; the others do not count
            signal.alarm(6 * SECONDS)
            began = time.process_time()
            status = self.gen(words, self.place)
            took = time.process_time() - began
            signal.setitimer(signal.ITIMER_PROF, 0)
            self._check(name, words, status)
            os.write(writing, f"{took}\n".encode())
        os._exit(0)

    def _check(self, name: str, words: list[str], status: int) -> None:
        said = "".join(path.read_bytes().decode("utf-8", "replace") for path in self.printed)
        if status not in (0, 1, 2) or any(sign in said for sign in SIGNS):
            self._keep(name, shlex.join(words), f"exit {status}: {said}")

    def _keep(self, name: str, words: str, what: str) -> None:
        kept = self.failures / name
        with contextlib.suppress(OSError, shutil.Error):
            shutil.copytree(self.place, kept, symlinks=True, dirs_exist_ok=True)
        kept.mkdir(exist_ok=True)
        (kept / "command").write_text(f"gen {words}\n{what}\n", "utf-8", "replace")


def _put_together_once() -> None:
    """Keep the tree of commands: to make it takes twice the time of all that is tried with it."""
    from relsmith.cli.main import app

    make = typer.main.get_command
    made = make(app)
    typer.main.get_command = lambda other: made if other is app else make(other)


READERS = [(name, said) for name, many in corpus.READERS.items() for said in many.split("|")]


def options() -> set[str]:
    """All words that commands know: their names and their options, found by walking them."""
    from relsmith.cli.main import app
    from relsmith.registry import GENERATORS

    words = {"--help", "--version", "out", ".", "..", "nothing", "/dev/null", "/dev/full"}
    waiting = [typer.main.get_command(app)]
    while waiting:
        command = waiting.pop()
        words.update(opt for parameter in command.params for opt in parameter.opts if opt[0] == "-")
        for name in command.list_commands(None) if hasattr(command, "list_commands") else ():
            words.add(name)
            waiting.append(command.get_command(None, name))
    for name in GENERATORS.entries:
        fields = GENERATORS.get(name).model_fields
        words.update(f"--{field.replace('_', '-')}" for field in fields)
    return words - {"eval", "report", "build", "--debug"}  # slow to import, slow, and too talkative


def main(folder: Path, files: int = 1000, lines: int = 250, seed: int = 0) -> int:
    """Try so many, and say how it went."""
    began = time.monotonic()
    fuzz = Fuzz(folder.resolve())
    fuzz.prepare()
    good = [path.name for path in fuzz.good.iterdir()]
    pool = sorted({*options(), *good, "2", "2..4", "train=2", "a=b"})
    cases = [fuzz.file_case(n, seed) for n in range(files)]
    cases += [fuzz.line_case(n, seed, pool) for n in range(lines)]
    fuzz.run(cases)
    failed = sorted(path.name for path in fuzz.failures.iterdir())
    took = time.monotonic() - began
    print(f"{files} files, {lines} lines: {len(failed)} failed; slowest {fuzz.slowest:.1f} s")  # noqa: T201 (a script)
    print(f"{took:.0f} s in all", *(fuzz.failures / name / "command" for name in failed), sep="\n")  # noqa: T201 (a script)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *map(int, sys.argv[2:])))
