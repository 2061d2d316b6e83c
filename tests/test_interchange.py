"""Datasets load unchanged in the tools that people use."""

import importlib
from pathlib import Path

import pytest

import relsmith
from relsmith.dataset.columns import arrow_schema
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


@pytest.mark.parametrize("reader", ["pyarrow", "polars", "pandas", "datasets"])
@pytest.mark.filterwarnings("default")
def test_every_reader_of_tables_is_installed(reader: str) -> None:
    """Check that all readers are installed, so that the conformance suite skips none."""
    importlib.import_module(reader)


def test_tables_have_as_many_columns_as_a_row_has_fields(folder: Path) -> None:
    """Check the number of columns; with names as keys, pandas once had 427 for a story."""
    import pandas

    rows = [relsmith.Example.record(row) for row in relsmith.Dataset(folder).rows("train")]
    one, all_of_them = pandas.json_normalize(rows[:1]), pandas.json_normalize(rows)
    assert list(all_of_them.columns) == list(one.columns)


def test_the_schema_is_that_of_the_documented_metadata(folder: Path) -> None:
    from pyarrow import json

    dataset = relsmith.Dataset(folder)
    kind = type(GENERATORS[dataset.manifest.generator])
    schema = arrow_schema(kind)
    for file in dataset.manifest.files:
        guessed = json.read_json(folder / file.name).schema
        assert set(guessed.names) == set(schema.names)
        theirs = {field.name: field for field in guessed.field("metadata").type}
        assert list(theirs) == [field.name for field in schema.field("metadata").type]
        for field in schema.field("metadata").type:
            if "null" not in str(theirs[field.name].type):  # a list that is empty in every row
                assert theirs[field.name].type == field.type


@pytest.mark.slow
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
