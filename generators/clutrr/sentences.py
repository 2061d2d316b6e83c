"""The plain style: a short sentence for each fact."""

from functools import cache

FAMILY = (
    "{y} is {x}'s {word}.",
    "{x}'s {word} is {y}.",
    "{x} has {a} {word} called {y}.",
    "{x}'s {word} goes by the name of {y}.",
    "The name of {x}'s {word} is {y}.",
    "{y} is {a} {word} of {x}.",
)
# Nobody has two of these, so nobody has "a" mother.
_UNIQUE = frozenset("father mother husband wife father-in-law mother-in-law".split())


@cache
def plain_frames(frames: tuple[str, ...], word: str) -> list[tuple[str, str]]:
    """Those that fit a relation, by id, with the relation filled in and {x} and {y} left."""
    article = "an" if word[0] in "aeiou" else "a"
    return [
        (f"plain-{at}", frame.replace("{word}", word).replace("{a}", article))
        for at, frame in enumerate(frames)
        if word not in _UNIQUE or "{a}" not in frame
    ]
