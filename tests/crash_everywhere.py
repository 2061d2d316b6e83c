"""Kill every writing command before each of its file operations, and run it again each time.

    python tests/crash_everywhere.py FOLDER [STEP] [WRITER...]

An audit hook sees every file operation that Python makes, so no moment between two of them is left
out; with a STEP only each so-manieth is tried. A line says for each writer and situation how many
moments there were. What must hold after each: what stands there is the old or the new, whole; the
same command ends in the same bytes, with nothing left over; and another one with --force can take
the place, whatever was left there.
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
PLACE = "place"
SUITE = """
name: pair
datasets:
  short: {generator: comparatives, options: {people: 3, extra: VARIANT}, rows: 6}
  packed: {generator: comparatives, options: {people: 4}, rows: 6, format: jsonl.gz}
"""

WRITERS = {
    "dataset": "comparatives --extra VARIANT --split train=20,test=10 --shards 2 --workers 1",
    "export": "export dataVARIANT --to csv",
    "file": "export clozeVARIANT --to moodle",
    "store": "triples build triplesVARIANT.tsv --workers 1",
    "whitelist": "cloze-whitelist pairsVARIANT.jsonl --least 1",
    "questionnaires": "relinf-questionnaires candidatesVARIANT",
    "aggregate": "relinf-aggregate --candidates candidatesVARIANT --simulated 5 --workers 1",
    "package": "new generator ruler",
    "suite": "run suiteVARIANT.yaml --workers 1",
    "picture": "stats dataVARIANT",
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
    """Return the command line."""
    option, name = ("--plot", "out.png") if writer == "picture" else ("--out", "out")
    said = WRITERS[writer].replace("VARIANT", str(variant)).split()
    return [*said, option, f"{PLACE}/{name}", *["--force"] * force]


DATASETS = {
    "dataVARIANT": "comparatives --extra VARIANT --rows 10",
    "clozeVARIANT": "cloze --rows 5 --seed VARIANT",
    "candidatesVARIANT": "relinf --rows 20 --seed VARIANT",
    "stories": "clutrr --k 2 --split train=40,test=10",
}


def prepare(folder: Path, writers: Iterable[str]) -> None:
    """Make the inputs of the writers, in two variants."""
    read = " ".join(WRITERS[writer] for writer in writers)
    for n in (0, 1):
        for name, said in DATASETS.items():
            made = folder / name.replace("VARIANT", str(n))
            if name in read and not made.exists():
                words = said.replace("VARIANT", str(n)).split()
                assert run(folder, [*words, "--workers", "1", "--out", str(made)]) == 0, said
        triples = [f"drug{i}\ttreat\tpain{n}\n" for i in range(20)]
        (folder / f"triples{n}.tsv").write_text("".join(["arg1\trelation\targ2\n", *triples]))
        pair = '{"abstract": "Boil eggs.", "concrete": "Put 12 eggs in the wire basket %d."}\n'
        (folder / f"pairs{n}.jsonl").write_text(pair % n * 3)
        (folder / f"suite{n}.yaml").write_text(SUITE.replace("VARIANT", str(n)))
    (folder / "pairs.tsv").write_text(
        "drug, treats, pain\taspirin, is treating, the pain\ty\n"
        "drug, treats, pain\taspirin, never treats, pain\tn\n"
    )


def run(folder: Path, said: list[str], fatal: int = 0) -> int:
    """Run `gen` in a child process; it is killed before the operation `fatal`, if given."""
    child = os.fork()
    if not child:
        if fatal:
            _kill_at(fatal)
        printed = [os.devnull, str(folder / "said")]
        gen_server.run(said, str(folder), dict(os.environ), printed)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _kill_at(fatal: int) -> None:
    count = 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count
        if event in OPERATIONS and _concerns(event, arguments):
            count += 1
            if count == fatal:
                os.kill(os.getpid(), signal.SIGKILL)

    synced = os.fsync

    def fsync(descriptor: int) -> None:
        hook("os.fsync", (PLACE,))
        synced(descriptor)

    os.fsync = fsync
    sys.addaudithook(hook)


def _concerns(event: str, arguments: tuple[object, ...]) -> bool:
    """Return whether it changes the folder, or one that is being removed."""
    if event == "open":
        flags = arguments[2]
        if not (isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)):
            return False
    below = event in ("os.remove", "os.rmdir") and arguments[1] != -1
    return below or f"{PLACE}" in str(arguments[0])


def contents(folder: Path) -> Contents:
    """Return all files with their contents, also hidden ones; None for folders."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def files_of(found: Contents) -> Contents:
    """Return only the files."""
    return {name: data for name, data in found.items() if data is not None}


