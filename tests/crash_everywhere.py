"""Kill every writing command before each of its file operations, then run it again.

    python tests/crash_everywhere.py FOLDER [STEP] [WRITER...]

An audit hook sees every file operation of Python, so the kills cover all moments between two of
them; with STEP, only every STEPth. Prints the number of kills for each writer and situation. After
each kill the output must be the old or the new one, complete. The same command must then end in the
same bytes, with no file left over, and so must another command with --force.
"""

import importlib
import os
import shutil
import signal
import sys
from collections.abc import Iterable
from pathlib import Path

import gen_server

OPERATIONS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.fsync", "shutil.rmtree"}
PLACE = "crash-target"
"""The folder to which the commands write; no other path contains this word."""
SUITE = """
name: pair
datasets:
  short: {generator: comparatives, options: {people: 3, extra: VARIANT}, rows: 6}
  packed: {generator: comparatives, options: {people: 4}, rows: 6, format: jsonl.gz}
"""

WRITERS = {
    "dataset": "comparatives --extra VARIANT --split train=20,test=10 --shards 2 --workers 1",
    "export": "export dataVARIANT --to csv",
    "store": "triples build triplesVARIANT.tsv",
    "whitelist": "cloze-whitelist pairsVARIANT.jsonl --least 1",
    "aggregate": "relinf-aggregate --candidates candidatesVARIANT --simulated 5 --workers 1",
    "package": "new generator ruler",
    "suite": "run suiteVARIANT.yaml --workers 1",
    "results": "eval pairs.tsv --model lemma --no-baselines --device cpu",
    "training": "eval stories --model gat --set rounds=1 --no-baselines --seeds 2 --epochs 2"
    " --device cpu",
}
Contents = dict[str, bytes | None]
RESUMED = ("results", "training")
"""Commands that add to existing output."""
NEVER_REPLACING = ("package", *RESUMED)
"""Commands without --force."""


def words(writer: str, variant: int, *, force: bool) -> list[str]:
    """Return the command line of a writer."""
    line = WRITERS[writer].replace("VARIANT", str(variant)).split()
    return [*line, "--out", f"{PLACE}/out", *["--force"] * force]


DATASETS = {
    "dataVARIANT": "comparatives --extra VARIANT --rows 10",
    "candidatesVARIANT": "relinf --rows 20 --seed VARIANT",
    "stories": "clutrr --k 2 --split train=40,test=10",
}


def prepare(folder: Path, writers: Iterable[str]) -> None:
    """Make the inputs of the writers, in two variants."""
    read = " ".join(WRITERS[writer] for writer in writers)
    for n in (0, 1):
        for name, line in DATASETS.items():
            made = folder / name.replace("VARIANT", str(n))
            if name in read and not made.exists():
                words = line.replace("VARIANT", str(n)).split()
                assert run(folder, [*words, "--workers", "1", "--out", str(made)]) == 0, line
        triples = [f"drug{i}\ttreat\tpain{n}\n" for i in range(20)]
        (folder / f"triples{n}.tsv").write_text("".join(["arg1\trelation\targ2\n", *triples]))
        pair = '{"abstract": "Boil eggs.", "concrete": "Put 12 eggs in the wire basket %d."}\n'
        (folder / f"pairs{n}.jsonl").write_text(pair % n * 3)
        (folder / f"suite{n}.yaml").write_text(SUITE.replace("VARIANT", str(n)))
    (folder / "pairs.tsv").write_text(
        "drug, treats, pain\taspirin, is treating, the pain\ty\n"
        "drug, treats, pain\taspirin, never treats, pain\tn\n"
    )


def run(folder: Path, line: list[str], fatal: int = 0) -> int:
    """Run `gen` in a child process; it is killed before the operation `fatal`, if given."""
    child = os.fork()
    if not child:
        if fatal:
            _kill_at(fatal)
        printed = [os.devnull, str(folder / "stderr")]
        gen_server.run(line, str(folder), dict(os.environ), printed)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _kill_at(fatal: int) -> None:
    count = 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count
        if event in OPERATIONS and _changes_output(event, arguments):
            count += 1
            if count == fatal:
                os.kill(os.getpid(), signal.SIGKILL)

    synced = os.fsync

    def fsync(descriptor: int) -> None:
        hook("os.fsync", (PLACE,))
        synced(descriptor)

    os.fsync = fsync
    sys.addaudithook(hook)


