"""The folder for the Hugging Face hub is read back without loss."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import relsmith
from relsmith.errors import MissingExtra, NotADataset
from relsmith.exporting import hub

Data = Callable[[str], Path]


@pytest.fixture
def exported(folder: Path, tmp_path: Path) -> Path:
    relsmith.export(folder, "hub", tmp_path / "hub")
    return tmp_path / "hub"


def rows(folder: Path, split: str) -> list[dict[str, Any]]:
    return [row.record() for row in relsmith.Dataset(folder).rows(split)]


def front(folder: Path) -> dict[str, Any]:
    _, head, _ = (folder / "README.md").read_text().split("---\n", 2)
    return dict(yaml.safe_load(head))


def lists(value: Any) -> Any:
    """Convert pandas' arrays to lists."""
    if isinstance(value, dict):
        return {name: lists(inner) for name, inner in value.items()}
    value = value.tolist() if hasattr(value, "tolist") else value
    return [lists(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.filterwarnings("default")
def test_every_reader_gets_the_rows_back(folder: Path, exported: Path, tmp_path: Path) -> None:
    import duckdb
    import pandas
    import polars
    from datasets import load_dataset

    loaded = load_dataset(str(exported), cache_dir=str(tmp_path / "cache"))
    assert set(loaded) == {"train", "test"}
    for split, theirs in loaded.items():
        due = rows(folder, split)
        assert list(theirs) == due
        files = str(exported / "data" / f"{split}-*.parquet")
        assert polars.read_parquet(files).to_dicts() == due
        frame = pandas.read_parquet(exported / "data" / f"{split}-00000-of-00001.parquet")
        assert [lists(dict(row)) for row in frame.to_dict("records")] == due
        found = duckdb.sql(f"select * from read_parquet('{files}')")
        assert [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()] == due


def kind_of(folder: Path) -> type[relsmith.Generator]:
    return relsmith.GENERATORS.get(relsmith.Dataset(folder).manifest.generator)


@pytest.mark.filterwarnings("default")
def test_the_card_has_the_fields_of_the_hub(folder: Path, exported: Path) -> None:
    from huggingface_hub import DatasetCard

    told = front(exported)
    manifest = relsmith.Dataset(folder).manifest
    # Annotations, GeoNames and WordNet have different licences.
    other = manifest.generator in ("relinf-aggregate", "analogy") or "cloze-choice" in str(folder)
    assert told["license"] == ("other" if other else "apache-2.0")
    assert told.get("license_name") == ("see-sources" if other else None)
    assert told["language"] == ["en"]
    assert told["size_categories"] == ["n<1K"]
    assert "question-answering" in told["task_categories"]
    first = next(relsmith.Dataset(folder).rows())
    assert ("multiple-choice" in told["task_categories"]) == bool(first.choices)
    text = (exported / "README.md").read_text()
    from relsmith.dataset.card import reproduction_command
    from relsmith.storage import files

    assert reproduction_command(manifest) in text
    assert files.digest(folder / "manifest.json") in text
    for heading in ("A row", "How it was made", "Limits", "Licence", "Citation", "Loading"):
        assert f"\n## {heading}\n" in text
    shown = text.partition("```json\n")[2].partition("```")[0]
    assert json.loads(shown) == first.record()
    assert 'load_dataset("DIR")' in text
    entry = text.partition("```bibtex\n")[2].partition("```")[0]
    assert entry.startswith(f"@misc{{relsmith-{manifest.generator}-")
    assert entry.count("@") == 1 + bool(kind_of(folder).citation)
    assert entry.count("{") == entry.count("}")
    for source in manifest.sources:
        assert source.digest in text
    assert DatasetCard(text).data.license == told["license"]


def test_the_same_export_is_the_same_bytes(data: Data, tmp_path: Path, contents: Any) -> None:
    for out in ("one", "two"):
        relsmith.export(data("clutrr"), "hub", tmp_path / out)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


@pytest.mark.filterwarnings("default")
def test_many_rows_are_several_files(
    data: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datasets import load_dataset

    monkeypatch.setattr(hub, "ROWS_PER_SHARD", 10)
    monkeypatch.setattr(hub, "_ROWS_PER_GROUP", 7)
    folder, out = data("clutrr"), tmp_path / "out"
    files = relsmith.export(folder, "hub", out)
    names = [file.name for file in files if file.suffix == ".parquet"]
    assert names == [
        f"{s}-{i:05}-of-{n:05}.parquet" for s, n in (("train", 5), ("test", 2)) for i in range(n)
    ]
    loaded = load_dataset(str(out), cache_dir=str(tmp_path / "cache"))
    assert list(loaded["train"]) == rows(folder, "train")


def test_a_row_that_columns_cannot_hold_is_refused(data: Data, tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "damaged"
    shutil.copytree(data("comparatives"), folder)
    (path,) = folder.glob("test-*.jsonl")
    path.write_text(path.read_text().replace('"extra":', '"more":1,"extra":', 1))
    with pytest.raises(NotADataset, match="more"):
        relsmith.export(folder, "hub", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_missing_extra_is_one_line(
    data: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"needs pyarrow: pip install '.\[hub\]'"):
        relsmith.export(data("comparatives"), "hub", tmp_path / "out")


@pytest.mark.parametrize(("task", "said"), [("reasoning", 0), ("memory", 1), ("mixed", 1)])
def test_only_limits_that_apply_are_on_the_card(tmp_path: Path, task: str, said: int) -> None:
    relsmith.write(relsmith.make("clutrr", k="2", task=task), tmp_path / "data", {"train": 4})
    relsmith.export(tmp_path / "data", "hub", tmp_path / "hub")
    assert (tmp_path / "hub" / "README.md").read_text().count("to a memory question") == said


def test_a_suite_is_one_repository(gen: Any, tmp_path: Path) -> None:
    from datasets import load_dataset

    (tmp_path / "suite.yaml").write_text(
        "name: pair\nsummary: Two.\ndatasets:\n"
        "  short: {generator: comparatives, options: {people: 3}, rows: 4}\n"
        "  stories: {generator: clutrr, options: {k: 2}, split: 'train=3,test=2'}\n"
    )
    assert gen("run", "suite.yaml", "--out", "pair", "--no-verify").returncode == 0
    run = gen("export", "pair", "--to", "hub")
    assert run.returncode == 0, run.stderr
    out = tmp_path / "pair-hub"
    for name in ("short", "stories"):
        loaded = load_dataset(str(out), name, cache_dir=str(tmp_path / "cache"))
        for split, theirs in loaded.items():
            assert list(theirs) == rows(tmp_path / "pair" / name, split)
    assert front(out)["license"] == "apache-2.0"
    assert "csv takes one dataset of a suite" in gen("export", "pair", "--to", "csv").stderr
    assert "it is a suite; name one of its datasets" in gen("verify", "pair").stderr
    (tmp_path / "pair" / "suite.json").write_text(
        '{"format": 1, "datasets": [{"name": "../up", "sha256": "", "verified": true}]}'
    )
    run = gen("export", "pair", "--to", "hub", "--out", "other")
    assert run.returncode == 2
    assert "pair/suite.json cannot be read as a suite" in run.stderr
    assert not (tmp_path / "other").exists()
