"""Exports for annotation tools, without the answers."""

from pathlib import Path
from typing import Any

import orjson

from ..dataset import Dataset
from ..example import Example
from ..prompting.prompt import prompt_wording
from ..scoring.scorer import answer_key, prompting
from .exporter import Exporter

_GUIDE = "What is asked, and how to answer"


def _instruction(row: Example) -> str:
    """Return the instruction for an annotator."""
    return " ".join(
        part for part in (prompt_wording(row).task, prompting(row).preface(row)) if part
    )


def _has_choices(dataset: Dataset) -> bool:
    """Return whether every row has choices."""
    return all(answer_key(row).choices for row in dataset.rows())


def _label_studio(dataset: Dataset, out: Path) -> list[Path]:
    closed = _has_choices(dataset)
    out.mkdir()
    written = []
    for split in dataset.manifest.splits:
        written.append(out / f"{split}.json")
        tasks = [_task(row, closed) for row in dataset.rows(split)]
        written[-1].write_bytes(orjson.dumps(tasks, option=orjson.OPT_INDENT_2))
    control = (
        '<Choices name="answer" toName="text" choice="single" required="true" value="$options"/>'
        if closed
        else '<TextArea name="answer" toName="text" rows="1" maxSubmissions="1" required="true"/>'
    )
    interface = out / "interface.xml"
    interface.write_text(
        f'<View>\n  <Header value="$asked"/>\n  <Text name="text" value="$text"/>\n'
        f"  {control}\n</View>\n",
        "utf-8",
    )
    return [interface, *written]


def _task(row: Example, closed: bool) -> dict[str, Any]:
    data: dict[str, Any] = {"id": row.id, "asked": _instruction(row), "text": row.input}
    if closed:
        data["options"] = [{"value": choice} for choice in answer_key(row).choices]
    return {"data": data}


def _argilla(dataset: Dataset, out: Path) -> list[Path]:
    closed = _has_choices(dataset)
    choices = list(dict.fromkeys(c for row in dataset.rows() for c in answer_key(row).choices))
    if closed and any(set(answer_key(row).choices) != set(choices) for row in dataset.rows()):
        closed = False  # Argilla needs the same labels for all records
    home = out / ".argilla"
    home.mkdir(parents=True)
    question: dict[str, Any] = {"type": "text", "use_markdown": False}
    if closed:
        options = [{"value": choice, "text": choice, "description": None} for choice in choices]
        question = {"type": "label_selection", "options": options, "visible_options": None}
    settings = {
        "guidelines": _GUIDE,
        "fields": [_field("asked"), _field("text"), *([] if closed else [_field("options")])],
        "questions": [
            {"name": "answer", "title": "Answer", "required": True, "settings": question}
        ],
        "vectors": [],
        "metadata": [],
        "allow_extra_metadata": True,
        "distribution": {"strategy": "overlap", "min_submitted": 1},
        "mapping": None,
    }
    about, shape, records = home / "dataset.json", home / "settings.json", out / "records.json"
    about.write_bytes(orjson.dumps({"name": dataset.folder.resolve().name, "status": "draft"}))
    shape.write_bytes(orjson.dumps(settings, option=orjson.OPT_INDENT_2))
    with records.open("wb") as file:
        made = [
            _record(row, split, closed)
            for split in dataset.manifest.splits
            for row in dataset.rows(split)
        ]
        file.write(orjson.dumps(made, option=orjson.OPT_INDENT_2))
    return [about, shape, records]


def _field(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "title": name.capitalize(),
        "required": name != "options",
        "settings": {"type": "text", "use_markdown": False},
    }


def _record(row: Example, split: str, closed: bool) -> dict[str, Any]:
    fields = {"asked": _instruction(row), "text": row.input}
    choices = answer_key(row).choices
    if choices and not closed:
        fields["options"] = "; ".join(choices)
    return {
        "id": row.id,
        "fields": fields,
        "metadata": {"split": split},
        "suggestions": {},
        "responses": {},
        "vectors": {},
    }


LABEL_STUDIO = Exporter(
    "label-studio", "Tasks and an interface for Label Studio, without the answers.", _label_studio
)
ARGILLA = Exporter(
    "argilla", "A folder for Argilla's Dataset.from_disk, without answers.", _argilla
)
