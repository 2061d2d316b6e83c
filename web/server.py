"""A web server, on loopback by default, until Ctrl-C."""

import asyncio
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import CannotWrite, InvalidOption, reason

HOST = "127.0.0.1"
FIRST_PORT = 8640
_LAST_PORT = 8699
_SHUTDOWN_SECONDS = 3
_BACKLOG = 128
"""Connections that wait to be accepted; as many are accepted at a time."""
_CONNECTIONS = 1000
"""Connections above which requests are answered by 503."""


def check_port(port: int | None) -> None:
    """Raise InvalidOption for a number that is not a port."""
    if port is not None and port > 65_535:
        raise InvalidOption(f"--port: expected a number up to 65535, but got {port}")


def listen(host: str = HOST, port: int | None = None) -> socket.socket:
    """Return a listening socket; without a port, on the first free one from 8640."""
    wanted = [*range(FIRST_PORT, _LAST_PORT + 1), 0] if port is None else [port]
    for number in wanted:
        try:
            return _bind(host, number)
        except socket.gaierror as error:
            raise InvalidOption(
                f"--host: {host!r} is not an address of this machine; try {HOST}"
            ) from error
        except OSError as error:
            failed = error
    if port is None:
        raise CannotWrite(f"cannot listen on {host}: {reason(failed)}; name another --host")
    raise InvalidOption(f"--port: cannot listen on {port}: {reason(failed)}; name another")


def _bind(host: str, port: int) -> socket.socket:
    (family, kind, protocol, _, address), *_ = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    # Without the protocol, asyncio would not set TCP_NODELAY: pages would take 40 ms longer.
    listening = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":  # elsewhere it would let two servers share a port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_BACKLOG)
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


def serve(
    app: ASGIApp,
    listening: socket.socket,
    *,
    proxies: Sequence[str] = (),
    browser: bool = False,
    path: str = "",
) -> None:
    """Serve until a signal; open a browser at the path on request."""
    server = Server(app, proxies)
    if browser and _has_display():
        # Connections wait in the socket until the server takes them.
        where = address(listening) + path
        threading.Thread(target=webbrowser.open, args=[where], daemon=True).start()
    with listening, _end_on_signals(server.end):
        asyncio.run(server.serve([listening]))


class Server(uvicorn.Server):
    """A server with a limit of connections; X-Forwarded-For of `proxies` is believed."""

    def __init__(self, app: ASGIApp, proxies: Sequence[str] = ()) -> None:
        config = uvicorn.Config(
            app,
            http=_Connection,
            ws="none",
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=bool(proxies),
            forwarded_allow_ips=list(proxies),
            backlog=_BACKLOG,
            limit_concurrency=_CONNECTIONS,
            timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        )
        super().__init__(config)

    def end(self) -> None:
        """Stop serving; `run` returns soon."""
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing: signals are handled here, and a requested end is not a failure."""
        yield


class _Connection(H11Protocol):
    """An HTTP connection; when the server ends, it does not wait for the rest of a request."""

    def shutdown(self) -> None:
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self.transport.close()
        else:
            super().shutdown()


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
