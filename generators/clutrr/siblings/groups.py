"""Groups of rows: the questions about a story, or a story and its siblings.

Groups follow one another without regard to blocks: each is made by the block in which it begins.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import orjson

from ....block import Block
from ....example import Example
from ..rows import RowBuilder
from .perturbation import SiblingBuilder

if TYPE_CHECKING:
    from ..generator import Clutrr

_MAX_BLOCKS = 64
_overlaps: dict[tuple["Clutrr", Block], list[bytes]] = {}
"""For recent blocks, the rows of the last group that belong to the next block."""


def grouped(options: "Clutrr", block: Block) -> Iterator[Example]:
    """Yield the rows of a block, first those of a group begun in the block before."""
    if block.numbers.start % options.group_size:
        before = replace(block, index=block.index - 1)
        if (options, before) not in _overlaps:
            for _ in _groups_begun(options, before):
                pass
        yield from map(Example.parse, _overlaps[options, before])
    yield from _groups_begun(options, block)


def _groups_begun(options: "Clutrr", block: Block) -> Iterator[Example]:
    """Yield the rows of the block that belong to groups which begin in it."""
    rows = RowBuilder(options, block)
    builder = SiblingBuilder(rows) if options.siblings else rows
    left = block.numbers.stop - rows.plan.story_numbers.start * options.group_size
    for index in range(len(rows.plan.story_numbers)):
        group = builder.group(index)
        if len(group) >= left:
            while len(_overlaps) >= _MAX_BLOCKS:
                _overlaps.pop(next(iter(_overlaps)))
            _overlaps[options, block] = [orjson.dumps(row) for row in group[left:]]
        yield from group[: max(left, 0)]
        left -= len(group)
