"""A story to look at: its facts drawn and marked in the text, its proof step by step."""

from itertools import pairwise

from ...example import Example
from ...view import Step, Stretch, View
from .answers import asks_for_part
from .graph import graph
from .metadata import conclusions, told
from .question import UNKNOWN


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
    drawn = graph(example)
    drawn.graph["asked"] = _asked(example, kin)
    return View(drawn, words[: len(facts)], stretches, steps)


def _asked(example: Example, kin: bool) -> str:
    """What the row asks, with its answer, in words."""
    row = example.metadata
    x, y = row["query"]
    if asks_for_part(example):
        return f"the {row['asked']} of {y} from {x}: {example.target}"
    if row["asked"]:
        whether = example.target in ("yes", "no", UNKNOWN)
        said = _words([x, row["asked"], y if whether else "who"], kin)
        return f"{'whether ' if whether else ''}{said}: {example.target}"
    if example.target == UNKNOWN:
        return f"what {y} is to {x}, which cannot be known"
    return _words([x, example.target, y], kin)


def _words(fact: list[str], kin: bool) -> str:
    """The fact said plainly; in worlds without kin relations are such as `to the left of`."""
    x, relation, y = fact
    return f"{y} is the {relation} of {x}" if kin else f"{y} is {relation} {x}"
