"""Layout of graphs: no overlaps, every fact once."""

from itertools import combinations

import networkx
import pytest

from relsmith import make
from relsmith.capabilities import Drawings
from relsmith.web.drawing import Drawing, draw

OPTIONS: list[dict[str, object]] = [
    {"k": "2..10"},
    {"k": "3", "noise": "all"},
    {"k": "2..6", "noise": "all", "side_facts": 9},
    {"world": "spatial", "k": "2..5", "noise": "all"},
    {"world": "time", "k": "2..5", "noise": "all"},
    {"answer": "who", "gender": "given", "noise": "supporting"},
    {"task": "memory", "noise": "irrelevant"},
]


def boxes(drawing: Drawing) -> list[tuple[str, float, float, float, float]]:
    return [
        (node.name, node.x - node.width / 2, node.x + node.width / 2, node.y - 15, node.y + 15)
        for node in drawing.nodes
    ]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_names_do_not_overlap(options: dict[str, object]) -> None:
    generator = make("clutrr", **options)
    for row in generator[:25]:
        view = Drawings.of(generator).view(row)
        assert view.graph is not None
        drawing = draw(view.graph, view.steps)
        assert {node.name for node in drawing.nodes} == set(view.graph)
        for (one, a, b, c, d), (other, e, f, g, h) in combinations(boxes(drawing), 2):
            assert b < e or f < a or d < g or h < c, f"{row.id}: {one} over {other}"
        for _, left, right, top, low in boxes(drawing):
            assert drawing.left <= left < right <= drawing.left + drawing.width
            assert drawing.top <= top < low <= drawing.top + drawing.height
        numbers = [edge.number for edge in drawing.edges]
        assert sorted(numbers) == list(range(len(view.fact_texts) + len(view.steps)))
        concluded = [edge.word for edge in drawing.edges if edge.step is not None]
        assert concluded == row.metadata["concluded"]


def test_a_minimal_graph_of_a_plugin_is_drawn() -> None:
    graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
    graph.add_edge("A", "B", relation="over")
    graph.add_edge("B", "A", relation="under")
    graph.add_edge("A", "B", relation="near", role="aside")
    graph.add_edge("C", "D", relation="by", role="apart")
    drawing = draw(graph)
    assert [edge.word for edge in drawing.edges] == ["over", "near", "under", "by"]
    assert len({edge.path for edge in drawing.edges}) == 4
    assert drawing.roles == ["path", "aside", "apart"]
    assert draw(networkx.MultiDiGraph()).edges == []
