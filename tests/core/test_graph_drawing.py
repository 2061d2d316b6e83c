"""Drawings contain every fact once and can be parsed back."""

import re
from itertools import combinations

import networkx
import pytest

from relsmith import GENERATORS
from relsmith.errors import NotFound
from relsmith.graph_drawing import (
    draw_text,
    edge_paths,
    graph_builder,
    node_positions,
)
from relsmith.testing.profile import scaled

OPTIONS = [
    {"k": "2..6"},
    {"k": "2..9", "noise": "all", "noise_length": "2..5", "people": 120},
    {"k": "6", "noise": "supporting,irrelevant", "noise_paths": 2, "people": 120},
]


def rows(options, count=40):
    return GENERATORS.get("clutrr").configure(options).examples(scaled(count, least=min(count, 5)))


def plain_lines(lines):
    return ["".join(text for text, _ in line).rstrip() for line in lines]


def facts(graph):
    return sorted((x, d["relation"], y, d["role"]) for x, y, d in graph.edges(data=True))


def read_back(lines: list[str]) -> tuple[list[tuple[str, str, str, str]], list[tuple[int, str]]]:
    """Parse a text drawing: the trunk downwards, branches along their arrows."""
    found, trunk, margins = [], [], []
    open_facts: list[tuple[str, str, str]] = []
    relation = start = None
    upwards = False
    for line in lines:
        margin, body = line[:4], line[4:]
        if margin.strip() and margin.strip() != "╎" and not line.startswith("╌╌"):
            margins.append((margin.strip(), body))
        if not body or line.startswith("╌╌"):
            continue
        if re.match(r"[│▴] \S", body):
            relation, upwards = body[2:], body[0] == "▴"
            continue
        if re.match(r"[├└]", body):
            start, body = trunk[-1], body[1:]
        elif re.match(r"[│ ] {4}[─◂]", body):
            body = body.lstrip("│ ")
        elif re.match(r"\S+ [─◂] ", body):
            start, _, body = body.partition(" ")
        else:
            if relation:
                ends = (body, relation, trunk[-1]) if upwards else (trunk[-1], relation, body)
                found.append((*ends, "path"))
            trunk.append(body)
            continue
        for arrow, label, name in re.findall(r"(─|◂) (\S+) (?:▸|─) (\S+)", body):
            fact = (start, label, name) if arrow == "─" else (name, label, start)
            open_facts.append(fact)
            start = name
        role = re.search(r"\((\w+)\)$", body)
        if role:
            found += [(*fact, role[1]) for fact in open_facts]
            open_facts = []
    assert not open_facts
    return sorted(found), margins


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("width", [60, 92])
def test_a_text_drawing_can_be_parsed_back(options, width) -> None:
    make = graph_builder("clutrr")
    for row in rows(options):
        graph = make(row)
        lines = list(plain_lines(draw_text(graph, width)))
        found, margins = read_back(lines)
        assert found == facts(graph), "\n".join(lines)
        x, y = row.metadata["query"]
        assert margins == [("╭╌╌", x), ("╰╌▸", y)]
        assert lines[-1] == f"╌╌ {y} is the {row.target} of {x}"
        assert all(len(line) <= width for line in lines), "\n".join(lines)


def test_branches_point_at_the_main_chain() -> None:
    graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph(query=("C", "A"), target="aunt")
    graph.add_edge("A", "B", relation="son", role="path", step=0)
    graph.add_edge("B", "C", relation="wife", role="path", step=1)
    graph.add_edge("B", "D", relation="boss", role="supporting", path=1, step=0)
    graph.add_edge("D", "A", relation="friend", role="supporting", path=1, step=1)
    graph.add_edge("E", "F", relation="uncle", role="odd", path=2, step=0)
    graph.add_edge("F", "C", relation="nephew", role="odd", path=2, step=1)
    graph.add_edge("A", "G", relation="rival", role="supporting", path=3, step=0)
    graph.add_edge("G", "C", relation="pupil", role="supporting", path=3, step=1)
    assert list(plain_lines(draw_text(graph))) == [
        "╭╌▸ A",
        "╎   ├─ rival ▸ G ─ pupil ▸ C ↓  (supporting)",
        "╎   │ son",
        "╎   B",
        "╎   ├─ boss ▸ D ─ friend ▸ A ↑  (supporting)",
        "╎   │ wife",
        "╰╌╌ C",
        "    └◂ nephew ─ F ◂ uncle ─ E  (odd)",
        "",
        "╌╌ C ─ aunt ▸ A",
    ]


def test_a_graph_may_have_a_query() -> None:
    graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph(query=("A", "B"), target="left")
    graph.add_edge("A", "B", relation="left", role="path")
    assert list(plain_lines(draw_text(graph)))[-1] == "╌╌ A ─ left ▸ B"
    graph.graph["asked"] = "B stands left of A"
    assert list(plain_lines(draw_text(graph)))[-1] == "╌╌ B stands left of A"


def test_paths_of_one_role_are_drawn_separately() -> None:
    graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
    for path, (x, y) in enumerate([("A", "B"), ("B", "C"), ("C", "D")]):
        graph.add_edge(x, y, relation="son", role="noise" if path else "path", path=path)
    assert [chain.nodes for chain in edge_paths(graph)] == [["A", "B"], ["B", "C"], ["C", "D"]]
    assert list(plain_lines(draw_text(graph)))[-1] == "    C ─ son ▸ D  (noise)"


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_no_two_names_are_drawn_over_each_other(options) -> None:
    make = graph_builder("clutrr")
    for row in rows(options):
        graph = make(row)
        at = node_positions(graph)
        assert set(at) == set(graph)
        for (one, (x0, y0)), (other, (x1, y1)) in combinations(at.items(), 2):
            assert abs(x0 - x1) > 2 or abs(y0 - y1) > 1, (row.id, one, other)


def test_rows_without_a_graph_say_so() -> None:
    row = next(GENERATORS.get("comparatives").configure({}).examples(1))
    with pytest.raises(NotFound, match="rows of comparatives have no graph; leave out --graph"):
        graph_builder("comparatives")(row)
