"""Stories as graphs."""

import networkx
from stories import clutrr

from relsmith.testing.profile import scaled


def test_the_two_people_are_k_facts_apart_in_the_graph() -> None:
    generator = clutrr("k=2..8 noise=all people=60")
    for row in generator.examples(scaled(600)):
        found = generator.graph(row)
        x, y = found.graph["query"]
        apart = networkx.shortest_path_length(found.to_undirected(), x, y)
        assert apart == row.metadata["k"]
        roles = networkx.get_edge_attributes(found, "role").values()
        noise = {"path", "supporting", "irrelevant", "disconnected"}
        assert set(roles) == (noise | {"side_facts"} if row.metadata["side_facts"] else noise)
        path = [(a, b) for a, b, role in found.edges(data="role") if role == "path"]
        main = networkx.Graph(path)
        assert networkx.shortest_path_length(main, x, y) == len(path) == row.metadata["k"]
        assert found.nodes[y]["gender"] == dict(row.metadata["genders"])[y]
        assert found.graph["target"] == row.target
