"""Time of `verify` relative to judging alone and to making the rows.

    python bench/verify.py [ROWS] [GENERATOR...]

Verifying makes each row again, judges it, compares bytes, hashes files and looks for inputs that
splits share. One process; all take turns, and the best round of each counts. Stories have k = 2
to 10 with supporting noise; target: at least 1,500 per second.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import relsmith
from relsmith import Dataset, Example
from relsmith.capabilities import Limited
from relsmith.validation import findings

ROUNDS = 5
GENERATORS = ("clutrr", "analogy", "cloze", "relinf", "comparatives")
OPTIONS = {"clutrr": {"k": "2..10", "noise": "supporting"}}


def make(folder: Path) -> None:
    """Make every row without writing."""
    manifest = Dataset(folder).manifest
    generator = relsmith.make(manifest.generator, **manifest.options)
    for split, rows in manifest.splits.items():
        for _ in generator.examples(rows, split=split, splits=tuple(manifest.splits)):
            pass


def judge(folder: Path) -> None:
    """Read and judge every row."""
    manifest = Dataset(folder).manifest
    generator = relsmith.make(manifest.generator, **manifest.options)
    for file in manifest.files:
        with (folder / file.name).open("rb") as lines:
            for line in lines:
                assert not findings(generator, Example.parse(line))


def verify(folder: Path) -> None:
    """Run `gen verify`."""
    assert not list(relsmith.verify(folder))


def seconds(work: Callable[[Path], None], folder: Path) -> float:
    """Return the processor time of one run."""
    start = time.process_time()
    work(folder)
    return time.process_time() - start


def main() -> None:
    """Print the ratio per generator."""
    wanted = int((*sys.argv, "4000")[1])
    for name in sys.argv[2:] or GENERATORS:
        generator = relsmith.make(name, **OPTIONS.get(name, {}))
        splits = ("train", "test")
        capacity = Limited.of(generator).capacity(splits, 0) or dict.fromkeys(splits, wanted)
        rows = {split: min(wanted // 2, capacity[split]) for split in splits}
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / name
            relsmith.write(generator, folder, rows)
            works = (make, judge, verify)
            rounds = [[seconds(work, folder) for work in works] for _ in range(ROUNDS)]
        making, judging, verifying = map(min, zip(*rounds, strict=True))
        total = sum(rows.values())
        print(
            f"{name:14} {total:6,} rows   judging {judging / total * 1e6:7.1f} µs a row   "
            f"verifying {verifying / total * 1e6:7.1f} ({total / verifying:6,.0f} rows/s)   "
            f"per judging {verifying / judging:.2f}   per making {verifying / making:.1f}"
        )


if __name__ == "__main__":
    main()
