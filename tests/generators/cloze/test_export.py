"""Exports are read back by other code, with the texts and answers of the rows."""

import re
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest

from relsmith import Dataset, Example, export, write
from relsmith.generators.cloze import Cloze

FORMS = ["anki", "gift", "moodle"]
ODD = 'Use a <b>pan</b> & {lid}: 1/2 "cup" = 50% ~ *hot* \\ pot::x }} # {{c1::pan}}, then stir.'


@pytest.fixture
def odd(jsonl, plain, tmp_path: Path) -> Path:
    path = jsonl(
        {"abstract": "Mix <i>it</i>: {now} *all*", "concrete": ODD},
        {"abstract": "Stir it.", "concrete": "Stir with a fork until smooth."},
        {"abstract": "Stir it.", "concrete": "Stir with a wire whisk until smooth."},
    )
    whitelist = plain("lid", "cup", "hot", "pot", "fork", "wire", "whisk", "wire whisk")
    generator = Cloze.configure({"input": path, "whitelist": whitelist, "order": "file"})
    write(generator, tmp_path / "odd", {"train": 3})
    return tmp_path / "odd"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Return built-in pairs, some of which accept alternatives."""
    write(Cloze(order="file"), tmp_path / "own", {"train": 200})
    accepted = [others for row in rows_of(tmp_path / "own") for others in others_of(row)]
    assert any(len(others) > 1 for others in accepted)
    return tmp_path / "own"


@pytest.fixture(params=["odd", "own"])
def made(request: pytest.FixtureRequest) -> Path:
    folder: Path = request.getfixturevalue(request.param)
    return folder


def rows_of(folder: Path) -> list[Example]:
    return list(Dataset(folder).rows())


def others_of(row: Example) -> list[list[str]]:
    others: list[list[str]] = row.metadata["alternatives"]
    return others


@pytest.mark.parametrize("form", FORMS)
def test_exports_are_deterministic(odd: Path, form: str, tmp_path: Path) -> None:
    one = export(odd, form, tmp_path / "one")
    other = export(odd, form, tmp_path / "other")
    assert [file.read_bytes() for file in one] == [file.read_bytes() for file in other]


def test_notes_for_anki(made: Path, tmp_path: Path) -> None:
    (file,) = export(made, "anki", tmp_path / "out")
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    for line, row in zip(lines, rows_of(made), strict=True):
        text, accepted, tag = line.split("\t")
        wanted = [f"{n}: {', '.join(other)}" for n, other in enumerate(others_of(row), 1) if other]
        assert accepted == "; ".join(wanted)
        assert tag == "relsmith::cloze::train"
        found = re.findall(r"\{\{c(\d+)::(.*?)(?:::(\d+) words)?\}\}", text)
        assert [unescape(answer) for _, answer, _ in found] == row.metadata["answers"]
        shown = re.sub(r"\{\{c\d+::(.*?)(?:::\d+ words)?\}\}", r"\1", text)
        assert unescape(shown.partition("<br>")[2]) == row.metadata["concrete"]


def test_gift(made: Path, tmp_path: Path) -> None:
    (file,) = export(made, "gift", tmp_path / "out")
    questions = file.read_text().strip().split("\n\n")
    rows = rows_of(made)
    assert len(questions) == sum(len(row.metadata["answers"]) for row in rows)
    bare = re.compile(r"(?<!\\)\{(.*?)(?<!\\)\}")
    for question in questions:
        assert "\n" not in question
        title, _, text = question.removeprefix("::").partition("::[plain]")
        number, row_id = int(title.rpartition("-")[2]), title.rpartition("-")[0]
        (row,) = [row for row in rows if row.id == row_id]
        (answers,) = bare.findall(text)
        right = re.split(r"(?<!\\) ?=", answers)[1:]
        known = row.metadata
        assert right == [known["answers"][number - 1], *known["alternatives"][number - 1]]
        filled = bare.sub(lambda _, right=right: right[0], text)
        for at, answer in enumerate(known["answers"], 1):
            filled = filled.replace(f"({at}) ____", answer)
        assert re.sub(r"\\(.)", r"\1", filled).endswith(known["concrete"])


def test_moodle(made: Path, tmp_path: Path) -> None:
    (file,) = export(made, "moodle", tmp_path / "out")
    questions = ElementTree.parse(file).getroot().findall("question")
    for question, row in zip(questions, rows_of(made), strict=True):
        assert question.get("type") == "cloze"
        text = question.findtext("questiontext/text") or ""
        found = re.findall(r"\{1:SHORTANSWER:=(.*?)\}", text)
        known = row.metadata
        wanted = [
            [a, *others] for a, others in zip(known["answers"], known["alternatives"], strict=True)
        ]
        assert [answers.split("~=") for answers in found] == wanted
        filled = re.sub(r"\{1:SHORTANSWER:=(.*?)(?:~=.*?)?\}", r"\1", text)
        assert unescape(re.sub("<.*?>", "", filled)).endswith(known["concrete"])


def test_multiple_choice_keeps_its_choices(tmp_path: Path) -> None:
    generator = Cloze.configure({"form": "choice", "difficulty": False, "most": 1})
    write(generator, tmp_path / "made", {"train": 5})
    moodle = export(tmp_path / "made", "moodle", tmp_path / "moodle")[0].read_text()
    gift = export(tmp_path / "made", "gift", tmp_path / "gift")[0].read_text()
    for row in Dataset(tmp_path / "made").rows():
        wrong = [choice for choice in row.choices if choice != row.target]
        assert f"{{1:MULTICHOICE_S:={row.target}~{'~'.join(wrong)}}}" in moodle
        assert f"{{={row.target} ~{' ~'.join(wrong)}}}" in gift
