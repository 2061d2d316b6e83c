import json
import statistics as by_hand
import sys
from collections import Counter
from dataclasses import replace

import orjson
import pytest

from relsmith import Dataset, Example, write
from relsmith.dataset import statistics
from relsmith.dataset.statistics import compute_statistics
from relsmith.errors import NotADataset
from relsmith.generators.clutrr import Clutrr
from relsmith_comparatives import Comparatives


@pytest.fixture
def folder(tmp_path):
    """Write a dataset whose second split has two rows of the first and one row twice."""
    write(Comparatives(), tmp_path / "data", {"train": 60, "a_test": 20, "one": 1}, seed=3)
    rows = list(Dataset(tmp_path / "data").rows("a_test"))
    first = list(Dataset(tmp_path / "data").rows("train"))
    rows[0], rows[1] = replace(first[0], id="x"), replace(first[1], id="y")
    rows[3] = replace(rows[2], id="z")
    (tmp_path / "data" / "a_test-00000-of-00001.jsonl").write_bytes(
        b"".join(orjson.dumps(row) + b"\n" for row in rows)
    )
    return tmp_path / "data"


@pytest.fixture
def rows(folder) -> dict[str, list[Example]]:
    return {split: list(Dataset(folder).rows(split)) for split in Dataset(folder).manifest.splits}


def test_splits_are_counted_in_their_order(folder, rows):
    found = compute_statistics(folder).as_json()["splits"]
    assert list(found) == ["train", "a_test", "one"]
    assert found == {
        split: {
            "rows": len(rows[split]),
            "labels": len({row.target for row in rows[split]}),
            "duplicates": 3 if split == "a_test" else 0,
        }
        for split in rows
    }


def test_labels_are_counted_the_most_frequent_first(folder, rows):
    found = compute_statistics(folder).as_json()["labels"]
    for split in rows:
        counted = Counter(row.target for row in rows[split])
        assert {label: count[split] for label, count in found.items() if count[split]} == counted
    totals = [sum(count.values()) for count in found.values()]
    assert totals == sorted(totals, reverse=True)


def test_lengths_are_measured(folder, rows):
    found = compute_statistics(folder).as_json()["lengths"]
    assert list(found) == ["train", "a_test", "one"]
    measures = {
        "characters": lambda row: len(row.input),
        "words": lambda row: len(row.input.split()),
        "choices": lambda row: len(row.choices),
    }
    for split in rows:
        for name, measure in measures.items():
            values = [measure(row) for row in rows[split]]
            assert found[split][name] == pytest.approx(
                {
                    "mean": by_hand.mean(values),
                    "std": by_hand.stdev(values) if len(values) > 1 else 0.0,
                    "min": min(values),
                    "median": by_hand.median(values),
                    "max": max(values),
                }
            )


def test_the_numbers_can_be_written_as_json(folder):
    found = compute_statistics(folder)
    assert json.loads(json.dumps(found.as_json())) == found.as_json()
    assert found.title == "comparatives v1, seed 3"


def test_a_split_without_rows_is_damage(folder):
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["splits"]["lost"] = 5
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(NotADataset, match="no rows in its split 'lost'"):
        compute_statistics(folder)


def test_files_named_only_by_the_manifest_are_not_opened(tmp_path):
    out = tmp_path / "stories"
    write(Clutrr.configure({"k": 2}), out, {"train": 5})
    manifest = json.loads((out / "manifest.json").read_text())
    manifest["options"]["names"] = str(tmp_path / "secret")
    (out / "manifest.json").write_text(json.dumps(manifest))
    opened = []
    sys.addaudithook(lambda event, given: opened.append(str(given[0])) if event == "open" else None)
    compute_statistics(out)
    assert any(name.endswith(".jsonl") for name in opened)
    assert not [name for name in opened if "secret" in name]


def end_facts_baseline(tested, train) -> dict[str, float]:
    found = Clutrr.measures(tested, train)
    return {name: value for name, value in found.items() if "end-facts baseline" in name}


@pytest.mark.parametrize("splits", [{"train": 300, "test": 60}, {"test": 60}, {"train": 60}])
def test_baselines_are_fitted_to_training_rows(splits, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(statistics, "_MADE_ROWS", 200)
    generator = Clutrr(k="2,3", style="facts")
    write(generator, tmp_path / "data", splits, seed=4)
    dataset = Dataset(tmp_path / "data")
    tested = list(dataset.rows([*splits][-1]))
    if "train" not in splits:
        train = generator.examples(200, seed=4, splits=("test", "train"))
    else:
        train = dataset.rows("train") if "test" in splits else generator.examples(200, seed=5)
    train = list(train)
    assert not {row.input for row in train} & {row.input for row in tested}
    expected = end_facts_baseline(tested, train)
    assert len(expected) == 2
    assert expected.items() <= statistics.measures(dataset).items()
    assert expected.items() <= compute_statistics(tmp_path / "data").measures.items()


def test_files_that_a_manifest_names_are_not_opened_for_training_rows(tmp_path) -> None:
    letters = [f"{first}{second}" for first in "ABCDEFGHIJ" for second in "aeiou"]
    lines = [
        f"{name}{end},{sex}" for name in letters for end, sex in (("n", "male"), ("la", "female"))
    ]
    (tmp_path / "names.csv").write_text("\n".join(lines))
    generator = Clutrr(k="2,3", style="facts", names=str(tmp_path / "names.csv"))
    write(generator, tmp_path / "data", {"test": 20})
    found = [*statistics.measures(Dataset(tmp_path / "data"))]
    assert [name for name in found if "ceiling" in name]
    assert not [name for name in found if "end-facts" in name]
