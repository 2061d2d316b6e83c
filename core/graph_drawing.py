"""Graphs of facts as paths, and as text for a terminal.

Optional attributes of a graph: the `role` of an edge, the `shape` of a node (`square`), and of the
graph itself the query in words (`asked`).
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from .capabilities import Drawings
from .errors import NotFound
from .example import Example
from .registry import GENERATORS

if TYPE_CHECKING:
    import networkx

    Graph = networkx.MultiDiGraph[str]

MAIN = "path"
QUERY = "query"

StyledText = tuple[str, str]
"""A text, and the role of the edges that it draws."""


def graph_builder(generator: str) -> "Callable[[Example], Graph]":
    """Return the function that builds the graph of a row; it raises NotFound if rows have none."""

    def graph(example: Example) -> "Graph":
        drawn = Drawings.of_class(GENERATORS.get(generator)).graph(example)
        if drawn is None:
            raise NotFound(f"rows of {generator} have no graph; leave out --graph")
        return drawn

    return graph


class EdgePath(NamedTuple):
    """Connected edges of one role, in any direction."""

    role: str
    nodes: list[str]
    relations: list[str]
    backwards: list[bool]


def edge_paths(graph: "Graph") -> list[EdgePath]:
    """Partition the edges into paths, the main path first."""

    def place(edge: tuple[str, str, dict[str, Any]]) -> tuple[bool, int, int]:
        traits = edge[2]
        return traits.get("role") != MAIN, traits.get("path", 0), traits.get("step", 0)

    placed: list[tuple[tuple[bool, int], EdgePath]] = []
    for edge in sorted(graph.edges(data=True), key=place):
        x, y, traits = edge
        path = place(edge)[:2]
        if placed and placed[-1][0] == path:
            chain = placed[-1][1]
            if len(chain.relations) == 1 and chain.nodes[-1] not in (x, y):
                chain.nodes.reverse()
                chain.backwards[0] = True
            against = chain.nodes[-1] == y
            end, new = (y, x) if against else (x, y)
            if chain.nodes[-1] == end and new not in chain.nodes:
                chain.nodes.append(new)
                chain.relations.append(traits["relation"])
                chain.backwards.append(against)
                continue
        role = traits.get("role", MAIN)
        placed.append((path, EdgePath(role, [x, y], [traits["relation"]], [False])))
    return [chain for _, chain in placed]


def draw_text(graph: "Graph", width: int = 90) -> list[list[StyledText]]:
    """Return the graph as lines of text: a path after the other, and the query."""
    lines: list[list[StyledText]] = []
    for path in edge_paths(graph):
        steps = [path.nodes[0]]
        for relation, backwards, node in zip(
            path.relations, path.backwards, path.nodes[1:], strict=True
        ):
            steps.append(f" ◂ {relation} ─ {node}" if backwards else f" ─ {relation} ▸ {node}")
        lines += _wrap([*steps[:-1], f"{steps[-1]}  ({path.role})"], path.role, width)
    x, y = graph.graph.get(QUERY, ("", ""))
    if x in graph and y in graph:
        asked = graph.graph.get("asked") or f"{x} ─ {graph.graph['target']} ▸ {y}"
        lines += [[], [("╌╌ ", QUERY), (asked, QUERY)]]
    return lines


def _wrap(steps: list[str], role: str, width: int) -> Iterator[list[StyledText]]:
    """Yield lines of whole steps, those after the first indented."""
    line = ""
    for step in steps:
        if line and len(line + step) > width:
            yield [(line, role)]
            line = "   "
        line += step
    yield [(line, role)]
