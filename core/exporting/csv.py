"""The plainest other form: tables, as they are or safe to open in a spreadsheet."""

import csv
from collections.abc import Callable
from functools import partial
from io import StringIO
from pathlib import Path

import orjson

from ..dataset import Dataset
from ..example import Example
from .exporter import Exporter

_COLUMNS = ("id", "input", "choices", "target", "metadata")


def _faithful(cell: str) -> str:
    return cell


def _inert(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _line(row: Example, spell: Callable[[str], str]) -> str:
    choices, metadata = (orjson.dumps(part).decode() for part in (row.choices, row.metadata))
    cells = (row.id, row.input, choices, row.target, metadata)
    # Python leaves a carriage return without quotes, and reads it as the end of a line.
    all_quoted = any("\r" in cell for cell in cells)
    text = StringIO()
    writer = csv.writer(
        text, lineterminator="\n", quoting=csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL
    )
    writer.writerow(map(spell, cells))
    return text.getvalue()


def _write(dataset: Dataset, out: Path, spell: Callable[[str], str] = _faithful) -> list[Path]:
    out.mkdir()
    files = []
    for split in dataset.manifest.splits:
        files.append(out / f"{split}.csv")
        with files[-1].open("w", encoding="utf-8", newline="") as file:
            file.write(",".join(_COLUMNS) + "\n")
            file.writelines(dataset.mapped(partial(_line, spell=spell), split))
    return files


CSV = Exporter(
    "csv", "A table for each split, with choices and metadata as JSON.", _write, by_row=True
)
SPREADSHEET = Exporter(
    "csv-spreadsheet",
    "The same, with ' before what a spreadsheet would take for a formula.",
    partial(_write, spell=_inert),
    by_row=True,
)
