"""Generators that each violate one requirement."""

import random
from collections.abc import Iterator
from itertools import islice
from typing import ClassVar

from tiny_generator import Metadata, Tiny

from relsmith import Block, Example, Permutation, Stream


class Remembering(Tiny):
    """Rows depend on previously made rows."""

    made: ClassVar[list[int]] = [0]

    def rows(self, block: Block) -> Iterator[Example]:
        """Add the number of all rows made so far."""
        for example in super().rows(block):
            self.made[0] += 1
            a, b = example.metadata["a"], example.metadata["b"] + self.made[0]
            yield self.example(example.id, a, b)


class HashOrdered(Tiny):
    """Rows depend on the order of a set of strings."""

    def rows(self, block: Block) -> Iterator[Example]:
        """Add the first item of a set."""
        first = next(iter({f"word {n}" for n in range(1000)}))
        for example in super().rows(block):
            a, b = example.metadata["a"], example.metadata["b"] + int(first.split()[1])
            yield self.example(example.id, a, b)


class Unjudging(Tiny):
    """The judge accepts everything."""

    def problems(self, example: Example) -> list[str]:
        """Report no finding."""
        return []


class Targetless(Tiny):
    """The judge checks everything but the target."""

    def problems(self, example: Example) -> list[str]:
        """Judge the row with the right target."""
        right = str(example.metadata["a"] + example.metadata["b"])
        return super().problems(
            Example(example.id, example.input, example.choices, right, example.metadata)
        )


class Seedless(Tiny):
    """All seeds give the same rows."""

    def rows(self, block: Block) -> Iterator[Example]:
        """Ignore the seed."""
        deck, seat = Permutation(10**9, "seedless"), block.splits.index(block.split)
        for n in block.numbers:
            yield self.example(block.id(n), deck[n * len(block.splits) + seat], 1)


class Splitless(Tiny):
    """All splits give the same rows."""

    def rows(self, block: Block) -> Iterator[Example]:
        """Ignore the split."""
        stream = Stream(self.name, block.seed, block.index)
        for n in block.numbers:
            yield self.example(block.id(n), stream.below(10**9), 1)


class Unseeded(Tiny):
    """Rows use the global random module."""

    def rows(self, block: Block) -> Iterator[Example]:
        """Draw from the global random module."""
        for n in block.numbers:
            yield self.example(block.id(n), random.randrange(10**9), 1)


class Wrong(Tiny):
    """Rows that the judge rejects, though the certificate replays."""

    def rows(self, block: Block) -> Iterator[Example]:
        """Change the input."""
        for example in super().rows(block):
            example.input = "What?"
            yield example


class Short(Tiny):
    """Blocks lack their last row."""

    def rows(self, block: Block) -> Iterator[Example]:
        """Stop one row early."""
        yield from islice(super().rows(block), len(block.numbers) - 1)


class Silent(Tiny):
    """Blocks are empty."""

    def rows(self, block: Block) -> Iterator[Example]:
        """Yield nothing."""
        return iter(())


class Misnamed(Tiny):
    """Row 3 has the id of row 2."""

    def rows(self, block: Block) -> Iterator[Example]:
        """Repeat an id."""
        for n, example in enumerate(super().rows(block)):
            if n == 3:
                example.id = block.id(2)
            yield example


class Uncertified(Tiny):
    """Row 5 has a wrong target."""

    def rows(self, block: Block) -> Iterator[Example]:
        """Change one target."""
        for n, example in enumerate(super().rows(block)):
            if n == 5:
                example.target += "0"
            yield example


class Unwritable(Tiny):
    """Row 300 is not JSON."""

    def rows(self, block: Block) -> Iterator[Example]:
        """Put a set into the metadata."""
        for n, example in zip(block.numbers, super().rows(block), strict=True):
            if n == 300:
                example.metadata["set"] = {1, 2}
            yield example


class Keyed(Tiny):
    """Rows have a mapping with different keys."""

    class Metadata(Metadata):
        """Metadata with the numbers by name."""

        by_name: dict[str, int]

    def rows(self, block: Block) -> Iterator[Example]:
        """Name the numbers differently in each row."""
        for example in super().rows(block):
            example.metadata["by_name"] = {f"n{example.metadata['a']}": 1}
            yield example


class Mixed(Tiny):
    """Metadata in which a number may be a string."""

    class Metadata(Metadata):
        """Metadata with the first number again."""

        again: list[int | str]

    def rows(self, block: Block) -> Iterator[Example]:
        """Write every second number as a word."""
        for n, example in enumerate(super().rows(block)):
            example.metadata["again"] = [n if n % 2 else str(n)]
            yield example


class Whole(Tiny):
    """A float with an integral value is written as an integer."""

    class Metadata(Metadata):
        """Metadata with a share."""

        share: float

    def rows(self, block: Block) -> Iterator[Example]:
        """Alternate between two shares."""
        for n, example in enumerate(super().rows(block)):
            example.metadata["share"] = 0.5 if n % 2 else 1
            yield example


class Dated(Tiny):
    """Rows have ISO dates."""

    class Metadata(Metadata):
        """Metadata with a date."""

        day: str

    def rows(self, block: Block) -> Iterator[Example]:
        """Add a date to every row."""
        for n, example in enumerate(super().rows(block)):
            example.metadata["day"] = f"2024-05-{n % 28 + 1:02}"
            yield example


class Sometimes(Tiny):
    """Some rows lack a field."""

    class Metadata(Metadata):
        """Metadata with an optional note."""

        note: str = ""

    def rows(self, block: Block) -> Iterator[Example]:
        """Add a note to every second row."""
        for n, example in enumerate(super().rows(block)):
            if n % 2:
                example.metadata["note"] = "odd"
            yield example


class Exiting(Tiny):
    """Making rows exits the program with code 0."""

    def rows(self, block: Block) -> Iterator[Example]:
        """Exit the program."""
        raise SystemExit(0)
