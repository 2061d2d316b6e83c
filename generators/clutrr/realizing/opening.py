"""The opening of a story: its world's conventions, possible answers, and genders."""

from typing import TYPE_CHECKING, Final

from ....kb.worlds.scene import UNSTATED_NUMBER
from ....kb.worlds.world import find_world
from ..asking.question import POSSIBLE, UNKNOWN

if TYPE_CHECKING:
    from ..generator import Clutrr

GENDERS: Final = ["female", "male", "unstated"]
"""Genders by their numbers in a scene."""


def preface(options: "Clutrr") -> list[str]:
    """Return the conventions of the world and the possible answers, as the options want them."""
    if options.conventions == "none":
        return []
    world = find_world(options.world)
    assert world.conventions
    text: str = getattr(world.conventions, options.conventions)
    if options.answer in ("who", "rank", POSSIBLE):
        return [text]  # the question says what to name
    words = sorted({word for words in world.words for word in words})
    if options.answer == "yes-no":
        words = ["yes", "no"]
    elif options.answer in world.parts:
        words = list(world.parts[options.answer].answers)
    if options.unknown_share:
        words.append(UNKNOWN)
    return [text, f"The answer is one of these: {', '.join(words)}."]


def gender_sentence(genders: list[list[str]]) -> str:
    """Return a sentence that says who is female and who is male."""
    parts = []
    for gender in GENDERS[:UNSTATED_NUMBER]:
        names = sorted(name for name, own in genders if own == gender)
        if names:
            *others, last = names
            listed = f"{', '.join(others)} and {last} are" if others else f"{last} is"
            parts.append(f"{listed} {gender}")
    return f"{'; '.join(parts)}."
