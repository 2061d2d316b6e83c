"""Annotations as JSON lines; ignored votes are counted."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.errors import InvalidInput, InvalidOption, NotFound, RelsmithError
from relsmith.generators.relinf.annotation import Annotations, Vote, read_annotations
from relsmith.generators.relinf.label import parse_label

TASKS = ("t1", "t2", "t3")
VOTES = [
    ("t1", "ann", "yes"),
    ("t1", "bob", "no"),
    ("t2", "ann", "nonsense"),
    ("t3", "bob", "yes"),
]
Write = Callable[[str, str], str]


@pytest.fixture
def file(tmp_path: Path) -> Write:
    def write(text: str, name: str = "votes.jsonl") -> str:
        (tmp_path / name).write_bytes(text.encode("utf-8", "surrogateescape"))
        return str(tmp_path / name)

    return write  # type: ignore[return-value]


def votes(found: Annotations) -> set[tuple[str, str, str]]:
    return {tuple(vote) for cast in found.votes.values() for vote in cast}  # type: ignore[misc]


def json_lines(rows: list[tuple[str, str, str]]) -> str:
    lines = (dict(zip(("task", "worker", "label"), row, strict=True)) for row in rows)
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def test_several_files(file: Write) -> None:
    paths = [file(json_lines(VOTES[:2]), "a.jsonl"), file(json_lines(VOTES[2:]), "b.jsonl")]
    assert votes(read_annotations(paths, TASKS)) == set(VOTES)


@pytest.mark.parametrize(
    ("row", "reason", "named"),
    [
        (("t9", "ann", "yes"), "no such task", "'t9'"),
        (("t1", "ann", "no"), "twice", "ann on t1, another label"),
        (("t1", "ann", "yes"), "twice", "ann on t1, the same label"),
        (("t2", "bob", "perhaps"), "not a label", "'perhaps'"),
        (("t2", "bob", ""), "not a label", "''"),
        (("t2", "", "yes"), "no worker", "votes.jsonl:5"),
    ],
)
def test_ignored_votes_are_counted_and_reported(
    file: Write, row: tuple[str, str, str], reason: str, named: str
) -> None:
    found = read_annotations([file(json_lines([*VOTES, row]))], TASKS)  # type: ignore[call-arg]
    assert votes(found) == set(VOTES)
    (note,) = found.notes
    assert note.startswith("1 left out: ")
    assert reason in note
    assert named in note


def test_many_errors_are_counted_and_a_few_shown(file: Write) -> None:
    rows = [(f"x{n}", "ann", "yes") for n in range(1000)]
    (note,) = read_annotations([file(json_lines(rows))], TASKS).notes  # type: ignore[call-arg]
    assert note.startswith("1000 left out")
    assert len(note) < 200


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("task,worker,label\n", "not JSON"),
        ('{"task": "t1\0"}', "not JSON"),
        ("[1]", "expected an object"),
        ("[" * 100_000, "not JSON"),
        ("[{]", "not JSON"),
        ('{"task": ', "not JSON"),
        ("\udcff", "UTF-8"),
    ],
)
def test_invalid_files_are_refused(file: Write, text: str, said: str) -> None:
    with pytest.raises((InvalidInput, InvalidOption), match=said) as error:
        read_annotations([file(text)], TASKS)  # type: ignore[call-arg]
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_no_file() -> None:
    with pytest.raises(NotFound):
        read_annotations(["nowhere.jsonl"], TASKS)


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("any") / "votes"
    path.write_text(text, encoding="utf-8", errors="replace", newline="")
    try:
        read_annotations([str(path)], TASKS)
    except RelsmithError as error:
        assert "\n" not in str(error)


def test_labels_in_other_spellings() -> None:
    written = {
        "Yes": "yes",
        " NO ": "no",
        "makes no sense.": "nonsense",
        "?": "nonsense",
        "1": "yes",
    }
    assert {text: parse_label(text) for text in written} == written
    assert parse_label("yes and no") is None


def test_votes_know_their_parts() -> None:
    assert Vote("t", "w", "yes").worker == "w"
