import gzip

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_generator import Tiny

from relsmith import Dataset, write
from relsmith.errors import NotADataset, NotFound
from relsmith.testing.profile import scaled

SPLITS = {"train": 30, "test": 20}


@pytest.fixture(params=["jsonl", "jsonl.gz"])
def folder(tmp_path, request):
    write(Tiny(), tmp_path / "data", SPLITS, shards=3, encoding=request.param)
    return tmp_path / "data"


def test_rows_of_a_split_or_of_all_come_in_order(folder):
    made = {
        split: list(Tiny().examples(rows, split=split, splits=tuple(SPLITS)))
        for split, rows in SPLITS.items()
    }
    assert list(Dataset(folder).rows("train")) == made["train"]
    assert list(Dataset(str(folder)).rows()) == made["train"] + made["test"]


def test_an_unknown_split_lists_all_splits(folder):
    with pytest.raises(NotFound, match="has no split 'dev'; there are: train, test"):
        list(Dataset(folder).rows("dev"))


@settings(max_examples=scaled(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(key=st.integers(-50, 49) | st.slices(50))
def test_rows_are_indexed_like_a_list(folder, key):
    dataset = Dataset(folder)
    assert dataset[key] == list(dataset)[key]


def test_a_split_is_a_dataset(folder):
    dataset = Dataset(folder)
    test = dataset["test"]
    assert (len(dataset), len(test)) == (50, 20)
    assert test[3] == list(dataset.rows("test"))[3] == dataset[33]
    assert list(test) == list(dataset.rows("test"))
    with pytest.raises(NotFound, match="has no split 'dev'; there are: train, test"):
        dataset["dev"]


def test_rows_convert_to_a_table(folder):
    dataset = Dataset(folder)
    table, rows = dataset.to_pandas(), list(dataset)
    field = next(iter(rows[0].metadata))
    assert list(table.columns[:6]) == [
        *("id", "split", "input", "choices", "target"),
        f"metadata.{field}",
    ]
    assert list(table["id"]) == [row.id for row in rows]
    assert list(table[f"metadata.{field}"]) == [row.metadata[field] for row in rows]
    assert table.groupby("split", sort=False).size().to_dict() == dataset.manifest.splits
    assert set(dataset["test"].to_pandas()["split"]) == {"test"}


def test_no_row_is_beyond_the_last(folder):
    for number in (20, -21):
        with pytest.raises(IndexError, match=f"has 20 rows, no row {number}"):
            Dataset(folder)["test"][number]


def test_repr_describes_the_dataset(folder):
    told = f"<Dataset {folder}: tiny v1, seed 0; train 30, test 20 rows>"
    assert repr(Dataset(folder)) == told
    assert repr(Dataset(folder)["test"]) == told.replace("train 30, ", "")


def test_opening_a_folder_without_a_dataset_is_refused(tmp_path):
    with pytest.raises(NotADataset):
        Dataset(tmp_path)


def damage(folder, change, name=None):
    path = folder / (name or Dataset(folder).manifest.files[1].name)
    packed = path.suffix == ".gz"
    data = gzip.decompress(path.read_bytes()) if packed else path.read_bytes()
    data = change(data)
    path.write_bytes(gzip.compress(data) if packed else data)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda data: data[:-20], "after line 9: "),
        (lambda data: data.replace(b'"target"', b'"tagret"', 1), "after line 0: "),
        (lambda data: data + b"\n", "after line 10: "),
        (lambda data: b"", "after line 0: "),
        (lambda data: b"".join(data.splitlines(keepends=True)[:-1]), "after line 9: "),
    ],
    ids=["cut in a row", "renamed field", "empty line", "empty file", "cut after a row"],
)
def test_a_damaged_shard_is_named_with_the_line(folder, change, line):
    damage(folder, change)
    with pytest.raises(NotADataset) as caught:
        list(Dataset(folder).rows())
    assert line in str(caught.value)
    assert f"run gen verify {folder}" in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(NotADataset, match="gen verify"):
        Dataset(folder)[:]


def test_a_missing_shard_is_named(folder):
    name = Dataset(folder).manifest.files[1].name
    (folder / name).unlink()
    with pytest.raises(NotADataset, match=f"{name}: No such file or directory; run gen verify"):
        list(Dataset(folder).rows())
    with pytest.raises(NotADataset, match=name):
        Dataset(folder)[10]


@pytest.mark.parametrize("cut", [0.5, 0.99])
def test_a_cut_gzip_file_is_named(tmp_path, cut):
    write(Tiny(), tmp_path / "data", {"train": 500}, encoding="jsonl.gz")
    path = tmp_path / "data" / "train-00000-of-00001.jsonl.gz"
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * cut)])
    with pytest.raises(NotADataset, match=path.name):
        list(Dataset(tmp_path / "data").rows())


def spoilt(folder, number, change):
    """Change a row of the dataset's first file."""
    file = Dataset(folder).manifest.files[0].name
    rows = list(Dataset(folder).rows())[: Dataset(folder).manifest.files[0].rows]
    change(rows[number])
    data = b"".join(orjson.dumps(row) + b"\n" for row in rows)
    (folder / file).write_bytes(gzip.compress(data) if file.endswith("gz") else data)
    return Dataset(folder), file


def test_a_row_that_breaks_the_schema_is_named(folder):
    dataset, file = spoilt(folder, 4, lambda row: row.metadata.clear())
    with pytest.raises(NotADataset, match=rf"{file}:5: tiny-v1-s0-train-4 .*metadata\."):
        list(dataset.validated_rows(Tiny))


def test_failures_on_a_row_name_the_row(folder):
    dataset, file = spoilt(folder, 4, lambda row: row.metadata.clear())
    name = next(iter(Tiny.Metadata.model_fields))
    with (
        pytest.raises(NotADataset, match=rf"{file}:5: tiny-v1-s0-train-4 .*KeyError: '{name}'"),
        dataset.explain_damage(),
    ):
        for row in dataset.rows():
            row.metadata[name]


def test_an_endless_line_is_not_held_in_memory(folder):
    file = Dataset(folder).manifest.files[0].name
    data = b" " * (1 << 25)
    (folder / file).write_bytes(gzip.compress(data) if file.endswith("gz") else data)
    for reading in (lambda: next(Dataset(folder).rows()), lambda: Dataset(folder)[0]):
        with pytest.raises(NotADataset, match=r"16,777,216|100 times its size"):
            reading()
