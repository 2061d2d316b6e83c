"""Replaying a row's proof: quick, since every row that is written passes through here."""

from functools import cache
from itertools import product

from ...example import Example
from ...kb.rules import RuleTable, rule_name
from .question import UNKNOWN
from .setting import Setting

Names = dict[tuple[str, str, str], str]


@cache
def _rules(setting: Setting, ruleset: str) -> Names:
    """For the words of two premises and a conclusion the rule that allows it."""
    world = setting.world
    genders = world.genders or (None,)
    found: Names = {}
    for body, heads in RuleTable.of(world, ruleset).heads.items():
        for head, middle, last in product(heads, genders, genders):
            first, second, third = (world.predicates[name] for name in (*body, head))
            # What follows is said of the same person as the second premise.
            words = (first.word(middle), second.word(last), third.word(last))
            found[words] = rule_name(body, head)
    return found


def replay(example: Example, setting: Setting, ruleset: str) -> list[str]:
    """What is wrong with the proof from the row's facts to its answer."""
    row = example.metadata
    x, y = row["query"]
    answer = row.get("relation", example.target)
    known = {(a, b): word for a, word, b in row["facts"]}
    if answer == UNKNOWN:
        return ["a proof of what is unknown"] if row["proof"] else []
    rules, wrong = _rules(setting, ruleset), []
    for number, step in enumerate(row["proof"], 1):
        (a, head, b), ((c, first, d), (e, second, f)) = step["conclusion"], step["premises"]
        if known.get((c, d)) != first or known.get((e, f)) != second:
            wrong.append(f"step {number}: a premise is neither given nor concluded before")
        if (a, d, f) != (c, e, b) or a == b or d in (a, b):
            wrong.append(f"step {number}: the premises do not lead from {a!r} to {b!r}")
        if rules.get((first, second, head)) != step["rule"]:
            wrong.append(
                f"step {number}: no rule {step['rule']!r} gives {head!r} "
                f"from {first!r} and {second!r}"
            )
        known[a, b] = head
    if known.get((x, y)) != answer:
        wrong.append(f"the proof does not end in {answer!r} between {x!r} and {y!r}")
    return wrong
