"""Cloze documents per CPU-second, JSONL in and JSONL out, beside plain orjson on the same files.

    python bench/cloze.py [PAIRS]

Pairs are ours, as lists of tokens, again and again up to PAIRS of them (100,000 unless told; the
issue's figure is for 1,000,000). End to end means: the file is hashed, read once to find the pairs
that make rows and once more to make them, every certificate is replayed, and the dataset is
written, hashed and synced; one process. The yardsticks decode and encode every line with orjson:
of the input alone, and of the files that end to end has to do with, input and output. Memory is
the peak of a process of its own, for a tenth of the pairs and for all.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson

from relsmith import write
from relsmith.generators.cloze import Cloze
from relsmith.generators.cloze.corpus import BuiltIn
from relsmith.generators.cloze.whitelist import read_whitelist

ROUNDS = 3
PROFILES: dict[str, dict[str, object]] = {
    "kidscook": {"profile": "kidscook"},
    "default, in the file's order, no difficulty": {"order": "file", "difficulty": False},
    "default": {},
}


def make_pairs(path: Path, count: int) -> None:
    """Our own pairs as tokens, in an order that puts no two of one abstract side by side."""
    pairs = list(BuiltIn().pairs())
    with path.open("wb") as file:
        for at in range(count):
            pair = pairs[at * 5 % len(pairs)]
            row = {"abstract": pair.abstract.lower, "concrete": pair.concrete.lower}
            file.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))


def make_words(path: Path) -> None:
    """The built-in whitelist as a plain list."""
    path.write_text("\n".join(sorted(read_whitelist(None).words)))


def copy(files: list[Path], out: Path) -> None:
    """Read and write with orjson, line by line."""
    for path in files:
        with path.open("rb") as lines, out.open("wb") as file:
            for line in lines:
                file.write(orjson.dumps(orjson.loads(line), option=orjson.OPT_APPEND_NEWLINE))


def make(folder: Path, out: Path, options: dict[str, object]) -> None:
    """End to end."""
    generator = Cloze.configure(
        {"input": str(folder / "pairs.jsonl"), "whitelist": str(folder / "words.txt"), **options}
    )
    write(generator, out, {"train": generator.capacity(1)}, force=True)


def seconds(work: Callable[[], None]) -> float:
    """The best CPU time of a few rounds."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def peak(pairs: int) -> float:
    """Megabytes that a process of its own needs at most."""
    with tempfile.TemporaryDirectory() as name:
        make_pairs(Path(name) / "pairs.jsonl", pairs)
        make_words(Path(name) / "words.txt")
        command = [sys.executable, __file__, "--peak", name]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return float(done.stdout)


def main() -> None:
    """Print documents per CPU-second, the ratios, and memory."""
    if sys.argv[1:2] == ["--peak"]:
        folder = Path(sys.argv[2])
        make(folder, folder / "out", PROFILES["kidscook"])
        # Not getrusage, which starts from the size of the process that called this one.
        status = Path("/proc/self/status").read_text()
        print(int(status.partition("VmHWM:")[2].split()[0]) / 1024)
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_pairs(folder / "pairs.jsonl", count)
        make_words(folder / "words.txt")
        read = [folder / "pairs.jsonl"]
        plain = seconds(lambda: copy(read, folder / "copy"))
        print(f"{'plain orjson, the input':46} {count / plain:9,.0f} documents per CPU-second")
        for profile, options in PROFILES.items():
            out = folder / "out"
            taken = seconds(lambda options=options, out=out: make(folder, out, options))  # type: ignore[misc]
            files = [*read, *sorted(out.glob("*.jsonl"))]
            both = seconds(lambda files=files: copy(files, folder / "copy"))  # type: ignore[misc]
            print(
                f"{profile:46} {count / taken:9,.0f} documents per CPU-second, {plain / taken:.2f} "
                f"of plain orjson on the input, {both / taken:.2f} on input and output"
            )
    for pairs in (count // 10, count):
        print(f"peak memory {peak(pairs):6.1f} MB for {pairs:,} pairs ({os.cpu_count()} cores)")


if __name__ == "__main__":
    main()
