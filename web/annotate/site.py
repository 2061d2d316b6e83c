"""The pages of a project for annotators and its owner."""

import io
import threading
import time
import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from sqlite3 import Error as DatabaseError
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ...access import check_name, csrf_token
from ...errors import InvalidOption, NotFound
from ...storage.database import database_failure
from ..forms import Form, check_sender, limit, post, set_token
from ..limits import RateLimit
from ..page import LOOPBACK, Pages, field
from . import access
from .answering import Rejected, TooLate, UnknownAssignment, submit_answer
from .assignment import Assignment, next_assignment, skip
from .progress import Annotator, ProjectProgress, count_answers, latest_answers, progress
from .project import Project
from .task import Item
from .transfer import export_files

HOME = Path(__file__).parent
MAX_BODY_BYTES = 64 * 1024
_MIN_CACHE_SECONDS = 2.0
_ANSWERS_PER_PAGE = 50
_REFUSED = "This link is not valid, or no longer. Ask for a new one."


def _share(pair: tuple[int, int]) -> float:
    return pair[0] / pair[1] if pair[1] else -1


_COLUMNS: dict[str, Callable[[Annotator], Any]] = {
    "name": lambda who: who.name.casefold(),
    "answers": lambda who: who.answers,
    "gold": lambda who: _share(who.gold),
    "expected": lambda who: _share(who.expected),
    "others": lambda who: _share(who.with_others),
    "seconds": lambda who: -1 if who.seconds is None else who.seconds,
}
"""The values by which the owner's table of annotators is sorted."""


