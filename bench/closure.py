"""Closure of facts under rules and inverses."""

from collections.abc import Iterable

from relsmith.kb.worlds.fact import Fact
from relsmith.kb.worlds.rules import RuleIndex


def closure(rules: RuleIndex, facts: Iterable[Fact]) -> set[Fact]:
    """Return the closure of facts under rules and inverses."""
    closed: set[Fact] = set()
    outgoing: dict[str, list[Fact]] = {}
    incoming: dict[str, list[Fact]] = {}
    pending = list(facts)
    while pending:
        fact = pending.pop()
        x, name, y = fact
        # Names denote distinct entities, so nothing is related to itself.
        if fact in closed or x == y:
            continue
        closed.add(fact)
        outgoing.setdefault(x, []).append(fact)
        incoming.setdefault(y, []).append(fact)
        inverse = rules.inverse[rules.number[name]]
        if inverse >= 0:
            pending.append((y, rules.predicates[inverse], x))
        for _, second, z in outgoing.get(y, ()):
            pending += [(x, head, z) for head in rules.derive((name, second))]
        for z, first, _ in incoming.get(x, ()):
            pending += [(z, head, y) for head in rules.derive((first, name))]
    return closed
