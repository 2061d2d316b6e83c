"""Groups of rows: the questions about a story, or a story and its siblings.

Groups follow one another without regard to blocks: each is made by the block in which it begins.
"""

from collections.abc import Iterator
from dataclasses import replace

import orjson

from ....block import Block
from ....example import Example
from ..options import StoryOptions
from ..rows import RowBuilder
from .perturbation import SiblingBuilder

_MAX_BLOCKS = 64
_overlaps: dict[tuple[StoryOptions, Block], list[bytes]] = {}
"""For recent blocks, the rows of the last group that belong to the next block."""


def rows_of_block(options: StoryOptions, block: Block) -> Iterator[Example]:
    """Yield the rows of a block, first those of a group begun in the block before."""
    if block.numbers.start % options.group_size:
        before = replace(block, index=block.index - 1)
        if (options, before) not in _overlaps:
            for _ in _groups_begun(options, before):
                pass
        yield from map(Example.parse, _overlaps[options, before])
    yield from _groups_begun(options, block)


def _groups_begun(options: StoryOptions, block: Block) -> Iterator[Example]:
    """Yield the rows of the block that belong to groups which begin in it."""
    rows = RowBuilder(options, block)
    builder = SiblingBuilder(rows) if options.siblings else rows
    left = block.numbers.stop - rows.plan.story_numbers.start * options.group_size
    for index in range(len(rows.plan.story_numbers)):
        group = builder.group(index)
        if len(group) > left:
            while len(_overlaps) >= _MAX_BLOCKS:
                _overlaps.pop(next(iter(_overlaps)))
            _overlaps[options, block] = [orjson.dumps(row) for row in group[left:]]
        yield from group[:left]
        left -= len(group)
