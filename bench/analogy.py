"""CPU time of analogies over a relation folder, relative to orjson for the same rows.

    python bench/analogy.py [FOLDER]

All probes in both settings, one process, CPU time: reading the relations, drawing the negatives,
making, replaying and writing every row. The baseline encodes the same rows, already in memory,
with orjson and writes them to a file. Target: at most 3 times as long. Without a folder, the
relation sets that come with relsmith.
"""

import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import orjson

from relsmith import write
from relsmith.generators.analogy import Analogy
from relsmith.kb.relations import SHIPPED

CHUNK = 20_000
SPLITS = ("train", "test")
ROUNDS = 5


def written(folder: str) -> tuple[float, int]:
    """Return CPU seconds for the whole dataset, and its rows."""
    with tempfile.TemporaryDirectory() as out:
        start = time.process_time()
        generator = Analogy.configure({"relations": folder})
        manifest = write(generator, Path(out) / "dataset", generator.capacity(SPLITS, 0))
        return time.process_time() - start, sum(manifest.splits.values())


def encoded(folder: str) -> float:
    """Return CPU seconds for orjson to write the rows."""
    generator = Analogy.configure({"relations": folder})
    seconds = 0.0
    with tempfile.TemporaryDirectory() as out, (Path(out) / "rows.jsonl").open("wb") as file:
        for split, rows in generator.capacity(SPLITS, 0).items():
            examples = generator.examples(rows, split=split, splits=SPLITS)
            while ready := list(islice(examples, CHUNK)):
                start = time.process_time()
                for row in ready:
                    file.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
                seconds += time.process_time() - start
    return seconds


def main() -> None:
    """Print seconds and their ratio, the best of several rounds."""
    folder = sys.argv[1] if len(sys.argv) > 1 else SHIPPED
    rounds = [(written(folder), encoded(folder)) for _ in range(ROUNDS)]
    (ours, rows), plain = (min(times) for times in zip(*rounds, strict=True))
    print(f"{rows:,} rows in {ours:.2f} s, {rows / ours:,.0f} rows per CPU-second")
    print(f"orjson alone {plain:.2f} s, ratio {ours / plain:.2f} (target: at most 3)")


if __name__ == "__main__":
    main()
