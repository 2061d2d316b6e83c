"""Fixtures: an exam and its server."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from relsmith.dataset.suite import Suite
from relsmith.engines.engine import Local
from relsmith.exam.holder import Holder
from relsmith.web.exam.access import invite
from relsmith.web.exam.site import ExamSite

from ..conftest import NO_TLS, serving

SCRIPT = "<script>alert(1)</script>"
SUITE = {
    "name": "tour",
    "summary": f"Two of them. {SCRIPT}",
    "datasets": {
        "short": {"generator": "comparatives", "options": {"people": "3..4"}, "rows": 20},
        "long": {"generator": "comparatives", "options": {"people": 6}, "rows": 10},
    },
}


@contextmanager
def engines(label: str, rows: int) -> Iterator[Local]:
    yield Local()


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exam") / "exam"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("secrets.token_bytes", lambda size: b"\7" * size)
        suite = Suite.model_validate(SUITE)
        made = Holder.create(suite, folder, engines, submissions=2, wordings=False)
        made.database.close()
    return folder


@pytest.fixture
def holder(made: Path, tmp_path: Path) -> Iterator[Holder]:
    found = Holder(Path(shutil.copytree(made, tmp_path / "exam")))
    yield found
    found.database.close()


@dataclass
class Server:
    """A served exam and its clients."""

    holder: Holder
    site: ExamSite
    home: str
    clients: list[httpx.Client] = field(default_factory=list)

    def client(self, token: str = "", *, bearer: bool = False, **headers: str) -> httpx.Client:
        """Return a client with a token in its cookie or header."""
        cookies = {self.site.cookie: token} if token and not bearer else {}
        headers |= {"authorization": f"Bearer {token}"} if bearer else {}
        options: dict[str, Any] = {"cookies": cookies, "headers": headers}
        self.clients.append(httpx.Client(base_url=self.home, timeout=60, verify=NO_TLS, **options))
        return self.clients[-1]

    def program(self, name: str) -> httpx.Client:
        """Return a client of a program with a new token of a candidate."""
        return self.client(invite(self.holder, name), bearer=True)

    def hidden(self) -> list[str]:
        """Return texts that no answer of the server may have."""
        secret = self.holder.sealed.secret
        seeds = [str(secret.seed(name)) for name in self.holder.exam.suite.datasets]
        return [secret.key.hex(), *seeds, "comparatives-v", '"target"', "metadata", "Traceback"]


@pytest.fixture
def server(holder: Holder, tmp_path: Path) -> Iterator[Server]:
    site = ExamSite(holder, tmp_path)
    with serving(site.app) as home:
        found = Server(holder, site, home)
        yield found
        for client in found.clients:
            client.close()


def right_answers(holder: Holder) -> dict[str, str]:
    return {each.id: each.rows[0].target for each in holder.sealed.questions()}


def encoded(answers: dict[str, str]) -> bytes:
    lines = ({"id": id, "answer": answer} for id, answer in answers.items())
    return b"".join(orjson.dumps(line) + b"\n" for line in lines)
