"""An answer is stored once, completely, and only from the person assigned."""

from concurrent.futures import ThreadPoolExecutor
from sqlite3 import OperationalError

import orjson
import pytest

from relsmith.storage.database import Database
from relsmith.web.annotate.answering import (
    Accepted,
    Rejected,
    TooLate,
    UnknownAssignment,
    submit_answer,
)
from relsmith.web.annotate.assignment import Assignment, next_assignment, skip
from relsmith.web.annotate.project import Project

from .conftest import Made, filled, given, join, served
from .test_assignment import consistent


def kept(project: Project) -> list[dict[str, str]]:
    with project.database.read() as connection:
        texts = connection.execute(
            "SELECT answer FROM assignments WHERE state = 'answered' ORDER BY id"
        )
        return [orjson.loads(text) for (text,) in texts]


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
        assert len(connection.execute("SELECT * FROM assignments").fetchall()) == 72
    consistent(made)


def test_a_full_disk_is_a_page_and_one_line(
    project: Made,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = project()
    with served(made) as server:
        ann = server.visit("ann", agreed=False)

        def fail(database: Database, work: object) -> None:
            raise OperationalError("database or disk is full")

        monkeypatch.setattr(Database, "write", fail)
        refused = ann.post("/consent", agree="yes")
        assert refused.status_code == 503
        assert "the database failed: database or disk is full" in refused.text
        assert ann.get("/me").status_code == 200
    assert caplog.messages == ["the database failed: database or disk is full"]
    assert capfd.readouterr().err == "", "no traceback"
