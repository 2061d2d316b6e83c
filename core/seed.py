"""Reproducible randomness: streams and permutations keyed by a hash, equal on every machine."""

import hashlib
import json
import random
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

T = TypeVar("T")

_RANDOM_VALUES: Final = 1 << 53
"""The number of different values that `random()` returns."""


def hash_key(*parts: str | int) -> int:
    """Hash the parts to 256 bits; different lists of parts never share an encoding."""
    return int.from_bytes(hashlib.sha256(json.dumps(parts).encode()).digest(), "big")


class Stream:
    """A stream of random draws.

    All methods use Python's `Random.random()`, the one method whose sequence is promised never to
    change, so that rows do not depend on the version of Python. A stream is seeded by its first
    draw, because a block has many streams and options leave most of them unused.
    """

    __slots__ = ("_draw", "_parts")

    def __init__(self, *parts: str | int) -> None:
        self._parts = parts
        self._draw: Callable[[], float] | None = None

    def random(self) -> float:
        """Draw a number from 0 to 1, without 1."""
        if self._draw is None:
            self._draw = random.Random(hash_key(*self._parts)).random  # noqa: S311 (no secrets)
        return self._draw()

    def below(self, n: int) -> int:
        """Draw a whole number from 0 to n - 1."""
        if not 0 < n <= _RANDOM_VALUES:
            return self._below_any(n)
        return int(self.random() * n)

    def _below_any(self, n: int) -> int:
        if n < 1:
            raise ValueError(f"expected n of 1 or more, but got {n}")
        drawn = 0
        for _ in range(2 + n.bit_length() // 53):
            drawn = drawn << 53 | int(self.random() * _RANDOM_VALUES)
        return drawn % n

    def choice(self, items: Sequence[T]) -> T:
        """Draw one of the items."""
        return items[int(self.random() * len(items))]

    def weighted_index(self, cumulative: list[float]) -> int:
        """Draw an index by weights, given as cumulative sums."""
        number, drawn = 0, self.random() * cumulative[-1]
        while cumulative[number] <= drawn:
            number += 1
        return number

    def shuffle(self, items: list[T]) -> None:
        """Shuffle the items in place."""
        random = self.random
        for last in range(len(items) - 1, 0, -1):
            other = int(random() * (last + 1))
            items[last], items[other] = items[other], items[last]

    def sample(self, items: Sequence[T], n: int) -> list[T]:
        """Draw `n` different items, in random order."""
        pool = list(items)
        if not 0 <= n <= len(pool):
            raise ValueError(f"cannot draw {n} of {len(pool)} items")
        for at in range(n):
            other = at + int(self.random() * (len(pool) - at))
            pool[at], pool[other] = pool[other], pool[at]
        return pool[:n]


_ROUNDS: Final = 6
_WORD: Final = (1 << 64) - 1


class Permutation:
    """A random permutation of `range(size)`, computed item by item in constant memory.

    A Feistel network with cycle walking, hence a bijection: items never repeat.
    """

    __slots__ = ("_half", "_keys", "_mask", "size")

    def __init__(self, size: int, *parts: str | int) -> None:
        if size < 1:
            raise ValueError(f"a permutation needs size >= 1, but got size={size}")
        self.size = size
        self._half = max(1, ((size - 1).bit_length() + 1) // 2)
        self._mask = (1 << self._half) - 1
        self._keys = [hash_key(*parts, "round", at) & _WORD for at in range(_ROUNDS)]

    def __getitem__(self, n: int) -> int:
        if not 0 <= n < self.size:
            raise IndexError(f"index {n} of a permutation of {self.size}")
        value = self._mix(n)
        while value >= self.size:
            value = self._mix(value)
        return value

    def _mix(self, value: int) -> int:
        half, mask = self._half, self._mask
        left, right = value >> half, value & mask
        if half > 64:
            for round_key in self._keys:
                left, right = right, left ^ (_hash_bits(right, round_key, half) & mask)
            return (left << half) | right
        # Any: if a signal interrupts the product of two large `int`s, mypyc's code aborts.
        z: Any
        for round_key in self._keys:
            # The finalizer of splitmix64 over the sum of value and round key.
            z = (right + round_key) & _WORD
            z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
            left, right = right, left ^ ((z ^ (z >> 31)) & mask)
        return (left << half) | right


def _hash_bits(value: int, round_key: int, bits: int) -> int:
    """Return at least `bits` hashed bits, for permutations with halves above 64 bits."""
    blocks = range(-(-bits // 256))
    return sum(hash_key(value, round_key, block) << 256 * block for block in blocks)
