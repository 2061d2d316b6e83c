"""The view of a story: its facts drawn and marked in the text, its proof step by step."""

from itertools import pairwise

from ....example import Example
from ....kb.worlds.languages import ENGLISH, find_language
from ....kb.worlds.world import World
from ....view import FactSpan, Step, View
from ..metadata import UNKNOWN, canonical_target, conclusions, stated_facts, world_of
from ..realizing.explanation import statement
from .graph import graph


def view(example: Example) -> View:
    """Return what a page shows of a story."""
    row, world = example.metadata, world_of(example)
    spans = [
        FactSpan(start, after - 1, numbers)
        for (start, after), numbers in zip(pairwise(row["starts"]), row["states"], strict=True)
    ]
    drawn = graph(example)
    drawn.graph["asked"] = _asked(example, world)
    words = [_words(world, fact) for fact in stated_facts(row)]
    return View(drawn, words, spans, steps(example))


def steps(example: Example) -> list[Step]:
    """Return the steps of the proof in words."""
    row, world = example.metadata, world_of(example)
    facts, concluded = stated_facts(row), conclusions(row)
    words = [_words(world, fact) for fact in facts + concluded]
    sentence = "{first}, and {second}, so {then}."
    if world.language != ENGLISH:
        sentence = find_language(world.language).texts.steps[0]
    return [
        Step(uses, fact, _sentence(sentence, words[uses[0]], words[uses[1]], said))
        for uses, fact, said in zip(row["proof"], concluded, words[len(facts) :], strict=True)
    ]


def _sentence(frame: str, first: str, second: str, then: str) -> str:
    text = frame.format(first=first, second=second, then=then)
    return f"{text[0].upper()}{text[1:]}"


def _asked(example: Example, world: World) -> str:
    """Return the question and its answer in words."""
    row = example.metadata
    x, y = row["query"]
    if row["task"] == "verify-steps":
        return f"the first wrong step: {example.target}"
    if row["asked"]:
        is_yes_no = canonical_target(example) in ("yes", "no", UNKNOWN)
        claim = _words(world, [x, row["asked"], y if is_yes_no else "who"])
        claim = claim.replace("the who", "who")
        if world.language != ENGLISH:
            claim = claim.replace("who", "…")
        asks = "whether " if is_yes_no and world.language == ENGLISH else ""
        return f"{asks}{claim}: {example.target}"
    if canonical_target(example) == UNKNOWN:
        return f"what {y} is to {x}, which cannot be known"
    return _words(world, [x, example.target, y])


def _words(world: World, fact: list[str]) -> str:
    """Return a fact in words: fixed for people with genders, else by the world's plain frame."""
    x, word, y = fact
    if world.genders and world.language == ENGLISH:
        return f"{y} is the {word} of {x}"
    return statement(world, x, word, y, inside=True)