def _changes_output(event: str, arguments: tuple[object, ...]) -> bool:
    """Return whether an operation changes the output folder, or a folder that is being removed."""
    if event == "open":
        flags = arguments[2]
        if not (isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)):
            return False
    below = event in ("os.remove", "os.rmdir") and arguments[1] != -1
    return below or f"{PLACE}" in str(arguments[0])


def contents(folder: Path) -> Contents:
    """Return all files with their contents, hidden ones too; folders have None."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def files_of(entries: Contents) -> Contents:
    """Return the entries without folders."""
    return {name: data for name, data in entries.items() if data is not None}


def visible(folder: Path) -> Contents:
    """Return the entries that are neither hidden nor unfinished."""
    return {
        name: data
        for name, data in contents(folder).items()
        if not any(part.startswith(".") or ".unfinished" in part for part in name.split("/"))
    }


class Trial:
    """A writing command, and the complete outputs of its two variants."""

    def __init__(self, folder: Path, writer: str) -> None:
        self.folder, self.target, self.writer = folder, folder / PLACE, writer
        self.outputs = [self.undisturbed(variant) for variant in (0, 1)]

    def run(self, variant: int, *, force: bool, fatal: int = 0) -> int:
        return run(self.folder, words(self.writer, variant, force=force), fatal)

    def undisturbed(self, variant: int) -> Contents:
        """Return the output of a variant that is not killed."""
        self.set_up({})
        assert self.run(variant, force=False) == 0, (self.folder / "stderr").read_text()
        return contents(self.target)

    def half(self, operations: int) -> Contents:
        """Return the output that variant 1 leaves when it is killed half-way."""
        self.set_up({})
        assert self.run(1, force=False, fatal=operations // 2) == -signal.SIGKILL
        return contents(self.target)

    def set_up(self, existing: Contents) -> None:
        """Make the output folder with these entries."""
        shutil.rmtree(self.target, ignore_errors=True)
        self.target.mkdir()
        for name, data in existing.items():
            if data is None:
                (self.target / name).mkdir()
            else:
                (self.target / name).write_bytes(data)

    def kill_everywhere(self, existing: Contents, *, force: bool, step: int) -> int:
        """Kill variant 0 before each operation, then run it; with `force`, in turn variant 1."""
        fatal, code, kills = 1, -signal.SIGKILL, 0
        while code == -signal.SIGKILL:
            self.set_up(existing)
            code = self.run(0, force=force, fatal=fatal)
            self.check_complete(fatal, files_of(existing))
            variant = kills % 2 if force else 0
            again = self.run(variant, force=force)
            assert again in (0, 2), (self.writer, fatal, again)
            stderr = (self.folder / "stderr").read_text()
            where = f"{self.writer}: killed before operation {fatal}, then variant {variant}"
            assert contents(self.target) == self.outputs[variant], f"{where}: {stderr}"
            fatal, kills = fatal + step, kills + 1
        return kills - 1

    def check_complete(self, fatal: int, before: Contents) -> None:
        """Check that the output is absent, or the complete output of a variant."""
        if self.writer in (*RESUMED, "suite"):
            return
        seen = visible(self.target)
        if self.writer in ("dataset", "workers", "aggregate") and "out/manifest.json" not in seen:
            return
        found, complete = files_of(seen), [files_of(output) for output in self.outputs]
        assert found in ({}, *complete), f"{self.writer}: output incomplete after operation {fatal}"
        if before in complete and not found:
            aside = files_of(contents(self.target / ".out.tmp" / "old"))
            kept = {f"out/{name}": data for name, data in aside.items()}
            assert kept == before, f"{self.writer}: old output lost after operation {fatal}"


def main(folder: Path, step: int, writers: Iterable[str]) -> None:
    """Kill these writers everywhere, and print the numbers of kills."""
    gen_server.preload()
    prepare(folder, writers)
    for writer in writers:
        if writer in RESUMED:
            importlib.import_module("torch")
        trial = Trial(folder, writer)
        counts = {"fresh": trial.kill_everywhere({}, force=False, step=step)}
        if writer not in NEVER_REPLACING:
            half = trial.half(step * counts["fresh"])
            counts["force"] = trial.kill_everywhere(trial.outputs[1], force=True, step=step)
            counts["half"] = trial.kill_everywhere(half, force=True, step=step)
        for situation, count in counts.items():
            print(writer, situation, count, flush=True)  # noqa: T201 (a script)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int((*sys.argv, "1")[2]), sys.argv[3:] or WRITERS)
