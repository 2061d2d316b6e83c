"""The unit of generation: a fixed range of row numbers with its own random streams."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from .seed import Permutation, Stream, hash_key

ROWS_PER_BLOCK: Final = 256
"""Rows of a block, where a generator does not choose otherwise."""


ENGLISH: Final = "en"
"""The language that ids do not name."""


def row_id(
    generator: str, version: int, seed: int, split: str, n: int, languages: Sequence[str] = ()
) -> str:
    """Return the id of row `n` of a split, whose rows are in these languages in turn."""
    language = languages[n % len(languages)] if languages else ENGLISH
    place = split if language == ENGLISH else f"{language}-{split}"
    return f"{generator}-v{version}-s{seed}-{place}-{n}"


@dataclass(frozen=True)
class Block:
    """A range of consecutive rows of one split.

    A generator makes every row of a block, in order, from the block alone: random draws depend
    on the fields here, never on options, shards, workers or the size of the dataset.
    """

    generator: str
    version: int
    seed: int
    splits: tuple[str, ...]
    split: str
    index: int
    variant: str = ""
    """Variants of a generator have random streams of their own; a row's id is the same in all."""
    size: int = ROWS_PER_BLOCK
    languages: tuple[str, ...] = (ENGLISH,)
    """The languages of the rows in turn, which ids name and streams do not depend on."""

    @cached_property
    def numbers(self) -> range:
        """The row numbers within the split."""
        return range(self.index * self.size, (self.index + 1) * self.size)

    @cached_property
    def ids(self) -> list[str]:
        """The row ids; of the options they contain the language only, so that variants pair."""
        return [self.id(n) for n in self.numbers]

    def id(self, n: int) -> str:
        """Return the id of row `n`, which may be of another block of the split."""
        return row_id(self.generator, self.version, self.seed, self.split, n, self.languages)

    def stream(self, purpose: str) -> Stream:
        """Return the block's random stream for one purpose; streams are independent."""
        key = self.generator, self.version, self.seed, self.split, self.index, purpose
        return Stream(*key, self.variant) if self.variant else Stream(*key)

    def owns(self, content: str) -> bool:
        """Return whether rows with this content belong to this split.

        For rows that cannot be numbered: draw again until this is true.
        """
        if len(self.splits) == 1:
            return True
        owner = hash_key(self.generator, self.version, self.seed, "owner", content) % len(
            self.splits
        )
        return self.splits[owner] == self.split

    def permutation(self, size: int, purpose: str) -> "SplitPermutation":
        """Return a random permutation of `range(size)` that the splits share without overlap."""
        permutation = Permutation(size, self.generator, self.version, self.seed, "deal", purpose)
        return SplitPermutation(permutation, self.splits.index(self.split), len(self.splits))


@dataclass(frozen=True)
class SplitPermutation:
    """One split's share of a permutation: item `n` is the number for row `n`."""

    permutation: Permutation
    split_index: int
    split_count: int

    def __getitem__(self, n: int) -> int:
        return self.permutation[n * self.split_count + self.split_index]
