"""A real local S3 server, and a proxy that simulates failures."""

import http.client
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEYS = {
    "AWS_ACCESS_KEY_ID": "AKIAOPENSESAME",
    "AWS_SECRET_ACCESS_KEY": "the-cave-of-forty-thieves",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_MAX_ATTEMPTS": "1",
    "AWS_EC2_METADATA_DISABLED": "true",
}
BUCKET = "bucket"


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@contextmanager
def s3_server() -> Iterator[int]:
    """Run a server with a bucket; provide its port."""
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        env=os.environ | KEYS,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        patience = time.monotonic() + 60
        while True:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
                connection.request(
                    "PUT", f"/{BUCKET}", headers={"Authorization": "AWS4 x/y/us-east-1/s3/z"}
                )
                answer = connection.getresponse()
                connection.close()
                assert answer.status == 200, answer.status
                break
            except OSError:
                assert time.monotonic() < patience, "the server does not start"
                time.sleep(0.05)
        yield port
    finally:
        server.kill()
        server.wait()


class Moods:
    """How the proxy treats requests: pass on, fail, throttle, or hang."""

    def __init__(self) -> None:
        self.mood = "well"
        self.left = 0
        """Stay in a mode for this many requests; for ever if negative."""
        self.methods = ("GET", "PUT", "POST", "HEAD", "DELETE")
        self.refused = 0
        self.lock = threading.Lock()

    def of(self, method: str) -> str:
        with self.lock:
            if self.mood == "well" or self.left == 0 or method not in self.methods:
                return "well"
            self.left -= 1
            self.refused += 1
            return self.mood


ANSWERS = {
    "fails": (500, "InternalError", "We encountered an internal error. Please try again."),
    "slow down": (503, "SlowDown", "Please reduce your request rate."),
}


@contextmanager
def moody_proxy(port: int) -> Iterator[tuple[int, Moods]]:
    """Run a proxy; provide its port and its control."""
    moods, over = Moods(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            mood = moods.of(self.command)
            if mood == "hangs":
                over.wait(60)
                self.close_connection = True
            elif mood in ANSWERS:
                status, code, said = ANSWERS[mood]
                text = f"<Error><Code>{code}</Code><Message>{said}</Message></Error>".encode()
                self.answer(status, [("Content-Type", "application/xml")], text)
            else:
                inner = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                inner.request(self.command, self.path, body, dict(self.headers))
                reply = inner.getresponse()
                data = reply.read()
                self.answer(reply.status, reply.getheaders(), data)
                inner.close()

        def answer(self, status: int, headers: list[tuple[str, str]], data: bytes) -> None:
            self.send_response_only(status)
            for name, value in headers:
                length = name.lower() == "content-length"
                if name.lower() not in ("transfer-encoding", "connection") and not (
                    length and self.command != "HEAD"
                ):
                    self.send_header(name, value)
            if self.command != "HEAD":
                self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = handle_any  # noqa: N815 (its names)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1], moods
    finally:
        over.set()
        server.shutdown()
        server.server_close()
