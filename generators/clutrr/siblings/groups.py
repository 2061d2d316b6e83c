"""Rows that belong together: the questions about a story, or a story and its siblings.

Groups follow one another without regard to blocks: each is made by the block in which it begins.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import orjson

from ....block import Block
from ....example import Example
from ..rows import Rows
from .perturbation import Siblings

if TYPE_CHECKING:
    from ..generator import Clutrr

_KEPT = 64
_ends: dict[tuple["Clutrr", Block], list[bytes]] = {}
"""The rows at the end of a block's last group that stand in the next block, for the last blocks."""


def grouped(options: "Clutrr", block: Block) -> Iterator[Example]:
    """The rows of the block: the end of a group begun in the one before, then its own."""
    numbers = block.numbers
    if numbers.start % options.together:
        before = replace(block, index=block.index - 1)
        if (options, before) not in _ends:
            for _ in _begun(options, before):
                pass
        yield from map(Example.parse, _ends[options, before])
    yield from _begun(options, block)


def _begun(options: "Clutrr", block: Block) -> Iterator[Example]:
    """The rows of the block that belong to groups which begin in it."""
    rows = Rows(options, block)
    maker = Siblings(rows) if options.siblings else rows
    left = block.numbers.stop - rows.plots.begun.start * options.together
    for number in range(len(rows.plots.begun)):
        group = maker.group(number)
        if len(group) >= left:
            while len(_ends) >= _KEPT:
                _ends.pop(next(iter(_ends)))
            _ends[options, block] = [orjson.dumps(row) for row in group[left:]]
        yield from group[: max(left, 0)]
        left -= len(group)
