"""A story to look at: its facts drawn and marked in the text, its proof step by step."""

from itertools import pairwise

from ...example import Example
from ...view import Step, Stretch, View
from .graph import graph
from .metadata import conclusions, told


def view(example: Example) -> View:
    """What a page shows of a story."""
    row = example.metadata
    kin = bool(row["genders"])
    facts, concluded = told(row), conclusions(row)
    words = [_words(fact, kin) for fact in facts + concluded]
    stretches = [
        Stretch(start, after - 1, numbers)
        for (start, after), numbers in zip(pairwise(row["starts"]), row["states"], strict=True)
    ]
    steps = [
        Step(uses, fact, f"{words[uses[0]]}, and {words[uses[1]]}, so {said}.")
        for uses, fact, said in zip(row["proof"], concluded, words[len(facts) :], strict=True)
    ]
    return View(graph(example), words[: len(facts)], stretches, steps)


def _words(fact: list[str], kin: bool) -> str:
    """The fact said plainly; other worlds than that of kin have words of any kind for relations."""
    x, relation, y = fact
    return f"{y} is the {relation} of {x}" if kin else f"{x} → {relation} → {y}"
