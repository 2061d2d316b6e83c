"""The server under slow, silent and too many clients: limits, and a quiet terminal."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relsmith.errors import InvalidOption
from relsmith.web.page import HOME, Pages
from relsmith.web.server import FIRST_PORT, Limits, _report_once, address, listen

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


def rest(connection: socket.socket) -> bytes:
    """Return what the server sends until it closes the connection."""
    return b"".join(iter(lambda: connection.recv(65536), b""))


def wait_until_it_answers(home: str) -> None:
    deadline = time.monotonic() + 10
    while get(home, timeout=10).status_code != 200:
        assert time.monotonic() < deadline


@pytest.mark.parametrize(
    ("sent", "dripped"),
    [
        ("", ""),
        ("GET / HTTP/1.1\r\n", "a: b\r\n"),
        (HALF_BODY, "x"),
        (PAGE + "GET / HTTP/1.1\r\n", "a: b\r\n"),
    ],
    ids=["silent", "headers", "body", "headers of the second request"],
)
def test_a_request_that_takes_too_long_is_ended(sent: str, dripped: str) -> None:
    """Check a client that sends single bytes."""
    with (
        serving(app(), limits=Limits(request_seconds=0.5)) as home,
        connect(home) as connection,
    ):
        connection.sendall(sent.encode())
        began = time.monotonic()
        connection.settimeout(0.1)
        said = b""
        while time.monotonic() - began < 8:
            try:
                new = connection.recv(65536)
                said += new
                if not new:
                    break
            except TimeoutError:
                connection.sendall(dripped.encode())
        assert 0.4 < time.monotonic() - began < 6
        assert said.rpartition(b"HTTP/1.1 ")[2].startswith(b"408 Request Timeout")
        assert said.count(b"HTTP/1.1 200") == (PAGE in sent)


def test_a_client_that_does_not_read_is_cut_off() -> None:
    size = 50_000_000

    async def large(request: Request) -> Response:
        return Response(b"x" * size)

    limits = Limits(idle_seconds=1, response_seconds=0.5)
    pages = Pages(HOME).app([Route("/", large)])
    with serving(pages, limits=limits) as home:
        with connect(home) as connection:
            connection.sendall(PAGE.encode())
            assert len(rest(connection)) > size
        with connect(home) as connection:
            connection.sendall(PAGE.encode())
            time.sleep(2.5)
            assert len(rest(connection)) < size


def test_connections_above_the_limit_are_refused_until_others_end() -> None:
    with serving(app(), limits=Limits(connections=3)) as home, ExitStack() as stack:
        held = [stack.enter_context(connect(home)) for _ in range(3)]
        for connection in held:
            connection.sendall(PAGE.encode())
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        with connect(home) as refused:
            assert rest(refused).startswith(b"HTTP/1.1 503 Service Unavailable")
        held[0].close()
        wait_until_it_answers(home)


@contextmanager
def process(files: int | None = None) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Serve in a separate process with a low limit of open files."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({files}, {files}))"
    lines = f"""
{limit if files else ""}
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


@pytest.mark.skipif(os.name != "posix", reason="limits as POSIX has them")
def test_files_that_run_out_are_reported_once() -> None:
    with process(files=40) as (home, server), ExitStack() as stack:
        assert get(home).status_code == 200
        for _ in range(120):
            stack.enter_context(connect(home))
        time.sleep(1.5)
        stack.close()
        wait_until_it_answers(home)
        server.terminate()
        _, said = server.communicate(timeout=30)
    assert said in ("", "some connections must wait: Too many open files\n")


def test_waiting_connections_at_the_end_are_not_reported() -> None:
    reported: list[dict[str, Any]] = []

    async def run() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(_report_once())
        loop.default_exception_handler = reported.append  # type: ignore[method-assign]
        listening = listen(port=0)
        # What asyncio does a second after it ran out of files.
        loop.call_soon(loop._start_serving, asyncio.Protocol, listening)  # type: ignore[attr-defined]
        listening.close()
        loop.call_soon(lambda: 1 / 0)
        await asyncio.sleep(0)

    asyncio.run(run())
    assert [type(context["exception"]) for context in reported] == [ZeroDivisionError]


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
