"""What is said before a story: its world's conventions, possible answers, who is male."""

from typing import TYPE_CHECKING, Final

from ....kb.worlds.scene import UNSTATED
from ....kb.worlds.world import find_world
from ..asking.question import POSSIBLE, UNKNOWN

if TYPE_CHECKING:
    from ..generator import Clutrr

GENDERS: Final = ["female", "male", "unstated"]
"""By their numbers in a scene."""


def preface(options: "Clutrr") -> list[str]:
    """What holds in the world and nobody says in the story, and what may be answered."""
    if options.conventions == "none":
        return []
    world = find_world(options.world)
    said = world.conventions
    assert said
    text: str = said.brief if options.conventions == "brief" else said.full
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


def cast_of(genders: list[list[str]]) -> str:
    """A sentence that says who is male and who is female."""
    parts = []
    for gender in GENDERS[:UNSTATED]:
        names = sorted(name for name, its in genders if its == gender)
        if names:
            *others, last = names
            listed = f"{', '.join(others)} and {last} are" if others else f"{last} is"
            parts.append(f"{listed} {gender}")
    return f"{'; '.join(parts)}."
