"""The opening of a story: its world's conventions, possible answers, and genders."""

from ....kb.worlds.scene import UNSTATED_NUMBER
from ....kb.worlds.world import World, find_world
from ..metadata import GENDERS, POSSIBLE, UNKNOWN
from ..options import StoryOptions


def preface(options: StoryOptions) -> list[str]:
    """Return the sentences before all stories: conventions, possible answers, opening, legend."""
    world = find_world(options.world)
    spec = world.story_spec
    sentences = _conventions(options, world)
    sentences += [spec.opening] if spec.opening else []
    return [*sentences, spec.legend] if options.style == "facts" else sentences


def _conventions(options: StoryOptions, world: World) -> list[str]:
    """Return the conventions of the world and the possible answers, as the options want them."""
    if options.conventions == "none":
        return []
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
