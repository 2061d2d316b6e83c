"""Exports are complete or absent, and replace earlier exports only."""

import csv
import json
from pathlib import Path

import pytest

from relsmith import Dataset, Exporter, export, write
from relsmith.errors import AlreadyExists, BrokenPlugin, CannotWrite, NotADataset, NotFound
from relsmith.exporting import exporter as module
from relsmith.exporting.exporter import EXPORTERS, check_exporter, exporters, find_exporter
from relsmith.registry import Registry
from relsmith_comparatives import Comparatives


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write(Comparatives(), tmp_path / "data", {"train": 600, "test": 30})
    return tmp_path / "data"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Install a distribution with an exporter."""
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setattr(module, "EXPORTERS", Registry("relsmith.exporters", "form", check_exporter))

    def install(distribution: str, source: str, name: str) -> None:
        info = tmp_path / "site" / f"{distribution}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1\n")
        (info / "entry_points.txt").write_text(
            f"[relsmith.exporters]\n{name} = {distribution}:FORM\n"
        )
        (tmp_path / "site" / f"{distribution}.py").write_text(
            "from relsmith import Exporter\n" + source
        )

    return install


ONE_FILE = """
def write(dataset, out):
    out.write_text("".join(f"{row.target}\\n" for row in dataset.rows()))
    return [out]
FORM = Exporter("answers", "Answers only.", write, ("comparatives",))
"""
FAILS = """
def write(dataset, out):
    out.mkdir()
    (out / "half.csv").write_text("half")
    raise OSError(28, "No space left on device")
FORM = Exporter("half", "Half of it.", write)
"""


def entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_table_holds_every_row(data: Path, tmp_path: Path) -> None:
    done: list[int] = []
    files = export(data, "csv", tmp_path / "deep" / "tables", tick=done.append)
    assert files == [tmp_path / "deep" / "tables" / f"{split}.csv" for split in ("train", "test")]
    for file in files:
        with file.open(newline="") as lines:
            found = list(csv.DictReader(lines))
        for cells, row in zip(found, Dataset(data).rows(file.stem), strict=True):
            assert (cells["id"], cells["input"], cells["target"]) == (row.id, row.input, row.target)
            assert json.loads(cells["choices"]) == row.choices
            assert json.loads(cells["metadata"]) == row.metadata
    assert done == [256, 512]
    assert entries(tmp_path / "deep") == ["tables"]


def test_existing_files_are_replaced_by_force_only(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    export(data, "csv", out)
    (out / "train.csv").write_text("id,input\n")
    with pytest.raises(AlreadyExists, match="already exists; pass --force"):
        export(data, "csv", out)
    assert (out / "train.csv").read_text() == "id,input\n"
    export(data, "csv", out, force=True)
    assert (out / "train.csv").read_text().startswith("id,input,choices")
    (out / "train.csv").write_text("mine")
    with pytest.raises(AlreadyExists, match=r"train\.csv is another type of file"):
        export(data, "csv", out, force=True)
    assert (out / "train.csv").read_text() == "mine"
    assert entries(tmp_path) == ["data", "out"]


def test_force_keeps_what_is_not_an_export(data: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in data.iterdir()}
    with pytest.raises(AlreadyExists, match=r"is, or contains, an input .*, so --force"):
        export(data, "csv", data, force=True)
    assert {path: path.read_bytes() for path in data.iterdir()} == before
    (tmp_path / "file").write_text("mine")
    with pytest.raises(AlreadyExists, match="is a file, so --force"):
        export(data, "csv", tmp_path / "file", force=True)
    assert (tmp_path / "file").read_text() == "mine"


def test_an_export_may_be_one_file(data: Path, tmp_path: Path, install) -> None:
    install("answering", ONE_FILE, "answers")
    out = tmp_path / "answers.txt"
    assert export(data, "answers", out) == [out]
    assert out.read_text().split() == [row.target for row in Dataset(data).rows()]
    with pytest.raises(AlreadyExists):
        export(data, "answers", out)
    export(data, "answers", out, force=True)
    (tmp_path / "folder").mkdir()
    with pytest.raises(AlreadyExists, match="is a folder"):
        export(data, "answers", tmp_path / "folder", force=True)


def test_a_failed_export_leaves_nothing(data: Path, tmp_path: Path, install) -> None:
    install("halving", FAILS, "half")
    before = entries(tmp_path)
    with pytest.raises(CannotWrite, match=r"cannot write .*out: No space left on device; free"):
        export(data, "half", tmp_path / "out")
    assert entries(tmp_path) == before


def test_an_exporter_is_offered_to_the_generators_it_reads(install) -> None:
    install("answering", ONE_FILE, "answers")
    install("broken", "FORM = 5", "broken")
    assert "answers" in [form.name for form in exporters("comparatives")]
    names = [form.name for form in exporters("other")]
    assert "csv" in names
    assert not {"answers", "broken"} & set(names)
    with pytest.raises(NotFound, match="answers takes rows of comparatives, but these are of oth"):
        find_exporter("answers", "other")
    with pytest.raises(NotFound, match=r"'cvs'; did you mean 'csv'\? for rows of comp.* answers"):
        find_exporter("cvs", "comparatives")
    with pytest.raises(BrokenPlugin, match=r"expected a relsmith\.Exporter, but got 5"):
        find_exporter("broken", "other")


def test_an_exporter_is_found_by_its_entry_point() -> None:
    assert check_exporter("a", Exporter("a", "", lambda dataset, out: []))
    with pytest.raises(ValueError, match="the entry point is 'b' but the exporter is called 'a'"):
        check_exporter("b", Exporter("a", "", lambda dataset, out: []))


def test_all_our_exporters_load() -> None:
    for entry in EXPORTERS.entries.values():
        assert entry.load().summary.endswith(".")


def test_a_spreadsheet_reads_no_cell_as_a_formula(tmp_path: Path, data: Path) -> None:
    shard = data / "test-00000-of-00001.jsonl"
    rows = [json.loads(line) for line in shard.read_text().splitlines()]
    for row, start in zip(rows, ("=1+1", "+1", "-1", "@x", "\tx", "\rx"), strict=False):
        row["input"] = row["target"] = start
    shard.write_text("".join(json.dumps(row) + "\n" for row in rows))
    tables = {}
    for form in ("csv", "csv-spreadsheet"):
        export(data, form, tmp_path / form)
        with (tmp_path / form / "test.csv").open(newline="") as file:
            tables[form] = list(csv.reader(file))
    assert [row[1] for row in tables["csv"][1:]] == [row["input"] for row in rows], "faithful"
    for cells, inert in zip(tables["csv"], tables["csv-spreadsheet"], strict=True):
        assert not any(cell.startswith(tuple("=+-@\t\r")) for cell in inert)
        assert [cell.removeprefix("'") for cell in inert] == cells


def test_a_failing_exporter_names_the_row(tmp_path: Path, data: Path, install) -> None:
    install(
        "fragile",
        "def write(dataset, out):\n    return [row.metadata['nothing'] for row in dataset.rows()]\n"
        "FORM = Exporter('fragile', 'Fragile.', write)\n",
        "fragile",
    )
    with pytest.raises(NotADataset, match=r"01\.jsonl:1: comparatives-v1-s0-train-0 .*KeyError"):
        export(data, "fragile", tmp_path / "out")
    assert not (tmp_path / "out").exists()
