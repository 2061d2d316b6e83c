"""Facts told without a sentence bank, plainly or bare, and noise put between what is told."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from ....kb.worlds.stories import Stories
from ....seed import Stream
from ....templates.stitcher import Line, Order


@cache
def plain_frames(stories: Stories, word: str) -> list[tuple[str, str]]:
    """Those that fit a relation, by id, with the relation filled in and {x} and {y} left."""
    article = "an" if word[0] in "aeiou" else "a"
    return [
        (f"plain-{number}", frame.replace("{word}", word).replace("{a}", article))
        for number, frame in enumerate(stories.plain)
        if word not in stories.unique or "{a}" not in frame
    ]


def plainly(stories: Stories, facts: list[list[str]], first: int, stream: Stream) -> list[Line]:
    """A short sentence for each fact, numbered from the first; the word says the gender."""
    lines: list[Line] = []
    for number, (x, word, y) in enumerate(facts, first):
        template, text = stream.choice(plain_frames(stories, word))
        text = text.replace("{x}", x).replace("{y}", y)
        lines.append(Line(text, number, number, template))
    return lines


def barely(facts: list[list[str]], first: int) -> list[Line]:
    """Facts as they stand in the metadata: (x, word, y), y is the word of x."""
    return [
        Line(f"({', '.join(fact)})", number, number, _BARE)
        for number, fact in enumerate(facts, first)
    ]


_BARE: Final = "fact"
"""The template of a bare fact."""


def mixed(lines: list[Line], noise: Sequence[Line], order: Order, stream: Stream) -> None:
    """Put noise between what is told, in one piece where the story is told in order."""
    if order == "narrative":
        place = stream.below(len(lines) + 1)
        lines[place:place] = noise
    else:
        for line in noise:
            lines.insert(stream.below(len(lines) + 1), line)
