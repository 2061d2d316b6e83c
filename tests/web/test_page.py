"""The common parts of pages: layout, headers, errors, and the server."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relsmith.errors import InvalidOption, NotADataset
from relsmith.web.page import HEADERS, Pages, field
from relsmith.web.server import address, listen

from .conftest import NO_TLS, PHONE, Open, fits, get, post, serving, violations

SCRIPT = "<script>alert(1)</script>"
SECRET = "the keys are under the mat"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return a small site with the common layout."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "pages").mkdir()
    (folder / "secret.txt").write_text(SECRET)
    (folder / "pages" / "hello.html").write_text(
        "{% extends 'base.html' %}{% block main %}<h1>{{ said }}</h1>{% endblock %}"
    )
    pages = Pages(folder)

    def hello(request: Request) -> Response:
        return pages.show("hello.html", said=field(request.query_params, "said", 50))

    async def post(request: Request) -> Response:
        form = await request.form()
        return pages.show("hello.html", said=str(form.get("said")))

    def refused(request: Request) -> Response:
        raise HTTPException(403, f"Not for {SCRIPT}.")

    def damaged(request: Request) -> Response:
        raise NotADataset(f"{SCRIPT} is damaged; fix it")

    routes = [
        Route("/", hello),
        Route("/post", post, methods=["POST"]),
        Route("/refused", refused),
        Route("/damaged", damaged),
    ]
    with serving(pages.app(routes)) as home:
        yield home


@pytest.mark.parametrize("path", ["/", "/nowhere", "/refused", "/damaged", "/static/base.css"])
def test_every_answer_has_the_headers(site: str, path: str) -> None:
    answer = get(site + path)
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert "server" not in answer.headers or "uvicorn" not in answer.text


def test_messages_are_escaped(site: str) -> None:
    said = f"{SCRIPT} & \"'"
    page = get(site + "/?" + urlencode({"said": said})).text
    assert SCRIPT not in page
    assert unescape(re.findall("<h1>(.*)</h1>", page)[0]) == said


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/nowhere", 404, "There is no such page."),
        ("/refused", 403, "Not for &lt;script&gt;"),
        ("/damaged", 500, "&lt;script&gt;alert(1)&lt;/script&gt; is damaged; fix it"),
        ("/?said=" + 51 * "a", 400, "said is longer than 50 characters."),
        ("/?said=" + 9_000 * "a", 414, "The address is too long."),
        ("/static/../secret.txt", 404, "There is no such page."),
        ("/static/..%2fsecret.txt", 404, "There is no such page."),
        ("/static/%2e%2e%2fsecret.txt", 404, "There is no such page."),
        ("/static//etc/passwd", 404, "There is no such page."),
    ],
)
def test_errors_are_pages(site: str, path: str, status: int, said: str) -> None:
    answer = get(site + path)
    assert answer.status_code == status
    assert said in answer.text
    assert SECRET not in answer.text
    assert SCRIPT not in answer.text


def test_paths_stay_in_the_folder_byte_for_byte(site: str) -> None:
    host, port = site.removeprefix("http://").split(":")
    for path in (b"/static/../secret.txt", b"/static/%00", b"/static/\xff", b"/../../etc/passwd"):
        with socket.create_connection((host, int(port))) as connection:
            said = b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            connection.sendall(said)
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        assert answer.startswith((b"HTTP/1.1 404", b"HTTP/1.1 400")), path
        assert SECRET.encode() not in answer


def test_a_huge_body_is_refused(site: str) -> None:
    assert post(f"{site}/post", data={"said": "hello"}).status_code == 200
    assert post(f"{site}/post", data={"said": 1_100_000 * "a"}).status_code == 413
    pieces = (b"said=" + 50_000 * b"a" for _ in range(40))  # without a content length
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert post(f"{site}/post", content=pieces, headers=form).status_code == 413


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8640", "localhost.evil.example", ""]
)
def test_other_host_names_are_refused(site: str, host: str) -> None:
    assert get(site, headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost", "localhost:1", "127.0.0.1:8640", "[::1]", "[::1]:9"])
def test_own_names_are_served(site: str, host: str) -> None:
    assert get(site, headers={"host": host}).status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/?said=hello", "/refused"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_frame_is_accessible(site: str, tabs: Open, path: str, scheme: str) -> None:
    page = tabs(color_scheme=scheme, viewport=PHONE)
    answer = page.request.get(site + path)
    page.route(
        "**/shown", lambda route: route.fulfill(body=answer.text(), content_type="text/html")
    )
    page.goto(f"{site}/shown")
    assert not violations(page)
    assert fits(page)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"


def test_a_port_that_is_taken_is_one_line() -> None:
    with listen(port=0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InvalidOption, match=f"--port: cannot listen on {port}: .*; name anot"):
            listen(port=port)


def test_a_free_port_is_found() -> None:
    with listen() as first, listen() as second:
        assert address(first) != address(second)


def test_an_unknown_host_is_a_one_line_error() -> None:
    with pytest.raises(
        InvalidOption, match="--host: 'no such host' is not an address of this machine"
    ):
        listen("no such host")


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_without_error(number: int, tmp_path: Path) -> None:
    lines = """
from relsmith.web.page import Pages, HOME
from relsmith.web.server import address, listen, serve
listening = listen(port=0)
print(address(listening), flush=True)
serve(Pages(HOME).app([]), listening)
print("ended")
"""
    with subprocess.Popen(
        [sys.executable, "-c", lines], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout
        where = server.stdout.readline().strip()
        with httpx.Client(verify=NO_TLS) as client:  # which keeps its connection
            assert client.get(where).status_code == 404
            server.send_signal(number)
            out, err = server.communicate(timeout=30)
    assert (server.returncode, out, err) == (0, "ended\n", "")
