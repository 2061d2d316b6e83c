"""A web server, on loopback by default, until Ctrl-C."""

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
_SHUTDOWN_SECONDS = 3


def listen(host: str = HOST, port: int | None = None) -> socket.socket:
    """Return a listening socket; without a port, on 8640 if free, else on any free port."""
    wanted = [_FIRST_PORT, 0] if port is None else [port]
    for number in wanted:
        try:
            return _bind(host, number)
        except OSError as error:
            failed = error
    if isinstance(failed, socket.gaierror):
        raise InvalidOption(f"--host: {host!r} is not an address of this machine; try {HOST}")
    if port is None:
        raise CannotWrite(f"cannot listen on {host}: {reason(failed)}; name another --host")
    raise InvalidOption(
        f"--port: cannot listen on {port}: {reason(failed)}; name another, or leave it out for a "
        "free one"
    )


def _bind(host: str, port: int) -> socket.socket:
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
    """Return the URL for a browser on this machine."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104 (only on request)
        host = HOST
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def is_loopback(host: str) -> bool:
    """Return whether a host is reachable from this machine only."""
    return host in ("localhost", "::1") or host.startswith("127.")


def serve(app: ASGIApp, listening: socket.socket, *, browser: bool = False, path: str = "") -> None:
    """Serve until a signal; open a browser at the path on request."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )
    server = _Server(config)
    if browser and _has_display():
        # Connections wait in the socket until the server takes them.
        where = address(listening) + path
        threading.Thread(target=webbrowser.open, args=[where], daemon=True).start()
    with listening, _end_on_signals(server.end):
        asyncio.run(server.serve([listening]))


class _Server(uvicorn.Server):
    def end(self) -> None:
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing: signals are handled here, and a requested end is not a failure."""
        yield


@contextmanager
def _end_on_signals(end: Callable[[], None]) -> Iterator[None]:
    handled = [
        number
        for number in (signal.SIGINT, signal.SIGTERM)
        if signal.getsignal(number) is not signal.SIG_IGN
    ]
    before = {number: signal.signal(number, lambda *_: end()) for number in handled}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _has_display() -> bool:
    """Return whether a browser would open in a window, not in the terminal."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
