"""The pages of an exam over HTTP: access, submissions, and attacks on its answers."""

import logging
import re
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import httpx
import orjson
import pytest

from relsmith.errors import CheckFailed, InvalidInput, InvalidOption
from relsmith.exam import holder as holder_module
from relsmith.storage.database import Database
from relsmith.testing.profile import thinned
from relsmith.web.exam import site as site_module
from relsmith.web.exam.access import find_candidate, invite, revoke
from relsmith.web.limits import RateLimit

from .conftest import SCRIPT, Server, encoded, right_answers

SQL = ["' OR '1'='1", "'; DROP TABLE candidates; --", "%", "a' UNION SELECT * FROM facts; --"]


def submit(client: httpx.Client, answers: dict[str, str]) -> httpx.Response:
    return client.post("/answers", content=encoded(answers))


def test_from_the_link_to_the_leaderboard(server: Server) -> None:
    right = right_answers(server.holder)
    assert "No submission yet." in server.client().get("/").text
    browser = server.client()
    entered = browser.get(f"/c/{invite(server.holder, 'Ann')}")
    assert (entered.status_code, entered.headers["location"]) == (303, "/exam")
    assert "httponly" in entered.headers["set-cookie"].lower()
    page = browser.get("/exam").text
    assert "2 of 2 submissions left" in page
    lines = browser.get("/questions.jsonl").text.splitlines()
    assert {frozenset(orjson.loads(line)) for line in lines} == {
        frozenset(("id", "dataset", "input", "choices", "canary"))
    }
    assert [orjson.loads(line)["id"] for line in lines] == list(right)
    word = re.search(r'name="form" value="(\w+)"', page)
    assert word
    sent = browser.post(
        "/answers", data={"form": word[1]}, files={"answers": ("a.jsonl", encoded(right))}
    )
    assert (sent.status_code, sent.headers["location"]) == (303, "/exam")
    page = browser.get("/exam").text
    (entry,) = server.holder.log()
    assert entry["receipt"] in page and "1 of 2 submissions left" in page
    answered = submit(server.program("Bo"), dict(list(right.items())[:10]))
    assert answered.json() == server.holder.log()[1]
    board = server.client().get("/").text
    assert board.index(">Ann<") < board.index(">Bo<")
    assert '100 %<span class="soft small"> 88 to 100' in board
    assert server.holder.exam.commitment() in board
    assert SCRIPT not in board and "&lt;script&gt;" in board
    assert server.client().get("/exam.json").content == server.holder.exam.json_bytes()


def test_access_needs_a_valid_link(server: Server) -> None:
    server.site._invalid_tokens_by_address = RateLimit(1000, 1000)
    late, gone, again = (invite(server.holder, name) for name in ("late", "gone", "again"))
    line = "UPDATE candidates SET expires = ? WHERE name = 'late'"
    server.holder.database.write(lambda connection: connection.execute(line, (time.time() - 1,)))
    revoke(server.holder, "gone")
    valid = invite(server.holder, "again")
    for token in ("", "x", late, gone, again, valid[:-1], valid.swapcase(), f"{valid} ", *SQL):
        for bearer in (False, True):
            client = server.client(token.strip('"; ') or "x", bearer=bearer)
            if token.strip() == valid:
                continue
            for method, path in (
                ("GET", "/exam"),
                ("GET", "/questions.jsonl"),
                ("POST", "/answers"),
                ("GET", f"/c/{token or 'x'}"),
            ):
                refused = client.request(method, path)
                assert refused.status_code in (403, 404), (token, method, path)
    assert server.client(valid).get("/exam").status_code == 200
    assert find_candidate(server.holder, valid) == "again"
    text = repr([*server.holder.database.connect().iterdump()])
    assert not any(token in text for token in (late, gone, again, valid)), "only hashes are kept"


def test_guessers_and_candidates_must_wait(server: Server) -> None:
    guesser = server.client("guess")
    assert 429 in [guesser.get("/exam").status_code for _ in range(12)]
    candidate = server.program("Ann")
    codes = [candidate.get("/exam").status_code for _ in range(25)]
    assert codes[:15] == [200] * 15 and 429 in codes


