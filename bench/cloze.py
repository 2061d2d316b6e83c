"""Cloze documents per CPU-second from JSONL to JSONL, relative to orjson on the same files.

    python bench/cloze.py [PAIRS]

Pairs are the built-in ones as lists of tokens, repeated up to PAIRS (default 100,000; the
issue's figure is for 1,000,000). End to end means: the file is hashed, read once to find the pairs
that make rows and once more to make them, every certificate is replayed, and the dataset is
written, hashed and synced; one process. The baselines decode and encode every line with orjson:
of the input alone, and of input and output. They take
turns, and the best round of each counts. Memory is the peak of a process of its own, for a
tenth of the pairs and for all. The first line says whether the code is compiled, as in a wheel.
"""

import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson

from relsmith import write
from relsmith.generators.cloze import Cloze, rows
from relsmith.generators.cloze.corpus import BuiltInCorpus
from relsmith.generators.cloze.whitelist import built_in_whitelist

ROUNDS = 5
PROFILES: dict[str, dict[str, object]] = {
    "kidscook": {"profile": "kidscook"},
    "default, in the file's order, no difficulty": {"order": "file", "difficulty": False},
    "default": {},
}


def make_pairs(path: Path, count: int) -> None:
    """Write the built-in pairs as tokens, with pairs of one abstract apart."""
    pairs = list(BuiltInCorpus().pairs())
    with path.open("wb") as file:
        for number in range(count):
            pair = pairs[number * 5 % len(pairs)]
            row = {"abstract": pair.abstract.lower, "concrete": pair.concrete.lower}
            file.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))


def make_words(path: Path) -> None:
    """Write the marked words of the built-in pairs as a plain list."""
    path.write_text("\n".join(sorted(built_in_whitelist().words)))


def copy(files: list[Path], out: Path) -> None:
    """Read and write with orjson, line by line."""
    for path in files:
        with path.open("rb") as lines, out.open("wb") as file:
            for line in lines:
                file.write(orjson.dumps(orjson.loads(line), option=orjson.OPT_APPEND_NEWLINE))


def make(folder: Path, out: Path, options: dict[str, object]) -> None:
    """Make a dataset from the file."""
    generator = Cloze.configure(
        {"input": str(folder / "pairs.jsonl"), "whitelist": str(folder / "words.txt"), **options}
    )
    write(generator, out, generator.capacity(("train",), 0), force=True)


def seconds(*works: Callable[[], None]) -> list[float]:
    """Return the best CPU time of each over several rounds, in turns."""
    best = [math.inf] * len(works)
    for _ in range(ROUNDS):
        for number, work in enumerate(works):
            start = time.process_time()
            work()
            best[number] = min(best[number], time.process_time() - start)
    return best


def compare(profile: str, options: dict[str, object], folder: Path, count: int) -> None:
    """Print the speed of a profile and of orjson on the same files."""
    pairs, out = folder / "pairs.jsonl", folder / "out"
    make(folder, out, options)
    files = [pairs, *sorted(out.glob("*.jsonl"))]
    ours, copied_input, copied_all = seconds(
        lambda: make(folder, out, options),
        lambda: copy([pairs], folder / "copy"),
        lambda: copy(files, folder / "copy"),
    )
    print(
        f"{profile:44} {count / ours:8,.0f} documents per CPU-second; "
        f"plain orjson on the input {count / copied_input:8,.0f}: {copied_input / ours:.2f} of it, "
        f"on input and output {count / copied_all:8,.0f}: {copied_all / ours:.2f} of it"
    )


def peak(pairs: int) -> float:
    """Return the peak memory of a separate process in MB."""
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
        print("plain Python" if (rows.__file__ or "").endswith(".py") else "compiled")
        for profile, options in PROFILES.items():
            compare(profile, options, folder, count)
    for pairs in (count // 10, count):
        print(f"peak memory {peak(pairs):6.1f} MB for {pairs:,} pairs ({os.cpu_count()} cores)")


if __name__ == "__main__":
    main()
