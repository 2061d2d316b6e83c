"""Fixtures: projects and their servers."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest

from relsmith import make, write
from relsmith.web.annotate.access import Person, find_person, invite, record_consent
from relsmith.web.annotate.answering import submit_answer
from relsmith.web.annotate.assignment import Assignment, next_assignment
from relsmith.web.annotate.project import FILE, Project, ProjectOptions, create
from relsmith.web.annotate.site import AnnotationSite
from relsmith.web.annotate.task import AnnotationTask, Choice, Item
from relsmith.web.server import listen

from ..conftest import NO_TLS, get, serving

GEN = Path(sys.executable).with_name("gen")


SOURCES: dict[str, tuple[str, dict[str, Any], dict[str, int]]] = {
    "stories": ("clutrr", {"k": "2..3"}, {"test": 12}),
    "choices": ("clutrr", {"k": "2", "choices": "3"}, {"test": 12}),
    "cloze": ("cloze", {}, {"train": 12}),
    "comparatives": ("comparatives", {}, {"train": 4, "test": 6}),
    "candidates": ("relinf", {}, {"train": 150}),
    "few": ("relinf", {"questions": "QUESTIONS"}, {"train": 30}),
}
QUESTIONS = "animal\thunts\tantelopes\nfood\tis made from\tmilk\n"

Rows = Callable[[str], Path]


@pytest.fixture(scope="session")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    """Return a maker of small datasets for each task, cached."""
    folder = tmp_path_factory.mktemp("rows")

    @cache
    def made(name: str) -> Path:
        generator, options, splits = SOURCES[name]
        (folder / "questions.tsv").write_text(QUESTIONS)
        given = {
            key: str(folder / "questions.tsv") if value == "QUESTIONS" else value
            for key, value in options.items()
        }
        write(make(generator, **given), folder / name, splits)
        return folder / name

    return made


Made = Callable[..., Project]


@pytest.fixture
def project(rows: Rows, tmp_path: Path) -> Iterator[Made]:
    """Make a project: `project("solve", "choices", people=2)`."""
    opened: list[Project] = []

    def made(task: str = "solve", source: str = "choices", **options: Any) -> Project:
        folder = tmp_path / f"project-{len(opened)}"
        settings = {"gold_share": options.pop("gold_share")} if "gold_share" in options else {}
        create(folder, ProjectOptions(task, rows(source), **options))
        path = folder / FILE
        path.write_text(json.dumps(json.loads(path.read_text()) | settings))
        opened.append(Project.open(folder))
        return opened[-1]

    yield made
    for each in opened:
        each.database.close()


def join(project: Project, name: str) -> int:
    """Add a person who has consented; return the id."""
    person = find_person(project, invite(project, name))
    assert person
    record_consent(project, person.id)
    return person.id


def given(project: Project, person: int, now: float | None = None) -> Assignment:
    found = next_assignment(project, person, now)
    assert isinstance(found, Assignment), found
    return found


def filled(task: AnnotationTask, item: Item, pick: int = 0) -> dict[str, str]:
    """Return a valid answer to a sheet."""
    sheet = task.sheet(item)
    return {
        each.name: each.options[pick % len(each.options)][0]
        if isinstance(each, Choice)
        else "nobody"
        for each in sheet.fields
    }


def answer(project: Project, person: int, pick: int = 0, now: float | None = None) -> Item:
    """Answer the next item and return it."""
    sheet = given(project, person, now)
    taken = submit_answer(project, person, sheet.token, filled(project.task, sheet.item, pick), now)
    assert type(taken).__name__ == "Accepted", taken
    return sheet.item


@dataclass
class Visitor:
    """An HTTP client with cookies and the fields of the last form."""

    client: httpx.Client
    fields: dict[str, str] = field(default_factory=dict)
    page: str = ""

    def get(self, path: str, **options: Any) -> httpx.Response:
        answer = self.client.get(path, follow_redirects=True, **options)
        self.see(answer)
        return answer

    def see(self, answer: httpx.Response) -> None:
        found = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', answer.text)
        self.fields, self.page = dict(reversed(found)), answer.text

    def post(self, path: str, fields: dict[str, str] | None = None, **more: str) -> httpx.Response:
        """Send the form of the page with these fields, without following redirects."""
        sent = {name: self.fields.get(name, "") for name in ("form", "assignment")} | more
        return self.client.post(path, data=sent if fields is None else fields)


@dataclass
class Server:
    """A served project and its visitors."""

    project: Project
    home: str
    clients: list[httpx.Client] = field(default_factory=list)

    def client(self, token: str = "") -> httpx.Client:
        """Return an HTTP client with the cookie of a person."""
        name = f"relsmith-annotator-{self.project.settings.id[:12]}"
        named = {name: token} if token else {}
        self.clients.append(
            httpx.Client(base_url=self.home, cookies=named, timeout=30, verify=NO_TLS)
        )
        return self.clients[-1]

    def visit(self, name: str = "ann", *, agreed: bool = True) -> Visitor:
        """Follow a new link."""
        token = invite(self.project, name)
        if agreed:
            person: Person | None = find_person(self.project, token)
            assert person
            record_consent(self.project, person.id)
        visitor = Visitor(self.client())
        visitor.get(f"/a/{token}")
        return visitor


@contextmanager
def served(project: Project) -> Iterator[Server]:
    """Serve a project in a thread."""
    site = AnnotationSite(project)
    with serving(site.app) as home:
        server = Server(project, home)
        try:
            yield server
        finally:
            for client in server.clients:
                client.close()


@contextmanager
def started(folder: Path, *words: str) -> Iterator[str]:
    """Run `gen annotate serve` in a process and return its address; it must end silently."""
    with listen(port=0) as free:
        port = free.getsockname()[1]
    with subprocess.Popen(
        [GEN, "annotate", "serve", str(folder), "--port", str(port), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        home = process.stdout.readline().rpartition(" ")[2].strip().rstrip("/")
        try:
            get(f"http://127.0.0.1:{port}", timeout=60)  # it is there
            yield home
        finally:
            process.terminate()
            _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (0, "")


Serving = Callable[..., Server]


@pytest.fixture
def server(project: Made) -> Iterator[Serving]:
    """Make a project and serve it."""
    with ExitStack() as stack:
        yield lambda *words, **options: stack.enter_context(served(project(*words, **options)))
