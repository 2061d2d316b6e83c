"""Draw graphs of facts, as text for a terminal or as an image.

Optional attributes of a graph: the `role` of an edge, the `shape` of a node (`square`), and of the
graph itself the `colours` of roles and the query in words (`asked`).
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .capabilities import Drawings
from .errors import InvalidOption, MissingExtra, NotFound, install_command, reason
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
            raise NotFound(f"rows of {generator} have no graph; leave out --graph and --plot")
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


_COLOURS = {MAIN: "#0b3c6f", QUERY: "#b3246b"}
_OTHER_COLOUR = "#5b3a8c"
NODE_SPACING = 3.2
"""Horizontal distance of neighbours on the main path."""
_LEVEL_HEIGHT, _INCHES_PER_UNIT = 1.15, 0.62


def draw_image(graphs: "Sequence[tuple[str, Graph]]", path: str | Path) -> None:
    """Draw (title, graph) pairs below each other into an image file."""
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtra(f"images need {error.name}: {install_command('stats')}") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    at = [node_positions(graph) for _, graph in graphs]
    frames = [_bounds(place) for place in at]
    heights = [high - low for _, _, low, high in frames]
    wide = max(right - left for left, right, _, _ in frames)
    figure, rows = pyplot.subplots(
        len(graphs),
        figsize=(
            _INCHES_PER_UNIT * wide,
            _INCHES_PER_UNIT * (sum(heights) + len(heights) / 2 + 0.6),
        ),
        height_ratios=heights,
        squeeze=False,
        layout="constrained",
    )
    for (title, graph), place, frame, (axes,) in zip(graphs, at, frames, rows, strict=True):
        left, right, low, high = frame
        _draw(axes, graph, place, high - 0.55)
        axes.set(xlim=(left, max(right, left + wide)), ylim=(low, high), aspect="equal")
        axes.axis("off")
        axes.set_title(title, loc="left", fontsize=9, color="#555555")
    _draw_legend(figure, [graph for _, graph in graphs])
    try:
        # Text stays text, and there is no date: the same row gives the same bytes.
        with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "relsmith"}):
            dateless = {"Date": None} if Path(path).suffix == ".svg" else None
            figure.savefig(path, dpi=150, metadata=dateless)
    except (OSError, ValueError) as error:
        raise InvalidOption(
            f"--plot: cannot draw to {Path(path).name}: {reason(error)}; name a .png, .svg or .pdf"
        ) from None
    finally:
        pyplot.close(figure)


Positions = dict[str, tuple[float, float]]


def _bounds(at: Positions) -> tuple[float, float, float, float]:
    """Return left, right, bottom and top, with room for names and the query."""
    xs, ys = zip(*at.values(), strict=True)
    return min(xs) - 1.3, max(xs) + 1.3, min(ys) - 0.6, max(ys) + 1.5


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


def _draw(axes: Any, graph: "Graph", at: Positions, top: float) -> None:
    boxes = {}
    roles = {node: chain.role for chain in reversed(edge_paths(graph)) for node in chain.nodes}
    for node, (x, y) in at.items():
        square = graph.nodes[node].get("shape") == "square"
        main = roles[node] == MAIN
        text = axes.text(x, y, node, ha="center", va="center", fontsize=10, zorder=3)
        text.set_bbox(
            {
                "boxstyle": "square,pad=0.35" if square else "round,pad=0.35,rounding_size=0.9",
                "facecolor": "#dbe9f6" if main else "white",
                "edgecolor": _colour(graph, roles[node]),
                "linewidth": 1.6 if main else 1.0,
            }
        )
        boxes[node] = text.get_bbox_patch()
    for start, end, traits in graph.edges(data=True):
        role = traits.get("role", MAIN)
        ends, colour = (at[start], at[end]), _colour(graph, role)
        _draw_arrow(axes, ends, (boxes[start], boxes[end]), colour, 2.4 if role == MAIN else 1.3)
        _draw_label(axes, ends, traits["relation"], colour)
    asked = graph.graph.get(QUERY, ())
    if len(asked) == 2 and all(node in at for node in asked):
        _draw_query(axes, (at[asked[0]], at[asked[1]]), top, graph.graph["target"])


Endpoints = tuple[tuple[float, float], tuple[float, float]]


def _draw_arrow(
    axes: Any, ends: Endpoints, boxes: tuple[Any, Any], colour: str, width: float
) -> None:
    style = {"arrowstyle": "-|>", "color": colour, "linewidth": width, "shrinkA": 1, "shrinkB": 1}
    style |= {"patchA": boxes[0], "patchB": boxes[1]}
    axes.annotate("", ends[1], ends[0], arrowprops=style, zorder=1)


def _draw_label(axes: Any, ends: Endpoints, label: str, colour: str) -> None:
    """Put the label above a horizontal line, or on a slanted one."""
    (x0, y0), (x1, y1) = ends
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85}
    style = {"ha": "center", "va": "center", "fontsize": 8, "color": colour}
    y = (y0 + y1) / 2 + 0.2 * (y0 == y1)
    axes.text((x0 + x1) / 2, y, label, bbox=box, zorder=2, **style)


def _draw_query(axes: Any, ends: Endpoints, top: float, target: str) -> None:
    """Draw a dashed line from one node over everything to the other."""
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path as Line

    (x0, y0), (x1, y1) = ends
    turn = 0.5 if x1 > x0 else -0.5
    points = [
        (x0, y0 + 0.36),
        (x0, top - 0.5),
        (x0, top),
        (x0 + turn, top),
        (x1 - turn, top),
        (x1, top),
        (x1, top - 0.5),
        (x1, y1 + 0.36),
    ]
    codes = [1, 2, 3, 3, 2, 3, 3, 2]  # move, line, two for a curve, and so on
    style: dict[str, Any] = {"color": _COLOURS[QUERY], "linewidth": 1.4}
    style |= {"linestyle": (0, (4, 2.5)), "arrowstyle": "-|>", "mutation_scale": 11}
    axes.add_patch(FancyArrowPatch(path=Line(points, codes), zorder=1, **style))
    _draw_label(axes, ((x0, top - 0.2), (x1, top - 0.2)), f"{target}?", _COLOURS[QUERY])


def _draw_legend(figure: Any, graphs: "list[Graph]") -> None:
    from matplotlib.lines import Line2D

    roles = {
        chain.role: _colour(graph, chain.role) for graph in graphs for chain in edge_paths(graph)
    }
    lines = [
        Line2D([], [], color=colour, linewidth=2.4 if role == MAIN else 1.3, label=role)
        for role, colour in roles.items()
    ]
    lines.append(Line2D([], [], color=_COLOURS[QUERY], linestyle="dashed", label="asked"))
    figure.legend(
        handles=lines, loc="outside lower left", ncols=len(lines), frameon=False, fontsize=8
    )


def _colour(graph: "Graph", role: str) -> str:
    colours: dict[str, str] = _COLOURS | graph.graph.get("colours", {})
    return colours.get(role, _OTHER_COLOUR)


def plain_lines(lines: list[list[StyledText]]) -> Iterator[str]:
    """Return the lines of `draw_text` without roles."""
    return ("".join(text for text, _ in line).rstrip() for line in lines)
