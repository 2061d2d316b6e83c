"""The pages over HTTP: access rights and attacks."""

import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from html import unescape
from operator import methodcaller

import httpx
import pytest

from relsmith.testing.profile import thinned
from relsmith.web.annotate.access import invite, revoke
from relsmith.web.annotate.project import Project
from relsmith.web.annotate.site import AnnotationSite
from relsmith.web.page import HEADERS

from ..conftest import get, serving
from .conftest import Server, Serving, Visitor, started

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)>"
SQL = ["' OR '1'='1", "'; DROP TABLE people; --", "1); DELETE FROM assignments; --", "%' --", "\\'"]


def answers(project: Project) -> int:
    with project.database.read() as connection:
        query = "SELECT count(*) FROM assignments WHERE state = 'answered'"
        return int(connection.execute(query).fetchone()[0])


def choice(visitor: Visitor) -> dict[str, str]:
    found = re.search(r'type="radio" name="(\w+)" value="([^"]*)"', visitor.page)
    assert found, visitor.page[:3000]
    return {found[1]: unescape(found[2])}


def test_from_the_link_to_the_last_sheet(server: Serving) -> None:
    site: Server = server(people=1)
    ann = site.visit("ann", agreed=False)
    assert "Before you begin" in ann.page
    assert ann.client.get("/work").headers["location"] == "/consent"
    assert ann.post("/work", **{"assignment": "x"}).headers["location"] == "/consent"
    assert ann.post("/consent").headers["location"] == "/consent", "without a tick"
    assert ann.post("/consent", agree="yes").headers["location"] == "/work"
    for n in range(12):
        ann.get("/work")
        assert (f"{n} answered." in ann.page) == (n > 0)
        kept = ann.post("/work", **choice(ann))
        assert (kept.status_code, kept.headers["location"]) == (303, "/work?kept")
    assert "Nothing left to do" in ann.get("/work?kept").text
    assert answers(site.project) == 12
    assert "and 12 answers" in ann.get("/me").text
    assert ann.post("/me/delete").headers["location"] == "/me", "without a tick"
    assert "deleted" in ann.post("/me/delete", sure="yes").text
    assert answers(site.project) == 0
    assert ann.get("/work").status_code == 403


def test_consent_that_changes_is_asked_for_again(server: Serving) -> None:
    site = server()
    ann = site.visit("ann")
    assert "Send" in ann.page
    (site.project.folder / "consent.txt").write_text(f"Other words. {SCRIPT}\n\nAnd more.")
    assert "Other words." in ann.get("/work").text
    assert SCRIPT not in ann.page


POSTS = ("/work", "/skip", "/consent", "/me/delete", "/leave")


def test_access_needs_a_valid_link(server: Serving) -> None:
    site = server()
    project = site.project
    expired, revoked = invite(project, "late"), invite(project, "gone")
    revoke(project, "gone")
    late = (time.time() - 1, "late")
    project.database.write(
        methodcaller("execute", "UPDATE people SET expires = ? WHERE name = ?", late)
    )
    nobody = site.client()
    for path in ("/work", "/me", "/consent"):
        assert nobody.get(path).status_code == 403, path
    for path in POSTS:
        assert nobody.post(path, data={"form": ""}).status_code == 403, path
    said = set()
    for token in (expired, revoked, "A" * 43, "' OR 1=1 --"):
        refused = nobody.get(f"/a/{token}")
        assert refused.status_code == 403
        assert "set-cookie" not in refused.headers
        refused = site.client(token).get("/work")
        assert refused.status_code == 403
        said.add(refused.text)
    assert len(said) == 1, "all of them are told the same"


def test_a_guesser_is_slowed_down(server: Serving) -> None:
    site = server()
    guesser = site.client()
    seen = [guesser.get(f"/a/{n:043}").status_code for n in range(14)]
    assert seen[:10] == [403] * 10
    assert 429 in seen[10:]
    assert guesser.get(f"/a/{invite(site.project, 'ann')}").status_code == 303