def test_a_form_of_another_site_or_candidate_is_refused(server: Server) -> None:
    ann, bo = (invite(server.holder, name) for name in ("Ann", "Bo"))
    page = server.client(bo).get("/exam").text
    word = re.search(r'name="form" value="(\w+)"', page)
    assert word
    files = {"answers": ("a.jsonl", b"{}")}
    for token, form, headers in (
        (ann, word[1], {}),
        (ann, "", {}),
        (bo, word[1], {"sec-fetch-site": "cross-site"}),
    ):
        client = server.client(token, **headers)
        assert client.post("/answers", data={"form": form}, files=files).status_code == 403
    basic = server.client(ann, authorization="Basic x")
    assert submit(basic, {}).status_code == 415, "a cookie alone is no proof"
    assert server.holder.log() == []


def test_candidates_do_not_see_each_other(server: Server) -> None:
    ann, bo = (invite(server.holder, name) for name in ("Ann", "Bo"))
    for n, token in enumerate((ann, bo, bo)):
        submit(
            server.client(token, bearer=True), {next(iter(right_answers(server.holder))): f"{n}"}
        )
    entries = server.holder.log()
    page = server.client(ann).get("/exam").text
    assert [entry["receipt"] in page for entry in entries] == [True, False, False]
    board = server.client().get("/").text
    assert not any(entry["receipt"] in board or entry["answers"] in board for entry in entries)


def test_probing_with_repeated_submissions_is_limited(server: Server) -> None:
    right = right_answers(server.holder)
    client = server.program("Ann")
    first = submit(client, right).json()
    assert set(first) == {"number", "candidate", "time", "answers", "scores", "receipt"}
    for each in first["scores"].values():
        assert set(each) == {"questions", "score", "low", "high"}
        assert all(isinstance(value, int) for value in each.values())
    assert [submit(client, right).json() for _ in range(3)] == [first] * 3
    id = next(iter(right))
    assert submit(client, right | {id: "nobody"}).status_code == 200
    refused = submit(client, right | {id: "somebody"})
    assert refused.status_code == 400
    assert refused.json() == {"error": "Ann has used all 2 submissions"}
    with ThreadPoolExecutor(4) as pool:
        other = server.program("Bo")
        codes = set(pool.map(lambda n: submit(other, {id: str(n)}).status_code, range(8)))
    assert codes <= {200, 400, 429}
    assert len(server.holder.log()) <= 4


