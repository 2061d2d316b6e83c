"""The pages of a project for annotators."""

from collections.abc import Mapping
from pathlib import Path
from sqlite3 import Error as DatabaseError

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ...access import csrf_token
from ...storage.database import database_failure
from ..forms import Form, check_sender, limit, post, set_token
from ..limits import RateLimit
from ..page import LOOPBACK, Pages
from . import access
from .answering import Rejected, TooLate, UnknownAssignment, submit_answer
from .assignment import Assignment, next_assignment, skip
from .progress import count_answers, latest_answers
from .project import Project
from .task import Item

HOME = Path(__file__).parent
MAX_BODY_BYTES = 64 * 1024
_ANSWERS_PER_PAGE = 50
_REFUSED = "This link is not valid, or no longer. Ask for a new one."


class AnnotationSite:
    """The application of one project."""

    def __init__(
        self,
        project: Project,
        *,
        hosts: frozenset[str] | None = LOOPBACK,
        secure: bool = False,
    ) -> None:
        self.project, self.secure = project, secure
        self._cookie = f"relsmith-annotator-{project.settings.id[:12]}"  # differs by project
        self.pages = Pages(HOME, project=project.settings, task=project.task)
        self.pages.environment.auto_reload = False  # otherwise each request checks the files
        # Limits for fast annotators (a page and an answer per item) and for guessed links.
        self._by_person = RateLimit(burst=60, each_second=6)
        self._invalid_tokens_by_address = RateLimit(burst=10, each_second=0.2)
        self.app: Starlette = self.pages.app(
            [
                Route("/", self._start),
                Route("/a/{token}", self._log_in),
                post("/a/{token}", self._switch),
                Route("/consent", self._consent),
                post("/consent", self._agree),
                Route("/work", self._work),
                post("/work", self._answer),
                post("/skip", self._skip),
                Route("/me", self._me),
                post("/me/delete", self._delete),
                post("/leave", self._leave),
            ],
            hosts=hosts,
            max_body=MAX_BODY_BYTES,
            exception_handlers={DatabaseError: self._database_error},
        )

    async def _database_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, DatabaseError)
        return self.pages.failure(database_failure(error))

    # Authentication

    def _token(self, request: Request) -> str:
        return request.cookies.get(self._cookie, "")

    def _person(self, request: Request) -> access.Person:
        """Return the person by cookie; raise 403 if there is none."""
        person = self._find_person(request, self._token(request))
        limit(self._by_person, f"{person.id}")
        return person

    def _find_person(self, request: Request, token: str) -> access.Person:
        person = access.find_person(self.project, token) if token else None
        if person is None:
            if token:
                limit(
                    self._invalid_tokens_by_address, request.client.host if request.client else ""
                )
            raise HTTPException(403, _REFUSED)
        return person

    def _log_in(self, request: Request) -> Response:
        token = request.path_params["token"]
        person = self._find_person(request, token)
        current = access.find_person(self.project, self._token(request))
        if current and current.id != person.id:
            return self._show(request, "switch.html", current, other=person.name, token=token)
        return self._enter(token)

    def _switch(self, request: Request, form: Form) -> Response:
        """Sign in by another person's link, after a question."""
        self._sender(request, form)
        token = request.path_params["token"]
        self._find_person(request, token)
        return self._enter(token)

    def _enter(self, token: str) -> Response:
        answer = RedirectResponse("/work", 303)
        set_token(answer, self._cookie, token, secure=self.secure)
        return answer

    def _sender(self, request: Request, form: Form) -> access.Person:
        """Return the sender of a form; raise 403 unless it comes from our page."""
        person = self._person(request)
        check_sender(request, form, self._token(request))
        return person

    def _show(
        self,
        request: Request,
        template: str,
        person: access.Person,
        status: int = 200,
        **values: object,
    ) -> Response:
        word = csrf_token(self._token(request))
        return self.pages.show(template, status, person=person, form=word, **values)

    # Annotators

    def _start(self, request: Request) -> Response:
        if self._token(request):
            return RedirectResponse("/work", 303)
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
        answers = latest_answers(self.project, person.id, _ANSWERS_PER_PAGE)
        done = count_answers(self.project, person.id)
        return self._show(
            request, "me.html", person, answers=answers, done=done, most=_ANSWERS_PER_PAGE
        )

    def _delete(self, request: Request, form: Form) -> Response:
        person = self._sender(request, form)
        if form.get("sure") != "yes":
            return RedirectResponse("/me", 303)
        access.delete_person(self.project, person.name)
        return self._log_out(self.pages.show("start.html", gone=True))

    def _leave(self, request: Request, form: Form) -> Response:
        self._sender(request, form)
        return self._log_out(RedirectResponse("/", 303))

    def _log_out(self, answer: Response) -> Response:
        answer.delete_cookie(self._cookie, httponly=True, samesite="lax", secure=self.secure)
        return answer
