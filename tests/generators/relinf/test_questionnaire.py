"""Questionnaires have every sentence once, in chunks, and escape texts."""

import csv
import html
import io
import json
import math
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest

from relsmith import Example
from relsmith.generators.relinf.annotation import read_annotations
from relsmith.generators.relinf.label import LABELS
from relsmith.generators.relinf.questionnaire import (
    WRITERS,
    Questionnaire,
    QuestionnaireItem,
    as_html,
    as_jsonl,
    as_label_studio,
    as_mturk,
    as_prolific,
    mturk_layout,
    questionnaires,
)


def test_every_sentence_once_in_chunks_of_one_question(rows: list[Example]) -> None:
    made = questionnaires(rows, most=10)
    items = [item for one in made for item in one.items]
    assert len({item.task for item in items}) == len(items)
    assert {item.task for item in items} == {row.metadata["task"] for row in rows}
    texts = {row.metadata["task"]: row.input for row in rows}
    by_question: dict[str, list[int]] = {}
    for one in made:
        assert all(texts[item.task] == f"{one.question}\n{item.sentence}" for item in one.items)
        by_question.setdefault(one.question, []).append(len(one.items))
    for sizes in by_question.values():
        assert max(sizes) <= 10
        assert max(sizes) - min(sizes) <= 1
        assert len(sizes) == math.ceil(sum(sizes) / 10)
    assert len({one.name for one in made}) == len(made)


def test_no_answer_is_shown(rows: list[Example]) -> None:
    for row in rows:
        known = row.metadata
        mask, other = (
            f"[{known['question']['type'].upper()}]",
            known["triple"][2 - known["answer_at"]],
        )
        shown = row.input.split("\n")[1]
        ends = (mask, f"{other}.") if known["answer_at"] == 0 else (other, f"{mask}.")
        assert shown.lower().startswith(ends[0].lower())
        assert shown.endswith(ends[1])


def test_sentences_are_shuffled(rows: list[Example]) -> None:
    """Check the shuffling: retrieval yields sentences of one argument and relation in a row."""
    retrieved = list(dict.fromkeys(row.metadata["task"] for row in rows))
    asked = [item.task for one in questionnaires(rows) for item in one.items]
    assert sorted(asked) == sorted(retrieved)
    assert sum(a == b for a, b in zip(asked, retrieved, strict=True)) < len(asked) / 10
    assert questionnaires(rows) == questionnaires(rows)


def test_forms_show_a_worked_example() -> None:
    for form in (
        as_html([], 5),
        mturk_layout(1),
        WRITERS["label-studio"]["label-studio.xml"]([], 5),
    ):
        for words in ("Which animal guards", "protects houses", "lives in houses", "spelled over"):
            assert words in form


HOSTILE = [
    Questionnaire(
        "q00001",
        "Which <script>alert(1)</script> & 'drug' treats \"pain\"?",
        (QuestionnaireItem("0123456789ab", '=1+1 <img src=x onerror=alert(1)> [DRUG], "quoted".'),),
    )
]


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)


def test_the_page_escapes_what_it_shows() -> None:
    page = Tags()
    page.feed(as_html(HOSTILE, 5))
    assert "script" not in page.seen
    assert "img" not in page.seen
    assert page.seen.count("section") == 1


def test_the_page_has_a_row_of_boxes_for_each_sentence(rows: list[Example]) -> None:
    made = questionnaires(rows)
    text = as_html(made, 5)
    assert text.count('class="box"') == 3 * sum(len(one.items) for one in made)
    assert text.count("<section>") == len(made)


def test_json_lines() -> None:
    (line,) = as_jsonl(HOSTILE, 7).splitlines()
    found = json.loads(line)
    assert found["annotators"] == 7
    assert found["question"] == HOSTILE[0].question
    assert found["items"] == [{"task": "0123456789ab", "sentence": HOSTILE[0].items[0].sentence}]
    assert list(found["labels"]) == ["yes", "no", "nonsense"]


