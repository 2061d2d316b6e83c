"""Annotation projects: a folder with settings and, by default, the database."""

import hashlib
import secrets
import shutil
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from sqlite3 import Connection, Row
from typing import Annotated, Any, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...dataset import Dataset
from ...errors import Infeasible, InvalidInput, InvalidOption, NotFound
from ...options import validation_messages
from ...seed import Stream
from ...storage import files
from ...storage.database import Database, explain_database_errors
from ...storage.text import parse_json, read
from .task import TASKS, AnnotationTask, Item

FORMAT = 2
FILE = "project.json"
CONSENT = "consent.txt"
DATABASE = "annotations.sqlite"
_HOME = Path(__file__).parent
_GOLD_SHARE = 0.1
"""Share of gold among the items that annotators get, if there is gold."""


class Origin(BaseModel):
    """The dataset of a project."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    generator: str
    version: int
    digest: str
    splits: list[str]


class Settings(BaseModel):
    """The contents of `project.json`; title, share of gold, times and port may be edited."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    format: int = FORMAT
    id: str
    task: str
    title: str
    origin: Origin
    people: Annotated[int, Field(ge=1)]
    gold_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    qualify: Annotated[int, Field(ge=0)] = 0
    pass_mark: Annotated[float, Field(ge=0, le=1)] = 0.8
    minutes: Annotated[float, Field(gt=0)] = 30.0
    port: Annotated[int, Field(ge=0, le=65_535)] = 8640


@dataclass(frozen=True)
class ProjectOptions:
    """Options of a new project."""

    task: str
    source: Path
    split: str | None = None
    rows: int | None = None
    people: int | None = None
    gold: int = 0
    qualify: int = 0
    pass_mark: float | None = None
    minutes: float = 30.0
    port: int = 8640
    seed: int = 0

    def check(self) -> None:
        """Raise InvalidOption for options without effect or that cannot be met."""
        if self.qualify > self.gold:
            raise InvalidOption(
                f"--qualify: expected at most the {self.gold} of --gold, but got {self.qualify}"
            )
        if self.pass_mark is not None and not self.qualify:
            raise InvalidOption("--pass-mark: there is no qualification; pass --qualify")


