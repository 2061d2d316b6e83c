"""Draw graphs of facts as text for a terminal, and place their nodes for pages.

Optional attributes of a graph: the `role` of an edge, the `shape` of a node (`square`), and of the
graph itself the query in words (`asked`).
"""

from collections.abc import Callable
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
"""A text, and the role of the edge or node that it draws; empty for connecting lines."""


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
    """Return the graph as lines of text: the main path downwards, the others to its right.

    A dashed line joins the two nodes of the query.
    """
    trunk, *others = edge_paths(graph)
    rows: dict[str, int] = {}
    lines: list[list[StyledText]] = []
    last = len(trunk.nodes) - 1
    for n, node in enumerate(trunk.nodes):
        rows[node] = len(lines)
        lines.append([(node, MAIN)])
        here = [chain for chain in others if _attachment(chain, trunk) == node]
        for number, chain in enumerate(here, start=1):
            ends = n == last and number == len(here)
            lines += _attached_lines(chain, trunk, n, "└" if ends else "├", width)
        if n < last:
            mark = "▴ " if trunk.backwards[n] else "│ "
            lines.append([(mark, ""), (trunk.relations[n], MAIN)])
    x, y = graph.graph.get(QUERY, ("", ""))
    lines = _with_query_line(lines, rows, x, y)
    for chain in others:
        if _attachment(chain, trunk) is None:
            lines += [[], *_separate_lines(chain, width)]
    if x in graph and y in graph:
        asked = graph.graph.get("asked") or f"{x} ─ {graph.graph['target']} ▸ {y}"
        lines += [[], [("╌╌ ", QUERY), (asked, QUERY)]]
    return lines


def _attachment(chain: EdgePath, trunk: EdgePath) -> str | None:
    """Return the node of the trunk that a path is attached to; None if it is separate."""
    return next((end for end in (chain.nodes[0], chain.nodes[-1]) if end in trunk.nodes), None)


def _attached_lines(
    chain: EdgePath, trunk: EdgePath, at: int, corner: str, width: int
) -> list[list[StyledText]]:
    turned = chain.nodes[0] != trunk.nodes[at]
    nodes = chain.nodes[::-1] if turned else chain.nodes
    links = list(zip(chain.relations, chain.backwards, strict=True))
    steps = []
    for (relation, backwards), node in zip(
        links[::-1] if turned else links, nodes[1:], strict=True
    ):
        arrow = f"◂ {relation} ─ " if backwards != turned else f"─ {relation} ▸ "
        steps.append([(arrow, chain.role), _node_label(node, trunk, at, chain.role)])
    steps[0].insert(0, (corner, ""))
    return _wrap(steps, chain.role, " " if corner == "└" else "│", width)


def _node_label(node: str, trunk: EdgePath, at: int, role: str) -> StyledText:
    """Return the node's name, with an arrow to its position if it is on the trunk."""
    if node not in trunk.nodes:
        return node, role
    return f"{node} {'↓' if trunk.nodes.index(node) > at else '↑'}", MAIN


def _separate_lines(chain: EdgePath, width: int) -> list[list[StyledText]]:
    steps = [[(chain.nodes[0], chain.role)]]
    for relation, backwards, node in zip(
        chain.relations, chain.backwards, chain.nodes[1:], strict=True
    ):
        arrow = f" ◂ {relation} ─ " if backwards else f" ─ {relation} ▸ "
        steps.append([(f"{arrow}{node}", chain.role)])
    lines = _wrap(steps, chain.role, "", width)
    return [[("    ", ""), *line] for line in lines]


def _wrap(
    steps: list[list[StyledText]], role: str, margin: str, width: int
) -> list[list[StyledText]]:
    """Wrap the steps into lines of `width`; the last line ends with the role."""
    lines: list[list[StyledText]] = [[]]
    for step in [*steps[:-1], [*steps[-1], (f"  ({role})", role)]]:
        long = sum(len(text) for text, _ in [*lines[-1], *step]) > width - 5
        if lines[-1] and long:
            lines.append([(f"{margin}    ", "")])
        elif lines[-1] and step[0][0][0] != " ":
            lines[-1].append((" ", ""))
        lines[-1] += step
    return lines


def _with_query_line(
    lines: list[list[StyledText]], rows: dict[str, int], x: str, y: str
) -> list[list[StyledText]]:
    """Add a margin to the lines, with a dashed line from x to y."""
    if x not in rows or y not in rows:
        return [[("    ", ""), *line] for line in lines]
    top, bottom = sorted((rows[x], rows[y]))
    drawn = []
    for n, line in enumerate(lines):
        margin = "╎   " if top < n < bottom else "    "
        if n in (top, bottom):
            margin = ("╭" if n == top else "╰") + ("╌▸ " if n == rows[y] else "╌╌ ")
        drawn.append([(margin, QUERY), *line])
    return drawn


NODE_SPACING = 3.2
"""Horizontal distance of neighbours on the main path."""
_LEVEL_HEIGHT = 1.15

Positions = dict[str, tuple[float, float]]


def node_positions(graph: "Graph") -> Positions:
    """Place the main path on a line, paths that join two of its nodes above it, others below."""
    trunk, *others = edge_paths(graph)
    at: Positions = {node: (n * NODE_SPACING, 0.0) for n, node in enumerate(trunk.nodes)}
    above: list[tuple[float, float, int]] = []
    below = 0
    for chain in sorted(others, key=lambda chain: _span_order(chain, trunk)):
        inner = [node for node in chain.nodes if node not in at]
        ends = [at[node][0] for node in (chain.nodes[0], chain.nodes[-1]) if node in trunk.nodes]
        if len(ends) == 2:
            step = (ends[1] - ends[0]) / (len(inner) + 1)
            first = ends[0]
            if abs(step) < NODE_SPACING * 0.7:
                step = (1 if ends[1] > ends[0] else -1) * NODE_SPACING * 0.85
                first = sum(ends) / 2 - step * (len(inner) + 1) / 2
            xs = [first + n * step for n in range(1, len(inner) + 1)]
            left, right = (
                (min(*ends, min(xs) - 1), max(*ends, max(xs) + 1)) if xs else (min(ends), max(ends))
            )
            level = 1 + max((up for a, b, up in above if a < right and left < b), default=0)
            above.append((left, right, level))
            at.update((node, (x, level * _LEVEL_HEIGHT)) for node, x in zip(inner, xs, strict=True))
            continue
        below += 1
        start = ends[0] if ends else 0.0
        side = -1 if start > len(trunk.nodes) / 2 * NODE_SPACING - NODE_SPACING / 2 else 1
        nodes = inner if ends and chain.nodes[0] in trunk.nodes else inner[::-1] if ends else inner
        shift = 0.5 if ends else 0.0
        for n, node in enumerate(nodes):
            at[node] = (start + side * (n + shift) * NODE_SPACING, -below * _LEVEL_HEIGHT)
    return at


def _span_order(chain: EdgePath, trunk: EdgePath) -> tuple[bool, int]:
    """Sort key: paths attached to the trunk first, short spans first."""
    on = [trunk.nodes.index(end) for end in chain.nodes if end in trunk.nodes]
    return not on, max(on, default=0) - min(on, default=0)
