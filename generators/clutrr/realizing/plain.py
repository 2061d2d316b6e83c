"""Realization without a sentence bank, as plain sentences or bare facts."""

from collections.abc import Sequence
from functools import cache

from ....kb.worlds.stories import StorySpec
from ....seed import Stream
from ....templates.stitcher import Line, Order


@cache
def plain_frames(stories: StorySpec, word: str) -> list[tuple[str, str]]:
    """Return the plain frames for a relation word, by id, with {x} and {y} left open."""
    article = "an" if word[0] in "aeiou" else "a"
    return [
        (f"plain-{number}", frame.replace("{word}", word).replace("{a}", article))
        for number, frame in enumerate(stories.plain)
        if word not in stories.unique_words or "{a}" not in frame
    ]


def realize_plain(
    stories: StorySpec, facts: list[list[str]], first: int, stream: Stream
) -> list[Line]:
    """Return a short sentence for each fact, numbered from `first`; the word shows the gender."""
    lines: list[Line] = []
    for number, (x, word, y) in enumerate(facts, first):
        template, text = stream.choice(plain_frames(stories, word))
        text = text.replace("{x}", x).replace("{y}", y)
        lines.append(Line(text, number, number, template))
    return lines


def realize_bare(facts: list[list[str]], first: int) -> list[Line]:
    """Return facts as in the metadata: (x, word, y), y is the word of x."""
    return [
        Line(f"({', '.join(fact)})", number, number, "fact")
        for number, fact in enumerate(facts, first)
    ]


def insert_noise(lines: list[Line], noise: Sequence[Line], order: Order, stream: Stream) -> None:
    """Insert noise at random places; in one piece if the story is in narrative order."""
    if order == "narrative":
        place = stream.below(len(lines) + 1)
        lines[place:place] = noise
    else:
        for line in noise:
            lines.insert(stream.below(len(lines) + 1), line)
