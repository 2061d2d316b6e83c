"""Progress of a project: completed items, agreement, and quality of annotators."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from sqlite3 import Connection, Error, Row
from typing import Any

from ...errors import InvalidInput, RelsmithError
from ...scoring.agreement import krippendorff_alpha
from .project import Project, item_from_row, json_field
from .task import AnsweredItem


@dataclass(frozen=True)
class Annotator:
    """Progress and quality of one annotator."""

    name: str
    answers: int
    gold: tuple[int, int]
    """Right fields and all fields of gold items."""
    expected: tuple[int, int]
    """The same for other items with a known answer."""
    with_others: tuple[int, int]
    """Agreements with the majority of the others, and votes with such a majority."""


@dataclass(frozen=True)
class ProjectProgress:
    """Progress of a project; gold items are counted apart."""

    unit: str
    """Name of the items, such as rows."""
    items: int
    complete: int
    wanted: int
    """Number of answers that are wanted."""
    answers: int
    gold: int
    gold_answers: int
    alpha: float | None
    annotators: list[Annotator]

    def as_json(self) -> dict[str, Any]:
        """Return the progress as plain data."""
        return asdict(self)


_ANSWERS = """
SELECT items.*, assignments.*, people.name
FROM assignments JOIN items ON items.id = assignments.item
JOIN people ON people.id = assignments.person
WHERE assignments.state = 'answered'
"""
BY_ITEM = f"{_ANSWERS} ORDER BY items.key, people.name"


def answered(connection: Connection, *, gold: bool = True) -> Iterator[AnsweredItem]:
    """Yield all stored answers, sorted by item; without `gold` those to other items only."""
    for row in connection.execute(BY_ITEM):
        if gold or not row["gold"]:
            answer = json_field(row, "answer")
            yield AnsweredItem(item_from_row(row), row["name"], answer, bool(row["gold"]))


@contextmanager
def explain_damage(project: Project) -> Iterator[None]:
    """Context manager: turn a failure over a damaged item into InvalidInput that names it."""
    try:
        yield
    except (RelsmithError, OSError, Error):
        raise
    except Exception as error:
        with project.database.read() as connection:
            for row in connection.execute("SELECT * FROM items"):
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
    work, gold = (connection.execute(_COUNTS, {"gold": gold}).fetchone() for gold in (False, True))
    return ProjectProgress(
        project.task.unit,
        work["items"],
        work["complete"],
        work["wanted"],
        work["answers"],
        gold["items"],
        gold["answers"],
        krippendorff_alpha(Counter(value for _, value in cast) for cast in votes.values()),
        list(_annotators(connection, votes)),
    )


_COUNTS = """
SELECT count(*) AS items, coalesce(sum(answers >= wanted), 0) AS complete,
    coalesce(sum(wanted), 0) AS wanted, coalesce(sum(answers), 0) AS answers
FROM (
    SELECT wanted, (
        SELECT count(*) FROM assignments WHERE item = items.id AND state = 'answered'
    ) AS answers FROM items WHERE gold = :gold
)
"""


def count_answers(project: Project, person: int) -> int:
    """Return the number of answers of a person."""
    query = "SELECT count(*) FROM assignments WHERE person = ? AND state = 'answered'"
    with project.database.read() as connection:
        return int(connection.execute(query, (person,)).fetchone()[0])


@dataclass(frozen=True)
class AnswerSummary:
    """An answer as shown on a page."""

    heading: str
    said: list[tuple[str, str]]


def latest_answers(project: Project, person: int, most: int) -> list[AnswerSummary]:
    """Return the latest answers of a person."""
    query = f"{_ANSWERS} AND people.id = ? ORDER BY answered DESC, assignments.id DESC LIMIT ?"
    with project.database.read() as connection:
        rows = connection.execute(query, (person, most)).fetchall()
    return [_summarize(project, row) for row in rows]


def _summarize(project: Project, row: Row) -> AnswerSummary:
    sheet, answer = project.task.sheet(item_from_row(row)), json_field(row, "answer")
    return AnswerSummary(sheet.heading, [(each.legend, answer[each.name]) for each in sheet.fields])


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
    by_person: dict[int, list[Row]] = {}
    for row in connection.execute(_ANSWERS):
        by_person.setdefault(row["name"], []).append(row)
    for (name,) in connection.execute("SELECT name FROM people ORDER BY name"):
        theirs = by_person.get(name, [])
        yield Annotator(
            name,
            len(theirs),
            _right_and_asked(row for row in theirs if row["gold"]),
            _right_and_asked(row for row in theirs if not row["gold"]),
            tuple(agreed.get(name, (0, 0))),  # type: ignore[arg-type]
        )


def _right_and_asked(rows: Iterator[Row]) -> tuple[int, int]:
    known = [row for row in rows if row["asked"]]
    return sum(row["got"] for row in known), sum(row["asked"] for row in known)
