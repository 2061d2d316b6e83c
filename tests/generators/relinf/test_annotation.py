"""Annotations as tables and JSON lines; ignored votes are counted."""

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
    def write(text: str, name: str = "votes.tsv") -> str:
        (tmp_path / name).write_bytes(text.encode("utf-8", "surrogateescape"))
        return str(tmp_path / name)

    return write  # type: ignore[return-value]


def votes(found: Annotations) -> set[tuple[str, str, str]]:
    return {tuple(vote) for cast in found.votes.values() for vote in cast}  # type: ignore[misc]


def long_table(rows: list[tuple[str, ...]], tab: str = "\t") -> str:
    return "".join(tab.join(row) + "\n" for row in [("task", "worker", "label"), *rows])


def json_lines(rows: list[tuple[str, str, str]]) -> str:
    lines = (dict(zip(("task", "worker", "label"), row, strict=True)) for row in rows)
    return "".join(f"{json.dumps(line)}\n" for line in lines)


@pytest.mark.parametrize(
    "text",
    [
        long_table(VOTES),
        long_table(VOTES, ","),
        "\ufeff" + long_table(VOTES, ","),
        json_lines(VOTES),
        "META_task,participant_id,question,response\n"
        + "".join(f"{t},{w},which?,{label}\n" for t, w, label in VOTES),
    ],
)
def test_every_kind_of_file_says_the_same(file: Write, text: str) -> None:
    found = read_annotations([file(text)], TASKS)  # type: ignore[call-arg]
    assert votes(found) == set(VOTES)
    assert found.left_out == {}
    assert found.notes == []


def test_several_files(file: Write) -> None:
    paths = [file(long_table(VOTES[:2]), "a.tsv"), file(json_lines(VOTES[2:]), "b.jsonl")]
    assert votes(read_annotations(paths, TASKS)) == set(VOTES)


@pytest.mark.parametrize(
    ("row", "reason", "named"),
    [
        (("t9", "ann", "yes"), "no such task", "'t9'"),
        (("t1", "ann", "no"), "twice", "ann on t1, another label"),
        (("t1", "ann", "yes"), "twice", "ann on t1, the same label"),
        (("t2", "bob", "perhaps"), "not a label", "'perhaps'"),
        (("t2", "bob", ""), "not a label", "''"),
        (("t2", "", "yes"), "no worker", "votes.tsv:6"),
    ],
)
@pytest.mark.parametrize("write", [long_table, json_lines])
def test_ignored_votes_are_counted_and_reported(
    file: Write, write: Callable[..., str], row: tuple[str, str, str], reason: str, named: str
) -> None:
    found = read_annotations([file(write([*VOTES, row]))], TASKS)  # type: ignore[call-arg]
    assert votes(found) == set(VOTES)
    (note,) = found.notes
    assert note.startswith("1 left out: ")
    assert reason in note
    if write is long_table:
        assert named in note


def test_many_errors_are_counted_and_a_few_shown(file: Write) -> None:
    rows = [(f"x{n}", "ann", "yes") for n in range(1000)]
    (note,) = read_annotations([file(long_table(rows))], TASKS).notes  # type: ignore[call-arg]
    assert note.startswith("1000 left out")
    assert len(note) < 200


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\tb\tc\n", "expected columns task, worker and label"),
        ("", "expected columns"),
        ("task,worker,label\nt1,ann,\0yes\n", "NUL"),
        (
            'task,worker,label\nt1,ann,"' + "x" * 10_000_000,
            "opened and never closed; fix the quotes",
        ),
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


def test_a_line_that_is_too_short_is_named(file: Write) -> None:
    found = read_annotations([file("task,worker,label\nt1,ann\nt1,bob,no\n")], TASKS)  # type: ignore[call-arg]
    assert votes(found) == {("t1", "bob", "no")}
    assert "votes.tsv:2" in found.notes[0]


def test_no_file() -> None:
    with pytest.raises(NotFound):
        read_annotations(["nowhere.csv"], TASKS)


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
