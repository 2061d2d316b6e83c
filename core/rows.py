"""One split of a generator as a lazy sequence of rows."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from .example import Example

if TYPE_CHECKING:
    from .generator import Generator


@dataclass(frozen=True)
class Rows:
    """The rows of one split: `rows[7]`, `rows[:5]`, `for row in rows`.

    The sequence is unlimited unless the generator has a capacity. Accessing one row generates its
    block up to that row; use a slice or iterate for many.
    """

    generator: "Generator"
    split: str
    splits: tuple[str, ...]
    seed: int

    @overload
    def __getitem__(self, key: int) -> Example: ...
    @overload
    def __getitem__(self, key: slice) -> list[Example]: ...
    def __getitem__(self, key: int | slice) -> Example | list[Example]:
        numbers = self._numbers(key)
        if isinstance(numbers, int):
            return next(self._between(numbers, numbers + 1))
        if numbers.step == 1:
            return list(self._between(numbers.start, numbers.stop))
        return [self[n] for n in numbers]

    def __iter__(self) -> Iterator[Example]:
        return self._between(0, self._end() or sys.maxsize)

    def _numbers(self, key: int | slice) -> int | range:
        end, name = self._end(), self.generator.name
        if end is None and not _counts_from_the_start(key):
            raise IndexError(f"{name} has no last row; use indices from 0 and give slices a stop")
        try:
            return range(sys.maxsize if end is None else end)[key]
        except IndexError:
            raise IndexError(f"{name} has {end} rows for {self.split!r}, no row {key}") from None

    def _end(self) -> int | None:
        capacity = self.generator.capacity(self.splits, self.seed)
        return capacity[self.split] if capacity else None

    def _between(self, start: int, stop: int) -> Iterator[Example]:
        return self.generator.examples(
            stop, start=start, seed=self.seed, split=self.split, splits=self.splits
        )


def _counts_from_the_start(key: int | slice) -> bool:
    if isinstance(key, slice):
        return (key.start or 0) >= 0 and key.stop is not None and key.stop >= 0
    return key >= 0
