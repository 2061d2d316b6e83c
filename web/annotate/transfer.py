"""Export of projects as files with a manifest, and import of annotations."""

import hashlib
import time
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import Connection, insert, select, update

from ...errors import InvalidInput
from ...storage import files
from .access import OWNER, check_name
from .answering import apply_outcome
from .database import ANSWERED, assignments, items, people
from .progress import answered, compute_progress
from .project import Project, answer_errors, item_from_row, json_field
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
            "seconds": None if row.imported else round(row.answered - row.given, 1),
            "imported": row.imported,
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


def import_answers(project: Project, path: Path) -> tuple[int, dict[str, list[str]]]:
    """Import annotations in one transaction; return their number, and ignored ones by reason.

    Annotators are created by name, without a link. Existing answers remain.
    """
    with project.database.read() as connection:
        known = {row.key: item_from_row(row) for row in connection.execute(select(items))}
    read = list(project.task.parse_import(path, known))
    if not read:
        raise InvalidInput(f"{path} holds no annotations; give a file with some")

    def work(connection: Connection) -> tuple[int, dict[str, list[str]]]:
        kept, left_out = 0, dict[str, list[str]]()
        for key, name, answer in read:
            reason = _import_answer(connection, project, key, name, answer)
            if reason:
                left_out.setdefault(reason, []).append(f"{name} on {key}")
            else:
                kept += 1
        return kept, left_out

    return project.database.write(work)


def _import_answer(
    connection: Connection, project: Project, key: str, name: str, answer: Any
) -> str:
    """Store one answer; return the reason if it is ignored, else an empty text."""
    row = connection.execute(select(items).where(items.c.key == key)).first()
    if row is None:
        return "no such item in the project"
    item = item_from_row(row)
    if answer_errors(project.task, item, answer):
        return "no answer to the item"
    name = check_name(name)
    if name == OWNER:
        return "the owner is no annotator"
    person = connection.scalar(select(people.c.id).where(people.c.name == name))
    if person is None:
        person = connection.execute(
            insert(people).values(name=name, owner=False, failed=False).returning(people.c.id)
        ).scalar_one()
    elif person == row.author:
        return "the item came of their own answer"
    taken = connection.scalar(
        select(assignments.c.id).where(assignments.c.item == row.id, assignments.c.person == person)
    )
    if taken is not None:
        return "they were given the item here"
    now = time.time()
    got, asked = project.task.score(item, answer) or (None, None)
    number = connection.execute(
        insert(assignments)
        .values(
            item=row.id,
            person=person,
            token=f"imported-{row.id}-{person}",
            state=ANSWERED,
            given=now,
            until=now,
            answered=now,
            answer=orjson.dumps(answer).decode(),
            got=got,
            asked=asked,
            imported=True,
        )
        .returning(assignments.c.id)
    ).scalar_one()
    if not row.gold:
        # It is one of the wanted answers, or an additional one.
        change = {"free": items.c.free - 1} if row.free else {"wanted": items.c.wanted + 1}
        connection.execute(update(items).where(items.c.id == row.id).values(**change))
        apply_outcome(connection, project, person, number, row.source, item, answer)
    return ""
