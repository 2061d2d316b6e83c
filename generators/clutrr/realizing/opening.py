"""The opening of a story: its world's conventions, possible answers, and genders."""

from ....kb.worlds.languages import find_language
from ....kb.worlds.scene import UNSTATED_NUMBER
from ....kb.worlds.world import World
from ..metadata import GENDERS, UNKNOWN
from ..options import StoryOptions


def preface(options: StoryOptions) -> list[str]:
    """Return the sentences before all stories: conventions, possible answers, legend."""
    world = options.story_world
    sentences = _conventions(options, world)
    legend = world.story_spec.legend
    return [*sentences, legend] if options.style == "facts" else sentences


def _conventions(options: StoryOptions, world: World) -> list[str]:
    """Return the conventions of the world and the possible answers, as the options want them."""
    if options.conventions == "none" or world.conventions is None:
        return []
    sentences = [world.conventions.brief]
    if options.conventions == "brief":
        return sentences
    sentences += [world.conventions.full] if world.conventions.full else []
    if options.answer == "who" or options.verifies:
        return sentences  # the question says what to name
    words = sorted({word for words in world.words for word in words})
    if options.answer == "yes-no":
        words = ["yes", "no"]
    if options.unknown_share:
        words.append(UNKNOWN)
    words = [world.answer_words.get(word, word) for word in words]
    listed = find_language(options.language).texts.possible_answers
    return [*sentences, listed.format(answers=", ".join(words))]


def gender_sentence(genders: list[list[str]], language: str) -> str:
    """Return a sentence that says who is female and who is male."""
    texts = find_language(language).texts
    parts = []
    for gender in GENDERS[:UNSTATED_NUMBER]:
        names = sorted(name for name, own in genders if own == gender)
        if names:
            sentences = texts.genders[gender]
            sentence = sentences.many if len(names) > 1 else sentences.one
            parts.append(sentence.format(names=texts.joined(names)))
    return f"{'; '.join(parts)}."
