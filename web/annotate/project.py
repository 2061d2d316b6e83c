"""A project: a folder with its settings and, unless they are elsewhere, its data."""

import hashlib
import secrets
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from sqlalchemy import Connection, Row, insert, select

from ...errors import Infeasible, InvalidInput, InvalidOption, NotFound
from ...options import validation_messages
from ...seed import Stream
from ...storage import files
from ...storage.text import numbered_lines, parse_json, read
from .database import Database, explained, facts, items
from .task import TASKS, Answer, Item, Source, Task, read_answer

FORMAT = 1
FILE = "project.json"
CONSENT = "consent.txt"
DATABASE = "annotations.sqlite"

_CONSENT = """What is asked of you is explained on each page. You may stop at any time.

Your answers are kept under the name in your link, with the time at which you gave them, to make and
to study datasets. They may be published under another name or none. Nothing else about you is kept.

You can look at what is kept of you, and delete all of it, on the page "My data".
"""


class Origin(BaseModel):
    """The dataset that a project asks about."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    generator: str
    version: int
    digest: str
    splits: list[str]


class Settings(BaseModel):
    """What `project.json` says; titles and times may be changed by hand."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    format: int = FORMAT
    id: str
    task: str
    title: str
    database: str
    origin: Origin
    people: Annotated[int, Field(ge=1)]
    gold_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    qualify: Annotated[int, Field(ge=0)] = 0
    pass_mark: Annotated[float, Field(ge=0, le=1)] = 0.8
    minutes: Annotated[float, Field(gt=0)] = 30.0


@dataclass(frozen=True)
class Wanted:
    """What a new project is to be like."""

    task: str
    source: Path
    title: str = ""
    split: str | None = None
    rows: int | None = None
    people: int | None = None
    gold: int = 0
    gold_answers: Path | None = None
    gold_share: float | None = None
    qualify: int = 0
    pass_mark: float | None = None
    minutes: float = 30.0
    database: str = DATABASE
    seed: int = 0

    def check(self) -> None:
        """Refuse what has no effect, or cannot be met."""
        if self.gold_answers and not self.gold:
            raise InvalidOption("--gold-answers: say with --gold how many of them are to be used")
        if self.gold_share is not None and not self.gold:
            raise InvalidOption(
                "--gold-share: there is no gold to give; set some apart with --gold"
            )
        if self.qualify > self.gold:
            raise InvalidOption(
                f"--qualify: expected at most the {self.gold} of --gold, but got {self.qualify}"
            )
        if self.pass_mark is not None and not self.qualify:
            raise InvalidOption("--pass-mark: nobody has to qualify; say how with --qualify")


class Project:
    """An existing project."""

    def __init__(self, folder: Path, settings: Settings, task: Task, database: Database) -> None:
        self.folder, self.settings, self.task, self.database = folder, settings, task, database

    @classmethod
    def open(cls, folder: Path) -> Self:
        """The project in a folder, or why there is none."""
        path = folder / FILE
        if not path.is_file():
            raise NotFound(
                f"{folder} is no project: it has no {FILE}; make one with gen annotate init "
                f"{folder}"
            )
        try:
            settings = Settings.model_validate(parse_json(read(path)), strict=True)
        except ValidationError as error:
            raise InvalidInput(
                f"{path}: {'; '.join(validation_messages(error))}; mend it"
            ) from None
        except ValueError as error:
            raise InvalidInput(f"{path} {error}; mend it") from None
        if settings.format != FORMAT:
            raise InvalidInput(
                f"{path} has format {settings.format}, not {FORMAT}; upgrade relsmith"
            )
        task = TASKS.get(settings.task)
        if "://" not in settings.database and not (folder / settings.database).is_file():
            raise NotFound(f"{folder} has no {settings.database}; put it back, or begin anew")
        database = Database.at(settings.database, folder)
        with explained(), database.read() as connection:
            known = connection.scalar(select(facts.c.value).where(facts.c.name == "project"))
        if known != settings.id:
            raise InvalidInput(f"{path}: its database is that of another project; mend it")
        return cls(folder, settings, task, database)

    @property
    def consent(self) -> str:
        """What annotators agree to."""
        path = self.folder / CONSENT
        return _consent(path, files.stamp(path))

    @property
    def consent_digest(self) -> str:
        """What changes when the consent does; people are asked again then."""
        return hashlib.sha256(self.consent.encode()).hexdigest()[:16]


@lru_cache(4)
def _consent(path: Path, stamp: files.Stamp) -> str:
    return read(path, "write what annotators are to agree to")


