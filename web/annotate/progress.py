"""Progress of a project: completed items, agreement, and quality of annotators."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from sqlalchemy import Connection, Row, case, func, select
from sqlalchemy.exc import DBAPIError

from ...errors import InvalidInput, RelsmithError
from ...scoring.agreement import krippendorff_alpha
from .database import ANSWERED, OPEN, assignments, items, people
from .project import Project, item_from_row, json_field
from .task import AnsweredItem

_MAX_SECONDS = 3600
"""Longer times between assignment and answer count as breaks, in seconds."""


@dataclass(frozen=True)
class Stage:
    """Progress of the items of one stage."""

    name: str
    items: int
    complete: int
    wanted: int
    answers: int


@dataclass(frozen=True)
class Annotator:
    """Progress and quality of one annotator."""

    name: str
    answers: int
    working: bool
    link: bool
    expires: float | None
    failed: bool
    gold: tuple[int, int]
    """Right fields and all fields of gold items."""
    expected: tuple[int, int]
    """The same for other items with a known answer."""
    with_others: tuple[int, int]
    """Agreements with the majority of the others, and votes with such a majority."""
    seconds: float | None


@dataclass(frozen=True)
class ProjectProgress:
    """Progress of a project."""

    stages: list[Stage]
    gold: int
    gold_answers: int
    alpha: float | None
    annotators: list[Annotator]

    def as_json(self) -> dict[str, Any]:
        """Return the progress as plain data."""
        return asdict(self)


def answered(connection: Connection, *, gold: bool | None = None) -> Iterator[AnsweredItem]:
    """Yield all stored answers, sorted by item."""
    query = (
        select(
            assignments.c.id.label("assignment"),
            assignments.c.answer,
            people.c.name,
            items,
        )
        .join(items, items.c.id == assignments.c.item)
        .join(people, people.c.id == assignments.c.person)
        .where(assignments.c.state == ANSWERED)
        .order_by(items.c.key, people.c.name)
    )
    if gold is not None:
        query = query.where(items.c.gold.is_(gold))
    for row in connection.execute(query):
        yield AnsweredItem(
            row.assignment,
            item_from_row(row),
            row.name,
            json_field(row, "answer"),
            row.gold,
            row.source,
        )


@contextmanager
def explain_damage(project: Project) -> Iterator[None]:
    """Context manager: turn a failure over a damaged item into InvalidInput that names it."""
    try:
        yield
    except (RelsmithError, OSError, DBAPIError):
        raise
    except Exception as error:
        with project.database.read() as connection:
            for row in connection.execute(select(items)):
                item = item_from_row(row)
                with _named(project, "shown", item.key):
                    project.task.sheet(item)
            for each in answered(connection):
                with _named(project, "hidden, expected or answer", each.item.key):
                    list(project.task.votes(each.item, each.answer))
                    project.task.score(each.item, each.answer)
                    project.task.files([each])
        raise error


@contextmanager
def _named(project: Project, field: str, key: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise InvalidInput(
            f"{project.folder}: the database is damaged: {field} of item {key!r} ({what}); "
            f"restore it"
        ) from error


def progress(project: Project) -> ProjectProgress:
    """Return the current progress of a project."""
    with project.database.read() as connection:
        return compute_progress(connection, project)


def compute_progress(connection: Connection, project: Project) -> ProjectProgress:
    """Return the progress in an open transaction."""
    votes: dict[str, list[tuple[str, str]]] = {}
    for each in answered(connection, gold=False):
        for unit, value in project.task.votes(each.item, each.answer):
            votes.setdefault(unit, []).append((each.annotator, value))
    kept = (assignments.c.item == items.c.id) & (assignments.c.state == ANSWERED)
    gold, gold_answers = connection.execute(
        select(func.count(items.c.id.distinct()), func.count(assignments.c.id))
        .select_from(items.outerjoin(assignments, kept))
        .where(items.c.gold)
    ).one()
    return ProjectProgress(
        list(_stages(connection, project)),
        gold,
        gold_answers,
        krippendorff_alpha(Counter(value for _, value in cast) for cast in votes.values()),
        list(_annotators(connection, votes)),
    )


def count_answers(project: Project, person: int) -> int:
    """Return the number of answers of a person."""
    with project.database.read() as connection:
        return connection.execute(
            select(func.count()).where(
                assignments.c.person == person, assignments.c.state == ANSWERED
            )
        ).scalar_one()


@dataclass(frozen=True)
class AnswerSummary:
    """An answer as shown on a page."""

    heading: str
    annotator: str
    said: list[tuple[str, str]]
    right: tuple[int, int] | None
    gold: bool


def latest_answers(
    project: Project, *, person: int | None = None, most: int, skipped: int = 0
) -> list[AnswerSummary]:
    """Return the latest answers, of one person or of all."""
    query = (
        select(assignments, items, people.c.name)
        .join(items, items.c.id == assignments.c.item)
        .join(people, people.c.id == assignments.c.person)
        .where(assignments.c.state == ANSWERED)
        .order_by(assignments.c.answered.desc(), assignments.c.id.desc())
        .limit(most)
        .offset(skipped)
    )
    if person is not None:
        query = query.where(assignments.c.person == person)
    with project.database.read() as connection:
        return [_summarize(project, row) for row in connection.execute(query)]


def _summarize(project: Project, row: Row[Any]) -> AnswerSummary:
    sheet = project.task.sheet(item_from_row(row))
    answer = json_field(row, "answer")
    right = (row.got, row.asked) if row.asked else None
    said = [(each.legend, answer[each.name]) for each in sheet.fields]
    return AnswerSummary(sheet.heading, row.name, said, right, row.gold)


def _stages(connection: Connection, project: Project) -> Iterator[Stage]:
    done = (
        select(assignments.c.item, func.count().label("answers"))
        .where(assignments.c.state == ANSWERED)
        .group_by(assignments.c.item)
        .subquery()
    )
    answers = func.coalesce(done.c.answers, 0)
    rows = connection.execute(
        select(
            items.c.stage,
            func.count().label("items"),
            func.sum(case((answers >= items.c.wanted, 1), else_=0)).label("complete"),
            func.sum(items.c.wanted).label("wanted"),
            func.sum(answers).label("answers"),
        )
        .select_from(items.outerjoin(done, done.c.item == items.c.id))
        .where(items.c.gold.is_(False))
        .group_by(items.c.stage)
    )
    found = {row.stage: row for row in rows}
    for stage, name in project.task.stages.items():
        if stage in found:
            row = found[stage]
            yield Stage(name, row.items, int(row.complete), int(row.wanted), int(row.answers))
        else:
            yield Stage(name, 0, 0, 0, 0)


def _annotators(
    connection: Connection, votes: dict[str, list[tuple[str, str]]]
) -> Iterator[Annotator]:
    agreed: dict[str, list[int]] = {}
    for cast in votes.values():
        counts = Counter(value for _, value in cast)
        for name, value in cast:
            rest = counts - Counter([value])
            best = max(rest.values(), default=0)
            if best > (len(cast) - 1) / 2:
                tally = agreed.setdefault(name, [0, 0])
                tally[0] += rest[value] == best
                tally[1] += 1
    by_person: dict[int, list[Any]] = {}
    for row in connection.execute(
        select(
            assignments.c.person,
            assignments.c.state,
            assignments.c.given,
            assignments.c.answered,
            assignments.c.got,
            assignments.c.asked,
            items.c.gold,
        )
        .join(items, items.c.id == assignments.c.item)
        .where(assignments.c.state.in_([OPEN, ANSWERED]))
    ):
        by_person.setdefault(row.person, []).append(row)
    for person in connection.execute(
        select(people).where(people.c.owner.is_(False)).order_by(people.c.name)
    ):
        theirs = by_person.get(person.id, [])
        kept = [row for row in theirs if row.state == ANSWERED]
        times = [row.answered - row.given for row in kept]
        times = [seconds for seconds in times if seconds < _MAX_SECONDS]
        yield Annotator(
            person.name,
            len(kept),
            len(kept) < len(theirs),
            person.hash is not None,
            person.expires,
            person.failed,
            _right_and_asked(row for row in kept if row.gold),
            _right_and_asked(row for row in kept if not row.gold),
            tuple(agreed.get(person.name, (0, 0))),  # type: ignore[arg-type]
            median(times) if times else None,
        )


def _right_and_asked(rows: Iterator[Any]) -> tuple[int, int]:
    known = [row for row in rows if row.asked]
    return sum(row.got for row in known), sum(row.asked for row in known)
