"""Speed of the dataset writer relative to plain orjson for the same rows.

    python bench/writer.py [ROWS]

A trivial generator, one process. Two baselines: a loop that makes the rows, encodes them with
orjson and writes them to one file, as a simple script would; and the same
with rows that are already in memory. The writer makes the rows too, checks
ids, replays certificates, hashes and syncs. All take turns; the best round of each counts.
Target: at least 0.5 of the first.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import ClassVar

import orjson
from pydantic import BaseModel

from relsmith import Block, Example, Generator, write
from relsmith.block import ROWS_PER_BLOCK

ROUNDS = 20
STORY = "Ann has 2 apples. " * 9 + "Ben gives her 4 more. How many has she?"
FACTS = [["Ann", "has", "2"], ["Ben", "gives", "4"]]


class Metadata(BaseModel):
    """Metadata of a trivial row."""

    a: int
    b: int
    facts: list[list[str]]


class Trivial(Generator):
    """Generator of rows that cost almost nothing to make."""

    name: ClassVar[str] = "trivial"
    version: ClassVar[int] = 1
    Metadata: ClassVar[type[BaseModel]] = Metadata

    def rows(self, block: Block) -> Iterator[Example]:
        """Yield the same story with other numbers."""
        for row_id in block.ids:
            yield Example(
                row_id,
                STORY,
                [],
                "6",
                {"a": 2, "b": 4, "facts": FACTS},
            )

    def replay(self, example: Example) -> list[str]:
        """Add the numbers again."""
        metadata = example.metadata
        return [] if metadata["a"] + metadata["b"] == 6 else ["wrong sum"]

    def problems(self, example: Example) -> list[str]:
        """Repeat the certificate; this generator only serves to measure the writer."""
        return self.replay(example)


def seconds(work: Callable[[Path], None]) -> float:
    """Time one run in its own folder."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        work(Path(folder))
        return time.perf_counter() - start


def main() -> None:
    """Print rows per second of each, and the ratio."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 40_000
    generator = Trivial()
    ready = list(generator.examples(rows))

    def dump(examples: Iterable[Example], folder: Path) -> None:
        with (folder / "rows.jsonl").open("wb") as file:
            for row in examples:
                file.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))

    def fresh() -> Iterator[Example]:
        for index in range(-(-rows // ROWS_PER_BLOCK)):
            yield from generator.rows(Block("trivial", 1, 0, ("train",), "train", index))

    works: dict[str, Callable[[Path], None]] = {
        "plain orjson, rows made in the loop": lambda folder: dump(islice(fresh(), rows), folder),
        "plain orjson, rows ready-made": lambda folder: dump(ready, folder),
        "dataset writer": lambda folder: _write(generator, folder, rows),
    }
    rounds = [{name: seconds(work) for name, work in works.items()} for _ in range(ROUNDS)]
    best = {name: min(times[name] for times in rounds) for name in works}
    for name, time_taken in best.items():
        ratio = time_taken / best["dataset writer"]
        print(f"{name:36} {rows / time_taken:10,.0f} rows/s   the writer has {ratio:.2f} of it")


def _write(generator: Trivial, folder: Path, rows: int) -> None:
    write(generator, folder / "dataset", {"train": rows})


if __name__ == "__main__":
    main()