def test_label_studio_tasks_fit_the_interface(rows: list[Example]) -> None:
    tasks = json.loads(as_label_studio(questionnaires(rows), 5))
    interface = ET.fromstring(WRITERS["label-studio"]["label-studio.xml"]([], 5))
    wanted = {
        value[1:] for tag in interface.iter() if (value := tag.get("value", "")).startswith("$")
    }
    assert all(wanted <= set(task["data"]) for task in tasks)
    assert [choice.get("value") for choice in interface.iter("Choice")] == list(LABELS)


def test_mturk_columns_fit_the_layout(rows: list[Example]) -> None:
    made = questionnaires(rows)
    table = list(csv.DictReader(io.StringIO(as_mturk(made, 5))))
    assert len(table) == len(made)
    width = max(len(one.items) for one in made)
    used = set(re.findall(r"\$\{(\w+)\}", mturk_layout(width)))
    assert used <= set(table[0])
    assert f"label_{width}" in mturk_layout(width)


@pytest.mark.parametrize("writer", [as_mturk, as_prolific])
def test_no_cell_is_a_formula(writer: object) -> None:
    for row in csv.reader(io.StringIO(writer(HOSTILE, 5))):  # type: ignore[operator]
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)


def test_answered_forms_can_be_read(rows: list[Example], tmp_path_factory: object) -> None:
    """Fill in every form as its platform would, and read it."""
    folder = tmp_path_factory.mktemp("back")  # type: ignore[attr-defined]
    made = questionnaires(rows)
    tasks = {row.metadata["task"] for row in rows}
    studio = json.loads(as_label_studio(made, 5))
    for task in studio:
        result = [{"type": "choices", "value": {"choices": ["no"]}}]
        task["annotations"] = [{"completed_by": 3, "result": result}]
    (folder / "studio.json").write_text(json.dumps(studio))
    with (folder / "mturk.csv").open("w", newline="") as file:
        sent = list(csv.reader(io.StringIO(as_mturk(made, 5))))
        answers = [f"Answer.{name.replace('task', 'label')}" for name in sent[0] if "task_" in name]
        writer = csv.writer(file)
        writer.writerow(["WorkerId", *(f"Input.{name}" for name in sent[0]), *answers])
        for row in sent[1:]:
            writer.writerow(["W", *row, *["yes"] * len(answers)])
    with (folder / "prolific.csv").open("w", newline="") as file:
        sent = list(csv.reader(io.StringIO(as_prolific(made, 5))))
        writer = csv.writer(file)
        writer.writerow([*sent[0], "participant_id", "response"])
        writer.writerows([*row, "P", "nonsense"] for row in sent[1:])
    paths = [str(folder / name) for name in ("studio.json", "mturk.csv", "prolific.csv")]
    found = read_annotations(paths, tasks)
    assert found.notes == []
    assert set(found.votes) == tasks
    for cast in found.votes.values():
        assert {(v.worker, v.label) for v in cast} == {("3", "no"), ("W", "yes"), ("P", "nonsense")}


def test_every_form_is_written(rows: list[Example]) -> None:
    made = questionnaires(rows[:50])
    for writers in WRITERS.values():
        for write in writers.values():
            assert write(made, 5)


def test_the_layout_of_a_hit_escapes_text(tmp_path: Path) -> None:
    """Check escaping: MTurk inserts cells unescaped, and evaluates ${...} in the page."""
    hostile = "<script>alert('x')</script> & \"${task_2}\""
    made = [
        Questionnaire(
            "q1", hostile, (QuestionnaireItem("a&b<c", hostile), QuestionnaireItem("t2", "[X] is."))
        )
    ]
    (row,) = csv.DictReader(io.StringIO(as_mturk(made, 5)))
    page = mturk_layout(2)
    for name, cell in row.items():
        page = page.replace(f"${{{name}}}", cell)
    assert "<script>alert" not in page
    assert "${" not in page
    assert html.unescape(row["question"]) == html.unescape(row["sentence_1"]) == hostile
    table = tmp_path / "results.csv"
    with table.open("w", newline="") as file:
        csv.writer(file).writerows(
            [["WorkerId", "Input.task_1", "Answer.label_1"], ["W", row["task_1"], "yes"]]
        )
    assert set(read_annotations([str(table)], {"a&b<c"}).votes) == {"a&b<c"}