def test_frequent_requests_are_throttled(server: Serving) -> None:
    site = server()
    ann, bob = site.visit("ann"), site.visit("bob")
    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(lambda _: ann.client.get("/me"), range(120)))
    slow = [answer for answer in seen if answer.status_code == 429]
    assert slow
    assert int(slow[0].headers["retry-after"]) >= 1
    assert bob.get("/me").status_code == 200


def test_forms_from_other_sites_are_refused(server: Serving) -> None:
    site = server()
    ann, bob = site.visit("ann"), site.visit("bob")
    answer = choice(ann)
    for form in ("", "x", bob.fields["form"]):
        refused = ann.post("/work", **answer, form=form)
        assert refused.status_code == 403, form
    cross = ann.client.post(
        "/work", data=ann.fields | answer, headers={"sec-fetch-site": "cross-site"}
    )
    assert cross.status_code == 403
    for kind in ("text/plain", "application/json", "multipart/form-data; boundary=x"):
        said = ann.client.post("/work", content=b"form=x", headers={"content-type": kind})
        assert said.status_code == 415
    assert answers(site.project) == 0
    assert ann.post("/work", **answer).status_code == 303


def test_cookies_are_kept_from_scripts_and_other_sites(server: Serving) -> None:
    site = server()
    said = site.client().get(f"/a/{invite(site.project, 'ann')}").headers["set-cookie"]
    assert "HttpOnly" in said
    assert "SameSite=lax" in said


def test_annotators_cannot_answer_for_each_other(server: Serving) -> None:
    site = server()
    ann, bob = site.visit("ann"), site.visit("bob")
    answer = choice(ann)
    for path in ("/work", "/skip"):
        taken = bob.post(path, **answer, assignment=ann.fields["assignment"])
        assert taken.status_code == 404
    assert answers(site.project) == 0


def test_repeated_and_simultaneous_answers_are_stored_once(server: Serving) -> None:
    site = server()
    ann = site.visit("ann")
    sent = ann.fields | choice(ann)
    with ThreadPoolExecutor(10) as pool:
        seen = list(pool.map(lambda _: ann.client.post("/work", data=sent), range(20)))
    assert {(one.status_code, one.headers["location"]) for one in seen} == {(303, "/work?kept")}
    assert answers(site.project) == 1
    other = sent | {"answer": ann.page.rpartition('name="answer" value="')[2].partition('"')[0]}
    late = ann.client.post("/work", data=other)
    assert late.status_code == 409
    assert "that answer counts" in late.text
    assert answers(site.project) == 1


def test_answers_are_escaped(server: Serving) -> None:
    site = server("solve", "cloze", people=9)
    attacks = (SCRIPT, *thinned(SQL, least=2))
    for n, attack in enumerate(attacks):
        ann = site.visit(f"ann {n}")
        for field in ("assignment", "form"):
            refused = ann.post("/work", answer=attack, **{field: attack})
            assert refused.status_code in (403, 404)
        assert ann.post("/work", answer=attack).status_code == 303
        page = ann.get("/me").text
        assert attack in unescape(page)
        assert "<script>alert" not in page
        assert "<img" not in page
    with site.project.database.read() as connection:
        assert len(connection.execute("SELECT * FROM people").fetchall()) == len(attacks)
    assert answers(site.project) == len(attacks)


def test_forms_that_no_page_sends_are_refused(server: Serving) -> None:
    site = server()
    ann = site.visit("ann")
    kind = {"content-type": "application/x-www-form-urlencoded"}
    for body, status in (
        (b"form=%ff%fe", 400),
        (b"form=\xff", 400),
        (b"&".join(b"a%d=1" % n for n in range(300)), 400),
        (b"answer=" + b"a" * 70_000, 413),
        (b"answer=%00", 400),
        (b"answer=%1b%5b31m", 400),
    ):
        assert ann.client.post("/work", content=body, headers=kind).status_code == status, body
    pieces = (b"answer=" + 5_000 * b"a" for _ in range(40))  # without a content length
    assert ann.client.post("/work", content=pieces, headers=kind).status_code == 413
    assert ann.get("/work").status_code == 200


@pytest.fixture
def alone(server: Serving) -> Server:
    return server()


