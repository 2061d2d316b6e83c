"""A small correct generator, and an engine that stops."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, ClassVar

from pydantic import BaseModel, Field

from relsmith import Block, Example, Generator, Local


class Metadata(BaseModel):
    """The two numbers."""

    a: int
    b: int


class Tiny(Generator):
    """Sums of two numbers."""

    name: ClassVar[str] = "tiny"
    version: ClassVar[int] = 1
    Metadata: ClassVar[type[BaseModel]] = Metadata

    most: int = Field(9, ge=1, description="the second number is at most so large")

    def rows(self, block: Block) -> Iterator[Example]:
        """Take the first number from a permutation, draw the second."""
        first, second = block.permutation(10**9, "first"), block.stream("second")
        for n in block.numbers:
            yield self.example(block.id(n), first[n], 1 + second.below(self.most))

    def example(self, row: str, a: int, b: int) -> Example:
        """Return the row for a and b."""
        return Example(row, f"What is {a} plus {b}?", [], str(a + b), {"a": a, "b": b})

    def replay(self, example: Example) -> list[str]:
        """Check the sum."""
        total = example.metadata["a"] + example.metadata["b"]
        return [] if example.target == str(total) else [f"the sum is {total}"]

    def problems(self, example: Example) -> list[str]:
        """Parse the text and subtract."""
        found = re.fullmatch(r"What is (\d+) plus (\d+)\?", example.input)
        if not found:
            return ["the text cannot be read"]
        a, b = map(int, found.groups())
        if example.metadata != {"a": a, "b": b}:
            return [f"the text adds {a} and {b}, not {example.metadata}"]
        right = example.target.isdecimal() and int(example.target) - a == b
        return [] if right else [f"target {example.target!r} is not the sum"]


class Stopping:
    """An engine that is interrupted after `shards` shards."""

    def __init__(self, shards: int) -> None:
        self.shards = shards

    def map_shards(self, work: Any, specs: Sequence[Any]) -> Iterator[Any]:
        """Run some of the shards."""
        yield from islice(Local().map_shards(work, specs), self.shards)
        raise KeyboardInterrupt
