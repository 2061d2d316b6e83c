"""Whether facts entail an answer, found without rules and sharing no code with the semantics."""

from collections.abc import Iterable, Mapping

import networkx

from relsmith.kb.worlds.verdict import Status, Verdict

EARLIER, LATER, SAME = "earlier than", "later than", "at the same time as"  # as in world.yaml

Fact = tuple[str, str, str]
"""(x, word, y): y begins so compared with x."""


def judge(
    facts: Iterable[Fact], genders: Mapping[str, str], query: tuple[str, str], claimed: str | None
) -> Verdict:
    """Try each word for the query: those that contradict no fact are possible."""
    told, (x, y) = list(facts), query
    possible = frozenset(
        word for word in (EARLIER, LATER, SAME) if _consistent([*told, (x, word, y)])
    )
    if not possible:
        return Verdict(Status.IMPOSSIBLE)
    if claimed is not None and claimed not in possible:
        return Verdict(Status.CONTRADICTED, possible)
    return Verdict(Status.ENTAILED if len(possible) == 1 else Status.UNDETERMINED, possible)


def _consistent(facts: list[Fact]) -> bool:
    """Whether some day has it so: nothing that leads back to where it began is earlier there."""
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
