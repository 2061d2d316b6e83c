"""A web server, on loopback by default, until Ctrl-C."""

import asyncio
import logging
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple

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
_OPEN_FILES = 4096


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


class Limits(NamedTuple):
    """Limits that one client cannot exceed to the harm of others."""

    connections: int = 1000
    """Connections at once."""
    request_seconds: float = 20
    """From the connection, or the first byte of a later request, to the end of its body."""
    idle_seconds: int = 5
    """From a response to the next request."""
    response_seconds: float = 300
    """To read what is left of a response when the connection is closed."""


class Server(uvicorn.Server):
    """A server with limits; `proxies` are the addresses whose X-Forwarded-For is believed."""

    def __init__(
        self, app: ASGIApp, proxies: Sequence[str] = (), limits: Limits | None = None
    ) -> None:
        limits = limits or Limits()
        # Half of the files that may be open: refused connections are open for a moment, too.
        most = min(limits.connections, _allow_open_files() // 2)
        config = uvicorn.Config(
            app,
            http=partial(_Connection, limits=limits._replace(connections=most)),  # type: ignore[arg-type]
            ws="none",
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=bool(proxies),
            forwarded_allow_ips=list(proxies),
            backlog=_BACKLOG,
            timeout_keep_alive=limits.idle_seconds,
            timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        )
        super().__init__(config)

    def end(self) -> None:
        """Stop serving; `run` returns soon."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to serve, and report that files run out at most once."""
        asyncio.get_running_loop().set_exception_handler(_report_once())
        await super().startup(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing: signals are handled here, and a requested end is not a failure."""
        yield


class _Connection(H11Protocol):
    """An HTTP connection whose client must be done in time."""

    def __init__(self, *values: Any, limits: Limits, **named: Any) -> None:
        super().__init__(*values, **named)
        self.limits = limits
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            self._refuse(503)
        else:
            self._start_timer()

    def data_received(self, data: bytes) -> None:
        if self._timer is None:
            self._start_timer()
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._stop_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._abort_later()

    def shutdown(self) -> None:
        """Close the connection unless a complete request is being answered."""
        if self._timer:
            self.transport.close()
        else:
            super().shutdown()

    def _start_timer(self) -> None:
        self._timer = self.loop.call_later(self.limits.request_seconds, self._refuse, 408)

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, status: int) -> None:
        """Close the connection, with a status if no response has begun."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            phrase = HTTPStatus(status).phrase
            head = f"HTTP/1.1 {status} {phrase}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            self.transport.write(head.encode())
        self.transport.close()
        self._abort_later()

    def _abort_later(self) -> None:
        """Close the connection even if the client does not read what was sent."""
        self.loop.call_later(self.limits.response_seconds, self.transport.abort)


def _allow_open_files() -> int:
    """Return how many files may be open, after raising a low limit."""
    if os.name != "posix":
        return _OPEN_FILES
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < _OPEN_FILES and soft != resource.RLIM_INFINITY:
        soft = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return _OPEN_FILES if soft == resource.RLIM_INFINITY else soft


def _report_once() -> Callable[[asyncio.AbstractEventLoop, dict[str, Any]], None]:
    """Return a handler of asyncio's errors that reports each refused accept as one line, once."""
    reported = False

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        nonlocal reported
        message = context.get("message", "")
        if "_start_serving" in message and isinstance(context.get("exception"), ValueError):
            return  # asyncio tries again a second later, when the socket may be closed
        if "accept" not in message:
            loop.default_exception_handler(context)
        elif not reported:
            reported = True
            why = reason(context["exception"])
            logging.getLogger(__name__).error("some connections must wait: %s", why)

    return handle


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
