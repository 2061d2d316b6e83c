import pytest
from tiny_generator import Tiny

from relsmith import Dataset, write
from relsmith.dataset.card import reproduction_command
from relsmith.dataset.sharding import shard_counts
from relsmith.errors import InvalidOption

SPLITS = {"train": 90_000, "test": 300}
ROWS = list(Tiny().examples(300))
LENGTH = sum(len(row.encoded()) + 1 for row in ROWS[:256]) / 256


@pytest.mark.parametrize(
    ("shards", "counts"),
    [
        (None, [5, 1]),
        (7, [7, 7]),
        ("7", [7, 7]),
        ("train=3", [3, 1]),
        ("test=3, train=2", [2, 3]),
        ({"test": 4}, [5, 4]),
        (1000, [1000, 300]),
        ("1GB", [1, 1]),
        ("1 MB", [-(-90_000 * LENGTH // 10**6), 1]),
        ("20.5kB", [-(-90_000 * LENGTH // 20_500), 2]),
    ],
)
def test_files_by_number_and_by_size(shards, counts):
    assert list(shard_counts(shards, SPLITS, 1, ROWS).values()) == counts


def test_groups_of_rows_limit_the_number_of_files():
    assert shard_counts(1000, {"train": 12, "test": 90}, 6, ROWS) == {"train": 2, "test": 15}


@pytest.mark.parametrize(
    ("shards", "complaint"),
    [
        (0, "expected at least 1, but got 0"),
        ("-3", "expected at least 1, but got -3"),
        ("train=0", "expected at least 1, but got 0"),
        ("many", "(64MB), but got 'many'"),
        ("64mb", "(64MB), but got '64mb'"),
        ("train=2,", "(64MB), but got 'train=2,'"),
        ("tain=2", "there is no split 'tain'; did you mean 'train'?"),
        ("50B", "is too small for a row"),
    ],
)
def test_invalid_shard_options_are_reported(shards, complaint):
    with pytest.raises(InvalidOption) as caught:
        shard_counts(shards, SPLITS, 1, ROWS)
    assert str(caught.value).startswith("--shards: ")
    assert complaint in str(caught.value)


@pytest.mark.parametrize("encoding", ["jsonl", "jsonl.gz", "parquet"])
def test_a_file_has_the_same_rows_in_every_format(tmp_path, encoding):
    manifest = write(Tiny(), tmp_path, {"train": 900, "test": 90}, shards="20kB", encoding=encoding)
    assert [file.rows for file in manifest.files] == [150] * 6 + [90]
    if encoding == "jsonl":
        assert max(file.bytes for file in manifest.files) < 21_000


@pytest.mark.parametrize("shards", [None, 3, "20kB", "train=2,test=3"])
def test_the_card_has_the_command_with_sharding(tmp_path, shards):
    manifest = write(Tiny(), tmp_path / "one", {"train": 900, "test": 90}, shards=shards)
    words = reproduction_command(manifest).split()
    said = words[words.index("--shards") + 1] if "--shards" in words else None
    again = write(Tiny(), tmp_path / "two", {"train": 900, "test": 90}, shards=said)
    assert [file.name for file in again.files] == [file.name for file in manifest.files]


def test_groups_stay_whole_and_are_found_in_order(tmp_path, gen):
    words = "clutrr --k 2 --questions 2 --rows 6 --shards 2 --workers 1 --out data".split()
    assert gen(*words).returncode == 0
    assert [file.rows for file in Dataset(tmp_path / "data").manifest.files] == [2, 4]
    assert gen("verify", "data", "--workers", 1).returncode == 0
