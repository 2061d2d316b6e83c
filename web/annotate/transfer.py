"""Export of projects as files with a manifest."""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import orjson

from ...storage import files
from .progress import BY_ITEM, answered, compute_progress
from .project import Project, item_from_row, json_field
from .task import json_lines

FORMAT = 1
MANIFEST = "manifest.json"


def export(project: Project, out: Path, *, force: bool = False) -> dict[str, int]:
    """Export a project to a folder atomically; return the number of lines of each file."""
    made = export_files(project)
    with files.replacing(out, force=force, inputs=[project.folder]) as successor:
        successor.mkdir()
        for name, data in made.items():
            (successor / name).write_bytes(data)
    return {name: data.count(b"\n") for name, data in made.items()}


def export_files(project: Project) -> dict[str, bytes]:
    """Return the files of an export: all data except tokens, the task's files, and a manifest."""
    with project.database.read() as connection:
        made = {
            "answers.jsonl": json_lines(_answers(connection)),
            "items.jsonl": json_lines(_items(connection)),
            "annotators.jsonl": json_lines(_annotators(connection)),
        }
        made |= project.task.files(list(answered(connection, gold=False)))
        state = compute_progress(connection, project)
    settings = project.settings
    manifest = {
        "format": FORMAT,
        "task": settings.task,
        "title": settings.title,
        "settings": settings.model_dump(include=_EXPORTED_SETTINGS),
        "origin": settings.origin.model_dump(),
        "unit": state.unit,
        "items": state.items,
        "complete": state.complete,
        "krippendorff_alpha": state.alpha,
        "files": [
            {
                "name": name,
                "bytes": len(data),
                "lines": data.count(b"\n"),
                "sha256": hashlib.sha256(data).hexdigest(),
            }
            for name, data in made.items()
        ],
    }
    pretty = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    return made | {MANIFEST: orjson.dumps(manifest, option=pretty)}


_EXPORTED_SETTINGS = {"people", "gold_share", "qualify", "pass_mark", "minutes"}


def _answers(connection: Connection) -> Iterator[dict[str, Any]]:
    for row in connection.execute(BY_ITEM):
        yield {
            "item": row["key"],
            "annotator": row["name"],
            "answer": json_field(row, "answer"),
            "gold": bool(row["gold"]),
            "right": row["got"],
            "asked": row["asked"],
            "answered": _timestamp(row["answered"]),
            "seconds": round(row["answered"] - row["given"], 1),
        }


def _items(connection: Connection) -> Iterator[dict[str, Any]]:
    for row in connection.execute("SELECT * FROM items ORDER BY key"):
        item = item_from_row(row)
        yield {
            "item": item.key,
            "shown": item.shown,
            "expected": item.expected,
            "gold": bool(row["gold"]),
            "wanted": row["wanted"],
        }


def _annotators(connection: Connection) -> Iterator[dict[str, Any]]:
    for row in connection.execute("SELECT * FROM people ORDER BY name"):
        yield {
            "annotator": row["name"],
            "qualified": not row["failed"],
            "consented": None if row["consented"] is None else _timestamp(row["consented"]),
        }


def _timestamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
