"""The server under unusual and too many clients: a limit, and a quiet terminal."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relsmith.errors import InvalidOption
from relsmith.web.page import HOME, Pages
from relsmith.web.server import FIRST_PORT, address, listen

from .conftest import get, serving

HOST = "Host: localhost\r\n"
PAGE = f"GET / HTTP/1.1\r\n{HOST}\r\n"
HALF_BODY = f"POST / HTTP/1.1\r\n{HOST}Content-Length: 100\r\n\r\nhalf"


def app() -> Starlette:
    """Return an application that shows the client's address and reads the request body."""

    async def answer(request: Request) -> Response:
        body = await request.body()
        return Response(f"{request.client.host if request.client else ''} {len(body)}")

    return Pages(HOME).app([Route("/", answer, methods=["GET", "POST"])])


def connect(home: str) -> socket.socket:
    host, port = home.removeprefix("http://").rstrip("/").split(":")
    return socket.create_connection((host, int(port)), timeout=10)


def wait_until_it_answers(home: str) -> None:
    deadline = time.monotonic() + 10
    while get(home, timeout=10).status_code != 200:
        assert time.monotonic() < deadline


def test_connections_above_the_limit_are_refused_until_others_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("relsmith.web.server._CONNECTIONS", 4)
    with serving(app()) as home, ExitStack() as stack:
        held = [stack.enter_context(connect(home)) for _ in range(3)]
        for connection in held:
            connection.sendall(PAGE.encode())
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        assert get(home).status_code == 503
        held[0].close()
        wait_until_it_answers(home)


@contextmanager
def process() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Serve in a separate process."""
    lines = """
from relsmith.web.server import address, listen, serve
from tests.web.test_server import app
listening = listen(port=0)
print(address(listening), flush=True)
serve(app(), listening)
"""
    with subprocess.Popen(
        [sys.executable, "-c", lines], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout
        try:
            yield server.stdout.readline().strip(), server
        finally:
            server.kill()


def test_a_client_that_leaves_is_not_reported(capfd: pytest.CaptureFixture[str]) -> None:
    with serving(app()) as home:
        for sent in (HALF_BODY, "GET", "\r\n\r\n", "nonsense\r\n\r\n", PAGE + PAGE):
            with connect(home) as connection:
                connection.sendall(sent.encode())
        upgrade = f"GET / HTTP/1.1\r\n{HOST}Connection: upgrade\r\nUpgrade: websocket\r\n\r\n"
        with connect(home) as connection:
            connection.sendall(upgrade.encode())
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        assert get(home).status_code == 200
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_a_signal_while_a_client_sends_is_not_reported() -> None:
    with process() as (home, server), connect(home) as connection:
        connection.sendall(HALF_BODY.encode())
        assert get(home).status_code == 200
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=30)
    assert (server.returncode, out, err) == (0, "", "")


def test_a_full_disk_is_a_page_and_one_line(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    def full(request: Request) -> Response:
        raise OSError(28, "No space left on device")

    with serving(Pages(HOME).app([Route("/", full)])) as home:
        answer = get(home)
    assert answer.status_code == 503
    assert "the server cannot read or write: No space left on device" in answer.text
    assert caplog.messages == ["the server cannot read or write: No space left on device"]
    assert capfd.readouterr().err == "", "no traceback"


@pytest.mark.parametrize(
    ("proxies", "seen"), [((), "127.0.0.1"), (("10.0.0.0/8",), "127.0.0.1"), (("127.0.0.1",), "")]
)
def test_forwarded_addresses_come_from_named_proxies_only(
    proxies: tuple[str, ...], seen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")  # which uvicorn reads by default
    with serving(app(), proxies=proxies) as home:
        said = get(home, headers={"x-forwarded-for": "192.0.2.7"}).text
    assert said == f"{seen or '192.0.2.7'} 0"


def test_the_next_free_port_is_taken() -> None:
    with ExitStack() as stack:
        taken = [stack.enter_context(listen()) for _ in range(2)]
        first, second = (each.getsockname()[1] for each in taken)
        assert FIRST_PORT <= first < second < FIRST_PORT + 60
        with pytest.raises(InvalidOption, match=f"--port: cannot listen on {first}: .*; name anot"):
            listen(port=first)
        assert taken[0].proto == socket.IPPROTO_TCP, "asyncio sets TCP_NODELAY only then"
        assert address(taken[0]) == f"http://127.0.0.1:{first}/"
