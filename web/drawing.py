"""Layout of graphs of facts for pages: coordinates of nodes and edges."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from ..graph_drawing import MAIN, QUERY, edge_paths
from ..view import Step

if TYPE_CHECKING:
    import networkx

_NAME_LETTER, _LABEL_LETTER = 8.0, 6.9
"""Approximate letter widths of names and relations."""
_BOX_HEIGHT, _LEVEL_HEIGHT, _MARGIN = 30.0, 84.0, 30.0
_MIN_SPACING = 150.0
_LABEL_POSITION = 0.7
"""Relative position of the label on an edge that leaves the main line."""


class Node(NamedTuple):
    """A box with a name, centred at a point; `kind` is the number of its role."""

    name: str
    x: float
    y: float
    width: float
    square: bool
    kind: int


class Edge(NamedTuple):
    """A curve between two nodes with a label; `step` is the proof step that concludes it."""

    path: str
    word: str
    x: float
    y: float
    kind: int
    number: int | None
    step: int | None


@dataclass
class Drawing:
    """A graph layout: bounding box, role names, nodes and edges."""

    left: float = 0
    top: float = 0
    width: float = 0
    height: float = 0
    roles: list[str] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    asked: str = ""


Points = Mapping[str, tuple[float, float]]


class _DrawnFact(NamedTuple):
    """A fact to draw."""

    start: str
    relation: str
    end: str
    role: str
    number: int | None
    step: int | None = None


def draw(graph: "networkx.MultiDiGraph[str]", steps: Sequence[Step] = ()) -> Drawing:
    """Return the layout of facts along their main chain, with the conclusions of a proof above."""
    drawing = Drawing()
    if not graph.number_of_edges():
        return drawing
    every = edge_paths(graph)
    drawing.roles = list(dict.fromkeys([MAIN, *(chain.role for chain in every)]))
    roles = {node: chain.role for chain in reversed(every) for node in chain.nodes}
    at, wide = _place_nodes(graph)
    drawing.nodes = [
        Node(
            name,
            x,
            y,
            wide[name],
            graph.nodes[name].get("shape") == "square",
            drawing.roles.index(roles[name]),
        )
        for name, (x, y) in at.items()
    ]
    facts = [
        _DrawnFact(start, traits["relation"], end, traits.get("role", MAIN), traits.get("number"))
        for start, end, traits in graph.edges(data=True)
    ]
    concluded = [
        _DrawnFact(x, relation, y, MAIN, len(facts) + n, n)
        for n, (x, relation, y) in enumerate(step.fact for step in steps)
        if x in at and y in at
    ]
    between: Counter[frozenset[str]] = Counter()
    for line in [*facts, *concluded]:
        ends = at[line.start], at[line.end]
        # Edges between the same two nodes bend apart, conclusions above all others.
        bend = 14.0 * between[frozenset((line.start, line.end))]
        between[frozenset((line.start, line.end))] += 1
        if line.step is not None:
            bend += 18 + abs(ends[0][0] - ends[1][0]) / 9
        bend = -bend if ends[0] > ends[1] else bend
        path, x, y = _curve(*ends, (wide[line.start], wide[line.end]), bend)
        kind = drawing.roles.index(line.role)
        drawing.edges.append(Edge(path, line.relation, x, y, kind, line.number, line.step))
    _set_bounds(drawing)
    asked = graph.graph.get(QUERY, ())
    if len(asked) == 2 and asked[0] in at and asked[1] in at:
        arrow = " → ".join((asked[0], graph.graph["target"], asked[1]))
        drawing.asked = graph.graph.get("asked") or arrow
    return drawing


def _place_nodes(graph: "networkx.MultiDiGraph[str]") -> tuple[Points, dict[str, float]]:
    """Return the positions and widths of nodes, in columns with room for labels between them.

    The main chain is the first line. Each other path begins below the node that it leaves, on the
    first line that is free there; components of their own begin at the left.
    """
    wide = {name: len(name) * _NAME_LETTER + 22 for name in graph}
    words = [len(traits["relation"]) for _, _, traits in graph.edges(data=True)]
    across = max(_MIN_SPACING, max(wide.values()) + max(words) * _LABEL_LETTER + 16)
    cells: dict[str, tuple[int, int]] = {}
    waiting = edge_paths(graph)
    while waiting:
        # Paths between two nodes with a place come first, then those that leave one.
        path = max(waiting, key=lambda each: len(cells.keys() & each.nodes))
        waiting.remove(path)
        backwards = path.nodes[0] not in cells and path.nodes[-1] in cells
        nodes = path.nodes[::-1] if backwards else path.nodes
        start = next((cells[name][0] + 1 for name in nodes if name in cells), 0)
        new = [name for name in nodes if name not in cells]
        columns, taken = range(start, start + len(new)), set(cells.values())
        line = next(
            n for n in count(bool(cells)) if not any((column, n) in taken for column in columns)
        )
        cells |= {name: (column, line) for name, column in zip(new, columns, strict=True)}
    at = {name: (column * across, line * _LEVEL_HEIGHT) for name, (column, line) in cells.items()}
    return at, wide


def _curve(
    start: tuple[float, float], end: tuple[float, float], wide: tuple[float, float], bend: float
) -> tuple[str, float, float]:
    """Return a curve between the borders of two boxes, and the position of its label."""
    (x0, y0), (x1, y1) = start, end
    dx, dy = x1 - x0, y1 - y0
    long = (dx * dx + dy * dy) ** 0.5 or 1.0
    mid = (x0 + x1) / 2 + bend * dy / long, (y0 + y1) / 2 - bend * dx / long
    a = _border_point(start, mid, wide[0])
    b = _border_point(end, mid, wide[1], 4)
    # Labels are nearer to the end off the main line, where edges spread.
    share = 0.5 if y0 == y1 else 1 - _LABEL_POSITION if abs(y0) > abs(y1) else _LABEL_POSITION
    x, y = (
        (1 - share) ** 2 * a[n] + 2 * share * (1 - share) * mid[n] + share**2 * b[n] for n in (0, 1)
    )
    path = f"M{a[0]:.1f} {a[1]:.1f}Q{mid[0]:.1f} {mid[1]:.1f} {b[0]:.1f} {b[1]:.1f}"
    return path, x, y


def _border_point(
    centre: tuple[float, float], to: tuple[float, float], wide: float, off: float = 1
) -> tuple[float, float]:
    """Return the point where a line from the centre of a box leaves it."""
    (x, y), dx, dy = centre, to[0] - centre[0], to[1] - centre[1]
    if not dx and not dy:
        return centre
    reach = min(
        (wide / 2 + off) / abs(dx) if dx else float("inf"),
        (_BOX_HEIGHT / 2 + off) / abs(dy) if dy else float("inf"),
    )
    return x + dx * min(reach, 1), y + dy * min(reach, 1)


def _set_bounds(drawing: Drawing) -> None:
    """Set the bounding box of a drawing."""
    left = min(node.x - node.width / 2 for node in drawing.nodes) - 8
    top = min(*(node.y for node in drawing.nodes), *(edge.y for edge in drawing.edges)) - _MARGIN
    right = max(node.x + node.width / 2 for node in drawing.nodes) + 8
    low = max(*(node.y for node in drawing.nodes), *(edge.y for edge in drawing.edges)) + _MARGIN
    drawing.left, drawing.top = round(left, 1), round(top, 1)
    drawing.width, drawing.height = round(right - left, 1), round(low - top, 1)
