"""Fuzz `gen`: run it on thousands of corrupted files and command lines.

    python tests/fuzz/fuzz.py FOLDER [FILES] [LINES] [SEED]

Cases run in child processes of this one, 100 in each, with limits of time and memory. A case passes
if `gen` exits with 0, 1 or 2 and prints no unexpected error, no traceback and no terminal control
sequence. FOLDER/failures keeps the files and the command of each case that fails; FOLDER/left has
the number of cases left. A seed gives the same cases each time.
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

MAX_SECONDS = 20
"""Processor time of a case."""
MAX_BYTES = 1 << 30
"""Memory of a child process beyond what it inherits."""
CASES_PER_CHILD = 100
FORBIDDEN = ("--debug shows", "Traceback", "Exception ignored", "\x1b", "\x9b", "\u202e")
"""Parts of the output that fail a case; the first is in every message on an unexpected error."""
SHARED = {"candidates", "labelled", "relations.tsv", "pairs.jsonl", "words.txt"}
"""Valid files that commands read beside the corrupted one."""
os.environ |= {"COLUMNS": "100", "TERM": "dumb", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}

Case = tuple[str, Callable[[], list[str]]]
"""The name of a case, and a function that prepares its files and returns its command line."""


class Fuzz:
    """A folder with valid files, and a working folder in which cases run."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.valid, self.work = folder, folder / "valid", folder / "work" / "inner"
        self.output = [folder / "stdout", folder / "stderr"]
        self.failures = folder / "failures"
        self.slowest = 0.0
        for made in (self.valid, self.failures):
            made.mkdir(parents=True, exist_ok=True)

    def prepare(self) -> None:
        """Import modules, make the valid files, and run every command on them once.

        Children inherit the modules, and the caches that the commands fill.
        """
        for name in gen_server.LIGHT:
            importlib.import_module(name)
        _cache_command_tree()
        if not (self.valid / "votes.jsonl").exists():
            root = HERE.parents[1]
            corpus.make_files(self.valid, lambda line: self.gen(line.split(), self.valid), root)
        for name, lines in corpus.READERS.items():
            for line in lines.split("|"):
                self.set_up(name, (self.valid / name).read_bytes())
                status = self.gen(self.words(name, line), self.work)
                assert status in (0, 1, 2), (name, line)
        gc.collect()
        gc.freeze()

    def gen(self, words: list[str], folder: Path) -> int:
        """Run `gen` in a folder and return its exit code; `self.output` has what it prints."""
        os.chdir(folder)
        streams = [os.dup(stream) for stream in (1, 2)]
        for stream, path in enumerate(self.output, 1):
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(file, stream)
            os.close(file)
        sys.argv = ["gen", *words]
        status: object = 0
        try:
            importlib.import_module("relsmith.cli.main").main()
        except SystemExit as end:
            status = end.code or 0
        for stream, file in enumerate(streams, 1):
            (sys.stdout, sys.stderr)[stream - 1].flush()
            os.dup2(file, stream)
            os.close(file)
        os.chdir(self.folder)
        return status if isinstance(status, int) else 99

    def set_up(self, name: str, data: bytes) -> None:
        """Empty the working folder; write the corrupted file and link the files it needs."""
        shutil.rmtree(self.work.parent, ignore_errors=True)
        self.work.mkdir(parents=True)
        dataset, _, file = name.rpartition("/")
        for other in SHARED | {dataset or name}:
            (self.work / other).symlink_to(self.valid / other)
        if dataset:
            shutil.copytree(self.valid / dataset, self.work / "d")
        path = self.work / "d" / file if dataset else self.work / f"corrupt-{file}"
        path.write_bytes(data)

    def words(self, name: str, line: str) -> list[str]:
        """Return the words of a command line that reads the corrupted file."""
        # Split first: names of files may have spaces.
        return [word.replace("{f}", f"corrupt-{name}").replace("{d}", "d") for word in line.split()]

    def file_case(self, n: int, seed: int) -> Case:
        """Return a case with a corrupted file and a command that reads it."""
        name, line = READERS[n % len(READERS)]
        rng = random.Random(f"{seed} file {n}")

        def set_up() -> list[str]:
            self.set_up(name, mutation.corrupt((self.valid / name).read_bytes(), rng))
            return self.words(name, line)

        return f"{seed}-file-{n}", set_up

    def line_case(self, n: int, seed: int, pool: list[str]) -> Case:
        """Return a case with a corrupted command line among valid files."""
        rng = random.Random(f"{seed} line {n}")
        words = corpus.COMMAND_LINES[n % len(corpus.COMMAND_LINES)].split()

        def set_up() -> list[str]:
            shutil.rmtree(self.work.parent, ignore_errors=True)
            shutil.copytree(self.valid, self.work)
            return mutation.corrupt_words(words, pool, rng)

        return f"{seed}-line-{n}", set_up

    def run(self, cases: list[Case]) -> None:
        """Run cases in child processes; a case that is killed by a limit fails."""
        while cases:
            reading, writing = os.pipe()
            child = os.fork()
            if not child:
                self._run_child(cases[:CASES_PER_CHILD], writing)
            os.close(writing)
            with os.fdopen(reading) as lines:
                times = [float(line) for line in lines]
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            self.slowest = max(self.slowest, *times, 0.0)
            if status:
                name, _ = cases[len(times)]
                words = (self.folder / "words").read_text()
                self._keep(name, words, f"killed: {status}")
            cases = cases[len(times) + bool(status) :]
            (self.folder / "left").write_text(f"{len(cases)}\n")

    def _run_child(self, cases: list[Case], writing: int) -> None:
        """Run cases, and write the processor time of each to the pipe."""
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MAX_BYTES, used + MAX_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for name, set_up in cases:
            words = set_up()
            (self.folder / "words").write_text(shlex.join(words), "utf-8", "surrogateescape")
            signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS)  # counts only this process
            signal.alarm(6 * MAX_SECONDS)
            began = time.process_time()
            status = self.gen(words, self.work)
            took = time.process_time() - began
            signal.setitimer(signal.ITIMER_PROF, 0)
            self._check(name, words, status)
            os.write(writing, f"{took}\n".encode())
        os._exit(0)

    def _check(self, name: str, words: list[str], status: int) -> None:
        printed = "".join(path.read_bytes().decode("utf-8", "replace") for path in self.output)
        if status not in (0, 1, 2) or any(part in printed for part in FORBIDDEN):
            self._keep(name, shlex.join(words), f"exit {status}: {printed}")

    def _keep(self, name: str, words: str, outcome: str) -> None:
        """Copy the working folder of a failure, with its command and what happened."""
        kept = self.failures / name
        with contextlib.suppress(OSError, shutil.Error):
            shutil.copytree(self.work, kept, symlinks=True, dirs_exist_ok=True)
        kept.mkdir(exist_ok=True)
        (kept / "command").write_text(f"gen {words}\n{outcome}\n", "utf-8", "replace")


def _cache_command_tree() -> None:
    """Build the tree of commands once: building it takes twice as long as a case."""
    from relsmith.cli.main import app

    build = typer.main.get_command
    tree = build(app)
    typer.main.get_command = lambda other: tree if other is app else build(other)


READERS = [(name, line) for name, lines in corpus.READERS.items() for line in lines.split("|")]


def options() -> set[str]:
    """Return the names of all commands and options, and some words for paths."""
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
    # The first three are slow; --debug prints tracebacks.
    return words - {"eval", "report", "build", "--debug"}


def main(folder: Path, files: int = 1000, lines: int = 250, seed: int = 0) -> int:
    """Run the cases, and print the number of failures; return the exit code."""
    began = time.monotonic()
    fuzz = Fuzz(folder.resolve())
    fuzz.prepare()
    valid = [path.name for path in fuzz.valid.iterdir()]
    pool = sorted({*options(), *valid, "2", "2..4", "train=2", "a=b"})
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