def create(folder: Path, wanted: Wanted) -> int:
    """Make a project, whole or not at all; say how many items it has."""
    wanted.check()
    task = TASKS.get(wanted.task)
    source = Source.open(wanted.source, wanted.split, task)
    with source.dataset.explain_damage():
        made = list(task.items(source.rows(wanted.rows)))
    if not made:
        raise Infeasible(f"{wanted.source} has nothing that {task.name} could ask; see its page")
    ordered = _in_order(made, wanted, task)
    manifest = source.dataset.manifest
    settings = Settings(
        id=secrets.token_hex(16),
        task=task.name,
        title=wanted.title or task.title,
        database=wanted.database,
        origin=Origin(
            generator=manifest.generator,
            version=manifest.version,
            digest=hashlib.sha256(manifest.json_bytes()).hexdigest(),
            splits=[wanted.split] if wanted.split else list(manifest.splits),
        ),
        people=wanted.people or task.people,
        gold_share=(0.1 if wanted.gold_share is None else wanted.gold_share) * bool(wanted.gold),
        qualify=wanted.qualify,
        pass_mark=0.8 if wanted.pass_mark is None else wanted.pass_mark,
        minutes=wanted.minutes,
    )
    with files.replacing(folder, inputs=[wanted.source], option="PROJECT") as successor:
        successor.mkdir()
        path = successor / FILE
        path.touch(mode=0o600)  # a URL may hold a password
        path.write_bytes(
            orjson.dumps(
                settings.model_dump(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
            )
        )
        (successor / CONSENT).write_text(_CONSENT, "utf-8")
        database = Database.at(wanted.database, successor)
        with explained():
            database.write(lambda connection: _fill(database, connection, settings, ordered))
        database.close()
    return len(ordered)


def _fill(
    database: Database, connection: Connection, settings: Settings, ordered: list[tuple[Item, bool]]
) -> None:
    database.create(connection)
    connection.execute(insert(facts), [{"name": "project", "value": settings.id}])
    rows = [
        row_of(item, gold=gold, place=place, people=settings.people)
        for place, (item, gold) in enumerate(ordered, 1)
    ]
    for start in range(0, len(rows), 1000):
        connection.execute(insert(items), rows[start : start + 1000])


def _in_order(made: list[Item], wanted: Wanted, task: Task) -> list[tuple[Item, bool]]:
    """The items shuffled, and which of them are gold: set apart, to see who can be relied on."""
    if wanted.gold_answers:
        made = _with_answers(made, wanted.gold_answers, task)
    stream = Stream("annotate", wanted.seed)
    stream.shuffle(made)
    known = [item.key for item in made if item.expected is not None]
    if wanted.gold_answers:
        known = [key for key in known if key in _answers_in(wanted.gold_answers)]
    gold = set(known[: wanted.gold])
    if len(gold) < wanted.gold:
        raise Infeasible(
            f"--gold: the answers of {len(gold)} items are known, not of {wanted.gold}; ask for "
            f"fewer, or give yours with --gold-answers FILE"
        )
    if wanted.gold and len(gold) == len(made):
        raise Infeasible(
            f"--gold: there are {len(made)} items in all, and nothing would be left to ask about; "
            f"ask for fewer"
        )
    return [(item, item.key in gold) for item in made]


def _with_answers(made: list[Item], path: Path, task: Task) -> list[Item]:
    """The items with the owner's answers as what is expected."""
    answers = _answers_in(path)
    by_key = {item.key: item for item in made}
    for key, answer in answers.items():
        if key not in by_key:
            raise InvalidInput(f"{path}: there is no item {key!r}; export the items to see them")
        wrong = faults(task, by_key[key], answer)
        if wrong:
            raise InvalidInput(f"{path}: the answer to {key!r} is none: {wrong}")
    return [
        replace(item, expected=dict(answers[item.key])) if item.key in answers else item
        for item in made
    ]


def _answers_in(path: Path) -> dict[str, dict[str, str]]:
    lines = numbered_lines(path, "name a file of answers", "--gold-answers")
    read = [
        read_answer(line, f"{path}:{number}", someone="owner")
        for number, line in lines
        if line.strip()
    ]
    return {key: answer for key, _, answer in read}


def faults(task: Task, item: Item, answer: Answer) -> str:
    """Say what is wrong with an answer that did not come by a form, '' where nothing is."""
    sheet = task.sheet(item)
    names = {field.name for field in sheet.fields}
    if set(answer) != names:
        return f"expected {', '.join(sorted(names))}, but got {', '.join(sorted(answer))}"
    wrong = sheet.complaints(answer) | task.complaints(item, answer)
    return "; ".join(f"{name}: {what}" for name, what in wrong.items())


def row_of(item: Item, *, place: int, people: int, gold: bool = False) -> dict[str, Any]:
    """An item as the table has it."""
    wanted = 0 if gold else (item.people or people)
    return {
        "key": item.key,
        "stage": item.stage,
        "shown": orjson.dumps(item.shown).decode(),
        "hidden": orjson.dumps(item.hidden).decode(),
        "expected": None if item.expected is None else orjson.dumps(item.expected).decode(),
        "gold": gold,
        "wanted": wanted,
        "free": wanted,
        "place": place,
        "author": None,
        "source": None,
    }


def item_of(row: Row[Any]) -> Item:
    """An item from a row of its table."""
    return Item(
        key=row.key,
        shown=orjson.loads(row.shown),
        hidden=orjson.loads(row.hidden),
        expected=None if row.expected is None else orjson.loads(row.expected),
        stage=row.stage,
    )
