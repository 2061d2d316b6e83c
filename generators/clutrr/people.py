"""The pool of names, and how rows draw from it without anyone being called like another."""

from functools import cache
from importlib.resources import files

import yaml

from ...seed import Stream


@cache
def pool() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names that ship with relsmith, male and female."""
    text = (files(__package__) / "names.yaml").read_text(encoding="utf-8")
    found = yaml.safe_load(text)
    return tuple(found["male"].split()), tuple(found["female"].split())


class Names:
    """Draws names; those given out for a row come back for the next."""

    def __init__(self, male: tuple[str, ...], female: tuple[str, ...]) -> None:
        self._pools = (list(female), list(male))
        self._swaps: tuple[list[int], list[int]] = ([], [])

    def start(self) -> None:
        """Begin a row: every name is free again, and in its old place."""
        for pool, swaps in zip(self._pools, self._swaps, strict=True):
            for first in reversed(range(len(swaps))):
                at = swaps[first]
                pool[first], pool[at] = pool[at], pool[first]
            swaps.clear()

    def draw(self, male: bool, stream: Stream) -> str:
        """A name that nobody in the row has yet."""
        pool, swaps = self._pools[male], self._swaps[male]
        first = len(swaps)
        at = first + int(stream.random() * (len(pool) - first))
        pool[first], pool[at] = pool[at], pool[first]
        swaps.append(at)
        return pool[first]
