"""How long `verify` takes beside judging alone: reading every row and having it solved anew.

    python bench/verify.py [ROWS] [GENERATOR...]

Verifying also makes each row anew, compares bytes, digests files and looks for inputs that splits
share. One process; both take turns, and the best round of each counts. Target: at most 1.3.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import relsmith
from relsmith import Dataset, Example
from relsmith.judge import findings

ROUNDS = 5
GENERATORS = ("clutrr", "analogy", "cloze", "relinf", "comparatives")


def judge(folder: Path) -> None:
    """Read every row and judge it."""
    manifest = Dataset(folder).manifest
    generator = relsmith.make(manifest.generator, **manifest.options)
    for file in manifest.files:
        with (folder / file.name).open("rb") as lines:
            for line in lines:
                assert not findings(generator, Example.parse(line))


def verify(folder: Path) -> None:
    """Do what `gen verify` does."""
    assert not list(relsmith.verify(folder))


def seconds(work: Callable[[Path], None], folder: Path) -> float:
    """The processor time of one go."""
    start = time.process_time()
    work(folder)
    return time.process_time() - start


def main() -> None:
    """Print the ratio for each generator."""
    wanted = int((*sys.argv, "4000")[1])
    for name in sys.argv[2:] or GENERATORS:
        generator = relsmith.make(name)
        splits = ("train", "test")
        capacity = generator.capacity(splits, 0) or dict.fromkeys(splits, wanted)
        rows = {split: min(wanted // 2, capacity[split]) for split in splits}
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / name
            relsmith.write(generator, folder, rows)
            rounds = [[seconds(work, folder) for work in (judge, verify)] for _ in range(ROUNDS)]
        judging, verifying = map(min, zip(*rounds, strict=True))
        total = sum(rows.values())
        print(
            f"{name:14} {total:6,} rows   judging {judging / total * 1e6:7.1f} µs a row   "
            f"verifying {verifying / total * 1e6:7.1f}   ratio {verifying / judging:.2f}"
        )


if __name__ == "__main__":
    main()
