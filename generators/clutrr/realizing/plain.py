"""Realization without a sentence bank, as plain sentences or bare facts."""

from functools import cache

from ....kb.worlds.languages import find_language
from ....kb.worlds.stories import agreeing
from ....kb.worlds.world import World
from ....seed import Stream
from ..story import Segment


@cache
def plain_frames(world: World, word: str) -> list[tuple[str, str]]:
    """Return the plain frames for a relation word, by id, with {x} and {y} left open."""
    stories, article = world.story_spec, find_language(world.language).texts.article(word)
    gender = stories.gender_of_word.get(word)
    return [
        (f"plain-{number}", frame.replace("{word}", word).replace("{a}", article))
        for number, frame in enumerate([agreeing(text, gender) for text in stories.plain])
        if word not in stories.unique_words or "{a}" not in frame
    ]


def plain_segment(world: World, facts: list[list[str]], number: int, stream: Stream) -> Segment:
    """Return a short sentence for one of these facts; the relation word shows the gender."""
    x, word, y = facts[number]
    template, text = stream.choice(plain_frames(world, word))
    return Segment(text.replace("{x}", x).replace("{y}", y), [number], template)


def bare_segment(facts: list[list[str]], number: int) -> Segment:
    """Return one of these facts as in the metadata: (x, word, y), y is the word of x."""
    return Segment(f"({', '.join(facts[number])})", [number], "fact")
