"""Decide whether facts entail an answer, without rules and without code of the semantics."""

from collections.abc import Iterable, Mapping

import networkx

from relsmith.kb.worlds.verdict import Status, Verdict

EARLIER, LATER, SAME = "earlier than", "later than", "at the same time as"  # as in world.yaml

Fact = tuple[str, str, str]
"""(x, word, y): y begins WORD x."""


def judge(
    facts: Iterable[Fact], genders: Mapping[str, str], query: tuple[str, str], claimed: str | None
) -> Verdict:
    """Return the verdict; an answer is possible if it contradicts no fact."""
    stated, (x, y) = list(facts), query
    possible = frozenset(
        word for word in (EARLIER, LATER, SAME) if _is_consistent([*stated, (x, word, y)])
    )
    if not possible:
        return Verdict(Status.IMPOSSIBLE)
    if claimed is not None and claimed not in possible:
        return Verdict(Status.CONTRADICTED, possible)
    return Verdict(Status.ENTAILED if len(possible) == 1 else Status.UNDETERMINED, possible)


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
