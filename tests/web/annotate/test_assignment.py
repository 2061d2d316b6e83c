"""Items are assigned as often as wanted, never twice to one person."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from operator import methodcaller
from pathlib import Path
from sqlite3 import IntegrityError
from typing import Any

import pytest

from relsmith.errors import Infeasible, InvalidOption
from relsmith.web.annotate.access import delete_person, revoke
from relsmith.web.annotate.answering import submit_answer
from relsmith.web.annotate.assignment import ANSWERED, OPEN, Assignment, next_assignment, skip
from relsmith.web.annotate.project import Project, ProjectOptions, create

from .conftest import Made, Rows, answer, filled, given, join


def consistent(project: Project) -> None:
    """Check that free = wanted - assigned, and that no person has an item twice."""
    with project.database.read() as connection:
        rows = connection.execute("SELECT item, person, state FROM assignments").fetchall()
        held = Counter(row["item"] for row in rows if row["state"] in (OPEN, ANSWERED))
        for row in connection.execute("SELECT * FROM items"):
            if row["gold"]:
                assert (row["wanted"], row["free"]) == (0, 0)
            else:
                assert row["free"] == row["wanted"] - held[row["id"]]
    assert len({(row["item"], row["person"]) for row in rows}) == len(rows)


def work_off(project: Project, person: int) -> list[str]:
    """Answer all items; return their keys."""
    done = []
    while isinstance(next_assignment(project, person), Assignment):
        done.append(answer(project, person).key)
    return done


def test_every_item_has_the_wanted_number_of_annotators(project: Made) -> None:
    made = project(people=2)
    done = [work_off(made, join(made, name)) for name in ("ann", "bob", "eve")]
    assert [len(keys) for keys in done] == [12, 12, 0]
    assert all(len(set(keys)) == len(keys) for keys in done)
    assert set(Counter(chain(*done)).values()) == {2}
    consistent(made)


def test_concurrent_annotators_get_every_item_the_wanted_number_of_times(project: Made) -> None:
    made = project(people=3)
    who = [join(made, f"person {n}") for n in range(8)]
    with ThreadPoolExecutor(len(who)) as pool:
        done = list(pool.map(lambda person: work_off(made, person), who))
    assert all(len(set(keys)) == len(keys) for keys in done)
    counts = Counter(chain(*done))
    assert set(counts.values()) == {3}
    assert len(counts) == 12
    consistent(made)


def test_one_person_in_many_windows_has_one_sheet(project: Made) -> None:
    made = project(people=3)
    person = join(made, "ann")
    with ThreadPoolExecutor(8) as pool:
        sheets = list(pool.map(lambda _: given(made, person).token, range(24)))
    assert len(set(sheets)) == 1
    consistent(made)


def test_database_constraints_refuse_invalid_states(project: Made) -> None:
    made = project(people=1)
    person = join(made, "ann")
    token = given(made, person).token
    for forbidden in (
        "INSERT INTO assignments (item, person, token, state, given, until) "
        "SELECT item, person, 'another', 'returned', given, until FROM assignments",
        "INSERT INTO assignments (item, person, token, state, given, until) "
        "SELECT item % 12 + 1, person, 'other', state, given, until FROM assignments",  # two open
        "UPDATE items SET free = -1",
        "UPDATE items SET free = wanted + 1",
        "UPDATE assignments SET state = 'answered'",  # without an answer
    ):
        with pytest.raises(IntegrityError):
            made.database.write(methodcaller("execute", forbidden))
    assert given(made, person).token == token


def test_unanswered_items_go_to_others_after_the_deadline(project: Made) -> None:
    made = project(people=1, rows=1, minutes=10)
    ann, bob = join(made, "ann"), join(made, "bob")
    sheet = given(made, ann, now=1000)
    assert next_assignment(made, bob, now=1000 + 599) == "done"
    again = given(made, bob, now=1000 + 601)
    assert again.item == sheet.item
    assert again.token != sheet.token
    consistent(made)
    # Ann is too late: one answer is wanted, and Bob has the item.
    late = submit_answer(made, ann, sheet.token, filled(made.task, sheet.item), now=1700)
    assert type(late).__name__ == "TooLate"
    assert next_assignment(made, ann, now=1700) == "done"
    kept = submit_answer(made, bob, again.token, filled(made.task, sheet.item), now=1800)
    assert type(kept).__name__ == "Accepted"
    consistent(made)


def test_a_late_answer_is_kept_if_the_item_is_not_reassigned(project: Made) -> None:
    made = project(people=2, rows=1, minutes=10)
    ann, bob = join(made, "ann"), join(made, "bob")
    sheet = given(made, ann, now=1000)
    given(made, bob, now=5000)  # who gets the other place, and Ann's goes back
    kept = submit_answer(made, ann, sheet.token, filled(made.task, sheet.item), now=5001)
    assert type(kept).__name__ == "Accepted"
    consistent(made)


def test_a_returned_sheet_may_go_to_the_same_person(project: Made) -> None:
    made = project(people=2, rows=1, minutes=10)
    ann, bob = join(made, "ann"), join(made, "bob")
    sheet = given(made, ann, now=1000)
    given(made, bob, now=5000)
    assert given(made, ann, now=5002) == sheet
    consistent(made)


def test_viewing_a_sheet_extends_its_time(project: Made) -> None:
    made = project(people=1, rows=1, minutes=10)
    ann, bob = join(made, "ann"), join(made, "bob")
    sheet = given(made, ann, now=1000)
    assert given(made, ann, now=1500) == sheet  # read again after half of the time
    assert next_assignment(made, bob, now=1000 + 900) == "done"


def test_skipped_items_go_to_others_only(project: Made) -> None:
    made = project(people=1, rows=1)
    ann, bob = join(made, "ann"), join(made, "bob")
    sheet = given(made, ann)
    assert skip(made, ann, sheet.token)
    assert not skip(made, ann, sheet.token)
    assert next_assignment(made, ann) == "done"
    consistent(made)
    assert answer(made, bob) == sheet.item


def test_items_of_revoked_people_go_to_others(project: Made) -> None:
    made = project(people=1, rows=1)
    sheet = given(made, join(made, "ann"))
    revoke(made, "ann")
    assert given(made, join(made, "bob")).item == sheet.item
    consistent(made)


def test_everybody_gets_the_share_of_gold_items(project: Made) -> None:
    made = project("solve", "choices", people=3, gold=4, gold_share=0.5)
    seen = Counter[str]()
    for name in ("ann", "bob", "eve"):
        keys = work_off(made, join(made, name))
        assert len(set(keys)) == len(keys)
        seen.update(keys)
    with made.database.read() as connection:
        gold = {key for (key,) in connection.execute("SELECT key FROM items WHERE gold")}
        (answers,) = connection.execute(
            "SELECT count(*) FROM assignments JOIN items ON items.id = item WHERE gold"
        ).fetchone()
    assert len(gold) == 4
    assert {seen[key] for key in seen if key not in gold} == {3}
    assert 3 <= answers <= 12  # of 24 work items, each with a chance of one half before it
    consistent(made)


def test_people_who_fail_to_qualify_get_no_items(project: Made) -> None:
    made = project("solve", "choices", gold=3, qualify=2, pass_mark=1.0)
    good, bad = join(made, "good"), join(made, "bad")
    for person, wrong in ((good, False), (bad, True)):
        for _ in range(2):
            sheet = given(made, person)
            assert sheet.item.expected
            right = sheet.item.expected["answer"]
            others = [choice for choice in sheet.item.shown["choices"] if choice != right]
            submit_answer(made, person, sheet.token, {"answer": others[0] if wrong else right})
    assert next_assignment(made, bad) == "failed"
    assert isinstance(next_assignment(made, good), Assignment)
    consistent(made)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"qualify": 2}, "--qualify: expected at most the 0 of --gold"),
        ({"pass_mark": 0.5}, "--pass-mark: there is no qualification"),
        ({"gold": 12}, "nothing would be left to ask about"),
        ({"gold": 99}, "the answers of 12 items are known, not of 99"),
    ],
)
def test_options_without_effect_are_refused(
    rows: Rows, tmp_path: Path, options: dict[str, Any], complaint: str
) -> None:
    folder = tmp_path / "made"
    with pytest.raises((InvalidOption, Infeasible), match=complaint):
        create(folder, ProjectOptions("solve", rows("choices"), **options))
    assert not folder.exists()


def test_items_of_deleted_people_are_offered_again(project: Made) -> None:
    made = project(people=1)
    first = work_off(made, join(made, "ann"))
    assert len(first) == 12
    assert next_assignment(made, join(made, "bob")) == "done"
    assert delete_person(made, "ann") == 12
    consistent(made)
    assert sorted(work_off(made, join(made, "bob"))) == sorted(first)
