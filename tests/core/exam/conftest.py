"""Fixtures: small exams and their published folders."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from relsmith.dataset.suite import Suite
from relsmith.engines.engine import Local
from relsmith.exam.holder import Holder
from relsmith.exam.publishing import Verification, verify

SUITE = {
    "name": "tour",
    "summary": "Two of them.",
    "datasets": {
        "short": {"generator": "comparatives", "options": {"people": "3..4"}, "rows": 30},
        "long": {
            "generator": "comparatives",
            "options": {"people": 6},
            "split": "train=20,test=10",
        },
    },
}
WORDED = {
    "name": "worded",
    "datasets": {
        "stories": {
            "generator": "clutrr",
            "options": {"k": 2, "siblings": "words", "choices": "all", "conventions": "none"},
            "rows": 32,
        }
    },
}


@contextmanager
def engines(label: str, rows: int) -> Iterator[Local]:
    yield Local()


def create(
    folder: Path, suite: dict[str, Any] = SUITE, *, secret: int = 1, **options: Any
) -> Holder:
    """Make an exam with a known secret, so that a green commit stays green."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("secrets.token_bytes", lambda size: bytes([secret]) * size)
        usual = {"submissions": 3, "wordings": False} | options
        return Holder.create(Suite.model_validate(suite), folder, engines, **usual)


def right_answers(holder: Holder) -> dict[str, str]:
    return {each.id: each.rows[0].target for each in holder.sealed.questions()}


def verified(folder: Path, **options: Any) -> Verification:
    return verify(folder, engines, **options)


def read_lines(path: Path) -> list[Any]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def write_lines(path: Path, lines: list[Any]) -> None:
    path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an exam, its published folder and, after two submissions, its revealed folder."""
    home = tmp_path_factory.mktemp("exam")
    with closing(create(home / "exam", submissions=2).database) as database:
        holder = Holder(home / "exam")
        holder.database = database
        holder.publish(home / "published")
        shutil.copytree(home / "exam", home / "fresh")
        right = right_answers(holder)
        holder.check("Ann", right)
        holder.check("Bo", dict(list(right.items())[:15]))
        holder.check("Ann", dict.fromkeys(right, "nobody"))
        holder.reveal(home / "revealed")
    return home


@pytest.fixture
def revealed(made: Path, tmp_path: Path) -> Path:
    """Return a copy of a revealed exam, to be changed."""
    return Path(shutil.copytree(made / "revealed", tmp_path / "revealed"))


@pytest.fixture
def holder(made: Path, tmp_path: Path) -> Iterator[Holder]:
    """Return a copy of an exam without submissions."""
    found = Holder(Path(shutil.copytree(made / "fresh", tmp_path / "exam")))
    yield found
    found.database.close()


@pytest.fixture(scope="session")
def worded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Holder]:
    """Make an exam with wordings for each candidate."""
    home = tmp_path_factory.mktemp("worded")
    found = create(home / "exam", WORDED, wordings=True)
    yield found
    found.database.close()


Forge = Callable[[Path], None]
