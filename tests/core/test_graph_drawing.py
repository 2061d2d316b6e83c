"""Drawings contain every fact once and can be parsed back."""

import re

import networkx
import pytest

from relsmith import GENERATORS
from relsmith.errors import NotFound
from relsmith.graph_drawing import (
    draw_text,
    edge_paths,
    graph_builder,
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


def read_back(lines: list[str]) -> list[tuple[str, str, str, str]]:
    """Parse a text drawing: paths along their arrows."""
    found = []
    for text in "\n".join(lines).replace("\n    ", " ").splitlines():
        start, role = text.split()[0], re.search(r"\((\w+)\)$", text)
        for arrow, label, name in re.findall(r"(─|◂) (\S+) (?:▸|─) (\S+)", text):
            assert role
            fact = (start, label, name) if arrow == "─" else (name, label, start)
            found.append((*fact, role[1]))
            start = name
    return sorted(found)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("width", [60, 92])
def test_a_text_drawing_can_be_parsed_back(options, width) -> None:
    make = graph_builder("clutrr")
    for row in rows(options):
        graph = make(row)
        *lines, empty, asked = plain_lines(draw_text(graph, width))
        assert read_back(lines) == facts(graph), "\n".join(lines)
        x, y = row.metadata["query"]
        assert (empty, asked) == ("", f"╌╌ {y} is the {row.target} of {x}")
        assert all(len(line) <= width for line in lines), "\n".join(lines)


def test_paths_are_lines() -> None:
    graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph(query=("C", "A"), target="aunt")
    graph.add_edge("A", "B", relation="son", role="path", step=0)
    graph.add_edge("B", "C", relation="wife", role="path", step=1)
    graph.add_edge("B", "D", relation="boss", role="supporting", path=1, step=0)
    graph.add_edge("A", "D", relation="friend", role="supporting", path=1, step=1)
    assert list(plain_lines(draw_text(graph))) == [
        "A ─ son ▸ B ─ wife ▸ C  (path)",
        "B ─ boss ▸ D ◂ friend ─ A  (supporting)",
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
    assert list(plain_lines(draw_text(graph)))[-1] == "C ─ son ▸ D  (noise)"


def test_rows_without_a_graph_say_so() -> None:
    row = next(GENERATORS.get("comparatives").configure({}).examples(1))
    with pytest.raises(NotFound, match="rows of comparatives have no graph; leave out --graph"):
        graph_builder("comparatives")(row)
