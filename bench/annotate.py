"""Load test of the annotation server: concurrent annotators, then a check of the database.

Each reads a sheet, thinks for one to three seconds, answers, and goes on. With --kills the server
is killed (SIGKILL) that many times at random moments and restarted, however long that takes;
clients without a response repeat the request. In the end acknowledged answers are compared
with the database.

    python bench/annotate.py            # 300 annotators for a minute
    python bench/annotate.py --p95 500  # fails if 5 % of requests take more than 500 ms
    python bench/annotate.py --kills 50
"""

import argparse
import asyncio
import json
import math
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from relsmith import make, write
from relsmith.web.annotate.access import find_person, invite, record_consent
from relsmith.web.annotate.assignment import ANSWERED
from relsmith.web.annotate.project import Project, ProjectOptions, create

GEN = str(Path(sys.executable).with_name("gen"))
HIDDEN = re.compile(rb'name="(form|assignment)" value="([^"]*)"')
OPTION = re.compile(rb'type="radio" name="answer" value="([^"]*)"')


@dataclass
class Client:
    """An annotator with a persistent connection, and the answers acknowledged to it."""

    name: str
    cookie: str
    port: int
    pace: float
    dice: random.Random
    times: list[tuple[str, float]] = field(default_factory=list)
    acknowledged: dict[str, str] = field(default_factory=dict)
    sent: dict[str, str] = field(default_factory=dict)
    failures: int = 0
    finished: bool = False

    reader: asyncio.StreamReader | None = None
    writer: asyncio.StreamWriter | None = None

    async def ask(self, method: str, body: bytes = b"") -> tuple[int, bytes]:
        """Send a request and time it; OSError if the server is down."""
        start = time.perf_counter()
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        assert self.reader
        head = f"{method} /work HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {self.cookie}\r\n"
        if body:
            head += "Content-Type: application/x-www-form-urlencoded\r\n"
            head += f"Content-Length: {len(body)}\r\n"
        try:
            self.writer.write(head.encode() + b"\r\n" + body)
            answer = await self.reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: (\d+)", answer)
            rest = await self.reader.readexactly(int(length[1])) if length else b""
        except (OSError, asyncio.IncompleteReadError) as error:
            self.writer.close()
            self.reader = self.writer = None
            raise OSError from error
        self.times.append((method, time.perf_counter() - start))
        return int(answer[9:12]), rest

    async def insist(self, method: str, body: bytes = b"") -> tuple[int, bytes]:
        """Repeat a request until there is a response."""
        while True:
            try:
                return await self.ask(method, body)
            except OSError:
                self.failures += 1
                await asyncio.sleep(self.dice.uniform(0.5, 1.5))

    async def work(self, done: asyncio.Event) -> None:
        """Answer sheets until the time is up or no items are left."""
        await asyncio.sleep(self.dice.uniform(0, self.pace))
        while not done.is_set():
            status, page = await self.insist("GET")
            assert status == 200, (status, page[:500])
            hidden = {name.decode(): value.decode() for name, value in HIDDEN.findall(page)}
            options = OPTION.findall(page)
            if not options:
                self.finished = True
                return
            await asyncio.sleep(self.pace * self.dice.uniform(0.5, 1.5))
            answer = self.dice.choice(options).decode()
            token = hidden["assignment"]
            self.sent[token] = answer
            body = urlencode(hidden | {"answer": answer}).encode()
            status, page = await self.insist("POST", body)
            assert status == 303, (status, page[-2000:])
            self.acknowledged[token] = answer


def start(folder: Path, port: int) -> subprocess.Popen[bytes]:
    """Start the server and wait for its first response."""
    server = subprocess.Popen(
        [GEN, "annotate", "serve", str(folder), "--port", str(port)], stdout=subprocess.DEVNULL
    )
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return server
        except OSError:
            if server.poll() is not None:
                raise SystemExit("the server does not start") from None
            time.sleep(0.02)


async def supervise(
    options: argparse.Namespace, folder: Path, server: list[subprocess.Popen[bytes]], port: int
) -> None:
    """Wait until the time is up; kill and restart the server `kills` times at random moments."""
    dice = random.Random(1)
    for _ in range(options.kills):
        await asyncio.sleep(dice.uniform(0.1, 2))
        server[0].send_signal(signal.SIGKILL)
        server[0].wait()
        server[0] = await asyncio.to_thread(start, folder, port)
    if not options.kills:
        await asyncio.sleep(options.seconds)


