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
from .grading import Submission, grade, log_entry
from .publishing import decode_answers, encode_answers, write_published, write_revealed
from .sealing import (
    EXAM,
    Description,
    Question,
    Secret,
    describe,
    hide_seeds,
    read_questions,
    seal,
)

SECRET = "secret"  # noqa: S105 (a file name)
_SEALED, _DATABASE = "sealed", "exam.sqlite"
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
_SCORED = "SELECT answers, entry FROM submissions WHERE entry IS NOT NULL ORDER BY number"


class Holder:
    """The exam in a holder's folder."""

    def __init__(self, folder: Path) -> None:
        self.exam, self.secret = Description.load(folder), Secret.load(folder / SECRET)
        if self.secret.digest() != self.exam.seed_digest:
            raise InvalidInput(f"{folder / SECRET} is not the seed of {folder / EXAM}; restore it")
        self.folder, self.sealed = folder, folder / _SEALED
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
        exam = describe(suite, submissions=submissions, wordings=wordings)
        secret = Secret(secrets.token_bytes(32))
        with files.replacing(folder) as successor, hide_seeds(exam.datasets, secret):
            successor.mkdir(mode=0o700)
            for name in (SECRET, _DATABASE):
                (successor / name).touch(mode=0o600)
            (successor / SECRET).write_text(f"{secret.key.hex()}\n", "ascii")
            exam = seal(exam, secret, successor / _SEALED, engines, judge=judge)
            (successor / EXAM).write_bytes(exam.json_bytes())
            database = Database(successor / _DATABASE)
            database.create(_SCHEMA)
            database.close()
        return cls(folder)

    def questions(self) -> Iterator[Question]:
        """Yield the questions in the order of the exam."""
        return read_questions(self.sealed)

    def add_candidate(self, name: str) -> str:
        """Record a candidate, new or known; return the normalized name."""
        name = check_name(name)
        line = "INSERT OR IGNORE INTO candidates (name) VALUES (?)"
        self.database.write(lambda connection: connection.execute(line, (name,)))
        return name

    def candidates(self) -> list[str]:
        """Return the names of all candidates."""
        with self.database.read() as connection:
            found = connection.execute("SELECT name FROM candidates ORDER BY name")
            return [row["name"] for row in found]

    def publish(self, out: Path, candidate: str = "") -> None:
        """Write what a candidate may see; without wordings, all candidates see the same."""
        if candidate:
            candidate = self.add_candidate(candidate)
        elif any(each.wordings > 1 for each in self.exam.datasets.values()):
            raise InvalidOption("--candidate: each has wordings of their own; name one")
        hidden = hide_seeds(self.exam.datasets, self.secret)
        with files.replacing(out, inputs=[self.folder]) as successor, hidden:
            write_published(self.exam, self.secret, self.sealed, successor, candidate)

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
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        made = Submission(candidate, now, answers)
        with hide_seeds(self.exam.datasets, self.secret):
            (grades,) = grade(self.secret, self.questions(), [made])

        def finish(connection: Connection) -> dict[str, Any]:
            if known := self._reserve(connection, *key, data):  # by another process meanwhile
                return known
            log = _log(connection)
            before = log[-1]["receipt"] if log else self.exam.commitment()
            entry = log_entry(before, len(log) + 1, made, data, grades)
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
                made = [
                    Submission(entry["candidate"], entry["time"], decode_answers(row["answers"]))
                    for row in connection.execute(_SCORED)
                    for entry in [orjson.loads(row["entry"])]
                ]
            write_revealed(self.exam, self.secret, self.sealed, successor, made)


def _log(connection: Connection) -> list[dict[str, Any]]:
    return [orjson.loads(row["entry"]) for row in connection.execute(_SCORED)]
