"""The view of a story: its facts drawn and marked in the text, its proof step by step."""

from itertools import pairwise

from ....example import Example
from ....view import FactSpan, Step, View
from ..asking.answers import world_of
from ..metadata import UNKNOWN, conclusions, stated_facts
from .graph import graph


def view(example: Example) -> View:
    """Return what a page shows of a story."""
    row = example.metadata
    frame = _frame(example)
    spans = [
        FactSpan(start, after - 1, numbers)
        for (start, after), numbers in zip(pairwise(row["starts"]), row["states"], strict=True)
    ]
    drawn = graph(example)
    drawn.graph["asked"] = _asked(example, frame)
    words = [_words(frame, fact) for fact in stated_facts(row)]
    return View(drawn, words, spans, steps(example))


def steps(example: Example) -> list[Step]:
    """Return the steps of the proof in words."""
    row, frame = example.metadata, _frame(example)
    facts, concluded = stated_facts(row), conclusions(row)
    words = [_words(frame, fact) for fact in facts + concluded]
    return [
        Step(uses, fact, _sentence(f"{words[uses[0]]}, and {words[uses[1]]}, so {said}"))
        for uses, fact, said in zip(row["proof"], concluded, words[len(facts) :], strict=True)
    ]


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _asked(example: Example, frame: str) -> str:
    """Return the question and its answer in words."""
    row = example.metadata
    x, y = row["query"]
    if row["task"] == "verify-steps":
        return f"the first wrong step: {example.target}"
    if row["asked"]:
        is_yes_no = example.target in ("yes", "no", UNKNOWN)
        if not is_yes_no:
            frame, y = frame.replace("the {y}", "{y}"), "who"
        claim = _words(frame, [x, row["asked"], y])
        return f"{'whether ' if is_yes_no else ''}{claim}: {example.target}"
    if example.target == UNKNOWN:
        return f"what {y} is to {x}, which cannot be known"
    return _words(frame, [x, example.target, y])


def _frame(example: Example) -> str:
    """Return the frame for facts: fixed for people with genders, else the world's plain one."""
    if example.metadata["genders"]:
        return "{y} is the {word} of {x}"
    plain = world_of(example).story_spec.plain[0]
    return plain.removesuffix(".").replace("The {y}", "the {y}")


def _words(frame: str, fact: list[str]) -> str:
    x, word, y = fact
    return frame.replace("{word}", word).replace("{x}", x).replace("{y}", y)
