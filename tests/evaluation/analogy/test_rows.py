"""What a model may see of a row."""

from pathlib import Path

import pytest

from relsmith import Dataset, write
from relsmith.errors import NotADataset, NotFound
from relsmith.evaluation.analogy.rows import Rows, distinct
from relsmith_comparatives import Comparatives


def test_every_row_is_read_and_says_what_the_dataset_says(folder: Path, rows: Rows) -> None:
    examples = list(Dataset(folder).rows("train"))
    assert len(rows) == len(examples)
    turns = {key: iter(some) for key, some in rows.by_key.items()}
    for example in examples:
        known = example.metadata
        row = next(turns[known["relation"], known["setting"], known["probe"]])
        assert list(row.query) == known["query"]
        if known["setting"] == "supervised":
            assert bool(row.target) == (example.target == "true")
            assert list(row.offers[0]) == (known["positive"] or known["negative"])
        else:
            assert list(row.offers[row.target]) == known["positive"]
            assert list(row.offers) == sorted(row.offers)
            assert len(row.offers) == 2


def test_the_place_of_an_offer_tells_nothing(rows: Rows) -> None:
    places = [
        row.target for key, some in rows.by_key.items() if key[1] == "unsupervised" for row in some
    ]
    assert 0.35 < sum(places) / len(places) < 0.65


def test_quads_are_numbered_once(rows: Rows) -> None:
    some = next(iter(rows.by_key.values()))
    numbers = distinct([*some, *some])
    assert sorted(numbers.values()) == list(range(len(numbers)))
    assert set(numbers) == {quad for row in some for quad in row.quads}


def test_negatives_that_are_true_are_marked(faithful: Path) -> None:
    found = Rows(faithful, "test")
    marked = sum(row.flawed for some in found.by_key.values() for row in some)
    assert marked == sum(
        example.metadata["false_negative"] for example in Dataset(faithful).rows("test")
    )


def test_rows_of_another_kind_are_refused(tmp_path: Path, folder: Path) -> None:
    write(Comparatives(), tmp_path / "other", {"train": 3})
    with pytest.raises(NotADataset, match=r"is no analogy .* gen analogy"):
        Rows(tmp_path / "other", "train")
    with pytest.raises(NotFound, match="no split 'dev'"):
        Rows(folder, "dev")
