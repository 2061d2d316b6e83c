"""The plain style: a short sentence for each fact."""

from functools import cache

from ...kb.stories import Stories


@cache
def plain_frames(stories: Stories, word: str) -> list[tuple[str, str]]:
    """Those that fit a relation, by id, with the relation filled in and {x} and {y} left."""
    article = "an" if word[0] in "aeiou" else "a"
    return [
        (f"plain-{at}", frame.replace("{word}", word).replace("{a}", article))
        for at, frame in enumerate(stories.plain)
        if word not in stories.unique or "{a}" not in frame
    ]
