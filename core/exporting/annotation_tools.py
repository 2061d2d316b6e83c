"""Export for Label Studio, without the answers."""

from pathlib import Path
from typing import Any

import orjson

from ..dataset import Dataset
from ..example import Example
from ..prompting.prompt import prompt_wording
from ..scoring.scorer import answer_key, prompting
from .exporter import Exporter


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


LABEL_STUDIO = Exporter(
    "label-studio", "Tasks and an interface for Label Studio, without the answers.", _label_studio
)
