"""Questionnaires: one question with some masked sentences, for paper, programs and platforms.

The sentences are shuffled, which separates those of one relation and those that make no sense.
"""

import csv
import html
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from ...example import Example
from ...seed import Stream
from .label import CONVENTIONS, EXAMPLE, EXAMPLE_SENTENCES, INSTRUCTIONS, LABELS
from .question_splits import MAX_SENTENCES

Form = Literal["jsonl", "html", "label-studio", "mturk", "prolific"]


@dataclass(frozen=True)
class QuestionnaireItem:
    """A masked sentence with its task id."""

    task: str
    sentence: str


@dataclass(frozen=True)
class Questionnaire:
    """A question with sentences to label."""

    name: str
    question: str
    items: tuple[QuestionnaireItem, ...]


def questionnaires(rows: Iterable[Example], most: int = MAX_SENTENCES) -> list[Questionnaire]:
    """Return questionnaires of nearly equal length for all candidates, each sentence once."""
    by_question: dict[tuple[int, str], dict[str, QuestionnaireItem]] = {}
    for row in rows:
        question, sentence = row.input.split("\n")
        item = QuestionnaireItem(row.metadata["task"], sentence)
        asked = by_question.setdefault((row.metadata["question"]["number"], question), {})
        asked.setdefault(item.task, item)
    made: list[Questionnaire] = []
    for (_, question), asked in by_question.items():
        items = list(asked.values())
        Stream("relinf", "questionnaire", question).shuffle(items)
        parts = -(-len(items) // most)
        for part in range(parts):
            chosen = items[len(items) * part // parts : len(items) * (part + 1) // parts]
            made.append(Questionnaire(f"q{len(made) + 1:05}", question, tuple(chosen)))
    return made


def as_jsonl(made: Sequence[Questionnaire], annotators: int) -> str:
    """Return one line of JSON per questionnaire."""
    return "".join(
        json.dumps(
            {
                "questionnaire": one.name,
                "annotators": annotators,
                "question": one.question,
                "labels": LABELS,
                "items": [{"task": item.task, "sentence": item.sentence} for item in one.items],
            },
            ensure_ascii=False,
        )
        + "\n"
        for one in made
    )


def as_label_studio(made: Sequence[Questionnaire], annotators: int) -> str:
    """Return tasks for Label Studio; `label-studio.xml` is their labelling interface."""
    tasks = [
        {
            "data": {
                "task": item.task,
                "questionnaire": one.name,
                "question": one.question,
                "sentence": item.sentence,
            },
            "meta": {"annotators": annotators},
        }
        for one in made
        for item in one.items
    ]
    return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"


def as_mturk(made: Sequence[Questionnaire], annotators: int) -> str:
    """Return one CSV row per questionnaire; `mturk.html` is the layout for its columns."""
    width = max((len(one.items) for one in made), default=0)
    numbers = range(1, width + 1)
    header = ["questionnaire", "question", "assignments"]
    header += [name for n in numbers for name in (f"task_{n}", f"sentence_{n}")]
    rows = []
    for one in made:
        cells = [_escape(cell) for item in one.items for cell in (item.task, item.sentence)]
        cells += [""] * (2 * width - len(cells))
        rows.append([one.name, _escape(one.question), str(annotators), *cells])
    return _csv([header, *rows])


def _escape(text: str) -> str:
    """Escape text for a layout that reads cells as HTML and ${...} as variables."""
    return html.escape(text).replace("$", "&#36;")


def as_prolific(made: Sequence[Questionnaire], annotators: int) -> str:
    """Return one CSV row per sentence; participants do not see columns named META_."""
    header = ["META_task", "META_questionnaire", "META_annotators"]
    header += ["instructions", "question", "sentence"]
    rows = [
        [item.task, one.name, str(annotators), instructions(), one.question, item.sentence]
        for one in made
        for item in one.items
    ]
    return _csv([header, *rows])


def as_html(made: Sequence[Questionnaire], annotators: int) -> str:
    """Return a page to print: one sheet per questionnaire, with boxes to tick."""
    sheets = "\n".join(_sheet(one, annotators) for one in made)
    return _page("sheets.html").replace("<!-- sheets -->", sheets)


def _sheet(one: Questionnaire, annotators: int) -> str:
    boxes = "".join(f'<td class="box" title="{label}">&#9744;</td>' for label in LABELS)
    rows = "\n".join(
        f"<tr><td class='n'>{n}</td><td>{_sentence(item)}</td>{boxes}"
        f"<td class='task'>{html.escape(item.task)}</td></tr>"
        for n, item in enumerate(one.items, 1)
    )
    return f"""<section>
<header><span>Questionnaire {html.escape(one.name)}</span>
<span>{annotators} annotators, each on a copy of their own</span>
<span>Annotator: <i class="line"></i></span></header>
<h1>{html.escape(one.question)}</h1>
<p class="note">Tick one box a sentence: if it is true, does it answer the question? Go by the
words alone.</p>
<table><thead><tr><th></th><th>Sentence</th><th>answers</th><th>does not</th>
<th>no sense</th><th>task</th></tr></thead><tbody>
{rows}
</tbody></table></section>"""


def _sentence(item: QuestionnaireItem) -> str:
    before, left, rest = html.escape(item.sentence).partition("[")
    mask, right, after = rest.partition("]")
    return f"{before}<b>{left}{mask}{right}</b>{after}"


def mturk_layout(width: int) -> str:
    """Return the page of a HIT, with fields `label_1`, `label_2` ... for the sentences."""
    items = "\n".join(
        f'<fieldset data-task="${{task_{n}}}"><p>${{sentence_{n}}}</p>'
        + "".join(
            f'<label><input type="radio" name="label_{n}" value="{label}"> {meaning}</label>'
            for label, meaning in LABELS.items()
        )
        + "</fieldset>"
        for n in range(1, width + 1)
    )
    return _page("mturk.html").replace("<!-- items -->", items)


def label_studio_interface() -> str:
    """Return the labelling interface of Label Studio."""
    text = html.escape(instructions().replace("\n", " "))
    return _resource("label-studio.xml").replace("{instructions}", text)


def instructions() -> str:
    """Return what annotators are told, as lines of plain text."""
    example = [f"An example: {EXAMPLE}", *(" ".join(pair) for pair in EXAMPLE_SENTENCES)]
    return "\n".join([INSTRUCTIONS, *example, *CONVENTIONS])


def _page(name: str) -> str:
    """Return a form in HTML with the instructions in it."""
    listed = "".join(
        f"<li><b>{html.escape(sentence)}</b> {html.escape(why)}</li>\n"
        for sentence, why in EXAMPLE_SENTENCES
    )
    rules = "".join(f"<li>{html.escape(rule)}</li>\n" for rule in CONVENTIONS)
    told = (
        f"<p>{html.escape(INSTRUCTIONS)}</p>\n<p>An example: <b>{html.escape(EXAMPLE)}</b></p>\n"
        f"<ul>\n{listed}</ul>\n<p>Doubtful cases:</p>\n<ul>\n{rules}</ul>"
    )
    return _resource(name).replace("<!-- instructions -->", told)


@cache
def _resource(name: str) -> str:
    return (files(__package__) / "forms" / name).read_text(encoding="utf-8")


def _csv(rows: list[list[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(
        [[_quote_formula(cell) for cell in row] for row in rows]
    )
    return out.getvalue()


def _quote_formula(text: str) -> str:
    """Quote text that a spreadsheet would take for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


Writer = Callable[[Sequence[Questionnaire], int], str]

WRITERS: dict[Form, dict[str, Writer]] = {
    "jsonl": {"questionnaires.jsonl": as_jsonl},
    "html": {"questionnaires.html": as_html},
    "label-studio": {
        "label-studio.json": as_label_studio,
        "label-studio.xml": lambda made, annotators: label_studio_interface(),
    },
    "mturk": {
        "mturk.csv": as_mturk,
        "mturk.html": lambda made, annotators: mturk_layout(
            max((len(one.items) for one in made), default=0)
        ),
    },
    "prolific": {"prolific.csv": as_prolific},
}
"""The files of each format, with their writers."""
