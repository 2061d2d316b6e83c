"""The same command gives the same bytes; another seed or split gives other rows."""

import hashlib
from pathlib import Path

import pytest

from relsmith import Dataset
from relsmith.testing.profile import scaled, thinned
from relsmith_comparatives import Comparatives

# More than the blocks of 256 rows that the generator makes at once, in each split.
REQUEST = ("comparatives", "--rows", scaled(3000, least=1500), "--split", "train=0.8,test=0.2")
VARIANTS = [
    ({"PYTHONHASHSEED": "1"}, 1),
    ({"PYTHONHASHSEED": "1"}, 1),
    ({"PYTHONHASHSEED": "3"}, 3),
    ({"PYTHONHASHSEED": "2"}, 1),
]


def contents(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def joined(folder: Path) -> dict[str, bytes]:
    return {
        split: b"".join(
            (folder / file.name).read_bytes()
            for file in Dataset(folder).manifest.files
            if file.split == split
        )
        for split in Dataset(folder).manifest.splits
    }


@pytest.mark.parametrize("format", ["jsonl", pytest.param("jsonl.gz", marks=pytest.mark.slow)])
def test_same_command_same_bytes(gen, tmp_path: Path, format: str) -> None:
    found = []
    for at, (environment, workers) in enumerate(thinned(VARIANTS, least=2)):
        words = ("--shards", 7, "--format", format, "--workers", workers, "--out", at)
        run = gen(*REQUEST, *words, **environment)
        assert run.returncode == 0, run.stderr
        found.append(contents(tmp_path / str(at)))
    assert set(found[0]) >= {"manifest.json", "README.md", f"test-00006-of-00007.{format}"}
    assert all(one == found[0] for one in found)


def test_compressed_rows_hold_no_timestamp_or_name(gen, tmp_path: Path) -> None:
    """gzip must not store the time or the file name, which would differ between runs."""
    assert gen("comparatives", "--rows", 5, "--format", "jsonl.gz", "--out", "d").returncode == 0
    head = (tmp_path / "d" / "train-00000-of-00001.jsonl.gz").read_bytes()[:8]
    assert head == b"\x1f\x8b\x08" + bytes(5)


def test_shards_change_no_byte_of_the_joined_rows(gen, tmp_path: Path) -> None:
    for shards in (1, 7):
        assert gen(*REQUEST, "--shards", shards, "--out", shards).returncode == 0
    assert joined(tmp_path / "1") == joined(tmp_path / "7")


def test_a_longer_dataset_starts_with_the_shorter_one() -> None:
    assert list(Comparatives().examples(700))[:300] == list(Comparatives().examples(300))


def test_seeds_and_splits_share_no_row_beyond_chance() -> None:
    rows, splits = 1000, ("train", "test")
    inputs = {
        (seed, split): {
            row.input
            for row in Comparatives().examples(rows, seed=seed, split=split, splits=splits)
        }
        for seed in (41, 42, 43)
        for split in splits
    }
    for one, its in inputs.items():
        assert len(its) == rows
        for other, others in inputs.items():
            if one != other:
                assert len(its & others) <= (0 if one[0] == other[0] else 2), (one, other)
