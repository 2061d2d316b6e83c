import gzip

import pytest
from tiny_generator import Tiny

from relsmith import Dataset, write
from relsmith.errors import NotADataset, NotFound

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


def test_an_unknown_split_gets_all_there_are(folder):
    with pytest.raises(NotFound, match="has no split 'dev'; there are: train, test"):
        list(Dataset(folder).rows("dev"))


def test_what_is_no_dataset_cannot_be_opened(tmp_path):
    with pytest.raises(NotADataset):
        Dataset(tmp_path)


def damage(folder, change):
    path = folder / Dataset(folder).manifest.files[1].name
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
    assert f"gen verify {folder} says what is damaged" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_shard_is_named(folder):
    name = Dataset(folder).manifest.files[1].name
    (folder / name).unlink()
    with pytest.raises(NotADataset, match=name):
        list(Dataset(folder).rows())


@pytest.mark.parametrize("cut", [0.5, 0.99])
def test_a_cut_gzip_file_is_named(tmp_path, cut):
    write(Tiny(), tmp_path / "data", {"train": 500}, encoding="jsonl.gz")
    path = tmp_path / "data" / "train-00000-of-00001.jsonl.gz"
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * cut)])
    with pytest.raises(NotADataset, match=path.name):
        list(Dataset(tmp_path / "data").rows())
