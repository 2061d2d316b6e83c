"""Forms and cookies of sites whose visitors have links with a random token."""

import hmac
import math
from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..access import DAY, MAX_DAYS, csrf_token
from .limits import RateLimit

_MAX_FIELDS = 200

Form = Mapping[str, str]


def set_token(answer: Response, cookie: str, token: str, *, secure: bool) -> None:
    """Set the cookie with a visitor's token."""
    answer.set_cookie(
        cookie, token, max_age=MAX_DAYS * DAY, httponly=True, samesite="lax", secure=secure
    )


def check_sender(request: Request, form: Form, token: str) -> None:
    """Raise 403 unless a form comes from a page that this visitor got."""
    site = request.headers.get("sec-fetch-site", "none")
    if site not in ("same-origin", "none") or not hmac.compare_digest(
        form.get("form", "").encode(), csrf_token(token).encode()
    ):
        raise HTTPException(403, "The form is not from this page. Go back, reload, try again.")


def post(path: str, handle: Callable[[Request, Form], Response]) -> Route:
    """Return a route that parses a form and handles it in a thread."""

    async def posted(request: Request) -> Response:
        return await run_in_threadpool(handle, request, await read_form(request))

    return Route(path, posted, methods=["POST"])


def limit(rate: RateLimit, name: str) -> None:
    """Count a request of a name; raise 429 if there are too many."""
    wait = rate.wait(name)
    if wait:
        raise HTTPException(
            429, "Too many requests. Wait a moment.", {"retry-after": str(math.ceil(wait))}
        )


async def read_form(request: Request) -> Form:
    """Return the fields of a form; raise an error for control characters or too many fields."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind != "application/x-www-form-urlencoded":
        raise HTTPException(415, "Send the form as the page does.")
    try:
        text = (await request.body()).decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise HTTPException(400, "The form cannot be read.") from None
    if any(sign < " " and sign not in "\t\r\n" for _, value in pairs for sign in value):
        raise HTTPException(400, "The text has control characters.")
    return dict(pairs)
