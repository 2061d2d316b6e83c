"""The unit of production: a fixed run of row numbers with streams of its own."""

from dataclasses import dataclass
from functools import cached_property

from .seed import Deal, Stream, key

ROWS_PER_BLOCK = 256


def row_id(generator: str, version: int, seed: int, split: str, n: int) -> str:
    """The id of a row of a dataset."""
    return f"{generator}-v{version}-s{seed}-{split}-{n}"


@dataclass(frozen=True)
class Block:
    """A run of consecutive rows of one split.

    A generator makes every row of a block, in order, from the block alone: what it draws
    depends on names and numbers here, never on options, shards, workers or dataset size.
    """

    generator: str
    version: int
    seed: int
    splits: tuple[str, ...]
    split: str
    index: int

    @cached_property
    def numbers(self) -> range:
        """The numbers of the block's rows within the split."""
        return range(self.index * ROWS_PER_BLOCK, (self.index + 1) * ROWS_PER_BLOCK)

    @cached_property
    def ids(self) -> list[str]:
        """The ids of the block's rows; no option is in them, so that variants can be paired."""
        first = row_id(self.generator, self.version, self.seed, self.split, self.numbers.start)
        stem = first.removesuffix(str(self.numbers.start))
        return [stem + str(n) for n in self.numbers]

    def id(self, n: int) -> str:
        """The id of row n."""
        return self.ids[n - self.numbers.start]

    def stream(self, purpose: str) -> Stream:
        """The block's stream for one purpose; purposes do not disturb one another."""
        return Stream(self.generator, self.version, self.seed, self.split, self.index, purpose)

    def owns(self, content: str) -> bool:
        """Whether this split, of all the dataset's, is the one that may have such a row.

        For rows that cannot be numbered and dealt: draw again until this is true.
        """
        if len(self.splits) == 1:
            return True
        owner = key(self.generator, self.version, self.seed, "owner", content) % len(self.splits)
        return self.splits[owner] == self.split

    def deal(self, size: int, purpose: str) -> "SplitDeal":
        """A shuffled deck of `size` cards, dealt out among the splits without overlap."""
        deck = Deal(size, self.generator, self.version, self.seed, "deal", purpose)
        return SplitDeal(deck, self.splits.index(self.split), len(self.splits))


@dataclass(frozen=True)
class SplitDeal:
    """One split's hand of a shuffled deck: `hand[n]` is its card for row n."""

    deck: Deal
    seat: int
    seats: int

    def __getitem__(self, n: int) -> int:
        return self.deck[n * self.seats + self.seat]
