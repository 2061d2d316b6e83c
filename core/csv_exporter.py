"""The plainest other form: tables that any spreadsheet opens."""

import csv
from pathlib import Path

import orjson

from .dataset import Dataset
from .exporter import Exporter

_COLUMNS = ("id", "input", "choices", "target", "metadata")


def _write(dataset: Dataset, out: Path) -> list[Path]:
    out.mkdir()
    files = []
    for split in dataset.manifest.splits:
        files.append(out / f"{split}.csv")
        with files[-1].open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(_COLUMNS)
            for row in dataset.rows(split):
                choices, metadata = (
                    orjson.dumps(part).decode() for part in (row.choices, row.metadata)
                )
                table.writerow((row.id, row.input, choices, row.target, metadata))
    return files


CSV = Exporter("csv", "A table for each split, with choices and metadata as JSON.", _write)
