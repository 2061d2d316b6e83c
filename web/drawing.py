"""A graph of facts as a drawing for a page: where everything lies, for graph.html to write down."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ..graph_drawing import MAIN, NODE_SPACING, QUERY, edge_paths, node_positions
from ..view import Step

if TYPE_CHECKING:
    import networkx

_LETTER, _SMALL = 8.0, 6.9
"""About how wide a letter of a name is, and one of a relation."""
_HIGH, _DOWN, _LOOP = 30.0, 84.0, 30.0
_UP = 112.0
"""Room for what a proof concludes, over the main line."""
_LEAST = 150.0
_LEAST_WIDE = 900.0
_NEAR = 0.7
"""How far along a line that leads off the main one its word stands."""


class Node(NamedTuple):
    """A name in a box of this width around a point; `kind` is the number of its role."""

    name: str
    x: float
    y: float
    width: float
    square: bool
    kind: int


class Edge(NamedTuple):
    """A line from one name to another with a word on it; `step` is the one that concludes it."""

    path: str
    word: str
    x: float
    y: float
    kind: int
    number: int | None
    step: int | None


@dataclass
class Drawing:
    """A graph drawn: its frame, its roles by name, names and lines."""

    left: float = 0
    top: float = 0
    width: float = 0
    height: float = 0
    roles: list[str] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    asked: str = ""


Points = Mapping[str, tuple[float, float]]


class _Line(NamedTuple):
    """A fact that is to be drawn."""

    start: str
    relation: str
    end: str
    role: str
    number: int | None
    step: int | None = None


def draw(graph: "networkx.MultiDiGraph[str]", steps: Sequence[Step] = ()) -> Drawing:
    """Draw the facts along their main chain, and over them what steps of a proof conclude."""
    drawing = Drawing()
    if not graph.number_of_edges():
        return drawing
    every = edge_paths(graph)
    drawing.roles = list(dict.fromkeys([MAIN, *(chain.role for chain in every)]))
    roles = {node: chain.role for chain in reversed(every) for node in chain.nodes}
    at, wide = _points(graph)
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
        _Line(start, traits["relation"], end, traits.get("role", MAIN), traits.get("number"))
        for start, end, traits in graph.edges(data=True)
    ]
    concluded = [
        _Line(x, relation, y, MAIN, len(facts) + n, n)
        for n, (x, relation, y) in enumerate(step.fact for step in steps)
        if x in at and y in at
    ]
    between: Counter[frozenset[str]] = Counter()
    for line in [*facts, *concluded]:
        ends = at[line.start], at[line.end]
        # Several lines between the same two bend away from one another, conclusions over them all.
        bend = 14.0 * between[frozenset((line.start, line.end))]
        between[frozenset((line.start, line.end))] += 1
        if line.step is not None:
            bend += 18 + abs(ends[0][0] - ends[1][0]) / 9
        bend = -bend if ends[0] > ends[1] else bend
        path, x, y = _line(*ends, (wide[line.start], wide[line.end]), bend)
        kind = drawing.roles.index(line.role)
        drawing.edges.append(Edge(path, line.relation, x, y, kind, line.number, line.step))
    _frame(drawing)
    asked = graph.graph.get(QUERY, ())
    if len(asked) == 2 and asked[0] in at and asked[1] in at:
        arrow = " → ".join((asked[0], graph.graph["target"], asked[1]))
        drawing.asked = graph.graph.get("asked") or arrow
    return drawing


def _points(graph: "networkx.MultiDiGraph[str]") -> tuple[Points, dict[str, float]]:
    """Where names are written, so far apart that words fit between them, and how wide they are.

    The main chain runs along a line, what joins two of its names lies above it. All else hangs
    below, each branch in columns of its own, and what hangs on nothing comes last.
    """
    wide = {name: len(name) * _LETTER + 22 for name in graph}
    words = [len(traits["relation"]) for _, _, traits in graph.edges(data=True)]
    across = max(_LEAST, max(wide.values()) + max(words) * _SMALL + 16)
    unit = across / NODE_SPACING
    coarse = node_positions(graph)
    levels = sorted({y for _, y in coarse.values() if y >= 0})
    at = {name: (x * unit, -levels.index(y) * _UP) for name, (x, y) in coarse.items() if y >= 0}
    free, lowest = float("-inf"), 0.0
    for anchor in sorted(at, key=lambda name: at[name]):
        hanging = _Branch(graph, anchor, set(at), wide)
        free = max(free, at[anchor][0] - hanging.width / 2)
        at |= {name: (free + x, y * _DOWN) for name, (x, y) in hanging.places.items()}
        free += hanging.width
        lowest = max([lowest, *(y * _DOWN for _, y in hanging.places.values())])
    left, right = (end(x for x, _ in at.values()) for end in (min, max))
    right = max(right, left + _LEAST_WIDE)
    x = right + 1  # the first begins a line
    for chain in edge_paths(graph):
        alone = [name for name in chain.nodes if name not in at]
        if alone:
            long = (len(alone) - 1) * across
            if x + long > right:
                x, lowest = left, lowest + _DOWN
            at |= {name: (x + n * across, lowest) for n, name in enumerate(alone)}
            x += long + max(wide.values()) + 30
    return at, wide


class _Branch:
    """All that hangs on a name, and is not placed yet: a tree whose leaves have a column each."""

    def __init__(
        self,
        graph: "networkx.MultiDiGraph[str]",
        anchor: str,
        placed: set[str],
        wide: Mapping[str, float],
    ) -> None:
        self.places: dict[str, tuple[float, int]] = {}
        self.width = 0.0
        self._graph, self._placed, self._wide = graph, placed, wide
        self._hang(anchor, 0, 0.0)
        self.places.pop(anchor)

    def _hang(self, name: str, depth: int, wide: float) -> float:
        """Place what hangs on a name, and then the name, over the middle of it.

        A column is as wide as any name that may stand over it.
        """
        self.places[name] = (0.0, depth)
        wide = max(wide, self._wide[name]) if depth else wide
        children = [
            self._hang(other, depth + 1, wide)
            for other in [*self._graph.successors(name), *self._graph.predecessors(name)]
            if other not in self._placed and other not in self.places
        ]
        if not children and depth:
            edges = [
                *self._graph.in_edges(name, data=True),
                *self._graph.out_edges(name, data=True),
            ]
            words = max(len(traits["relation"]) for _, _, traits in edges)
            column = max(wide, words * _SMALL / _NEAR) + 16
            children = [self.width + column / 2]
            self.width += column
        x = sum(children) / (len(children) or 1)
        self.places[name] = (x, depth)
        return x


def _line(
    start: tuple[float, float], end: tuple[float, float], wide: tuple[float, float], bend: float
) -> tuple[str, float, float]:
    """A line between the rims of two boxes, bent by so much, and where its word stands."""
    (x0, y0), (x1, y1) = start, end
    dx, dy = x1 - x0, y1 - y0
    long = (dx * dx + dy * dy) ** 0.5 or 1.0
    mid = (x0 + x1) / 2 + bend * dy / long, (y0 + y1) / 2 - bend * dx / long
    a = _rim(start, mid, wide[0])
    b = _rim(end, mid, wide[1], 4)
    # A word stands nearer to the end that is off the main line: lines spread towards it.
    share = 0.5 if y0 == y1 else 1 - _NEAR if abs(y0) > abs(y1) else _NEAR
    x, y = (
        (1 - share) ** 2 * a[n] + 2 * share * (1 - share) * mid[n] + share**2 * b[n] for n in (0, 1)
    )
    path = f"M{a[0]:.1f} {a[1]:.1f}Q{mid[0]:.1f} {mid[1]:.1f} {b[0]:.1f} {b[1]:.1f}"
    return path, x, y


def _rim(
    centre: tuple[float, float], to: tuple[float, float], wide: float, off: float = 1
) -> tuple[float, float]:
    """Where a line from the middle of a box leaves it."""
    (x, y), dx, dy = centre, to[0] - centre[0], to[1] - centre[1]
    if not dx and not dy:
        return centre
    reach = min(
        (wide / 2 + off) / abs(dx) if dx else float("inf"),
        (_HIGH / 2 + off) / abs(dy) if dy else float("inf"),
    )
    return x + dx * min(reach, 1), y + dy * min(reach, 1)


def _frame(drawing: Drawing) -> None:
    """Move everything to where it is seen, and say how large it is."""
    left = min(node.x - node.width / 2 for node in drawing.nodes) - 8
    top = min(*(node.y for node in drawing.nodes), *(edge.y for edge in drawing.edges)) - _LOOP
    right = max(node.x + node.width / 2 for node in drawing.nodes) + 8
    low = max(*(node.y for node in drawing.nodes), *(edge.y for edge in drawing.edges)) + _LOOP
    drawing.left, drawing.top = round(left, 1), round(top, 1)
    drawing.width, drawing.height = round(right - left, 1), round(low - top, 1)