def test_paths_reveal_no_files(alone: Server) -> None:
    host, port = alone.home.removeprefix("http://").split(":")
    for path in (
        "/static/../project.json",
        "/static/..%2fproject.json",
        "/a/..%2f..%2fproject.json",
        "/me/../../project.json",
        "/static/%2e%2e/%2e%2e/annotations.sqlite",
        "/%00",
        "/a/%00",
        "/a/" + "x" * 5000,
    ):
        with socket.create_connection((host, int(port))) as connection:
            said = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            connection.sendall(said.encode())
            answer = b"".join(iter(partial(connection.recv, 65536), b""))
        assert answer[9:12] in (b"404", b"403", b"400", b"429"), answer[:200]
        assert b"SQLite format" not in answer
        assert alone.project.settings.id.encode() not in answer


def test_every_answer_has_the_headers(alone: Server) -> None:
    ann = alone.visit("ann")
    seen = [ann.get(path) for path in ("/work", "/me", "/consent", "/nowhere", "/static/work.js")]
    for answer in seen:
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        if "/static/" not in str(answer.url):
            assert answer.headers.get("cache-control") == "no-store"


@pytest.mark.slow
def test_only_localhost_is_served_by_default(alone: Server) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            address = probe.getsockname()[0]
        except OSError:
            address = "127.0.0.1"
    project = alone.project
    with started(project.folder) as home, httpx.Client(base_url=home) as client:
        port = int(home.rpartition(":")[2])
        assert home == f"http://127.0.0.1:{port}"
        if not address.startswith("127."):
            with pytest.raises(OSError):
                socket.create_connection((address, port), timeout=2).close()
        assert client.get("/", headers={"host": "evil.example"}).status_code == 421
        ann = Visitor(client)
        ann.get(f"/a/{invite(project, 'ann')}")
        assert "Before you begin" in ann.page
    url = "https://annotate.example.org"
    with started(project.folder, "--url", url) as home:
        assert home == url


def test_the_page_does_not_reveal_gold_items(server: Serving) -> None:
    site = server("solve", "choices", gold=2, qualify=1)
    ann = site.visit("ann")
    assert "gold" not in ann.page.lower().replace("pans for gold", "")  # a sentence of a story
    with site.project.database.read() as connection:
        keys = [key for (key,) in connection.execute("SELECT key FROM items")]
    assert not any(key in ann.page for key in keys)


def test_slow_clients_do_not_block_the_server(alone: Server) -> None:
    """Open connections with incomplete requests do not block the server."""
    host, port = alone.home.removeprefix("http://").split(":")
    half = b"POST /work HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx"
    hanging = [socket.create_connection((host, int(port))) for _ in range(50)]
    try:
        for connection in hanging:
            connection.sendall(half)
        ann = alone.visit("ann")
        assert ann.post("/work", **choice(ann)).status_code == 303
    finally:
        for connection in hanging:
            connection.close()


def test_the_link_of_another_person_asks_first(server: Serving) -> None:
    site = server()
    ann = site.visit("ann")
    tokens = {name: invite(site.project, name) for name in ("ann", "bob")}
    assert ann.client.get(f"/a/{tokens['ann']}").headers["location"] == "/work", "the same person"
    cookies = dict(ann.client.cookies)
    asked = ann.get(f"/a/{tokens['bob']}")
    assert asked.status_code == 200
    assert "signed in as <b>ann</b>" in asked.text
    assert dict(ann.client.cookies) == cookies
    assert ann.post(f"/a/{tokens['bob']}", form="x").status_code == 403
    assert dict(ann.client.cookies) == cookies
    assert ann.post(f"/a/{tokens['bob']}").headers["location"] == "/work"
    assert "Before you begin" in ann.get("/work").text
    assert ">bob<" in ann.page


def test_client_addresses_come_from_named_proxies_only(alone: Server) -> None:
    site = AnnotationSite(alone.project)

    def seen(home: str) -> set[int]:
        guesses = range(14)
        return {
            get(f"{home}/a/{n:043}", headers={"x-forwarded-for": f"192.0.2.{n}"}).status_code
            for n in guesses
        }

    with serving(site.app) as home:
        assert 429 in seen(home)
    with serving(site.app, proxies=["127.0.0.1"]) as home:
        assert seen(home) == {403}