def complaints(project: Project, clients: list[Client]) -> list[str]:
    """Return the differences between the database and the acknowledged answers."""
    said = []
    with project.database.read() as connection:
        rows = {
            row["token"]: row
            for row in connection.execute(
                "SELECT assignments.*, name FROM assignments JOIN people ON people.id = person "
                "WHERE answer IS NOT NULL"
            )
        }
        for client in clients:
            for token, answer in client.acknowledged.items():
                row = rows.get(token)
                if row is None or row["state"] != ANSWERED:
                    said.append(
                        f"{client.name} has an acknowledged answer for {token} that is not stored"
                    )
                elif json.loads(row["answer"]) != {"answer": answer} or row["name"] != client.name:
                    said.append(f"{token} is stored with another answer or name")
        sent = {token: answer for client in clients for token, answer in client.sent.items()}
        said += [f"{token} was never sent" for token in rows if token not in sent]
        twice = connection.execute(
            "SELECT item, person FROM assignments GROUP BY item, person HAVING count(*) > 1"
        )
        said += [f"item {row['item']} twice to {row['person']}" for row in twice]
        held = dict(
            connection.execute(
                "SELECT item, count(*) FROM assignments WHERE state IN ('open', 'answered') "
                "GROUP BY item"
            ).fetchall()
        )
        for item in connection.execute("SELECT * FROM items"):
            if item["wanted"] - item["free"] != held.get(item["id"], 0):
                wrong = held.get(item["id"], 0)
                said.append(f"item {item['id']} has {item['free']} free, and {wrong} held")
    return said


async def run(options: argparse.Namespace, folder: Path, project: Project, port: int) -> int:
    """Run the load test; return the exit code."""
    clients = []
    cookie = f"relsmith-annotator-{project.settings.id[:12]}"
    for n in range(options.annotators):
        token = invite(project, f"annotator {n}")
        person = find_person(project, token)
        assert person
        record_consent(project, person.id)
        clients.append(
            Client(person.name, f"{cookie}={token}", port, options.pace, random.Random(n))
        )
    project.database.close()
    server = [start(folder, port)]
    began, processor = time.monotonic(), os.times()
    done = asyncio.Event()
    try:
        working = [asyncio.create_task(client.work(done)) for client in clients]
        await supervise(options, folder, server, port)
        done.set()
        await asyncio.gather(*working)
        took = time.monotonic() - began
    finally:
        server[0].terminate()
        server[0].wait()
    times = sorted(seconds for client in clients for _, seconds in client.times)
    acknowledged = sum(len(client.acknowledged) for client in clients)
    wrong = complaints(Project.open(folder), clients)
    p95 = times[int(len(times) * 0.95)]
    spent = [after - before for before, after in zip(processor, os.times(), strict=True)]
    print(
        f"{options.annotators} annotators for {took:.0f} s: {len(times)} requests "
        f"({len(times) / took:.0f} a second), {acknowledged} answers acknowledged for; "
        f"p50 {1000 * times[len(times) // 2]:.0f} ms, p95 {1000 * p95:.0f} ms, "
        f"p99 {1000 * times[int(len(times) * 0.99)]:.0f} ms, worst {1000 * times[-1]:.0f} ms; "
        f"processor: {1000 * sum(spent[2:4]) / len(times):.2f} ms a request in the server, "
        f"{1000 * sum(spent[:2]) / len(times):.2f} in the clients"
    )
    if options.kills:
        again = sum(client.failures for client in clients)
        print(f"killed {options.kills} times; {again} requests sent again")
    print(f"{len(wrong)} faults in the database" + "".join(f"\n  {line}" for line in wrong[:20]))
    return 1 if wrong or not acknowledged or 1000 * p95 > options.p95 else 0


def main() -> None:
    """Read the options, make a project and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--annotators", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pace", type=float, default=2, help="seconds for a sheet, on average")
    parser.add_argument("--p95", type=float, default=math.inf, help="fail above this many ms")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--rows", type=int, default=4000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        place = Path(scratch)
        write(make("clutrr", k="2", choices="4"), place / "rows", {"test": options.rows})
        create(place / "project", ProjectOptions("solve", place / "rows", people=5))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        project = Project.open(place / "project")
        raise SystemExit(asyncio.run(run(options, place / "project", project, port)))


if __name__ == "__main__":
    main()