def test_a_candidate_has_one_submission_at_a_time(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    scoring, scored = threading.Event(), threading.Event()

    def grade(*given: Any) -> Any:
        scoring.set()
        assert scored.wait(60)
        return real(*given)

    real = holder_module.grade
    monkeypatch.setattr(holder_module, "grade", grade)
    client = server.program("Ann")
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(submit, client, {next(iter(server.holder.ids)): "x"})
        assert scoring.wait(60)
        second = submit(client, right_answers(server.holder))
        scored.set()
        assert (first.result().status_code, second.status_code) == (200, 429)
    assert submit(client, right_answers(server.holder)).status_code == 200


def test_bodies_are_limited_and_not_read_without_a_submission_left(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = server.program("Ann")
    id = next(iter(right_answers(server.holder)))
    assert "4001 characters" in submit(client, {id: "x" * 4001}).json()["error"]
    assert client.post("/answers", content=b"x" * 131_000).status_code == 413
    for n in range(2):
        assert submit(client, {id: str(n)}).status_code == 200
    monkeypatch.setattr(site_module, "_save", None)
    assert "used all 2" in submit(client, {}).json()["error"]


def test_the_leaderboard_reads_no_answers_and_is_limited(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, connect = set[tuple[str, str]](), Database.connect

    def watched(self: Database) -> sqlite3.Connection:
        connection = connect(self)
        connection.set_authorizer(lambda action, *names: read.add(names[:2]) or sqlite3.SQLITE_OK)
        return connection

    submit(server.program("Ann"), right_answers(server.holder))
    monkeypatch.setattr(Database, "connect", watched)
    server.holder.database.close()
    visitor = server.client()
    assert ">Ann<" in visitor.get("/").text
    assert ("submissions", "entry") in read and ("submissions", "answers") not in read
    assert 429 in [visitor.get("/").status_code for _ in range(25)]


def test_copies_of_the_questions_are_shared(server: Server) -> None:
    before = {*server.site.work.iterdir()}
    for name in ("Ann", "Bo"):
        assert server.program(name).get("/questions.jsonl").status_code == 200
    assert len({*server.site.work.iterdir()} - before) == 1


BODIES: dict[str, bytes] = {
    "empty": b"",
    "no JSON": b"{",
    "unknown question": b'{"id": "00000000000000000000000000000000", "answer": "x"}',
    "raw id": b'{"id": "comparatives-v1-s0-train-0", "answer": "x"}',
    "path": b'{"id": "../../secret", "answer": "x"}',
    "number": b'{"id": 1, "answer": 2}',
    "list": b"[[1, 2], 3]",
    "null": b"null",
    "deep": b"[" * 100_000,
    "surrogate": b'{"id": "\\ud800", "answer": "\\udfff"}',
    "bytes": b"\xff\xfe\x00",
    "script": f'{{"id": "{SCRIPT}", "answer": "x"}}'.encode(),
}


@pytest.mark.parametrize("name", BODIES)
def test_answers_that_cannot_be_read_say_nothing(name: str, server: Server) -> None:
    refused = server.program("Ann").post("/answers", content=BODIES[name])
    assert refused.status_code == 400, refused.text
    assert set(refused.json()) == {"error"}
    shown = refused.text.replace("comparatives-v1-s0-train-0", "")
    assert not any(text in shown for text in (*server.hidden(), "/tmp", str(server.holder.folder)))
    token = invite(server.holder, "Bo")
    word = re.search(r'name="form" value="(\w+)"', server.client(token).get("/exam").text)
    assert word
    files = {"answers": ("a.jsonl", BODIES[name])}
    page = server.client(token).post("/answers", data={"form": word[1]}, files=files)
    assert page.status_code == 400 and SCRIPT not in page.text and "/tmp" not in page.text
    assert server.holder.log() == [], "it does not count"


PATHS = [
    "/secret",
    "/sealed",
    "/sealed/short-0.jsonl",
    "/exam.sqlite",
    "/answers.jsonl",
    "/static/secret",
    "/static/../secret",
    "/static/..%2fsecret",
    "/static/%2e%2e%2f%2e%2e%2fsecret",
    "/static/....//secret",
    "//etc/passwd",
    "/c/..%2fsecret",
    "/questions.jsonl/../secret",
    "/%00",
]


def test_no_response_has_the_seed_or_an_answer(
    server: Server, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    server.site._invalid_tokens_by_address = server.site._by_candidate = RateLimit(10_000, 10_000)
    token = invite(server.holder, "Ann")
    submit(server.client(token, bearer=True), right_answers(server.holder))
    paths = ["/", "/exam", "/exam.json", "/questions.jsonl", "/answers", f"/c/{token}", *PATHS]
    paths += [f"/static/{name}" for name in server.site.pages.static]
    clients = server.client(), server.client(token), server.client(token, bearer=True)
    seen = []
    methods = "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"
    for client, method, path in thinned(product(clients, methods, paths), least=120):
        got = client.request(method, path, content=b"x" if method == "POST" else None)
        seen.append(got.text + str(got.headers))
        if path in PATHS:
            assert got.status_code >= 400, (method, path)
    logged = caplog.text + "".join(capfd.readouterr())
    assert not any(text in logged + "".join(seen) for text in server.hidden())
    assert token not in logged


@pytest.mark.parametrize("kind", [RuntimeError, InvalidInput, InvalidOption, CheckFailed])
def test_faults_of_the_server_say_nothing(
    kind: type[Exception],
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    secret = server.holder.sealed.secret
    row = f"comparatives-v1-s{secret.seed('short')}-train-0: the answer is Anika"

    def fail(*given: object) -> Any:
        raise kind(row)

    client = server.program("Ann")
    with monkeypatch.context() as broken, caplog.at_level(logging.INFO):
        broken.setattr(holder_module, "grade", fail)
        failed = submit(client, right_answers(server.holder))
        broken.setattr(server.holder.sealed.__class__, "write_questions", fail)
        also = client.get("/questions.jsonl")
    for got in (failed, also):
        assert got.status_code == 503
        assert "the server has a fault" in got.text
        assert "Anika" not in got.text and str(secret.seed("short")) not in got.text
    assert "SEED" in caplog.text and str(secret.seed("short")) not in caplog.text
    assert submit(client, right_answers(server.holder)).status_code == 200, "it did not count"


def test_after_the_reveal_nothing_is_scored(server: Server, tmp_path: Any) -> None:
    client = server.program("Ann")
    server.holder.reveal(tmp_path / "revealed")
    refused = submit(client, right_answers(server.holder))
    assert refused.json() == {"error": "the exam has been revealed; no more submissions are taken"}
