"""Replay of a row's proof; fast, since every row that is written is replayed."""

from functools import cache
from typing import Final

from ....example import NONE, Example
from ....kb.worlds.world import World
from ..metadata import GENDERS, UNKNOWN, canonical_target

Conclusions = dict[str, dict[str, set[str]]]


@cache
def _tables(of: World, ruleset: str) -> tuple[Conclusions, dict[str, list[str]]]:
    """Return what rules conclude from two words, and the inverse words of each word by gender."""
    words = dict(zip(of.predicates, of.words, strict=True))
    inverses: dict[str, list[str]] = {}
    for name, every in words.items():
        inverse = of.inverse(name)
        if inverse is not None:
            inverses.update({word: list(words[inverse]) for word in every})
    # There are many rules, and most have one head: they share its set.
    singletons = {word: {word} for every in of.words for word in every}
    by_first: Conclusions = {}
    for first, second, head in of.compositions(ruleset):
        for one in words[first]:
            by_second = by_first.setdefault(one, {})
            # The conclusion is about the same person as the second premise.
            for other, concluded in zip(words[second], words[head], strict=True):
                heads, others = singletons[concluded], by_second.get(other)
                by_second[other] = heads if others is None else others | heads
    return by_first, inverses


def is_undetermined(example: Example) -> bool:
    """Return whether the row says that no single relation follows."""
    verifies = example.metadata["task"] == "verify-steps"
    return canonical_target(example) in (UNKNOWN, NONE) and not verifies


def replay(example: Example, world: World, ruleset: str) -> list[str]:
    """Return what is wrong with the proof from the row's facts to its answer."""
    row = example.metadata
    x, y = row["query"]
    answer = row["relation"] or example.target
    facts: list[list[str]] = row["facts"]
    side_facts: list[list[str]] = row["side_facts"]
    noise: list[list[list[list[str]]]] = row["noise_facts"]
    steps: list[list[int]] = row["proof"]
    concluded: list[str] = row["concluded"]
    genders: list[list[str]] = row["genders"]
    if len(steps) != len(concluded):
        return ["there is not one conclusion for each step of the proof"]
    if is_undetermined(example):
        return ["there is a proof of an unknown answer"] if steps else []
    stated = len(facts) + len(side_facts) + sum([len(path) for paths in noise for path in paths])
    known: list[list[str]] = facts.copy()
    """The facts of the chain and the conclusions."""
    rules, inverses = _tables(world, ruleset)
    gender = {pair[0]: GENDERS.index(pair[1]) for pair in genders}
    wrong: list[str] = []
    for number, (one, other) in enumerate(steps):
        before, after = _place(one, facts, stated), _place(other, facts, stated)
        if not (0 <= before < len(known) and 0 <= after < len(known)):
            wrong.append(f"step {number + 1}: a premise is neither given nor concluded before")
            break
        head = concluded[number]
        a, first, b = known[before]
        c, second, d = known[after]
        # Reverse them where needed, so that the first ends where the second starts.
        if a in (c, d) and first in inverses:
            a, first, b = b, inverses[first][gender.get(a, 0)], a
        if d == b and second in inverses:
            c, second, d = d, inverses[second][gender.get(c, 0)], c
        if b != c or a == d or b in (a, d):
            wrong.append(f"step {number + 1}: the premises do not lead from one to another")
        if head not in rules.get(first, _NO_RULES).get(second, _NONE):
            wrong.append(f"step {number + 1}: no rule gives {head!r} from {first!r} and {second!r}")
        known.append([a, head, d])
    if not _is_known(known, x, answer, y, inverses, gender.get(y, 0)):
        wrong.append(f"the proof does not end in {answer!r} between {x!r} and {y!r}")
    return wrong


def _is_known(
    known: list[list[str]], x: str, answer: str, y: str, inverses: dict[str, list[str]], gender: int
) -> bool:
    """Return whether it is known, in either direction, that y is the answer of x."""
    for a, word, b in reversed(known):
        if a == x and b == y and word == answer:
            return True
        if a == y and b == x and word in inverses and inverses[word][gender] == answer:
            return True
    return False


def _place(number: int, facts: list[list[str]], stated: int) -> int:
    """Return the index of a fact among those of the chain and the conclusions, or -1."""
    if number < len(facts):
        return number
    return number - stated + len(facts) if number >= stated else -1


_NONE: Final[set[str]] = set()
_NO_RULES: Final[dict[str, set[str]]] = {}
