"""Realization without a sentence bank, as plain sentences or bare facts."""

from functools import cache

from ....kb.worlds.stories import StorySpec
from ....seed import Stream
from ..story import Segment


@cache
def plain_frames(stories: StorySpec, word: str) -> list[tuple[str, str]]:
    """Return the plain frames for a relation word, by id, with {x} and {y} left open."""
    article = "an" if word[0] in "aeiou" else "a"
    return [
        (f"plain-{number}", frame.replace("{word}", word).replace("{a}", article))
        for number, frame in enumerate(stories.plain)
        if word not in stories.unique_words or "{a}" not in frame
    ]


def plain_segments(
    stories: StorySpec, facts: list[list[str]], numbers: list[int], stream: Stream
) -> list[Segment]:
    """Return a short sentence for each of these facts; the relation word shows the gender."""
    segments: list[Segment] = []
    for number in numbers:
        x, word, y = facts[number]
        template, text = stream.choice(plain_frames(stories, word))
        text = text.replace("{x}", x).replace("{y}", y)
        segments.append(Segment(text, [number], template))
    return segments


def bare_segments(facts: list[list[str]], numbers: list[int]) -> list[Segment]:
    """Return these facts as in the metadata: (x, word, y), y is the word of x."""
    return [Segment(f"({', '.join(facts[number])})", [number], "fact") for number in numbers]
