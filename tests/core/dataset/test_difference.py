import pytest
from tiny_generator import Tiny

from relsmith import Dataset, diff, write
from relsmith.dataset.difference import DatasetDifference
from relsmith.errors import NotADataset


@pytest.fixture
def made(tmp_path):
    """Write a dataset and return its folder."""

    def make(name: str, splits=None, *, most=9, **options):
        write(Tiny(most=most), tmp_path / name, splits or {"train": 20, "test": 5}, **options)
        return tmp_path / name

    return make


def test_a_dataset_does_not_differ_from_itself_sharded_or_packed(made):
    left = made("left")
    assert list(diff(left, made("same"))) == []
    assert list(diff(left, made("sharded", shards=3))) == []
    assert list(diff(left, made("packed", encoding="jsonl.gz"))) == []


def test_options_and_the_fields_of_the_first_rows(made):
    left, right = made("left"), made("right", most=1)
    found = list(diff(left, right, rows=1))
    assert found[0] == DatasetDifference("options.most", 9, 1)
    one, other = (list(Dataset(folder).rows("train")) for folder in (left, right))
    n = next(n for n in range(20) if one[n] != other[n])
    assert found[1:4] == [
        DatasetDifference(f"train[{n}].input", one[n].input, other[n].input),
        DatasetDifference(f"train[{n}].target", one[n].target, other[n].target),
        DatasetDifference(f"train[{n}].metadata.b", one[n].metadata["b"], 1),
    ]
    assert found[4].where.startswith("test[")
    assert len(found) == 7


def test_at_most_the_given_rows_of_a_split_are_compared(made):
    left, right = made("left"), made("right", seed=1)
    for rows in (0, 1, 3):
        places = {d.where.partition(".")[0] for d in diff(left, right, rows=rows)}
        assert len(places - {"seed"}) == 2 * rows


def test_rows_in_only_one_dataset(made):
    left, right = made("left", {"train": 3}), made("right", {"train": 5})
    splits, fourth, fifth = diff(left, right)
    assert splits == DatasetDifference("splits.train", 3, 5)
    assert (fourth.where, fourth.left, fourth.right["id"]) == (
        "train[3]",
        "absent",
        "tiny-v1-s0-train-3",
    )
    assert fifth.where == "train[4]"


def test_a_split_in_only_one_dataset(made):
    left, right = made("left", {"train": 3}), made("right", {"train": 3, "test": 2})
    found = list(diff(left, right))
    assert found[0] == DatasetDifference("splits.test", "absent", 2)
    assert all(d.where.startswith("train[") for d in found[1:])
    assert [d.where for d in diff(right, left)] == [d.where for d in found]


def test_comparing_a_folder_without_a_dataset_is_refused(made, tmp_path):
    with pytest.raises(NotADataset):
        list(diff(made("left"), tmp_path))
