"""Stories as graphs."""

from typing import TYPE_CHECKING, Any

from ....example import Example
from ....kb.worlds.world import World

if TYPE_CHECKING:
    import networkx


def graph(example: Example) -> "networkx.MultiDiGraph[str]":
    """Return the story's people and facts; an edge from x to y has the `relation` of y to x.

    Edges have a `role`: `path` for the chain, `side_facts`, or the kind of noise; the `number` of
    the fact in the metadata, and those of their `path` and of their `step` on it.
    People have a `gender`, and the graph the `query` and the `target`. Other attributes are for
    drawing: men in boxes, as in family trees.
    """
    import networkx

    metadata = example.metadata
    (x, y), genders = metadata["query"], dict(metadata["genders"])
    drawn: networkx.MultiDiGraph[str] = networkx.MultiDiGraph(query=(x, y), target=example.target)
    if genders and not metadata["asked"]:
        drawn.graph["asked"] = f"{y} is the {metadata['relation'] or example.target} of {x}"
    for name, gender in genders.items():
        drawn.add_node(name, gender=gender, shape="square" if gender == "male" else "round")
    paths = [("path", metadata["facts"])]
    paths += [("side_facts", [fact]) for fact in metadata["side_facts"]]
    for kind, its_paths in zip(metadata["noise"], metadata["noise_facts"], strict=True):
        paths += [(kind, path) for path in its_paths]
    number = 0
    for path, (role, facts) in enumerate(paths):
        for step, (start, relation, end) in enumerate(facts):
            traits = {"role": role, "number": number, "path": path, "step": step}
            drawn.add_edge(start, end, relation=relation, **traits)
            number += 1
    return drawn


def forward_chain(row: dict[str, Any], world: World) -> list[list[str]]:
    """Return the facts of the chain, all in the direction from x of the query to y."""
    genders, facts = dict(row["genders"]), row["facts"]
    person = facts[0][2 if len(facts) > 1 and facts[0][0] in facts[1] else 0]
    chain = []
    for n, (x, word, y) in enumerate(facts):
        other = y if person == x else x
        if person != x:
            word = world.predicates[row["clause"][n]].word(genders.get(other))  # noqa: PLW2901
        chain.append([person, word, other])
        person = other
    return chain
