"""Proofs: lists of steps that can be printed as a tree and replayed against a rule table."""

from collections.abc import Iterable, Sequence
from typing import TypedDict

from .rules import INVERSE, RuleTable, rule_name

# (x, r, y): y is the r of x.
Fact = tuple[str, str, str]


class Step(TypedDict):
    """One use of a rule; rows carry it as it is."""

    conclusion: Fact
    premises: list[Fact]
    rule: str


Proof = list[Step]


def replay(
    proof: Sequence[Step], facts: Iterable[Fact], rules: RuleTable, goal: Fact | None = None
) -> list[str]:
    """What is wrong with a proof from these facts: nothing, if it proves the goal.

    Facts may be lists, as they are when a row was read from JSON.
    """
    known = {tuple(fact) for fact in facts}
    complaints = []
    for number, step in enumerate(proof, 1):
        conclusion = tuple(step["conclusion"])
        premises = [tuple(premise) for premise in step["premises"]]
        complaints += [
            f"step {number}: premise {premise} is neither given nor concluded before"
            for premise in premises
            if premise not in known
        ]
        wrong = _misuse(conclusion, premises, step["rule"], rules)
        if wrong:
            complaints.append(f"step {number}: {wrong}")
        known.add(conclusion)
    last = tuple(proof[-1]["conclusion"]) if proof else None
    if goal is not None and tuple(goal) != last and (proof or tuple(goal) not in known):
        complaints.append(f"the proof ends in {last}, not in {tuple(goal)}")
    return complaints


def _misuse(
    conclusion: tuple[str, ...], premises: list[tuple[str, ...]], rule: str, rules: RuleTable
) -> str | None:
    if len(premises) not in (1, 2) or any(len(fact) != 3 for fact in (conclusion, *premises)):
        return f"expected one premise or two, facts of three parts, but got {premises}"
    if len(premises) == 1:
        return _wrong_inverse(conclusion, premises[0], rule, rules)
    x, head, y = conclusion
    (start, first, z), (middle, second, end) = premises
    if z != middle or (start, end) != (x, y):
        return f"premises {premises} do not lead from {x!r} to {y!r}"
    if len({x, y, z}) != 3:
        return f"{x!r}, {z!r} and {y!r} are not three distinct names"
    if head not in rules.heads.get((first, second), ()) or rule != rule_name((first, second), head):
        return f"no rule {rule!r} gives {head!r} from {first!r} and {second!r}"
    return None


def _wrong_inverse(
    conclusion: tuple[str, ...], premise: tuple[str, ...], rule: str, rules: RuleTable
) -> str | None:
    x, name, y = premise
    if rule == INVERSE and conclusion == (y, rules.inverses.get(name), x):
        return None
    return f"{conclusion} is not the inverse of {premise} by {rule!r}"


def tree(proof: Sequence[Step], goal: Fact) -> str:
    """A proof as indented text, the goal on top and what it rests on below."""
    steps = {tuple(step["conclusion"]): step for step in proof}

    def lines(fact: Fact, depth: int) -> list[str]:
        step = steps.get(tuple(fact))
        reason = f"by {step['rule']}" if step else "given"
        text = [f"{'  ' * depth}({', '.join(fact)}) {reason}"]
        for premise in step["premises"] if step else ():
            text += lines(premise, depth + 1)
        return text

    return "\n".join(lines(goal, 0))
