"""A story as a graph, for those who would rather look or compute than read."""

from typing import TYPE_CHECKING

from ...example import Example

if TYPE_CHECKING:
    import networkx


def graph(example: Example) -> "networkx.MultiDiGraph[str]":
    """The story's people and facts; an edge from x to y with `relation` says what y is to x.

    Edges have a `role`: `path` for the facts that give the answer, or the kind of noise; and the
    number of their `path` and of their `step` on it. People have a `gender`, and the graph the
    `query` and the `target`.
    """
    import networkx

    known = example.metadata
    found: networkx.MultiDiGraph[str] = networkx.MultiDiGraph(
        query=tuple(known["query"]), target=example.target
    )
    for name, gender in known["genders"].items():
        found.add_node(name, gender=gender)
    paths = [("path", known["facts"])]
    paths += [(path["type"], path["facts"]) for path in known["noise_facts"]]
    for path, (role, facts) in enumerate(paths):
        for step, (x, relation, y) in enumerate(facts):
            found.add_edge(x, y, relation=relation, role=role, path=path, step=step)
    return found
