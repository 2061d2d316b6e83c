"""The folder of an exam's holder: create, publish, check submissions, reveal."""

import hashlib
import secrets
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from sqlite3 import Connection
from typing import Any, Self

import orjson

from ..access import check_name
from ..dataset.suite import EngineProvider, Suite
from ..errors import InvalidInput, InvalidOption
from ..scoring.predictions import read_predictions
from ..storage import files
from ..storage.database import Database
from .grading import encode_answers, grade, log_entry
from .publishing import Submission, write_published, write_revealed
from .sealing import (
    EXAM,
    Description,
    Question,
    Secret,
    describe,
    hide_seeds,
    make_rows,
    read_questions,
    root_of,
)

SECRET = "secret"  # noqa: S105 (a file name)
_ROWS, _DATABASE = "rows", "exam.sqlite"
_SCHEMA = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE candidates (
    name TEXT PRIMARY KEY,
    hash TEXT UNIQUE, -- of the link's token; null without a link
    expires REAL
);
CREATE TABLE submissions (
    candidate TEXT NOT NULL REFERENCES candidates (name),
    digest TEXT NOT NULL,
    answers BLOB NOT NULL,
    number INTEGER UNIQUE, -- null until it is scored
    entry BLOB, -- of the log
    PRIMARY KEY (candidate, digest)
);
"""


class Holder:
    """The exam in a holder's folder."""

    def __init__(self, folder: Path) -> None:
        self.exam, self.secret = Description.load(folder), Secret.load(folder / SECRET)
        if self.secret.digest() != self.exam.seed_digest:
            raise InvalidInput(f"{folder / SECRET} is not the seed of {folder / EXAM}; restore it")
        self.folder, self.rows = folder, folder / _ROWS
        self.database = Database(folder / _DATABASE)

    @classmethod
    def create(
        cls,
        suite: Suite,
        folder: Path,
        engines: EngineProvider,
        *,
        submissions: int = 3,
        wordings: bool = False,
        judge: bool = True,
    ) -> Self:
        """Draw a secret, make and judge the rows of a suite, and seal them."""
        secret = Secret(secrets.token_bytes(32))
        with files.replacing(folder) as successor, hide_seeds(suite.datasets, secret):
            exam = describe(suite, secret, submissions=submissions, wordings=wordings)
            successor.mkdir(mode=0o700)
            (successor / SECRET).touch(mode=0o600)
            (successor / SECRET).write_text(f"{secret.key.hex()}\n", "ascii")
            make_rows(exam, secret, successor / _ROWS, engines, judge=judge)
            questions = read_questions(exam, secret, successor / _ROWS)
            exam = exam.model_copy(update={"root": root_of(exam, secret, questions)})
            (successor / EXAM).write_bytes(exam.json_bytes())
            (successor / _DATABASE).touch(mode=0o600)
            database = Database(successor / _DATABASE)
            database.create(_SCHEMA)
            database.close()
        return cls(folder)

    def questions(self) -> Iterator[Question]:
        """Yield the questions in the order of the exam."""
        return read_questions(self.exam, self.secret, self.rows)

    def add_candidate(self, name: str) -> str:
        """Record a candidate, new or known; return the normalized name."""
        name = check_name(name)
        line = "INSERT OR IGNORE INTO candidates (name) VALUES (?)"
        self.database.write(lambda connection: connection.execute(line, (name,)))
        return name

    def candidates(self) -> list[str]:
        """Return the names of all candidates."""
        with self.database.read() as connection:
            found = connection.execute("SELECT name FROM candidates ORDER BY name").fetchall()
        return [row["name"] for row in found]

    def publish(self, out: Path, candidate: str = "") -> None:
        """Write what a candidate may see; without wordings, all candidates see the same."""
        if candidate:
            candidate = self.add_candidate(candidate)
        elif any(each.wordings > 1 for each in self.exam.datasets.values()):
            raise InvalidOption("--candidate: each has wordings of their own; name one")
        with (
            files.replacing(out, inputs=[self.folder]) as successor,
            hide_seeds(self.exam.datasets, self.secret),
        ):
            write_published(self.exam, self.secret, self.rows, successor, candidate)

    def read_answers(self, path: Path) -> dict[str, str]:
        """Return the answers in a file by question; InvalidInput for unknown questions."""
        known = {each.id for each in self.questions()}
        found = read_predictions(path, known.__contains__, Path(self.exam.name))
        return {id: each.reply for id, each in found.items() if each.reply is not None}

    def check(self, candidate: str, answers: Mapping[str, str]) -> dict[str, Any]:
        """Score a submission and return its log entry; the same answers have the same entry.

        InvalidOption if the candidate has no submission left, or the exam is revealed.
        """
        candidate, data = self.add_candidate(candidate), encode_answers(answers)
        key = candidate, hashlib.sha256(data).hexdigest()
        if known := self.database.write(lambda connection: self._reserve(connection, *key, data)):
            return known
        # Scored outside of the transaction; after a crash, the same answers can be sent again.
        with hide_seeds(self.exam.datasets, self.secret):
            (grades,) = grade(self.secret, self.questions(), [(candidate, answers)])

        def finish(connection: Connection) -> dict[str, Any]:
            if known := self._reserve(connection, *key, data):  # by another process meanwhile
                return known
            log = _log(connection)
            before = log[-1]["receipt"] if log else self.exam.commitment()
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            entry = log_entry(before, len(log) + 1, candidate, now, data, grades)
            line = "UPDATE submissions SET number = ?, entry = ? WHERE candidate = ? AND digest = ?"
            connection.execute(line, (entry["number"], orjson.dumps(entry), *key))
            return entry

        return self.database.write(finish)

    def _reserve(
        self, connection: Connection, candidate: str, digest: str, data: bytes
    ) -> dict[str, Any] | None:
        """Count a submission unless it is known; return its log entry if it was scored."""
        if connection.execute("SELECT 1 FROM facts WHERE name = 'revealed'").fetchone():
            raise InvalidOption("the exam has been revealed; no more submissions are taken")
        line = "SELECT digest, entry FROM submissions WHERE candidate = ?"
        made = dict(map(tuple, connection.execute(line, (candidate,))))
        if digest in made:
            known: dict[str, Any] | None = made[digest] and orjson.loads(made[digest])
            return known
        if len(made) >= self.exam.submissions:
            raise InvalidOption(
                f"{candidate} has used all {self.exam.submissions} submissions to this exam"
            )
        line = "INSERT INTO submissions (candidate, digest, answers) VALUES (?, ?, ?)"
        connection.execute(line, (candidate, digest, data))
        return None

    def log(self) -> list[dict[str, Any]]:
        """Return the entries of all scored submissions, in order."""
        with self.database.read() as connection:
            return _log(connection)

    def reveal(self, out: Path) -> None:
        """Write the seed, the answers and the submissions; no more submissions are taken."""
        with files.replacing(out, inputs=[self.folder]) as successor:
            line = "INSERT OR IGNORE INTO facts VALUES ('revealed', '1')"
            self.database.write(lambda connection: connection.execute(line))
            with self.database.read() as connection:
                line = "SELECT answers FROM submissions WHERE entry IS NOT NULL ORDER BY number"
                answers = [row["answers"] for row in connection.execute(line)]
            made = [
                Submission(entry["candidate"], entry["time"], _decoded(data))
                for entry, data in zip(self.log(), answers, strict=True)
            ]
            write_revealed(self.exam, self.secret, self.rows, successor, made)


def _log(connection: Connection) -> list[dict[str, Any]]:
    line = "SELECT entry FROM submissions WHERE entry IS NOT NULL ORDER BY number"
    return [orjson.loads(row["entry"]) for row in connection.execute(line)]


def _decoded(data: bytes) -> dict[str, str]:
    return {each["id"]: each["answer"] for each in map(orjson.loads, data.splitlines())}
