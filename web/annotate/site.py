"""The pages of a project: for annotators by their links, and for the owner."""

import hmac
import io
import math
import threading
import time
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ...errors import InvalidOption, NotFound
from ..page import LOOPBACK, Pages, field
from . import access
from .answering import NotTheirs, Refused, TooLate, take
from .assignment import Assignment, give, skip
from .limits import Limit
from .progress import Progress, kept_answers, progress, tally
from .project import Project
from .task import Item
from .transfer import contents

HOME = Path(__file__).parent
MOST_BODY = 64 * 1024
_MOST_FIELDS = 200
_SECONDS_FRESH = 2.0
_SHOWN = 50
_REFUSED = "This link is not good, or no longer. Ask whoever gave it to you for another."

Form = Mapping[str, str]


class Site:
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
        self.pages.environment.auto_reload = False  # or each page looks for itself on the disk
        # Somebody who works fast, with a page and an answer for each item; a guesser of links.
        self._each_person = Limit(burst=60, each_second=6)
        self._each_guesser = Limit(burst=10, each_second=0.2)
        self._fresh: tuple[float, Progress] | None = None
        self._turn = threading.Lock()
        self.app: Starlette = self.pages.app(
            [
                Route("/", self._start),
                Route("/a/{token}", self._enter),
                Route("/consent", self._consent),
                Route("/consent", self._posted(self._agree), methods=["POST"]),
                Route("/work", self._work),
                Route("/work", self._posted(self._answer), methods=["POST"]),
                Route("/skip", self._posted(self._skip), methods=["POST"]),
                Route("/me", self._me),
                Route("/me/delete", self._posted(self._delete), methods=["POST"]),
                Route("/leave", self._posted(self._leave), methods=["POST"]),
                Route("/owner", self._owner),
                Route("/owner/progress", self._progress),
                Route("/owner/answers", self._answers),
                Route("/owner/export.zip", self._export),
                Route("/owner/invite", self._posted(self._invite), methods=["POST"]),
                Route("/owner/revoke", self._posted(self._revoke), methods=["POST"]),
                Route("/owner/forget", self._posted(self._forget), methods=["POST"]),
                Route("/owner/leave", self._posted(self._owner_leave), methods=["POST"]),
                Route("/owner/{token}", self._enter_owner),
            ],
            hosts=hosts,
            most_body=MOST_BODY,
        )

    # Who it is

    def _cookie(self, *, owner: bool) -> str:
        """Its name: other projects on this machine have others, whatever their port."""
        return f"relsmith-{'owner' if owner else 'annotator'}-{self.project.settings.id[:12]}"

    def _token(self, request: Request, *, owner: bool) -> str:
        return request.cookies.get(self._cookie(owner=owner), "")

    def _person(self, request: Request, *, owner: bool = False) -> access.Person:
        """Who asks, by the cookie; a page that says no where nobody may."""
        person = self._known(request, self._token(request, owner=owner), owner=owner)
        _hold_back(self._each_person, f"{person.id}")
        return person

    def _known(self, request: Request, token: str, *, owner: bool) -> access.Person:
        person = access.find(self.project, token, owner=owner) if token else None
        if person is None:
            if token:
                _hold_back(self._each_guesser, request.client.host if request.client else "")
            raise HTTPException(403, _REFUSED)
        return person

    def _let_in(self, request: Request, *, owner: bool) -> Response:
        token = request.path_params["token"]
        self._known(request, token, owner=owner)
        answer = RedirectResponse("/owner" if owner else "/work", 303)
        answer.set_cookie(
            self._cookie(owner=owner),
            token,
            max_age=access.MOST_DAYS * access.DAY,
            httponly=True,
            samesite="lax",
            secure=self.secure,
        )
        return answer

    def _posted(self, handle: Callable[[Request, Form], Response]) -> Callable[..., object]:
        """What takes a form: read, not too large, and sent from a page of ours."""

        async def posted(request: Request) -> Response:
            form = await _form(request)
            return await run_in_threadpool(handle, request, form)

        return posted

    def _sender(self, request: Request, form: Form, *, owner: bool = False) -> access.Person:
        """Who sends a form that they were given by us."""
        person = self._person(request, owner=owner)
        word = access.csrf(self._token(request, owner=owner))
        elsewhere = request.headers.get("sec-fetch-site", "same-origin") not in (
            "same-origin",
            "none",
        )
        if elsewhere or not hmac.compare_digest(form.get("form", "").encode(), word.encode()):
            raise HTTPException(403, "The form is not from this page. Go back, reload, try again.")
        return person

    def _show(
        self,
        request: Request,
        template: str,
        person: access.Person,
        status: int = 200,
        **values: object,
    ) -> Response:
        word = access.csrf(self._token(request, owner=person.owner))
        return self.pages.show(template, status, person=person, form=word, **values)

    # Annotators

    def _start(self, request: Request) -> Response:
        for owner, there in ((False, "/work"), (True, "/owner")):
            if self._token(request, owner=owner):
                return RedirectResponse(there, 303)
        return self.pages.show("start.html")

    def _enter(self, request: Request) -> Response:
        return self._let_in(request, owner=False)

    def _consent(self, request: Request) -> Response:
        person = self._person(request)
        paragraphs = self.project.consent.strip().split("\n\n")
        return self._show(request, "consent.html", person, paragraphs=paragraphs)

    def _agree(self, request: Request, form: Form) -> Response:
        person = self._sender(request, form)
        if form.get("agree") != "yes":
            return RedirectResponse("/consent", 303)
        access.agree(self.project, person.id)
        return RedirectResponse("/work", 303)

    def _agreed(self, person: access.Person) -> bool:
        return person.consent == self.project.consent_digest

    def _work(self, request: Request) -> Response:
        person = self._person(request)
        if not self._agreed(person):
            return RedirectResponse("/consent", 303)
        given = give(self.project, person.id)
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
        complaints: Mapping[str, str] | None = None,
    ) -> Response:
        return self._show(
            request,
            "work.html",
            person,
            sheet=self.project.task.sheet(item),
            token=token,
            kept=kept,
            answer=answer or {},
            complaints=complaints or {},
            done=done,
        )

    def _answer(self, request: Request, form: Form) -> Response:
        person = self._sender(request, form)
        if not self._agreed(person):
            return RedirectResponse("/consent", 303)
        try:
            taken = take(self.project, person.id, form.get("assignment", ""), form)
        except NotTheirs:
            raise HTTPException(404, "You were given no such sheet.") from None
        if isinstance(taken, Refused):
            return self._sheet(
                request,
                person,
                taken.token,
                taken.item,
                tally(self.project, person.id),
                answer=taken.answer,
                complaints=taken.complaints,
            )
        if isinstance(taken, TooLate):
            said = [text for text in taken.answer.values() if text]
            return self._show(request, "late.html", person, 409, why=taken.why, said=said)
        return RedirectResponse("/work?kept", 303)

    def _skip(self, request: Request, form: Form) -> Response:
        person = self._sender(request, form)
        if not skip(self.project, person.id, form.get("assignment", "")):
            raise HTTPException(404, "You were given no such sheet.")
        return RedirectResponse("/work", 303)

    def _me(self, request: Request) -> Response:
        person = self._person(request)
        answers = kept_answers(self.project, person=person.id, most=_SHOWN)
        done = tally(self.project, person.id)
        return self._show(request, "me.html", person, answers=answers, done=done, most=_SHOWN)

    def _delete(self, request: Request, form: Form) -> Response:
        person = self._sender(request, form)
        if form.get("sure") != "yes":
            return RedirectResponse("/me", 303)
        access.forget(self.project, person.name)
        return self._out(self.pages.show("start.html", gone=True), owner=False)

    def _leave(self, request: Request, form: Form) -> Response:
        self._sender(request, form)
        return self._out(RedirectResponse("/", 303), owner=False)

    def _out(self, answer: Response, *, owner: bool) -> Response:
        answer.delete_cookie(
            self._cookie(owner=owner), httponly=True, samesite="lax", secure=self.secure
        )
        return answer

    # The owner

    def _enter_owner(self, request: Request) -> Response:
        return self._let_in(request, owner=True)

    def _state(self) -> Progress:
        """Where the project stands; to reckon it takes a twentieth of the time at most."""
        with self._turn:
            if self._fresh is None or time.monotonic() > self._fresh[0]:
                began = time.monotonic()
                state = progress(self.project)
                took = time.monotonic() - began
                self._fresh = time.monotonic() + max(_SECONDS_FRESH, 20 * took), state
            return self._fresh[1]

    def _owner(self, request: Request) -> Response:
        person = self._person(request, owner=True)
        return self._show(request, "owner.html", person, state=self._state(), now=time.time())

    def _progress(self, request: Request) -> Response:
        person = self._person(request, owner=True)
        return self._show(request, "progress.html", person, state=self._state(), now=time.time())

    def _answers(self, request: Request) -> Response:
        person = self._person(request, owner=True)
        text = field(request.query_params, "page", 10) or "1"
        page = int(text) if text.isdecimal() and text.isascii() else 1
        answers = kept_answers(self.project, most=_SHOWN + 1, skipped=_SHOWN * (max(page, 1) - 1))
        return self._show(
            request,
            "answers.html",
            person,
            answers=answers[:_SHOWN],
            page=max(page, 1),
            more=len(answers) > _SHOWN,
        )

    def _export(self, request: Request) -> Response:
        self._person(request, owner=True)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in contents(self.project).items():
                archive.writestr(name, data)
        headers = {
            "content-disposition": 'attachment; filename="export.zip"',
            "cache-control": "no-store",
        }
        return Response(packed.getvalue(), media_type="application/zip", headers=headers)

    def _invite(self, request: Request, form: Form) -> Response:
        person = self._sender(request, form, owner=True)
        text = form.get("days", "")
        try:
            days = int(text) if text.isascii() and text.isdecimal() else 0
            token = access.invite(self.project, form.get("name", ""), days)
        except InvalidOption as error:
            raise HTTPException(400, str(error)) from None
        link = f"{self.address.rstrip('/')}/{access.path(token)}"
        self._fresh = None
        who = access.check_name(form.get("name", ""))
        return self._show(request, "invited.html", person, link=link, who=who, days=days)

    def _revoke(self, request: Request, form: Form) -> Response:
        self._sender(request, form, owner=True)
        return self._changed(access.revoke, form)

    def _forget(self, request: Request, form: Form) -> Response:
        self._sender(request, form, owner=True)
        return self._changed(access.forget, form)

    def _changed(self, change: Callable[[Project, str], object], form: Form) -> Response:
        if form.get("sure") == "yes":
            try:
                change(self.project, form.get("name", ""))
            except NotFound as error:
                raise HTTPException(404, str(error)) from None
            self._fresh = None
        return RedirectResponse("/owner", 303)

    def _owner_leave(self, request: Request, form: Form) -> Response:
        self._sender(request, form, owner=True)
        return self._out(RedirectResponse("/", 303), owner=True)


def _hold_back(limit: Limit, name: str) -> None:
    wait = limit.wait(name)
    if wait:
        raise HTTPException(
            429, "That is too fast. Wait a moment.", {"retry-after": str(math.ceil(wait))}
        )


async def _form(request: Request) -> Form:
    """The fields of a form: text, in few fields, without signs that no keyboard makes."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind != "application/x-www-form-urlencoded":
        raise HTTPException(415, "Send the form as the page does.")
    try:
        text = (await request.body()).decode("ascii")
        pairs = parse_qsl(
            text, keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError:
        raise HTTPException(400, "The form cannot be read.") from None
    if any(sign < " " and sign not in "\t\r\n" for _, value in pairs for sign in value):
        raise HTTPException(400, "The text has signs in it that cannot be kept.")
    return dict(pairs)
