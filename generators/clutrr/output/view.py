"""The view of a story: its facts drawn and marked in the text, its proof step by step."""

from itertools import pairwise

from ....example import Example
from ....kb.worlds.languages import find_language
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
    sentence = find_language(world.language).texts.page["step"]
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
    texts = find_language(world.language).texts
    who = texts.page["whose"]
    if row["asked"] and canonical_target(example) in ("yes", "no", UNKNOWN):
        claim = _words(world, [x, row["asked"], y])
        return texts.page["asked"].format(claim=claim, target=example.target)
    if row["asked"]:
        claim = _words(world, [x, row["asked"], who])
        return f"{claim.replace(texts.thing_article + who, who)}: {example.target}"
    if canonical_target(example) == UNKNOWN:
        return texts.page["open"].format(x=x, y=y)
    return _words(world, [x, example.target, y])


def _words(world: World, fact: list[str]) -> str:
    """Return a fact in words: for people with genders perhaps fixed, else by the plain frame."""
    (x, word, y), fixed = fact, find_language(world.language).texts.page["fact"]
    if world.genders and fixed:
        return fixed.format(x=x, word=word, y=y)
    return statement(world, x, word, y, inside=True)
