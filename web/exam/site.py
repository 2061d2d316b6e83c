"""The pages of an exam, from which a candidate learns the score in whole percents."""

import asyncio
import hashlib
import logging
import shutil
import threading
from pathlib import Path
from sqlite3 import Error as DatabaseError
from tempfile import TemporaryDirectory
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from ...access import csrf_token
from ...errors import InvalidInput, InvalidOption, RelsmithError
from ...exam.holder import Holder
from ...exam.publishing import QUESTIONS
from ...exam.sealing import ALL, EXAM
from ...storage.files import atomic_path
from ..forms import check_sender, limit, set_token
from ..limits import RateLimit
from ..page import LOOPBACK, Pages
from .access import find_candidate

HOME = Path(__file__).parent
_MAX_BODY_BYTES, _MAX_QUESTION_BYTES = 100_000, 1_000
"""Most bytes of a request, and how many more for each question."""
_REFUSED = "This link is not valid, or no longer. Ask for a new one."


class ExamSite:
    """The application of one exam; `work` is a private folder for copies of the questions."""

    def __init__(
        self,
        holder: Holder,
        work: Path,
        *,
        hosts: frozenset[str] | None = LOOPBACK,
        secure: bool = False,
    ) -> None:
        self.holder, self.work, self.secure = holder, work, secure
        self.pages = Pages(
            HOME, exam=holder.exam, suite=holder.exam.suite, commitment=holder.exam.commitment()
        )
        self.pages.environment.auto_reload = False
        self.cookie = f"relsmith-exam-{holder.exam.commitment()[:12]}"
        self._by_candidate = RateLimit(burst=20, each_second=0.5)
        self._visits_by_address = RateLimit(burst=20, each_second=0.5)
        self._invalid_tokens_by_address = RateLimit(burst=10, each_second=0.2)
        self._lock, self._scoring = threading.Lock(), asyncio.Semaphore(1)
        self._sending = set[str]()  # candidates with a submission that is read or scored
        self.app: Starlette = self.pages.app(
            [
                Route("/", self._leaderboard),
                Route(f"/{EXAM}", self._description),
                Route("/c/{token}", self._enter),
                Route("/exam", lambda request: self._show(*self._candidate(request))),
                Route(f"/{QUESTIONS}", self._questions),
                Route("/answers", self._answers, methods=["POST"]),
            ],
            hosts=hosts,
            max_body=_MAX_BODY_BYTES + _MAX_QUESTION_BYTES * holder.exam.questions,
            exception_handlers=dict.fromkeys((RelsmithError, OSError, DatabaseError), self._fault),
        )

    def _fault(self, request: Request, error: Exception) -> Response:
        """Say nothing about a fault of the server: its message may be about rows."""
        logging.getLogger(__name__).error("%s", " ".join(str(error).split()))
        return self.pages.error_page(503, "Not done: the server has a fault. Try again later.")

    # Candidates

    def _candidate(self, request: Request) -> tuple[str, str]:
        """Return name and token of the sender, by cookie or header; raise 403 if there is none."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            token = request.cookies.get(self.cookie, "")
        return self._find(request, token), token

    def _find(self, request: Request, token: str) -> str:
        name = find_candidate(self.holder, token)
        if name is None:
            limit(self._invalid_tokens_by_address, _address(request))
            raise HTTPException(403, _REFUSED)
        limit(self._by_candidate, name)
        return name

    def _enter(self, request: Request) -> Response:
        token = request.path_params["token"]
        self._find(request, token)
        answer = RedirectResponse("/exam", 303)
        set_token(answer, self.cookie, token, secure=self.secure)
        return answer

    def _show(self, name: str, token: str, status: int = 200, refusal: str = "") -> Response:
        own = [entry for entry in self.holder.log() if entry["candidate"] == name]
        left = self.holder.exam.submissions - len(own)
        values = {"name": name, "form": csrf_token(token), "own": own, "left": left}
        return self.pages.show("exam.html", status, **values, refusal=refusal)

    def _questions(self, request: Request) -> Response:
        name, _ = self._candidate(request)
        name = name if self.holder.exam.wordings else ""  # all get the same
        path = Path(self.work, hashlib.sha256(name.encode()).hexdigest())
        with self._lock, self.holder.hiding():
            if not path.exists():
                with atomic_path(path) as unfinished:
                    self.holder.sealed.write_questions(unfinished, name)
        return FileResponse(path, headers={"cache-control": "no-store"}, filename=QUESTIONS)

    async def _answers(self, request: Request) -> Response:
        name, token = await run_in_threadpool(self._candidate, request)
        is_form = request.headers.get("content-type", "").startswith("multipart/form-data")
        is_program = request.headers.get("authorization", "").lower().startswith("bearer ")
        if not (is_form or is_program):
            raise HTTPException(415, "Send the form as the page does, or a token as bearer.")
        if name in self._sending:
            raise HTTPException(429, "The submission before is not scored yet. Wait for it.")
        self._sending.add(name)
        try:
            await run_in_threadpool(self._check_left, name)
            with TemporaryDirectory() as folder:
                path = Path(folder, "answers.jsonl")
                await _save(request, path, token if is_form else None)
                async with self._scoring:
                    entry = await run_in_threadpool(self._check, name, path)
        except (InvalidInput, InvalidOption) as error:
            if not is_form:
                return JSONResponse({"error": str(error)}, 400)
            return await run_in_threadpool(self._show, name, token, 400, str(error))
        finally:
            self._sending.remove(name)
        return RedirectResponse("/exam", 303) if is_form else JSONResponse(entry)

    def _check_left(self, name: str) -> None:
        with self.holder.database.read() as connection:
            self.holder.find_entry(connection, name, "")

    def _check(self, name: str, path: Path) -> dict[str, Any]:
        try:
            answers = self.holder.read_answers(path)
        except InvalidInput as error:
            raise InvalidInput(str(error).replace(f"{path.parent}/", "")) from None
        return self.holder.check(name, answers)

    # Everybody

    def _leaderboard(self, request: Request) -> Response:
        limit(self._visits_by_address, _address(request))
        best: dict[str, dict[str, Any]] = {}
        for entry in sorted(self.holder.log(), key=_order):
            best.setdefault(entry["candidate"], entry)
        return self.pages.show("leaderboard.html", entries=[*best.values()])

    def _description(self, request: Request) -> Response:
        return Response(self.holder.exam.json_bytes(), media_type="application/json")


async def _save(request: Request, path: Path, token: str | None) -> None:
    """Write the answers of a program, or of a visitor's form, to a file: memory is short."""
    with path.open("wb") as out:
        if token is None:
            async for part in request.stream():
                out.write(part)
            return
        async with request.form(max_files=1, max_fields=1) as form:
            check_sender(request, {"form": str(form.get("form", ""))}, token)
            if isinstance(file := form.get("answers"), UploadFile):
                await run_in_threadpool(shutil.copyfileobj, file.file, out)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _order(entry: dict[str, Any]) -> tuple[int, int]:
    return -entry["scores"][ALL]["score"], entry["number"]
