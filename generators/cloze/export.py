"""Exporters of cloze rows for people: flash cards and quizzes."""

import re
from collections.abc import Callable, Iterable, Iterator
from html import escape
from pathlib import Path
from typing import IO, Any, NamedTuple

from ...dataset import Dataset
from ...example import Example
from ...exporting.exporter import Exporter


class ClozeBlank(NamedTuple):
    """A blank of a row: its number, the answer, alternatives, wrong choices, number of words."""

    number: int
    answer: str
    alternatives: list[str]
    wrong: list[str]
    words: int


def _parts(row: Example) -> Iterator[str | ClozeBlank]:
    """Yield the concrete text in parts: texts and blanks."""
    metadata, position = row.metadata, 0
    wrong = [choice for choice in row.choices if choice != row.target]
    for number, (start, end) in enumerate(metadata["spans"], 1):
        yield metadata["concrete"][position:start]
        first, last = metadata["blanks"][number - 1]
        answer = metadata["answers"][number - 1]
        yield ClozeBlank(number, answer, metadata["alternatives"][number - 1], wrong, last - first)
        position = end
    yield metadata["concrete"][position:]


def _rendered(row: Example, plain: Callable[[str], str], blank: Callable[[ClozeBlank], str]) -> str:
    """Return the concrete text, with texts and blanks rendered by these functions."""
    return "".join(
        blank(part) if isinstance(part, ClozeBlank) else plain(part) for part in _parts(row)
    )


def _blanks(row: Example) -> list[ClozeBlank]:
    return [part for part in _parts(row) if isinstance(part, ClozeBlank)]


def _files(ending: str, write: Callable[[Iterable[Example], IO[str], str], None]) -> Any:
    """Return an exporter function that writes a text file for each split."""

    def write_all(dataset: Dataset, out: Path) -> list[Path]:
        out.mkdir()
        files = []
        for split in dataset.manifest.splits:
            files.append(out / f"{split}.{ending}")
            with files[-1].open("w", encoding="utf-8", newline="\n") as file:
                write(dataset.rows(split), file, split)
        return files

    return write_all


def _html(text: str) -> str:
    return escape(text).replace("\n", "<br>").replace("\t", " ").replace("\r", "")


def _anki_text(text: str) -> str:
    return re.sub("[{}:]", lambda sign: f"&#{ord(sign[0])};", _html(text))


def _write_anki(rows: Iterable[Example], file: IO[str], split: str) -> None:
    file.write("#separator:tab\n#html:true\n#notetype:Cloze\n#tags column:3\n")
    for row in rows:
        text = _rendered(row, _anki_text, _anki_blank)
        abstract = _anki_text(row.metadata["abstract"].strip())
        alternatives = "; ".join(
            f"{blank.number}: {_anki_text(', '.join(blank.alternatives))}"
            for blank in _blanks(row)
            if blank.alternatives
        )
        file.write(f"<b>{abstract}</b><br>{text}\t{alternatives}\trelsmith::cloze::{split}\n")


def _anki_blank(blank: ClozeBlank) -> str:
    hint = f"::{blank.words} words" if blank.words > 1 else ""
    return f"{{{{c{blank.number}::{_anki_text(blank.answer)}{hint}}}}}"


ANKI = Exporter(
    "anki",
    "Cloze notes for Anki: import the text file of a split.",
    _files("txt", _write_anki),
    ("cloze",),
)


def _gift_text(text: str) -> str:
    return re.sub(r"([\\~=#{}:])", r"\\\1", re.sub(r"\s+", " ", text))


def _write_gift(rows: Iterable[Example], file: IO[str], split: str) -> None:
    for row in rows:
        abstract = _gift_text(row.metadata["abstract"].strip())
        for asked in _blanks(row):

            def shown(blank: ClozeBlank, asked: ClozeBlank = asked) -> str:
                return _gift_answers(blank) if blank == asked else f"({blank.number}) ____"

            text = _rendered(row, _gift_text, shown)
            title = f"{_gift_text(row.id)}-{asked.number}"
            file.write(f"::{title}::[plain]{abstract} {text.strip()}\n\n")


def _gift_answers(blank: ClozeBlank) -> str:
    right = [blank.answer] if blank.wrong else [blank.answer, *blank.alternatives]
    parts = [f"={_gift_text(answer)}" for answer in right]
    return "{" + " ".join([*parts, *(f"~{_gift_text(answer)}" for answer in blank.wrong)]) + "}"


GIFT = Exporter(
    "gift",
    "Moodle's GIFT: one question for each blank.",
    _files("gift.txt", _write_gift),
    ("cloze",),
)


def _write_moodle(rows: Iterable[Example], file: IO[str], split: str) -> None:
    file.write('<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n')
    for row in rows:
        text = _rendered(row, _moodle_text, _moodle_blank)
        page = f"<p><b>{_moodle_text(row.metadata['abstract'].strip())}</b></p><p>{text}</p>"
        file.write(f'<question type="cloze"><name><text>{escape(row.id)}</text></name>')
        file.write(f'<questiontext format="html"><text>{escape(_xml(page))}</text>')
        file.write("</questiontext></question>\n")
    file.write("</quiz>\n")


def _xml(text: str) -> str:
    """Return the text without the characters that XML does not allow."""
    return re.sub("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", " ", text)


def _moodle_text(text: str) -> str:
    return _html(text).replace("{", "&#123;").replace("}", "&#125;")


def _moodle_blank(blank: ClozeBlank) -> str:
    def escaped(text: str) -> str:
        return re.sub(r'([}#~/"\\])', r"\\\1", _html(text))

    if blank.wrong:
        wrong = "".join(f"~{escaped(answer)}" for answer in blank.wrong)
        return f"{{1:MULTICHOICE_S:={escaped(blank.answer)}{wrong}}}"
    right = "~".join(f"={escaped(answer)}" for answer in (blank.answer, *blank.alternatives))
    return f"{{1:SHORTANSWER:{right}}}"


MOODLE = Exporter(
    "moodle",
    "Moodle XML: a question with embedded answers (Cloze) for each row.",
    _files("xml", _write_moodle),
    ("cloze",),
)
