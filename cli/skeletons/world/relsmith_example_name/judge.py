"""Decide whether facts entail an answer, without rules and without code of the semantics."""

from collections.abc import Iterable

import networkx

from relsmith.worlds import Fact, Verdict, check_input

EARLIER, LATER, SAME = "earlier than", "later than", "at the same time as"  # as in world.yaml
WORDS = (EARLIER, LATER, SAME)


def judge(facts: Iterable[Fact], query: tuple[str, str], claimed: str | None = None) -> Verdict:
    """Return the verdict; a fact (x, word, y) says that y begins WORD x."""
    facts, (x, y) = list(facts), query
    check_input(facts, query, claimed, WORDS, ("word", "events"))
    possible = frozenset(word for word in WORDS if _is_consistent([*facts, (x, word, y)]))
    return Verdict.from_possible(possible, claimed)


def _is_consistent(facts: list[Fact]) -> bool:
    """Return whether some day satisfies the facts: events in a cycle are at the same time."""
    no_later: networkx.DiGraph[str] = networkx.DiGraph()
    for x, word, y in facts:
        if word != LATER:
            no_later.add_edge(y, x)
        if word != EARLIER:
            no_later.add_edge(x, y)
    hour = {
        event: number
        for number, events in enumerate(networkx.strongly_connected_components(no_later))
        for event in events
    }
    return all(word == SAME or hour[x] != hour[y] for x, word, y in facts)
