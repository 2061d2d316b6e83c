"""Replaying a row's proof: quick, since every row that is written passes through here."""

from functools import cache
from itertools import product
from typing import Final

from ...example import NONE, Example
from ...kb.rules import Rules
from ...kb.world import World
from .question import UNKNOWN

Heads = dict[str, dict[str, set[str]]]


@cache
def _rules(world: World, ruleset: str) -> Heads:
    """By the words of two premises those of what a rule concludes from them."""
    words = world.words
    by_first: Heads = {}
    for first, second, head in Rules.of(world, ruleset).heads:
        for middle, last in product((0, 1), repeat=2):
            # What follows is said of the same person as the second premise.
            by_second = by_first.setdefault(words[first][middle], {})
            by_second.setdefault(words[second][last], set()).add(words[head][last])
    return by_first


@cache
def _inverses(world: World) -> dict[str, list[str]]:
    """For each word what says the same from the other end, of a woman there and of a man."""
    number = {name: n for n, name in enumerate(world.predicates)}
    inverses: dict[str, list[str]] = {}
    for name, words in zip(world.predicates, world.words, strict=True):
        inverse = world.inverse(name)
        if inverse is not None:
            for word in words:
                inverses[word] = list(world.words[number[inverse]])
    return inverses


def replay(example: Example, world: World, ruleset: str) -> list[str]:
    """What is wrong with the proof from the row's facts to its answer."""
    row = example.metadata
    x, y = row["query"]
    answer = row["relation"] or example.target
    facts: list[list[str]] = row["facts"]
    noise: list[list[list[list[str]]]] = row["noise_facts"]
    steps: list[list[int]] = row["proof"]
    concluded: list[str] = row["concluded"]
    if len(steps) != len(concluded):
        return ["there is not one conclusion for each step of the proof"]
    if answer in (UNKNOWN, NONE):
        return ["a proof of what is unknown"] if steps else []
    told = len(facts) + len(row["beside_facts"])
    for paths in noise:
        for path in paths:
            told += len(path)
    known: dict[int, list[str]] = dict(enumerate(facts))
    inverses = _inverses(world)
    males: dict[str, bool] = {}
    for name, gender in row["genders"]:
        males[name] = gender == "male"
    rules = _rules(world, ruleset)
    wrong: list[str] = []
    for number, (before, after) in enumerate(steps):
        if before not in known or after not in known:
            wrong.append(f"step {number + 1}: a premise is neither given nor concluded before")
            break
        head = concluded[number]
        a, first, b = known[before]
        c, second, d = known[after]
        # Both are read so that the first leads to where the second sets out.
        if a in (c, d) and first in inverses:
            a, first, b = b, inverses[first][males.get(a, False)], a
        if d == b and second in inverses:
            c, second, d = d, inverses[second][males.get(c, False)], c
        if b != c or a == d or b in (a, d):
            wrong.append(f"step {number + 1}: the premises do not lead from one to another")
        if head not in rules.get(first, _NO_RULES).get(second, _NONE):
            wrong.append(f"step {number + 1}: no rule gives {head!r} from {first!r} and {second!r}")
        known[told + number] = [a, head, d]
    if not any(
        fact == [x, answer, y]
        or (
            fact[::2] == [y, x]
            and fact[1] in inverses
            and inverses[fact[1]][males.get(y, False)] == answer
        )
        for fact in known.values()
    ):
        wrong.append(f"the proof does not end in {answer!r} between {x!r} and {y!r}")
    return wrong


_NONE: Final[set[str]] = set()
_NO_RULES: Final[dict[str, set[str]]] = {}