class Project:
    """An existing project."""

    def __init__(
        self, folder: Path, settings: Settings, task: AnnotationTask, database: Database
    ) -> None:
        self.folder, self.settings, self.task, self.database = folder, settings, task, database

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Return the project in a folder; raise an error if it is missing or damaged."""
        path = folder / FILE
        if not path.is_file():
            raise NotFound(
                f"{folder} is not a project: it has no {FILE}; make one with gen annotate init "
                f"{folder}"
            )
        try:
            content = parse_json(read(path))
            if isinstance(content, dict) and content.get("format") != FORMAT:
                raise InvalidInput(
                    f"{path} has format {content.get('format')!r}, not {FORMAT}; use the version "
                    f"of relsmith that made it"
                )
            settings = Settings.model_validate(content, strict=True)
        except ValidationError as error:
            raise InvalidInput(f"{path}: {'; '.join(validation_messages(error))}; fix it") from None
        except ValueError as error:
            raise InvalidInput(f"{path} {error}; fix it") from None
        task = TASKS.get(settings.task)
        if not (folder / DATABASE).is_file():
            raise NotFound(f"{folder} has no {DATABASE}; restore it, or make a new project")
        return cls(folder, settings, task, Database(folder / DATABASE))

    @property
    def consent(self) -> str:
        """The text that annotators agree to."""
        path = self.folder / CONSENT
        return _read_consent(path, files.stamp(path))

    @property
    def consent_digest(self) -> str:
        """Digest of the consent text; after a change, people are asked again."""
        return hashlib.sha256(self.consent.encode()).hexdigest()[:16]


@lru_cache(4)
def _read_consent(path: Path, stamp: files.Stamp) -> str:
    return read(path, "write what annotators are to agree to")


def create(folder: Path, wanted: ProjectOptions) -> int:
    """Make a project atomically; return its number of items."""
    wanted.check()
    task = TASKS.get(wanted.task)
    dataset = Dataset(wanted.source, wanted.split)
    manifest = dataset.manifest
    if task.generators and manifest.generator not in task.generators:
        raise InvalidInput(
            f"{wanted.source} was made by {manifest.generator}, but {task.name} needs rows of "
            f"{' or '.join(task.generators)}; name such a folder"
        )
    splits = [wanted.split] if wanted.split else list(manifest.splits)
    with dataset.explain_damage():
        rows = ((split, row) for split in splits for row in dataset.rows(split))
        made = list(task.items(islice(rows, wanted.rows)))
    if not made:
        raise Infeasible(
            f"{wanted.source} has no rows that {task.name} can use; choose another dataset"
        )
    (key, times), *_ = Counter(item.key for item in made).most_common(1)
    if times > 1:
        raise InvalidInput(
            f"{wanted.source}: two items are named {key!r}, but ids must differ; "
            f"gen verify {wanted.source} says which rows are wrong"
        )
    ordered = _shuffled_items(made, wanted)
    settings = Settings(
        id=secrets.token_hex(16),
        task=task.name,
        title=task.title,
        origin=Origin(
            generator=manifest.generator,
            version=manifest.version,
            digest=hashlib.sha256(manifest.json_bytes()).hexdigest(),
            splits=splits,
        ),
        people=wanted.people or task.people,
        gold_share=_GOLD_SHARE * bool(wanted.gold),
        qualify=wanted.qualify,
        pass_mark=0.8 if wanted.pass_mark is None else wanted.pass_mark,
        minutes=wanted.minutes,
        port=wanted.port,
    )
    with files.replacing(folder, inputs=[wanted.source], option="PROJECT") as successor:
        successor.mkdir()
        path = successor / FILE
        path.touch(mode=0o600)
        path.write_bytes(
            orjson.dumps(
                settings.model_dump(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
            )
        )
        shutil.copyfile(_HOME / CONSENT, successor / CONSENT)
        (successor / DATABASE).touch(mode=0o600)  # SQLite's other files get its mode
        database = Database(successor / DATABASE)
        with explain_database_errors():
            database.create((_HOME / "schema.sql").read_text("utf-8"))
            database.write(lambda connection: _fill(connection, settings, ordered))
        database.close()
    return len(ordered)


def _fill(connection: Connection, settings: Settings, ordered: list[tuple[Item, bool]]) -> None:
    for place, (item, gold) in enumerate(ordered, 1):
        row = _item_row(item, place=place, people=settings.people, gold=gold)
        connection.execute(
            f"INSERT INTO items ({', '.join(row)}) VALUES (:{', :'.join(row)})",  # noqa: S608
            row,
        )


def _shuffled_items(made: list[Item], wanted: ProjectOptions) -> list[tuple[Item, bool]]:
    """Return the items in random order, each with whether it is a gold item."""
    known = {item.key for item in made if item.expected is not None}
    Stream("annotate", wanted.seed).shuffle(made)
    gold = set([item.key for item in made if item.key in known][: wanted.gold])
    if len(gold) < wanted.gold:
        raise Infeasible(
            f"--gold: the answers of {len(gold)} items are known, not of {wanted.gold}; ask for "
            f"fewer"
        )
    if wanted.gold and len(gold) == len(made):
        raise Infeasible(
            f"--gold: there are {len(made)} items in all, and nothing would be left to ask about; "
            f"ask for fewer"
        )
    return [(item, item.key in gold) for item in made]


def _item_row(item: Item, *, place: int, people: int, gold: bool) -> dict[str, Any]:
    """Return an item as a row of its table."""
    wanted = 0 if gold else people
    return {
        "key": item.key,
        "shown": orjson.dumps(item.shown).decode(),
        "hidden": orjson.dumps(item.hidden).decode(),
        "expected": None if item.expected is None else orjson.dumps(item.expected).decode(),
        "gold": gold,
        "wanted": wanted,
        "free": wanted,
        "place": place,
    }


def item_from_row(row: Row) -> Item:
    """Return the item of a row of its table."""
    expected = None if row["expected"] is None else json_field(row, "expected")
    return Item(row["key"], json_field(row, "shown"), json_field(row, "hidden"), expected)


def json_field(row: Row, name: str) -> dict[str, Any]:
    """Return the content of a column that holds an object of JSON, about an item."""
    try:
        value = orjson.loads(row[name])
    except (ValueError, TypeError):
        value = None
    if not isinstance(value, dict):
        raise InvalidInput(
            f"the database is damaged: {name} of item {row['key']!r} is not an object of JSON; "
            f"restore it"
        )
    return value
