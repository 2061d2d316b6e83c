"""Datasets load unchanged in the tools that people use."""

from pathlib import Path

import pytest

import relsmith
from relsmith.generators.clutrr import Clutrr
from relsmith_comparatives import Comparatives

GENERATORS = {
    "comparatives": Comparatives(),
    "clutrr": Clutrr.configure({"k": "2..6", "noise": "all", "people": 60, "choices": "all"}),
}


@pytest.fixture(scope="module", params=GENERATORS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("interchange") / "dataset"
    relsmith.write(GENERATORS[request.param], out, {"train": 300, "test": 50}, shards=2)
    return out


@pytest.mark.filterwarnings("default")
def test_inspect_reads_it(folder: Path) -> None:
    from inspect_ai.dataset import json_dataset

    file = relsmith.Dataset(folder).manifest.files[0]
    samples = json_dataset(str(folder / file.name))
    rows = list(relsmith.Dataset(folder).rows("train"))[: file.rows]
    assert len(samples) == file.rows
    for sample, row in zip(samples, rows, strict=True):
        assert sample.id == row.id
        assert sample.input == row.input
        assert sample.choices == row.choices
        assert sample.target == row.target
        assert sample.metadata == row.metadata


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("by", ["files", "folder"])
def test_hugging_face_datasets_reads_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    from datasets import load_dataset

    if by == "files":
        patterns = {split: str(folder / f"{split}-*.jsonl") for split in ("train", "test")}
        loaded = load_dataset("json", data_files=patterns, cache_dir=str(tmp_path))
    else:
        loaded = load_dataset(str(folder), cache_dir=str(tmp_path))
    assert {split: len(rows) for split, rows in loaded.items()} == {"train": 300, "test": 50}
    for split, rows in loaded.items():
        for theirs, ours in zip(rows, relsmith.Dataset(folder).rows(split), strict=True):
            assert theirs == {name: getattr(ours, name) for name in relsmith.Example.__slots__}
