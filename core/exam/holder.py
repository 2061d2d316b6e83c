"""The folder of an exam's holder: create, publish, check submissions, reveal."""

import hashlib
import secrets
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from sqlite3 import Connection
from typing import Any, Self

import orjson

from ..access import check_name
from ..dataset.suite import EngineProvider, Suite
from ..errors import CheckFailed, InvalidInput, InvalidOption
from ..scoring.predictions import read_predictions
from ..storage import files
from ..storage.database import Database
from ..storage.text import read
from ..tables import fill_template
from .grading import Submission, grade, log_entry
from .publishing import LOG, decode_answers, encode_answers, write_published, write_revealed
from .sealing import EXAM, Description, SealedExam, Secret, describe, fold_name, hide_seeds, seal

SECRET = "secret"  # noqa: S105 (a file name)
MAX_ANSWER = 4000
"""Characters of an answer."""
_SEALED, _DATABASE = "sealed", "exam.sqlite"


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
            database.create(fill_template(__package__, "schema.sql"))
            database.close()
        return cls(folder)

    def hiding(self) -> AbstractContextManager[None]:
        """Keep the seeds of the exam out of errors."""
        return hide_seeds(self.exam.suite.datasets, self.sealed.secret)

    def add_candidate(self, name: str) -> str:
        """Record a candidate, new or known; return the name in its first spelling."""
        values = check_name(name), fold_name(name)

        def work(connection: Connection) -> str:
            line = "INSERT OR IGNORE INTO candidates (name, folded) VALUES (?, ?)"
            connection.execute(line, values)
            found = connection.execute("SELECT name FROM candidates WHERE folded = ?", values[1:])
            return str(found.fetchone()["name"])

        return self.database.write(work)

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

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of all questions."""
        return frozenset(each.id for each in self.sealed.questions())

    def read_answers(self, path: Path) -> dict[str, str]:
        """Return the answers in a file by question; InvalidInput for unknown questions."""
        found = read_predictions(path, self.ids.__contains__, Path(self.exam.suite.name))
        for each in found.values():
            if (length := len(each.reply or "")) > MAX_ANSWER:
                long = f"the answer has {length} characters, but at most {MAX_ANSWER} are read"
                raise InvalidInput(f"{each.where}: {long}; give the answer without reasoning")
        return {id: each.reply for id, each in found.items() if each.reply is not None}

    def check(self, candidate: str, answers: Mapping[str, str]) -> dict[str, Any]:
        """Score a submission and return its log entry; the same answers have the same entry.

        InvalidOption if the candidate has no submission left, or the exam is revealed.
        """
        candidate, data = self.add_candidate(candidate), encode_answers(answers)
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        made, digest = Submission(candidate, now, answers), hashlib.sha256(data).hexdigest()
        with self.database.read() as connection:
            if known := self.find_entry(connection, candidate, digest):
                return known
        with self.hiding():  # outside of the transaction, because it takes long
            (grades,) = grade(self.sealed, [made])

        def work(connection: Connection) -> dict[str, Any]:
            if known := self.find_entry(connection, candidate, digest):
                return known
            log = _log(connection)
            before = log[-1]["receipt"] if log else self.exam.commitment()
            entry = log_entry(before, len(log) + 1, made, data, grades)
            values = len(log) + 1, candidate, orjson.dumps(entry), data
            connection.execute("INSERT INTO submissions VALUES (?, ?, ?, ?)", values)
            return entry

        return self.database.write(work)

    def find_entry(self, connection: Connection, name: str, digest: str) -> dict[str, Any] | None:
        """Return the log entry of a candidate's answers with this digest, if there is one.

        InvalidOption if there is none and no submission is left, or if the exam is revealed.
        """
        if connection.execute("SELECT 1 FROM facts WHERE name = 'revealed'").fetchone():
            raise InvalidOption("the exam has been revealed; no more submissions are taken")
        own = [entry for entry in _log(connection) if entry["candidate"] == name]
        same = next((entry for entry in own if entry["answers"] == digest), None)
        if same is None and len(own) >= self.exam.submissions:
            raise InvalidOption(f"{name} has used all {self.exam.submissions} submissions")
        return same

    def log(self) -> list[dict[str, Any]]:
        """Return the log, with an entry for each submission."""
        with self.database.read() as connection:
            return _log(connection)

    def reveal(self, out: Path) -> None:
        """Write the seed, the answers and the submissions; no more submissions are taken.

        Submissions wait for the end of the transaction. CheckFailed if the log has other scores.
        """

        def work(connection: Connection) -> None:
            log, query = _log(connection), "SELECT answers FROM submissions ORDER BY number"
            made = [
                Submission(entry["candidate"], entry["time"], decode_answers(row["answers"]))
                for entry, row in zip(log, connection.execute(query), strict=True)
            ]
            with files.replacing(out, inputs=[self.folder]) as successor, self.hiding():
                write_revealed(self.sealed, successor, made)
                again = map(orjson.loads, (successor / LOG).read_bytes().splitlines())
                for number, (stored, entry) in enumerate(zip(log, again, strict=True), 1):
                    if stored != entry:
                        what = f"the log entry of submission {number} does not follow from its"
                        remedy = f"answers; restore it, or install the packages in {EXAM}"
                        raise CheckFailed(f"{self.database.path}: {what} {remedy}")
            connection.execute("INSERT OR IGNORE INTO facts VALUES ('revealed', '1')")

        self.database.write(work)


def _log(connection: Connection) -> list[dict[str, Any]]:
    """Return the entries of all submissions, without reading their answers."""
    found = connection.execute("SELECT entry FROM submissions ORDER BY number")
    return [orjson.loads(row["entry"]) for row in found]
