"""Randomness that is named: streams and deals keyed by hash, the same on every machine."""

import hashlib
import json
import random
from collections.abc import Sequence
from typing import Final, TypeVar

T = TypeVar("T")

_FINEST: Final = 1 << 53
"""As many different values as `random()` has."""


def key(*parts: str | int) -> int:
    """Hash the parts to 256 bits; no two different lists of parts are ever mixed up."""
    return int.from_bytes(hashlib.sha256(json.dumps(parts).encode()).digest(), "big")


class Stream:
    """A stream of draws.

    Everything is built on `random()`, the one method whose sequence Python promises never
    to change, so that the rows drawn from it outlive the interpreter's version.
    """

    __slots__ = ("random",)

    def __init__(self, *parts: str | int) -> None:
        self.random = random.Random(key(*parts)).random  # noqa: S311 (not for secrets)

    def below(self, n: int) -> int:
        """Draw a whole number from 0 to n - 1."""
        if not 0 < n <= _FINEST:
            return self._below_any(n)
        return int(self.random() * n)

    def _below_any(self, n: int) -> int:
        if n < 1:
            raise ValueError(f"expected a number from 1 up to draw below, but got {n}")
        drawn = 0
        for _ in range(2 + n.bit_length() // 53):
            drawn = drawn << 53 | int(self.random() * _FINEST)
        return drawn % n

    def choice(self, items: Sequence[T]) -> T:
        """Draw one of the items."""
        return items[int(self.random() * len(items))]

    def shuffle(self, items: list[T]) -> None:
        """Put the items in a random order, in place."""
        random = self.random
        for last in range(len(items) - 1, 0, -1):
            other = int(random() * (last + 1))
            items[last], items[other] = items[other], items[last]

    def sample(self, items: Sequence[T], n: int) -> list[T]:
        """Draw n different items, in random order."""
        pool = list(items)
        if not 0 <= n <= len(pool):
            raise ValueError(f"cannot draw {n} of {len(pool)} items")
        for at in range(n):
            other = at + int(self.random() * (len(pool) - at))
            pool[at], pool[other] = pool[other], pool[at]
        return pool[:n]


_ROUNDS: Final = 6
_WORD: Final = (1 << 64) - 1


class Deal:
    """A shuffled deck of `size` cards that is never laid out: card n is computed.

    A Feistel network with cycle walking, hence a bijection: rows that draw card after card
    are distinct, and those of one split are never those of another.
    """

    __slots__ = ("_half", "_keys", "_mask", "size")

    def __init__(self, size: int, *parts: str | int) -> None:
        if size < 1:
            raise ValueError(f"a deal needs at least one card, but got size={size}")
        self.size = size
        self._half = max(1, ((size - 1).bit_length() + 1) // 2)
        self._mask = (1 << self._half) - 1
        self._keys = [key(*parts, "round", at) & _WORD for at in range(_ROUNDS)]

    def __getitem__(self, n: int) -> int:
        if not 0 <= n < self.size:
            raise IndexError(f"card {n} of a deck of {self.size}")
        card = self._mix(n)
        while card >= self.size:
            card = self._mix(card)
        return card

    def _mix(self, card: int) -> int:
        half, mask = self._half, self._mask
        left, right = card >> half, card & mask
        if half > 64:
            for round_key in self._keys:
                left, right = right, left ^ (_wide(right, round_key, half) & mask)
            return (left << half) | right
        for round_key in self._keys:
            # The finaliser of splitmix64, with the round's key added in.
            z = (right + round_key) & _WORD
            z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
            left, right = right, left ^ ((z ^ (z >> 31)) & mask)
        return (left << half) | right


def _wide(value: int, round_key: int, bits: int) -> int:
    """As many hashed bits as a half of a very large deck has."""
    blocks = range(-(-bits // 256))
    return sum(key(value, round_key, block) << 256 * block for block in blocks)
