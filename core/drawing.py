"""Graphs of facts as drawings: of lines of text for a terminal, or as a picture.

What a graph may say of its looks: an edge its `role`, a node that its `shape` is `square`, and the
graph itself the `colours` of roles and, in words, what is `asked`.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import InvalidOption, MissingExtra, NotFound, install, reason
from .example import Example
from .registry import GENERATORS

if TYPE_CHECKING:
    import networkx

    Graph = networkx.MultiDiGraph[str]

MAIN = "path"
QUERY = "query"

Piece = tuple[str, str]
"""Some text, and the role of what it draws; none for the lines between."""


def find_graph(generator: str) -> "Callable[[Example], Graph]":
    """What makes a graph of a row of that generator."""

    def graph(example: Example) -> "Graph":
        drawn = GENERATORS.get(generator).graph(example)
        if drawn is None:
            raise NotFound(f"rows of {generator} have no graph; leave out --graph and --plot")
        return drawn

    return graph


class Chain(NamedTuple):
    """Edges of one role that go on from each other, whichever way each of them runs."""

    role: str
    nodes: list[str]
    relations: list[str]
    backwards: list[bool]


def chains(graph: "Graph") -> list[Chain]:
    """Every edge once, in chains; the main one first."""

    def place(edge: tuple[str, str, dict[str, Any]]) -> tuple[bool, int, int]:
        traits = edge[2]
        return traits.get("role") != MAIN, traits.get("path", 0), traits.get("step", 0)

    placed: list[tuple[tuple[bool, int], Chain]] = []
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
        placed.append((path, Chain(role, [x, y], [traits["relation"]], [False])))
    return [chain for _, chain in placed]


def sketch(graph: "Graph", width: int = 90) -> list[list[Piece]]:
    """The graph in lines of text: the main chain downwards, all others beside it.

    A dashed line joins the two that the row asks about.
    """
    trunk, *others = chains(graph)
    rows: dict[str, int] = {}
    lines: list[list[Piece]] = []
    last = len(trunk.nodes) - 1
    for n, node in enumerate(trunk.nodes):
        rows[node] = len(lines)
        lines.append([(node, MAIN)])
        here = [chain for chain in others if _home(chain, trunk) == node]
        for number, chain in enumerate(here, start=1):
            ends = n == last and number == len(here)
            lines += _beside(chain, trunk, n, "└" if ends else "├", width)
        if n < last:
            mark = "▴ " if trunk.backwards[n] else "│ "
            lines.append([(mark, ""), (trunk.relations[n], MAIN)])
    x, y = graph.graph.get(QUERY, ("", ""))
    lines = _dashed(lines, rows, x, y)
    for chain in others:
        if _home(chain, trunk) is None:
            lines += [[], *_alone(chain, width)]
    if x in graph and y in graph:
        asked = graph.graph.get("asked") or f"{x} ─ {graph.graph['target']} ▸ {y}"
        lines += [[], [("╌╌ ", QUERY), (asked, QUERY)]]
    return lines


def _home(chain: Chain, trunk: Chain) -> str | None:
    """Where on the trunk a chain hangs."""
    return next((end for end in (chain.nodes[0], chain.nodes[-1]) if end in trunk.nodes), None)


def _beside(chain: Chain, trunk: Chain, at: int, corner: str, width: int) -> list[list[Piece]]:
    turned = chain.nodes[0] != trunk.nodes[at]
    nodes = chain.nodes[::-1] if turned else chain.nodes
    links = list(zip(chain.relations, chain.backwards, strict=True))
    steps = []
    for (relation, backwards), node in zip(
        links[::-1] if turned else links, nodes[1:], strict=True
    ):
        arrow = f"◂ {relation} ─ " if backwards != turned else f"─ {relation} ▸ "
        steps.append([(arrow, chain.role), _named(node, trunk, at, chain.role)])
    steps[0].insert(0, (corner, ""))
    return _wrapped(steps, chain.role, " " if corner == "└" else "│", width)


def _named(node: str, trunk: Chain, at: int, role: str) -> Piece:
    """A name, with an arrow to where it stands on the trunk, if it does."""
    if node not in trunk.nodes:
        return node, role
    return f"{node} {'↓' if trunk.nodes.index(node) > at else '↑'}", MAIN


def _alone(chain: Chain, width: int) -> list[list[Piece]]:
    steps = [[(chain.nodes[0], chain.role)]]
    for relation, backwards, node in zip(
        chain.relations, chain.backwards, chain.nodes[1:], strict=True
    ):
        arrow = f" ◂ {relation} ─ " if backwards else f" ─ {relation} ▸ "
        steps.append([(f"{arrow}{node}", chain.role)])
    lines = _wrapped(steps, chain.role, "", width)
    return [[("    ", ""), *line] for line in lines]


def _wrapped(steps: list[list[Piece]], role: str, margin: str, width: int) -> list[list[Piece]]:
    """Steps in as few lines as fit beside the margin, the last with their role."""
    lines: list[list[Piece]] = [[]]
    for step in [*steps[:-1], [*steps[-1], (f"  ({role})", role)]]:
        long = sum(len(text) for text, _ in [*lines[-1], *step]) > width - 5
        if lines[-1] and long:
            lines.append([(f"{margin}    ", "")])
        elif lines[-1] and step[0][0][0] != " ":
            lines[-1].append((" ", ""))
        lines[-1] += step
    return lines


def _dashed(lines: list[list[Piece]], rows: dict[str, int], x: str, y: str) -> list[list[Piece]]:
    """The lines with a margin, in which a dashed line leads from x to y."""
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
ACROSS = 3.2
"""How far apart neighbours on the main chain are placed."""
_DOWN, _INCH = 1.15, 0.62


def picture(graphs: "Sequence[tuple[str, Graph]]", path: str | Path) -> None:
    """Draw graphs below each other, each under its title, to a picture file."""
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtra(f"pictures need {error.name}: {install('stats')}") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    at = [places(graph) for _, graph in graphs]
    frames = [_frame(place) for place in at]
    heights = [high - low for _, _, low, high in frames]
    wide = max(right - left for left, right, _, _ in frames)
    figure, rows = pyplot.subplots(
        len(graphs),
        figsize=(_INCH * wide, _INCH * (sum(heights) + len(heights) / 2 + 0.6)),
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
    _legend(figure, [graph for _, graph in graphs])
    try:
        # Text stays text, and no date is noted: the same row gives the same bytes.
        with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "relsmith"}):
            dateless = {"Date": None} if Path(path).suffix == ".svg" else None
            figure.savefig(path, dpi=150, metadata=dateless)
    except (OSError, ValueError) as error:
        raise InvalidOption(
            f"--plot: cannot draw to {Path(path).name}: {reason(error)}; name a .png, .svg or .pdf"
        ) from None
    finally:
        pyplot.close(figure)


Places = dict[str, tuple[float, float]]


def _frame(at: Places) -> tuple[float, float, float, float]:
    """Left, right, low and high, with room for names and for what is asked."""
    xs, ys = zip(*at.values(), strict=True)
    return min(xs) - 1.3, max(xs) + 1.3, min(ys) - 0.6, max(ys) + 1.5


def places(graph: "Graph") -> Places:
    """The main chain along a line, what joins two of its nodes above, the rest below."""
    trunk, *others = chains(graph)
    at: Places = {node: (n * ACROSS, 0.0) for n, node in enumerate(trunk.nodes)}
    above: list[tuple[float, float, int]] = []
    below = 0
    for chain in sorted(others, key=lambda chain: _reach(chain, trunk)):
        inner = [node for node in chain.nodes if node not in at]
        ends = [at[node][0] for node in (chain.nodes[0], chain.nodes[-1]) if node in trunk.nodes]
        if len(ends) == 2:
            step = (ends[1] - ends[0]) / (len(inner) + 1)
            first = ends[0]
            if abs(step) < ACROSS * 0.7:
                step = (1 if ends[1] > ends[0] else -1) * ACROSS * 0.85
                first = sum(ends) / 2 - step * (len(inner) + 1) / 2
            xs = [first + n * step for n in range(1, len(inner) + 1)]
            left, right = (
                (min(*ends, min(xs) - 1), max(*ends, max(xs) + 1)) if xs else (min(ends), max(ends))
            )
            level = 1 + max((up for a, b, up in above if a < right and left < b), default=0)
            above.append((left, right, level))
            at.update((node, (x, level * _DOWN)) for node, x in zip(inner, xs, strict=True))
            continue
        below += 1
        start = ends[0] if ends else 0.0
        side = -1 if start > len(trunk.nodes) / 2 * ACROSS - ACROSS / 2 else 1
        nodes = inner if ends and chain.nodes[0] in trunk.nodes else inner[::-1] if ends else inner
        shift = 0.5 if ends else 0.0
        for n, node in enumerate(nodes):
            at[node] = (start + side * (n + shift) * ACROSS, -below * _DOWN)
    return at


def _reach(chain: Chain, trunk: Chain) -> tuple[bool, int]:
    """What hangs on the trunk before the rest, and near nodes before far ones."""
    on = [trunk.nodes.index(end) for end in chain.nodes if end in trunk.nodes]
    return not on, max(on, default=0) - min(on, default=0)


def _draw(axes: Any, graph: "Graph", at: Places, top: float) -> None:
    boxes = {}
    roles = {node: chain.role for chain in reversed(chains(graph)) for node in chain.nodes}
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
        _arrow(axes, ends, (boxes[start], boxes[end]), colour, 2.4 if role == MAIN else 1.3)
        _label(axes, ends, traits["relation"], colour)
    asked = graph.graph.get(QUERY, ())
    if len(asked) == 2 and all(node in at for node in asked):
        _asked(axes, (at[asked[0]], at[asked[1]]), top, graph.graph["target"])


Ends = tuple[tuple[float, float], tuple[float, float]]


def _arrow(axes: Any, ends: Ends, boxes: tuple[Any, Any], colour: str, width: float) -> None:
    style = {"arrowstyle": "-|>", "color": colour, "linewidth": width, "shrinkA": 1, "shrinkB": 1}
    style |= {"patchA": boxes[0], "patchB": boxes[1]}
    axes.annotate("", ends[1], ends[0], arrowprops=style, zorder=1)


def _label(axes: Any, ends: Ends, label: str, colour: str) -> None:
    """Above a level line, on a slanting one."""
    (x0, y0), (x1, y1) = ends
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85}
    style = {"ha": "center", "va": "center", "fontsize": 8, "color": colour}
    y = (y0 + y1) / 2 + 0.2 * (y0 == y1)
    axes.text((x0 + x1) / 2, y, label, bbox=box, zorder=2, **style)


def _asked(axes: Any, ends: Ends, top: float, target: str) -> None:
    """A dashed line that rises from the one, passes over everything and comes down on the other."""
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
    _label(axes, ((x0, top - 0.2), (x1, top - 0.2)), f"{target}?", _COLOURS[QUERY])


def _legend(figure: Any, graphs: "list[Graph]") -> None:
    from matplotlib.lines import Line2D

    roles = {chain.role: _colour(graph, chain.role) for graph in graphs for chain in chains(graph)}
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


def words(lines: list[list[Piece]]) -> Iterator[str]:
    """A sketch as plain lines."""
    return ("".join(text for text, _ in line).rstrip() for line in lines)
