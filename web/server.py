"""Serving pages from this machine: on loopback unless told otherwise, until Ctrl-C."""

import asyncio
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from ..errors import CannotWrite, InvalidOption, reason

HOST = "127.0.0.1"
_FIRST_PORT = 8640
_SECONDS_TO_FINISH = 3


def listen(host: str = HOST, port: int | None = None) -> socket.socket:
    """A socket that listens: on that port, or else on a free one, the same one where possible."""
    wanted = [_FIRST_PORT, 0] if port is None else [port]
    for number in wanted:
        try:
            return _bound(host, number)
        except OSError as error:
            failed = error
    if isinstance(failed, socket.gaierror):
        raise InvalidOption(f"--host: {host!r} is no address of this machine; try {HOST}")
    if port is None:
        raise CannotWrite(f"cannot listen on {host}: {reason(failed)}; name another --host")
    raise InvalidOption(
        f"--port: cannot listen on {port}: {reason(failed)}; name another, or leave it out for a "
        "free one"
    )


def _bound(host: str, port: int) -> socket.socket:
    (family, kind, _, _, address), *_ = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    listening = socket.socket(family, kind)
    try:
        if os.name == "posix":  # elsewhere it would let two servers share a port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
    except OSError:
        listening.close()
        raise
    return listening


def address(listening: socket.socket) -> str:
    """Where a browser on this machine finds it."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104 (told otherwise)
        host = HOST
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches what listens there."""
    return host in ("localhost", "::1") or host.startswith("127.")


def serve(app: ASGIApp, listening: socket.socket, *, browser: bool = False, path: str = "") -> None:
    """Serve until a signal comes; open a browser on the path where one is wanted."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_SECONDS_TO_FINISH,
    )
    server = _Server(config)
    if browser and _has_screen():
        # Connections wait in the socket until the server takes them.
        where = address(listening) + path
        threading.Thread(target=webbrowser.open, args=[where], daemon=True).start()
    with listening, _ended_by_signals(server.end):
        asyncio.run(server.serve([listening]))


class _Server(uvicorn.Server):
    def end(self) -> None:
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to us: the end that was asked for is no failure."""
        yield


@contextmanager
def _ended_by_signals(end: Callable[[], None]) -> Iterator[None]:
    heeded = [
        number
        for number in (signal.SIGINT, signal.SIGTERM)
        if signal.getsignal(number) is not signal.SIG_IGN
    ]
    before = {number: signal.signal(number, lambda *_: end()) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _has_screen() -> bool:
    """Whether a browser would open in a window, not take over the terminal."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
