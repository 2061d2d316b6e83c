"""CPU time of `gen clutrr` relative to plain orjson for the same rows.

    python bench/limit.py [ROWS] [K]

Nothing that writes JSON lines can be faster than a loop that encodes rows in memory and writes them
to a file. `gen clutrr` also plans, realizes and certifies stories, hashes and syncs; the
distance is the ratio of the two times. One process, CPU time, in turns; the best round of each
counts. Goal: at most 6 times at k = 4, compiled (`make bench` runs it so).
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson

from relsmith import make, write

ROUNDS = 5
FORMATS = ("jsonl", "jsonl.gz", "jsonl.zst", "parquet")


def seconds(work: Callable[[Path], object]) -> float:
    """Return the CPU time of one run in its own folder."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        work(Path(folder))
        return time.process_time() - start


def main() -> None:
    """Print rows per second of each, and the distance."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    k = sys.argv[2] if len(sys.argv) > 2 else "4"
    generator = make("clutrr", k=k)
    ready = [row.record() for row in generator.examples(rows)]

    def plain(folder: Path) -> None:
        with (folder / "rows.jsonl").open("wb") as file:
            for row in ready:
                file.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))

    def making(folder: Path) -> None:
        for _ in generator.examples(rows):
            pass

    def writing(encoding: str) -> Callable[[Path], object]:
        return lambda folder: write(
            generator,
            folder / "dataset",
            {"train": rows},
            encoding=encoding,  # type: ignore[arg-type]  # one of them
        )

    works = {"plain orjson, rows ready-made": plain, "rows made, not written": making}
    works |= {f"gen clutrr --k {k} --format {name}": writing(name) for name in FORMATS}
    rounds = [{name: seconds(work) for name, work in works.items()} for _ in range(ROUNDS)]
    best = {name: min(times[name] for times in rounds) for name in works}
    limit = best["plain orjson, rows ready-made"]
    size = sum(len(orjson.dumps(row)) + 1 for row in ready) / rows
    print(f"{rows} rows of {size:.0f} bytes")
    for name, taken in best.items():
        print(f"{name:36} {rows / taken:10,.0f} rows/s   {taken / limit:6.1f} times orjson")


if __name__ == "__main__":
    main()
