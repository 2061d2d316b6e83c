"""How fast the dataset writer is beside plain orjson writing of the same rows.

    python bench/writer.py [ROWS]

A trivial generator, one process. The yardstick is a loop that takes the rows ready-made,
encodes them with orjson and writes them to one file; the writer also makes, checks, hashes
and syncs them. Both take turns; the best of five counts. Target: at least 0.5.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import orjson
from pydantic import BaseModel

from relsmith import Block, Example, Generator, write

STORY = "Ann has 2 apples. " * 9 + "Ben gives her 4 more. How many has she?"
FACTS = [["Ann", "has", "2"], ["Ben", "gives", "4"]]


class Metadata(BaseModel):
    """What a trivial row holds."""

    a: int
    b: int
    facts: list[list[str]]


class Trivial(Generator):
    """Rows that cost next to nothing to make."""

    name: ClassVar[str] = "trivial"
    version: ClassVar[int] = 1
    Metadata: ClassVar[type[BaseModel]] = Metadata

    def rows(self, block: Block) -> Iterator[Example]:
        """Tell the same story time and again."""
        for n in block.numbers:
            yield Example(
                block.id(n),
                STORY,
                [],
                "6",
                {"a": 2, "b": 4, "facts": FACTS},
            )

    def replay(self, example: Example) -> list[str]:
        """Add them again."""
        metadata = example.metadata
        return [] if metadata["a"] + metadata["b"] == 6 else ["wrong sum"]

    def problems(self, example: Example) -> list[str]:
        """The same as the certificate: this generator only serves to measure the writer."""
        return self.replay(example)


def seconds(work: Callable[[Path], None]) -> float:
    """Time one go in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        work(Path(folder))
        return time.perf_counter() - start


def main() -> None:
    """Print rows per second of both, and the ratio."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    generator = Trivial()
    ready = list(generator.examples(rows))

    def plain(folder: Path) -> None:
        with (folder / "rows.jsonl").open("wb") as file:
            for row in ready:
                file.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))

    def writer(folder: Path) -> None:
        write(generator, folder / "dataset", {"train": rows})

    times = [(seconds(plain), seconds(writer)) for _ in range(5)]
    best_plain, best_writer = (min(column) for column in zip(*times, strict=True))
    print(f"plain orjson   {rows / best_plain:12,.0f} rows/s")
    print(f"dataset writer {rows / best_writer:12,.0f} rows/s")
    print(f"ratio          {best_plain / best_writer:12.2f}")


if __name__ == "__main__":
    main()
