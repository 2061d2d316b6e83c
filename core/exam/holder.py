"""The folder of an exam's holder: create, publish, check submissions, reveal."""

import hashlib
import secrets
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
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
from ..storage.text import read
from .grading import Submission, grade, log_entry
from .publishing import decode_answers, encode_answers, write_published, write_revealed
from .sealing import EXAM, Description, SealedExam, Secret, describe, hide_seeds, seal

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
    number INTEGER PRIMARY KEY,
    candidate TEXT NOT NULL REFERENCES candidates (name),
    answers BLOB NOT NULL,
    entry BLOB NOT NULL -- of the log
);
"""


class Holder:
    """The exam in a holder's folder."""

    def __init__(self, folder: Path) -> None:
        exam = Description.load(folder)
        secret = Secret.parse(read(folder / SECRET, "restore it from a backup"), folder / SECRET)
        if secret.digest() != exam.seed_digest:
            raise InvalidInput(f"{folder / SECRET} is not the seed of {folder / EXAM}; restore it")
        self.folder, self.exam = folder, exam
        self.sealed = SealedExam(exam, secret, folder / _SEALED)
        self.database = Database(folder / _DATABASE)

    @classmethod
    def create(
        cls,
        suite: Suite,
        folder: Path,
        engines: EngineProvider,
        *,
        submissions: int,
        wordings: bool,
    ) -> Self:
        """Draw a secret, make and judge the rows of a suite, and seal them."""
        exam = describe(suite, submissions=submissions, wordings=wordings)
        secret = Secret(secrets.token_bytes(32))
        with files.replacing(folder) as successor, hide_seeds(exam.suite.datasets, secret):
            successor.mkdir(mode=0o700)
            for name in (SECRET, _DATABASE):
                (successor / name).touch(mode=0o600)
            (successor / SECRET).write_text(f"{secret.key.hex()}\n", "ascii")
            exam = seal(exam, secret, successor / _SEALED, engines, judge=True).exam
            (successor / EXAM).write_bytes(exam.json_bytes())
            database = Database(successor / _DATABASE)
            database.create(_SCHEMA)
            database.close()
        return cls(folder)

    def hiding(self) -> AbstractContextManager[None]:
        """Keep the seeds of the exam out of errors."""
        return hide_seeds(self.exam.suite.datasets, self.sealed.secret)

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
        elif self.exam.wordings:
            raise InvalidOption("--candidate: each has wordings of their own; name one")
        with files.replacing(out, inputs=[self.folder]) as successor, self.hiding():
            write_published(self.sealed, successor, candidate)

    def read_answers(self, path: Path) -> dict[str, str]:
        """Return the answers in a file by question; InvalidInput for unknown questions."""
        known = {each.id for each in self.sealed.questions()}
        found = read_predictions(path, known.__contains__, Path(self.exam.suite.name))
        return {id: each.reply for id, each in found.items() if each.reply is not None}

    def check(self, candidate: str, answers: Mapping[str, str]) -> dict[str, Any]:
        """Score a submission and return its log entry; the same answers have the same entry.

        InvalidOption if the candidate has no submission left, or the exam is revealed.
        """
        candidate, data = self.add_candidate(candidate), encode_answers(answers)
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

        def work(connection: Connection) -> dict[str, Any]:
            if connection.execute("SELECT 1 FROM facts WHERE name = 'revealed'").fetchone():
                raise InvalidOption("the exam has been revealed; no more submissions are taken")
            log = [entry for _, entry in _submissions(connection)]
            own = [entry for entry in log if entry["candidate"] == candidate]
            for entry in own:
                if entry["answers"] == hashlib.sha256(data).hexdigest():
                    return entry
            if len(own) >= self.exam.submissions:
                limit = f"all {self.exam.submissions} submissions to this exam"
                raise InvalidOption(f"{candidate} has used {limit}")
            made = Submission(candidate, now, answers)
            with self.hiding():
                (grades,) = grade(self.sealed, [made])
            before = log[-1]["receipt"] if log else self.exam.commitment()
            entry = log_entry(before, len(log) + 1, made, data, grades)
            values = len(log) + 1, candidate, data, orjson.dumps(entry)
            connection.execute("INSERT INTO submissions VALUES (?, ?, ?, ?)", values)
            return entry

        return self.database.write(work)

    def log(self) -> list[dict[str, Any]]:
        """Return the log, with an entry for each submission."""
        with self.database.read() as connection:
            return [entry for _, entry in _submissions(connection)]

    def reveal(self, out: Path) -> None:
        """Write the seed, the answers and the submissions; no more submissions are taken."""
        with files.replacing(out, inputs=[self.folder]) as successor:
            line = "INSERT OR IGNORE INTO facts VALUES ('revealed', '1')"
            self.database.write(lambda connection: connection.execute(line))
            with self.database.read() as connection:
                made = [
                    Submission(entry["candidate"], entry["time"], decode_answers(answers))
                    for answers, entry in _submissions(connection)
                ]
            write_revealed(self.sealed, successor, made)


def _submissions(connection: Connection) -> list[tuple[bytes, dict[str, Any]]]:
    """Return the answers and log entries of all submissions."""
    found = connection.execute("SELECT answers, entry FROM submissions ORDER BY number")
    return [(row["answers"], orjson.loads(row["entry"])) for row in found]