def visible(folder: Path) -> Contents:
    """Return the visible files: neither hidden nor unfinished."""
    return {
        name: data
        for name, data in contents(folder).items()
        if not any(part.startswith(".") or ".unfinished" in part for part in name.split("/"))
    }


class Trial:
    """A writing command, and the output of its two variants."""

    def __init__(self, folder: Path, writer: str) -> None:
        self.folder, self.place, self.writer = folder, folder / PLACE, writer
        self.wholes = [self.undisturbed(variant) for variant in (0, 1)]

    def run(self, variant: int, *, force: bool, fatal: int = 0) -> int:
        return run(self.folder, words(self.writer, variant, force=force), fatal)

    def undisturbed(self, variant: int) -> Contents:
        self.set_up({})
        assert self.run(variant, force=False) == 0, (self.folder / "said").read_text()
        return contents(self.place)

    def half(self, operations: int) -> Contents:
        """Return what remains of the other variant when it is killed half-way."""
        self.set_up({})
        assert self.run(1, force=False, fatal=operations // 2) == -signal.SIGKILL
        return contents(self.place)

    def set_up(self, standing: Contents) -> None:
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()
        for name, data in standing.items():
            if data is None:
                (self.place / name).mkdir()
            else:
                (self.place / name).write_bytes(data)

    def kill_everywhere(self, standing: Contents, *, force: bool, step: int) -> int:
        """Kill at each operation; then run the same command, or the other with --force."""
        fatal, code, moments = 1, -signal.SIGKILL, 0
        while code == -signal.SIGKILL:
            self.set_up(standing)
            code = self.run(0, force=force, fatal=fatal)
            self.check_whole(fatal, files_of(standing))
            variant = moments % 2 if force else 0
            again = self.run(variant, force=force)
            assert again in (0, 2), (self.writer, fatal, again)
            said = (self.folder / "said").read_text()
            where = f"{self.writer}: killed before operation {fatal}, then variant {variant}"
            assert contents(self.place) == self.wholes[variant], f"{where}: {said}"
            fatal, moments = fatal + step, moments + 1
        return moments - 1

    def check_whole(self, fatal: int, before: Contents) -> None:
        if self.writer in (*RESUMED, "suite"):
            return
        seen = visible(self.place)
        if self.writer in ("dataset", "workers", "aggregate") and "out/manifest.json" not in seen:
            return
        shown, wholes = files_of(seen), [files_of(whole) for whole in self.wholes]
        assert shown in ({}, *wholes), f"{self.writer}: half there after operation {fatal}"
        if before in wholes and not shown:
            aside = files_of(contents(self.place / ".out.tmp" / "old"))
            kept = {f"out/{name}": data for name, data in aside.items()}
            assert kept == before, f"{self.writer}: the old is lost after operation {fatal}"


def main(folder: Path, step: int, writers: Iterable[str]) -> None:
    """Run all writers."""
    gen_server.preload()
    prepare(folder, writers)
    for writer in writers:
        if writer in RESUMED:
            importlib.import_module("torch")
        trial = Trial(folder, writer)
        counts = {"fresh": trial.kill_everywhere({}, force=False, step=step)}
        if writer not in NEVER_REPLACING:
            half = trial.half(step * counts["fresh"])
            counts["force"] = trial.kill_everywhere(trial.wholes[1], force=True, step=step)
            counts["half"] = trial.kill_everywhere(half, force=True, step=step)
        for situation, count in counts.items():
            print(writer, situation, count, flush=True)  # noqa: T201 (the answer)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int((*sys.argv, "1")[2]), sys.argv[3:] or WRITERS)
