"""Clusters of rows that were drawn together."""

from pathlib import Path

import numpy as np
import pytest

from relsmith import Dataset, write
from relsmith.clusters import RowClusters, clusters
from relsmith.evaluation.papers.stories.task import StoryTask
from relsmith.evaluation.report import compared, figure
from relsmith.evaluation.result import RowLabels, load
from relsmith.generators.clutrr import Clutrr

RUNS = Path(__file__).parents[2] / "docs/results/stories/runs"


def test_stories_are_drawn_by_clause(tmp_path: Path) -> None:
    write(Clutrr.configure({"k": "2..3"}), tmp_path / "stories", {"test": 60})
    rows = list(Dataset(tmp_path / "stories").rows("test"))
    clauses = [" ".join(row.metadata["clause"]) for row in rows]
    found = clusters((row.id, row.metadata) for row in rows)
    assert found == ("clauses", clauses)
    sampling = StoryTask().read(tmp_path / "stories", "test").data.sampling
    assert sampling.unit == "clauses"
    pairs = set(zip(clauses, sampling.clusters.tolist(), strict=True))
    assert len(pairs) == len(set(clauses)) == len(set(sampling.clusters.tolist()))


def test_clauses_of_one_group_are_one_cluster() -> None:
    rows = {
        "1": {"clause": ["child", "sibling"], "group": "1"},
        "2": {"clause": ["sibling", "inv-child"], "group": "1"},
        "3": {"clause": ["sibling", "inv-child"], "group": "3"},
        "4": {"clause": ["SO", "SO"], "group": "3"},
        "5": {"clause": ["child", "child"], "group": ""},
        "6": {"clause": ["SO", "SO"], "group": ""},
    }
    unit, keys = clusters(rows.items())
    assert unit == "clauses"
    assert len(set(keys[:4] + keys[5:])) == 1
    assert keys[4] not in keys[:4]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([{"clause": ["a"], "story": "s"}, {"clause": ["b"], "story": "s"}], ("stories", "ss")),
        ([{"probe": "type", "relation": "r", "group": "g"}], ("relations", "r")),
        ([{"question": {"relation": "r", "argument": "a"}}], ("questions", ["r a"])),
        ([{"group": "g"}, {"group": "g"}, {}], ("groups", "gg2")),
        ([{}, {"clause": []}], ("rows", "01")),
        ([], ("rows", "")),
    ],
)
def test_rows_of_other_generators(rows: list[dict[str, object]], expected: tuple[str, str]) -> None:
    found = clusters((str(number), row) for number, row in enumerate(rows))
    assert found == (expected[0], list(expected[1]))


def test_labels_keep_the_clusters_of_rows() -> None:
    columns = {"k": [3, 2, 3, 2, 2]}
    labels = RowLabels.of(columns, RowClusters("clauses", list("baabc")))
    again = RowLabels.model_validate_json(labels.model_dump_json())
    assert again.sampling and again.sampling.unit == "clauses"
    numbers = again.sampling.clusters
    expected = np.array(list("baabc"))
    assert ((numbers[:, None] == numbers) == (expected[:, None] == expected)).all()
    assert RowLabels.of(columns, RowClusters("rows", list("abcde"))).sampling is None
    assert RowLabels.of(columns).sampling is None
    bare = RowLabels.of({}, RowClusters("clauses", list("aab"))).sampling
    assert bare and bare.clusters.tolist() == [0, 0, 1]


def test_our_results_resample_clauses_and_seeds() -> None:
    """Check k = 3, where intervals over rows would be too narrow with 13 held-out clauses."""
    results = {result.setup.label: result for result in load([RUNS / "gen-big.json.gz"])}
    halves = {"gat": 0.27, "edge-transformer": 0.14, "bert": 0.27, "ends-only": 0.26}
    for name, half in halves.items():
        found = figure(results[name], "accuracy", where={"k": 3})
        assert found and found.half == pytest.approx(half, abs=0.02)
    comparisons = compared([results["gat"]], [results["bert-edges"]], ["k"], None)
    third = comparisons[1]
    assert third.difference.difference == pytest.approx(0.1, abs=0.01)
    assert third.corrected > 0.2
    assert third.drawn == "13 clauses, 3 + 3 seeds"
