"""Replaying a row's proof: quick, since every row that is written passes through here."""

from functools import cache
from typing import Final

from ....example import NONE, Example
from ....kb.worlds.world import World
from ..asking.question import POSSIBLE, UNKNOWN
from ..realizing.opening import GENDERS

Heads = dict[str, dict[str, set[str]]]


@cache
def _rules(world: World, ruleset: str) -> Heads:
    """By the words of two premises those of what a rule concludes from them."""
    words = dict(zip(world.predicates, world.words, strict=True))
    # Rules are many, and most have one head alone: they share it.
    alone = {word: {word} for every in world.words for word in every}
    by_first: Heads = {}
    for first, second, head in world.compositions(ruleset):
        for one in words[first]:
            by_second = by_first.setdefault(one, {})
            # What follows is said of the same person as the second premise.
            for other, concluded in zip(words[second], words[head], strict=True):
                heads, others = alone[concluded], by_second.get(other)
                by_second[other] = heads if others is None else others | heads
    return by_first


@cache
def _inverses(world: World) -> dict[str, list[str]]:
    """For each word what says the same from the other end, by the gender of the one there."""
    number = {name: n for n, name in enumerate(world.predicates)}
    inverses: dict[str, list[str]] = {}
    for name, words in zip(world.predicates, world.words, strict=True):
        inverse = world.inverse(name)
        if inverse is not None:
            for word in words:
                inverses[word] = list(world.words[number[inverse]])
    return inverses


def is_open(example: Example) -> bool:
    """Whether the row says that no one relation follows."""
    row = example.metadata
    several = row["asked"] == POSSIBLE and not row["relation"]
    return several or example.target in (UNKNOWN, NONE)


def replay(example: Example, world: World, ruleset: str) -> list[str]:
    """What is wrong with the proof from the row's facts to its answer."""
    row = example.metadata
    x, y = row["query"]
    answer = row["relation"] or example.target
    facts: list[list[str]] = row["facts"]
    beside: list[list[str]] = row["beside_facts"]
    noise: list[list[list[list[str]]]] = row["noise_facts"]
    steps: list[list[int]] = row["proof"]
    concluded: list[str] = row["concluded"]
    genders: list[list[str]] = row["genders"]
    if len(steps) != len(concluded):
        return ["there is not one conclusion for each step of the proof"]
    if is_open(example):
        return ["a proof of what is unknown"] if steps else []
    told = len(facts) + len(beside)
    for paths in noise:
        for path in paths:
            told += len(path)
    known: list[list[str]] = facts.copy()
    """Those of the chain, and what follows from them."""
    inverses = _inverses(world)
    gender = {pair[0]: GENDERS.index(pair[1]) for pair in genders}
    rules = _rules(world, ruleset)
    wrong: list[str] = []
    for number, (one, other) in enumerate(steps):
        before, after = _place(one, facts, told), _place(other, facts, told)
        if not (0 <= before < len(known) and 0 <= after < len(known)):
            wrong.append(f"step {number + 1}: a premise is neither given nor concluded before")
            break
        head = concluded[number]
        a, first, b = known[before]
        c, second, d = known[after]
        # Both are read so that the first leads to where the second sets out.
        if a in (c, d) and first in inverses:
            a, first, b = b, inverses[first][gender.get(a, 0)], a
        if d == b and second in inverses:
            c, second, d = d, inverses[second][gender.get(c, 0)], c
        if b != c or a == d or b in (a, d):
            wrong.append(f"step {number + 1}: the premises do not lead from one to another")
        if head not in rules.get(first, _NO_RULES).get(second, _NONE):
            wrong.append(f"step {number + 1}: no rule gives {head!r} from {first!r} and {second!r}")
        known.append([a, head, d])
    if not _says(known, x, answer, y, inverses, gender.get(y, 0)):
        wrong.append(f"the proof does not end in {answer!r} between {x!r} and {y!r}")
    return wrong


def _says(
    known: list[list[str]],
    x: str,
    answer: str,
    y: str,
    inverses: dict[str, list[str]],
    gender: int,
) -> bool:
    """Whether it is known, from either end, that y is the answer of x."""
    for a, word, b in reversed(known):
        if a == x and b == y and word == answer:
            return True
        if a == y and b == x and word in inverses and inverses[word][gender] == answer:
            return True
    return False


def _place(number: int, facts: list[list[str]], told: int) -> int:
    """Where what has this number stands among what is known, or -1: noise gives nothing."""
    if number < len(facts):
        return number
    return number - told + len(facts) if number >= told else -1


_NONE: Final[set[str]] = set()
_NO_RULES: Final[dict[str, set[str]]] = {}
