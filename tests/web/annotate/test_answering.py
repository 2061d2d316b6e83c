"""An answer is stored once, completely, and only from the person assigned."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import orjson
import pytest
from sqlalchemy import Connection, event, func, insert, select
from sqlalchemy.exc import OperationalError

from relsmith.web.annotate.access import invite
from relsmith.web.annotate.answering import (
    Accepted,
    Rejected,
    TooLate,
    UnknownAssignment,
    submit_answer,
)
from relsmith.web.annotate.assignment import Assignment, next_assignment, skip
from relsmith.web.annotate.database import ANSWERED, assignments, facts, items
from relsmith.web.annotate.project import DATABASE, Project

from .conftest import Made, answer, filled, given, join, served
from .test_assignment import consistent


def kept(project: Project) -> list[dict[str, str]]:
    with project.database.read() as connection:
        texts = connection.scalars(
            select(assignments.c.answer)
            .where(assignments.c.state == ANSWERED)
            .order_by(assignments.c.id)
        )
        return [orjson.loads(text) for text in texts if text]


def test_a_repeated_answer_is_acknowledged_and_stored_once(project: Made) -> None:
    made = project()
    person = join(made, "ann")
    sheet = given(made, person)
    sent = filled(made.task, sheet.item)
    first = submit_answer(made, person, sheet.token, sent)
    assert first == Accepted(sheet.token)
    assert submit_answer(made, person, sheet.token, sent) == first
    assert submit_answer(made, person, sheet.token, sent | {"more": "of it"}) == first
    assert kept(made) == [sent]
    consistent(made)


def test_a_second_answer_to_an_item_does_not_count(project: Made) -> None:
    made = project()
    person = join(made, "ann")
    sheet = given(made, person)
    submit_answer(made, person, sheet.token, filled(made.task, sheet.item, 0))
    late = submit_answer(made, person, sheet.token, filled(made.task, sheet.item, 1))
    assert isinstance(late, TooLate)
    assert kept(made) == [filled(made.task, sheet.item, 0)]


def test_one_of_many_simultaneous_answers_is_kept(project: Made) -> None:
    made = project()
    person = join(made, "ann")
    sheet = given(made, person)
    sent = [filled(made.task, sheet.item, n % 3) for n in range(12)]
    with ThreadPoolExecutor(12) as pool:
        taken = list(
            pool.map(lambda answer: submit_answer(made, person, sheet.token, answer), sent)
        )
    (winner,) = kept(made)
    for answer_sent, outcome in zip(sent, taken, strict=True):
        assert isinstance(outcome, Accepted if answer_sent == winner else TooLate)
    consistent(made)


def test_annotators_cannot_answer_for_each_other(project: Made) -> None:
    made = project()
    ann, bob = join(made, "ann"), join(made, "bob")
    sheet = given(made, ann)
    for token in (sheet.token, "no such", "", "' OR 1=1 --"):
        with pytest.raises(UnknownAssignment):
            submit_answer(made, bob, token, filled(made.task, sheet.item))
        assert not skip(made, bob, token)
    assert kept(made) == []
    assert given(made, ann) == sheet


def test_an_invalid_answer_is_rejected_and_can_be_corrected(project: Made) -> None:
    made = project()
    person = join(made, "ann")
    sheet = given(made, person)
    for text in ("", "   ", "no choice", "' OR 1=1 --", "a" * 5000):
        refused = submit_answer(made, person, sheet.token, {"answer": text})
        assert isinstance(refused, Rejected)
        assert set(refused.errors) == {"answer"}
    assert kept(made) == []
    assert submit_answer(made, person, sheet.token, filled(made.task, sheet.item)) == Accepted(
        sheet.token
    )


def test_a_skipped_item_cannot_be_answered(project: Made) -> None:
    made = project()
    person = join(made, "ann")
    sheet = given(made, person)
    skip(made, person, sheet.token)
    assert isinstance(
        submit_answer(made, person, sheet.token, filled(made.task, sheet.item)), TooLate
    )
    consistent(made)


def test_a_rejected_text_is_requested_again(project: Made) -> None:
    made = project("paraphrase", "stories", people=1)
    ann, bob = join(made, "ann"), join(made, "bob")
    written = answer(made, ann)
    assert written.stage == "write"
    assert given(made, ann).item.stage == "write", "nobody judges what they wrote"
    judging = given(made, bob)
    assert judging.item.stage == "judge"
    assert "facts" not in judging.item.shown
    assert judging.item.expected == {"answer": written.hidden["answer"]}
    wrong = next(
        choice for choice in judging.item.shown["choices"] if choice != written.hidden["answer"]
    )
    submit_answer(made, bob, judging.token, {"answer": wrong})
    with made.database.read() as connection:
        row = connection.execute(select(items).where(items.c.key == written.key)).one()
    assert row.wanted == 2
    assert given(made, bob).item == written, "another is asked for a text that will do"
    consistent(made)


def test_replacements_are_limited(project: Made) -> None:
    made = project("paraphrase", "stories", people=1)
    writer, rounds = join(made, "writer"), 0
    first = given(made, writer).item.key
    while (sheet := given(made, writer)).item.key == first:
        submit_answer(made, writer, sheet.token, filled(made.task, sheet.item))
        judge = join(made, f"judge {rounds}")
        submit_answer(made, judge, given(made, judge).token, {"answer": "the text does not say"})
        writer, rounds = judge, rounds + 1
    assert rounds == 3
    consistent(made)


def test_nothing_is_lost_while_many_answer_at_once(project: Made) -> None:
    made = project(people=6)
    who = [join(made, f"person {n}") for n in range(6)]

    def work(person: int) -> int:
        done = 0
        while isinstance(sheet := next_assignment(made, person), Assignment):
            sent = filled(made.task, sheet.item, person)
            assert isinstance(submit_answer(made, person, sheet.token, sent), Accepted)
            assert isinstance(submit_answer(made, person, sheet.token, sent), Accepted)
            done += 1
        return done

    with ThreadPoolExecutor(len(who)) as pool:
        assert list(pool.map(work, who)) == [12] * 6
    with made.database.read() as connection:
        assert connection.scalar(select(func.count()).select_from(assignments)) == 72
    consistent(made)


def fill_disk(project: Project) -> None:
    """Limit the pages of the database, and use up those that it has."""

    @event.listens_for(project.database.engine, "connect")
    def limit(connection: Any, record: Any) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count={pages}")

    project.database.engine.dispose()
    with pytest.raises(OperationalError):
        for n in range(1000):
            invite(project, f"person {n}")


@pytest.mark.parametrize("database", [DATABASE])
def test_a_full_disk_is_a_page_and_one_line(
    project: Made, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    made = project()
    with served(made) as server:
        owner = server.owner()
        fill_disk(made)
        refused = owner.post("/owner/invite", name="the last one to be invited", days="3")
        assert refused.status_code == 503
        assert "the database failed: database or disk is full" in refused.text
        assert owner.get("/owner").status_code == 200
    assert caplog.messages == ["the database failed: database or disk is full"]
    assert capfd.readouterr().err == "", "no traceback"


@pytest.mark.parametrize("database", [DATABASE])
def test_answers_lost_to_a_full_disk_are_not_acknowledged(project: Made) -> None:
    """Check several answers in one transaction, of which one does not fit."""
    made = project()
    fill_disk(made)
    started, blocked = threading.Event(), threading.Event()

    def wait(connection: Connection) -> None:
        started.set()
        assert blocked.wait(10)

    def store(name: str, size: int) -> bool:
        row = {"name": name, "value": "x" * size}
        try:
            made.database.write(lambda connection: connection.execute(insert(facts), row))
        except OperationalError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        pool.submit(made.database.write, wait)
        assert started.wait(10)
        names = ["first", "second", "huge", "third", "fourth"]
        sent = {}
        for name in names:
            sent[name] = pool.submit(store, name, 10_000_000 if name == "huge" else 1)
            time.sleep(0.05)
        blocked.set()
    with made.database.read() as connection:
        stored = set(connection.scalars(select(facts.c.name)))
    acknowledged = {name for name in names if sent[name].result()}
    assert "huge" not in acknowledged
    assert acknowledged <= stored
