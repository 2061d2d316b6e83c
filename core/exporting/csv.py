"""Export to CSV, as is or safe for spreadsheets."""

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


def _escape_formula(cell: str) -> str:
    """Return a cell that no spreadsheet evaluates as a formula."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _line(row: Example, escape: Callable[[str], str]) -> str:
    choices, metadata = (orjson.dumps(part).decode() for part in (row.choices, row.metadata))
    cells = (row.id, row.input, choices, row.target, metadata)
    # The csv module does not quote carriage returns, but reads them as line ends.
    all_quoted = any("\r" in cell for cell in cells)
    text = StringIO()
    writer = csv.writer(
        text, lineterminator="\n", quoting=csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL
    )
    writer.writerow(map(escape, cells))
    return text.getvalue()


def _write(dataset: Dataset, out: Path, escape: Callable[[str], str] = str) -> list[Path]:
    out.mkdir()
    files = []
    for split in dataset.manifest.splits:
        files.append(out / f"{split}.csv")
        with files[-1].open("w", encoding="utf-8", newline="") as file:
            file.write(",".join(_COLUMNS) + "\n")
            file.writelines(dataset.map_rows(partial(_line, escape=escape), split))
    return files


CSV = Exporter(
    "csv", "One CSV table per split, with choices and metadata as JSON.", _write, by_row=True
)
SPREADSHEET = Exporter(
    "csv-spreadsheet",
    "CSV with ' before cells that a spreadsheet would evaluate.",
    partial(_write, escape=_escape_formula),
    by_row=True,
)
