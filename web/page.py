"""The common parts of all pages: layout, headers, errors and request limits."""

import logging
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
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import RelsmithError, reason

HOME = Path(__file__).parent
LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""Host names of the local machine."""

# Own files only: nothing inline, nothing from other hosts, no frames.
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
MAX_FIELD = 200
"""Characters of a field of a query or form, by default."""
_MAX_QUERY_BYTES = 8_000
_MAX_BODY_BYTES = 1_000_000


class Pages:
    """The pages of one folder (`pages/` and `static/`) in the common layout.

    `known` are values for all pages. All values are escaped.
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
        """Return a rendered page."""
        return self.environment.get_template(name).render(**values)

    def show(self, name: str, status: int = 200, /, **values: object) -> Response:
        """Return a page as a response that is not cached."""
        headers = {"cache-control": "no-store"}
        return HTMLResponse(self.text(name, **values), status, headers)

    def error_page(self, status: int, what: str) -> Response:
        """Return an error page."""
        title = HTTPStatus(status).phrase
        return self.show("error.html", status, title=title, what=what)

    def app(
        self,
        routes: Sequence[BaseRoute],
        *,
        hosts: frozenset[str] | None = LOOPBACK,
        max_body: int = _MAX_BODY_BYTES,
        **more: Any,
    ) -> Starlette:
        """Return an application with these routes; `hosts` are accepted names, None for any."""
        return Starlette(
            routes=[*routes, Route("/static/{name}", self._file)],
            middleware=[Middleware(_Guard, self, hosts, max_body), *more.pop("middleware", ())],
            exception_handlers={
                HTTPException: self._http_error,
                RelsmithError: self._relsmith_error,
                OSError: self._os_error,
                ClientDisconnect: _no_answer,
                Exception: self._internal_error,
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

    async def _http_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        phrase = HTTPStatus(error.status_code).phrase
        said = "There is no such page." if error.detail == phrase == "Not Found" else error.detail
        answer = self.error_page(error.status_code, said)
        answer.headers.update(error.headers or {})
        return answer

    async def _relsmith_error(self, request: Request, error: Exception) -> Response:
        return self.error_page(500, str(error))

    async def _os_error(self, request: Request, error: Exception) -> Response:
        return self.failure(f"the server cannot read or write: {reason(error)}")

    def failure(self, what: str) -> Response:
        """Return an error page for a fault of the server's machine, and log it in one line."""
        logging.getLogger(__name__).error("%s", what)
        return self.error_page(503, f"Not done: {what}. Go back and try again later.")

    async def _internal_error(self, request: Request, error: Exception) -> Response:
        answer = self.error_page(500, "Internal error; see the terminal.")
        answer.headers.update(HEADERS)  # it bypasses the guard
        return answer


class _Guard:
    """Rejects requests that no page sends, and sets the headers of every response."""

    def __init__(
        self, app: ASGIApp, pages: Pages, hosts: frozenset[str] | None, max_body: int
    ) -> None:
        self.app, self.pages, self.hosts, self.max_body = app, pages, hosts, max_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        read = 0

        async def guarded_receive() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self.max_body:
                raise HTTPException(413, "The request is too large.")
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
        """Return the response to a rejected request; None if it is accepted.

        A foreign host name means that another site's page reaches a local server (DNS rebinding).
        """
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if self.hosts is not None and name.lower() not in self.hosts:
            return self.pages.error_page(
                421, "This server accepts requests to its own address only."
            )
        if len(scope["query_string"]) > _MAX_QUERY_BYTES:
            return self.pages.error_page(414, "The address is too long.")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > self.max_body:
            return self.pages.error_page(413, "The request is too large.")
        return None


async def _no_answer(request: Request, error: Exception) -> Response:
    """Answer a client that has disconnected; nothing is sent."""
    return Response(status_code=400)


def field(values: Mapping[str, str], name: str, most: int = MAX_FIELD) -> str:
    """Return a field of a query or form; raise 400 if it is longer than `most` characters."""
    text = values.get(name, "")
    if len(text) > most:
        raise HTTPException(400, f"{name} is longer than {most} characters.")
    return text