class AnnotationSite:
    """The application of one project."""

    def __init__(
        self,
        project: Project,
        *,
        hosts: frozenset[str] | None = LOOPBACK,
        address: str = "/",
        secure: bool = False,
    ) -> None:
        self.project, self.address, self.secure = project, address, secure
        self.pages = Pages(HOME, project=project.settings, task=project.task)
        self.pages.environment.auto_reload = False  # otherwise each request checks the files
        # Limits for fast annotators (a page and an answer per item) and for guessers of links.
        self._each_person = RateLimit(burst=60, each_second=6)
        self._each_guesser = RateLimit(burst=10, each_second=0.2)
        self._cached_progress: tuple[float, ProjectProgress] | None = None
        self._lock = threading.Lock()
        self.app: Starlette = self.pages.app(
            [
                Route("/", self._start),
                Route("/a/{token}", partial(self._log_in, owner=False)),
                post("/a/{token}", self._switch),
                Route("/consent", self._consent),
                post("/consent", self._agree),
                Route("/work", self._work),
                post("/work", self._answer),
                post("/skip", self._skip),
                Route("/me", self._me),
                post("/me/delete", self._delete),
                post("/leave", self._leave),
                Route("/owner", partial(self._progress, template="owner.html")),
                Route("/owner/progress", partial(self._progress, template="progress.html")),
                Route("/owner/answers", self._answers),
                Route("/owner/export.zip", self._export),
                post("/owner/invite", self._invite),
                post("/owner/revoke", partial(self._change_person, access.revoke)),
                post("/owner/forget", partial(self._change_person, access.delete_person)),
                post("/owner/leave", partial(self._leave, owner=True)),
                Route("/owner/{token}", partial(self._log_in, owner=True)),
            ],
            hosts=hosts,
            max_body=MAX_BODY_BYTES,
            exception_handlers={DatabaseError: self._database_error},
        )

    async def _database_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, DatabaseError)
        return self.pages.failure(database_failure(error))

    # Authentication

    def _cookie(self, *, owner: bool) -> str:
        """Return the cookie's name, which differs between projects on one machine."""
        return f"relsmith-{'owner' if owner else 'annotator'}-{self.project.settings.id[:12]}"

    def _token(self, request: Request, *, owner: bool) -> str:
        return request.cookies.get(self._cookie(owner=owner), "")

    def _person(self, request: Request, *, owner: bool = False) -> access.Person:
        """Return the person by cookie; raise 403 if there is none."""
        person = self._find_person(request, self._token(request, owner=owner), owner=owner)
        limit(self._each_person, f"{person.id}")
        return person

    def _find_person(self, request: Request, token: str, *, owner: bool) -> access.Person:
        person = access.find_person(self.project, token, owner=owner) if token else None
        if person is None:
            if token:
                limit(self._each_guesser, request.client.host if request.client else "")
            raise HTTPException(403, _REFUSED)
        return person

    def _log_in(self, request: Request, *, owner: bool) -> Response:
        token = request.path_params["token"]
        person = self._find_person(request, token, owner=owner)
        current = access.find_person(self.project, self._token(request, owner=owner), owner=owner)
        if current and current.id != person.id:
            return self._show(request, "switch.html", current, other=person.name, token=token)
        return self._enter(token, owner=owner)

    def _switch(self, request: Request, form: Form) -> Response:
        """Sign in by another person's link, after a question."""
        self._sender(request, form)
        token = request.path_params["token"]
        self._find_person(request, token, owner=False)
        return self._enter(token, owner=False)

    def _enter(self, token: str, *, owner: bool) -> Response:
        answer = RedirectResponse("/owner" if owner else "/work", 303)
        set_token(answer, self._cookie(owner=owner), token, secure=self.secure)
        return answer

    def _sender(self, request: Request, form: Form, *, owner: bool = False) -> access.Person:
        """Return the sender of a form; raise 403 unless it comes from our page."""
        person = self._person(request, owner=owner)
        check_sender(request, form, self._token(request, owner=owner))
        return person

    def _show(
        self,
        request: Request,
        template: str,
        person: access.Person,
        status: int = 200,
        **values: object,
    ) -> Response:
        word = csrf_token(self._token(request, owner=person.owner))
        return self.pages.show(template, status, person=person, form=word, **values)

    # Annotators

    def _start(self, request: Request) -> Response:
        for owner, there in ((False, "/work"), (True, "/owner")):
            if self._token(request, owner=owner):
                return RedirectResponse(there, 303)
        return self.pages.show("start.html")

    def _consent(self, request: Request) -> Response:
        person = self._person(request)
        paragraphs = self.project.consent.strip().split("\n\n")
        return self._show(request, "consent.html", person, paragraphs=paragraphs)

    def _agree(self, request: Request, form: Form) -> Response:
        person = self._sender(request, form)
        if form.get("agree") != "yes":
            return RedirectResponse("/consent", 303)
        access.record_consent(self.project, person.id)
        return RedirectResponse("/work", 303)

    def _has_consented(self, person: access.Person) -> bool:
        return person.consent == self.project.consent_digest

    def _work(self, request: Request) -> Response:
        person = self._person(request)
        if not self._has_consented(person):
            return RedirectResponse("/consent", 303)
        given = next_assignment(self.project, person.id)
        kept = "kept" in request.query_params
        if not isinstance(given, Assignment):
            return self._show(request, "nothing.html", person, why=given, kept=kept)
        return self._sheet(request, person, given.token, given.item, given.done, kept=kept)

    def _sheet(
        self,
        request: Request,
        person: access.Person,
        token: str,
        item: Item,
        done: int,
        *,
        kept: bool = False,
        answer: Mapping[str, str] | None = None,
        errors: Mapping[str, str] | None = None,
    ) -> Response:
        return self._show(
            request,
            "work.html",
            person,
            sheet=self.project.task.sheet(item),
            token=token,
            kept=kept,
            answer=answer or {},
            errors=errors or {},
            done=done,
        )

    def _answer(self, request: Request, form: Form) -> Response:
        person = self._sender(request, form)
        if not self._has_consented(person):
            return RedirectResponse("/consent", 303)
        try:
            taken = submit_answer(self.project, person.id, form.get("assignment", ""), form)
        except UnknownAssignment:
            raise HTTPException(404, "There is no such task for you.") from None
        if isinstance(taken, Rejected):
            return self._sheet(
                request,
                person,
                taken.token,
                taken.item,
                count_answers(self.project, person.id),
                answer=taken.answer,
                errors=taken.errors,
            )
        if isinstance(taken, TooLate):
            said = [text for text in taken.answer.values() if text]
            return self._show(request, "late.html", person, 409, why=taken.why, said=said)
        return RedirectResponse("/work?kept", 303)

    def _skip(self, request: Request, form: Form) -> Response:
        person = self._sender(request, form)
        if not skip(self.project, person.id, form.get("assignment", "")):
            raise HTTPException(404, "There is no such task for you.")
        return RedirectResponse("/work", 303)

    def _me(self, request: Request) -> Response:
        person = self._person(request)
        answers = latest_answers(self.project, person=person.id, most=_ANSWERS_PER_PAGE)
        done = count_answers(self.project, person.id)
        return self._show(
            request, "me.html", person, answers=answers, done=done, most=_ANSWERS_PER_PAGE
        )

    def _delete(self, request: Request, form: Form) -> Response:
        person = self._sender(request, form)
        if form.get("sure") != "yes":
            return RedirectResponse("/me", 303)
        access.delete_person(self.project, person.name)
        return self._log_out(self.pages.show("start.html", gone=True), owner=False)

    def _leave(self, request: Request, form: Form, owner: bool = False) -> Response:
        self._sender(request, form, owner=owner)
        return self._log_out(RedirectResponse("/", 303), owner=owner)

    def _log_out(self, answer: Response, *, owner: bool) -> Response:
        answer.delete_cookie(
            self._cookie(owner=owner), httponly=True, samesite="lax", secure=self.secure
        )
        return answer

    # The owner

    def _current_progress(self) -> ProjectProgress:
        """Return the progress, cached so that computing it takes 5 % of the time at most."""
        with self._lock:
            if self._cached_progress is None or time.monotonic() > self._cached_progress[0]:
                began = time.monotonic()
                state = progress(self.project)
                took = time.monotonic() - began
                self._cached_progress = time.monotonic() + max(_MIN_CACHE_SECONDS, 20 * took), state
            return self._cached_progress[1]

    def _progress(self, request: Request, template: str) -> Response:
        person = self._person(request, owner=True)
        state = self._current_progress()
        sort = field(request.query_params, "sort") or "name"
        if sort.removeprefix("-") not in _COLUMNS:
            raise HTTPException(404, "There is no such column.")
        return self._show(
            request,
            template,
            person,
            state=state,
            now=time.time(),
            sort=sort,
            sorted_by="/owner?sort={}".format,
            annotators=sorted(
                state.annotators,
                key=_COLUMNS[sort.removeprefix("-")],
                reverse=sort.startswith("-"),
            ),
        )

    def _answers(self, request: Request) -> Response:
        person = self._person(request, owner=True)
        text = field(request.query_params, "page", 10) or "1"
        page = int(text) if text.isdecimal() and text.isascii() else 1
        answers = latest_answers(
            self.project, most=_ANSWERS_PER_PAGE + 1, skipped=_ANSWERS_PER_PAGE * (max(page, 1) - 1)
        )
        return self._show(
            request,
            "answers.html",
            person,
            answers=answers[:_ANSWERS_PER_PAGE],
            page=max(page, 1),
            more=len(answers) > _ANSWERS_PER_PAGE,
        )

    def _export(self, request: Request) -> Response:
        self._person(request, owner=True)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in export_files(self.project).items():
                archive.writestr(name, data)
        headers = {
            "content-disposition": 'attachment; filename="export.zip"',
            "cache-control": "no-store",
        }
        return Response(packed.getvalue(), media_type="application/zip", headers=headers)

    def _invite(self, request: Request, form: Form) -> Response:
        person = self._sender(request, form, owner=True)
        text = field(form, "days", 10)
        try:
            days = int(text) if text.isascii() and text.isdecimal() else 0
            token = access.invite(self.project, form.get("name", ""), days)
        except InvalidOption as error:
            raise HTTPException(400, str(error)) from None
        link = f"{self.address.rstrip('/')}/{access.link_path(token)}"
        self._cached_progress = None
        who = check_name(form.get("name", ""))
        return self._show(request, "invited.html", person, link=link, who=who, days=days)

    def _change_person(
        self, change: Callable[[Project, str], object], request: Request, form: Form
    ) -> Response:
        self._sender(request, form, owner=True)
        if form.get("sure") == "yes":
            try:
                change(self.project, form.get("name", ""))
            except NotFound as error:
                raise HTTPException(404, str(error)) from None
            self._cached_progress = None
        return RedirectResponse("/owner", 303)
