"""Export of projects as files with a manifest."""

import hashlib
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import Connection, select

from ...storage import files
from .database import ANSWERED, assignments, items, people
from .progress import answered, compute_progress
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
        "stages": [asdict(stage) for stage in state.stages],
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
    query = (
        select(assignments, items.c.key, items.c.stage, items.c.gold, people.c.name)
        .join(items, items.c.id == assignments.c.item)
        .join(people, people.c.id == assignments.c.person)
        .where(assignments.c.state == ANSWERED)
        .order_by(items.c.key, people.c.name)
    )
    for row in connection.execute(query):
        yield {
            "item": row.key,
            "stage": row.stage,
            "annotator": row.name,
            "answer": json_field(row, "answer"),
            "gold": row.gold,
            "right": row.got,
            "asked": row.asked,
            "answered": _timestamp(row.answered),
            "seconds": round(row.answered - row.given, 1),
        }


def _items(connection: Connection) -> Iterator[dict[str, Any]]:
    origins = {
        row.id: (row.key, row.name)
        for row in connection.execute(
            select(assignments.c.id, items.c.key, people.c.name)
            .join(items, items.c.id == assignments.c.item)
            .join(people, people.c.id == assignments.c.person)
        )
    }
    for row in connection.execute(select(items).order_by(items.c.key)):
        item = item_from_row(row)
        source, author = origins.get(row.source, (None, None))
        yield {
            "item": item.key,
            "stage": item.stage,
            "shown": item.shown,
            "expected": item.expected,
            "gold": row.gold,
            "wanted": row.wanted,
            "source": source,
            "author": author,
        }


def _annotators(connection: Connection) -> Iterator[dict[str, Any]]:
    for row in connection.execute(
        select(people).where(people.c.owner.is_(False)).order_by(people.c.name)
    ):
        yield {
            "annotator": row.name,
            "qualified": not row.failed,
            "consented": None if row.consented is None else _timestamp(row.consented),
        }


def _timestamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
