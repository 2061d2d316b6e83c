"""What every page has: its frame, its headers, its complaints."""

import mimetypes
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import RelsmithError

HOME = Path(__file__).parent
LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""The names by which a browser on the same machine calls it."""

# Own files only: nothing inline, nothing from elsewhere, in no one's frame.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_MOST_QUERY = 8_000
_MOST_BODY = 1_000_000


class Pages:
    """The pages of one folder (`pages/`, and what goes with them in `static/`), in our frame.

    `known` is what all of them may mention. Whatever a page mentions is escaped.
    """

    def __init__(self, folder: Path, **known: object) -> None:
        self.static = {
            path.name: path.read_bytes()
            for home in (HOME, folder)
            for path in sorted((home / "static").glob("*"))
        }
        loaders = [FileSystemLoader(home / "pages") for home in (folder, HOME)]
        self.environment = Environment(
            loader=ChoiceLoader(loaders),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.environment.globals.update(known)

    def text(self, name: str, /, **values: object) -> str:
        """The page of that name with these values."""
        return self.environment.get_template(name).render(**values)

    def show(self, name: str, status: int = 200, /, **values: object) -> Response:
        """The page as an answer; kept nowhere, since it is made anew each time."""
        headers = {"cache-control": "no-store"}
        return HTMLResponse(self.text(name, **values), status, headers)

    def complain(self, status: int, what: str) -> Response:
        """A page that says what is wrong, and the way back."""
        title = HTTPStatus(status).phrase
        return self.show("error.html", status, title=title, what=what)

    def app(
        self,
        routes: Sequence[BaseRoute],
        *,
        hosts: frozenset[str] | None = LOOPBACK,
        most_body: int = _MOST_BODY,
        **more: Any,
    ) -> Starlette:
        """These routes as an application; only under these names of the host, None for any."""
        return Starlette(
            routes=[*routes, Route("/static/{name}", self._file)],
            middleware=[Middleware(_Guard, self, hosts, most_body), *more.pop("middleware", ())],
            exception_handlers={
                HTTPException: self._refused,
                RelsmithError: self._failed,
                Exception: self._broken,
                **more.pop("exception_handlers", {}),
            },
            **more,
        )

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self.static:
            raise HTTPException(404)
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return Response(self.static[name], media_type=kind, headers={"cache-control": "no-cache"})

    async def _refused(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        phrase = HTTPStatus(error.status_code).phrase
        said = "There is no such page." if error.detail == phrase == "Not Found" else error.detail
        answer = self.complain(error.status_code, said)
        answer.headers.update(error.headers or {})
        return answer

    async def _failed(self, request: Request, error: Exception) -> Response:
        return self.complain(500, str(error))

    async def _broken(self, request: Request, error: Exception) -> Response:
        answer = self.complain(500, "Something went wrong here; the terminal says what.")
        answer.headers.update(HEADERS)  # it does not pass the guard
        return answer


class _Guard:
    """Refuses what no page of ours sends, and gives every answer the same headers."""

    def __init__(
        self, app: ASGIApp, pages: Pages, hosts: frozenset[str] | None, most_body: int
    ) -> None:
        self.app, self.pages, self.hosts, self.most_body = app, pages, hosts, most_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        read = 0

        async def guarded_receive() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self.most_body:
                raise HTTPException(413, "That is too much to send at once.")
            return message

        async def guarded_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        if refusal := self._refusal(scope):
            await refusal(scope, receive, guarded_send)
        else:
            await self.app(scope, guarded_receive, guarded_send)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to what is not even looked at; None for all else.

        Another host's name means that someone's page reaches for a server that only this machine
        should reach (DNS rebinding).
        """
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if self.hosts is not None and name.lower() not in self.hosts:
            return self.pages.complain(421, "This server answers to its own address only.")
        if len(scope["query_string"]) > _MOST_QUERY:
            return self.pages.complain(414, "The address is too long.")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > self.most_body:
            return self.pages.complain(413, "That is too much to send at once.")
        return None


def field(values: Mapping[str, str], name: str, most: int = 200) -> str:
    """One field of a query or a form, of at most that many characters."""
    text = values.get(name, "")
    if len(text) > most:
        raise HTTPException(400, f"{name} is longer than {most} characters.")
    return text
