"""Links are random, hashed, expiring and revocable; deleted people leave no data."""

import time
from operator import methodcaller

import pytest

from relsmith.access import csrf_token, hash_token
from relsmith.errors import InvalidOption, NotFound
from relsmith.web.annotate.access import delete_person, find_person, invite, revoke
from relsmith.web.annotate.answering import submit_answer
from relsmith.web.annotate.assignment import EXPIRED, GOLD, WORK
from relsmith.web.annotate.project import Project

from .conftest import Made, given, join
from .test_assignment import consistent


def everything(project: Project) -> str:
    """Return the contents of the database as text."""
    with project.database.read() as connection:
        return repr(
            [
                tuple(row)
                for table in ("facts", "people", "items", "assignments")
                for row in connection.execute(f"SELECT * FROM {table}")
            ]
        )


def test_tokens_are_not_stored_in_the_database(project: Made) -> None:
    made = project()
    token = invite(made, "ann")
    assert len(token) >= 43  # 256 bits
    assert token not in everything(made)
    assert hash_token(token) in everything(made)
    assert find_person(made, hash_token(token), owner=False) is None, "a hash opens nothing"


def test_a_link_is_valid_until_it_expires(project: Made) -> None:
    made = project()
    token = invite(made, "ann", days=1)
    assert find_person(made, token, owner=False)
    made.database.write(
        methodcaller("execute", "UPDATE people SET expires = ?", (time.time() - 1,))
    )
    assert find_person(made, token, owner=False) is None


def test_a_link_is_valid_until_revoked_or_renewed(project: Made) -> None:
    made = project()
    first = invite(made, "ann")
    second = invite(made, "ann")
    assert find_person(made, first, owner=False) is None
    assert find_person(made, second, owner=False)
    revoke(made, "ann")
    assert find_person(made, second, owner=False) is None


def test_links_of_owner_and_annotator_are_not_interchangeable(project: Made) -> None:
    made = project()
    owner, ann = invite(made, "", owner=True), invite(made, "ann")
    assert find_person(made, owner, owner=False) is None
    assert find_person(made, ann, owner=True) is None
    assert find_person(made, owner, owner=True)
    for change in (revoke, delete_person):
        with pytest.raises(NotFound, match=r"no annotator is called 'owner'; .*there are: ann"):
            change(made, "owner")


def test_invalid_names_are_refused(project: Made) -> None:
    made = project()
    for name in (
        "",
        " ",
        "a\nb\x00",
        "../../etc",
        "<b>",
        "a" * 65,
        "owner",
        "'; DROP TABLE people",
    ):
        with pytest.raises(InvalidOption):
            invite(made, name)


def test_csrf_tokens_differ_by_person() -> None:
    assert csrf_token("one") != csrf_token("other")
    assert "one" not in csrf_token("one")


SECRET = "Zanzibarbara"


def test_deleted_people_leave_no_data_in_the_files(project: Made) -> None:
    made = project("solve", "cloze")
    ann = join(made, "ann")
    submit_answer(made, ann, given(made, ann).token, {"answer": SECRET})
    assert SECRET in everything(made)
    assert delete_person(made, "ann") == 1
    for trace in (SECRET, "'ann'"):
        assert trace not in everything(made)
    consistent(made)
    for file in made.folder.rglob("*"):
        assert SECRET.encode() not in file.read_bytes(), file
    assert find_person(made, invite(made, "bob"), owner=False)


def test_the_next_item_is_found_by_an_index(project: Made) -> None:
    made = project(people=1)
    values = {"person": 1, "now": 1.0, "most": 1}
    with made.database.read() as connection:
        for query, index in ((WORK, "items_next"), (GOLD, "items_gold"), (EXPIRED, "until")):
            plan = connection.execute(f"EXPLAIN QUERY PLAN {query}", values).fetchall()
            assert any(index in step["detail"] for step in plan), query


def test_settings_and_database_are_readable_by_the_owner_only(project: Made) -> None:
    made = project()
    join(made, "ann")  # written to the log next to the database
    found = [path for path in made.folder.iterdir() if path.name != "consent.txt"]
    assert len(found) >= 3
    assert [path.name for path in found if path.stat().st_mode & 0o077] == []
