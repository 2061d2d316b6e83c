"""Exporters of cloze rows for people: web pages, flash cards and quizzes."""

import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
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


_PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cloze: {split}</title>
<style>
body {{ font: 17px/1.6 Georgia, serif; max-width: 46em; margin: 2em auto; padding: 0 1em;
  color: #222; background: #fafaf7; }}
h1 {{ font-size: 1.3em; }}
label {{ font: 14px sans-serif; }}
article {{ background: #fff; border: 1px solid #ddd; border-radius: 6px; padding: .8em 1.2em;
  margin: 1em 0; break-inside: avoid; }}
h2 {{ font-size: 1.05em; margin: 0; }}
article > small {{ color: #888; font: 12px monospace; }}
mark {{ background: #ffe9a8; border-radius: 3px; padding: 0 .25em; }}
mark sub {{ color: #96690a; font: 11px sans-serif; margin-right: .2em; }}
ol {{ font: 14px/1.5 sans-serif; color: #444; margin: .4em 0 0; }}
ol i {{ color: #888; }}
#hide:checked ~ article mark span {{ visibility: hidden; }}
#hide:checked ~ article mark {{ border-bottom: 2px solid #96690a; background: #f3f0e6; }}
#hide:checked ~ article ol {{ display: none; }}
@media print {{ #hide, label {{ display: none; }} body {{ background: #fff; }} }}
</style>
<h1>What does the concrete text add? <small>({split})</small></h1>
<input type="checkbox" id="hide"> <label for="hide">hide the answers</label>
"""


def _write_html(rows: Iterable[Example], file: IO[str], split: str) -> None:
    file.write(_PAGE.format(split=_html(split)))
    for row in rows:
        text = _rendered(row, _html, _marked)
        file.write(f"<article><small>{_html(row.id)}</small>\n")
        file.write(f"<h2>{_html(row.metadata['abstract'].strip())}</h2>\n<p>{text}</p>\n<ol>\n")
        file.writelines(f"<li>{_key(row, blank)}</li>\n" for blank in _blanks(row))
        file.write("</ol></article>\n")
    file.write("</html>\n")


def _marked(blank: ClozeBlank) -> str:
    return f"<mark><sub>{blank.number}</sub><span>{_html(blank.answer)}</span></mark>"


def _key(row: Example, blank: ClozeBlank) -> str:
    """Return a line of the answer key."""
    line = f"<b>{_html(blank.answer)}</b>"
    if blank.alternatives:
        line += f", or: {_html(', '.join(blank.alternatives))}"
    if blank.wrong:
        line += f", not: {_html(', '.join(blank.wrong))}"
    difficulty = row.metadata["difficulty"]
    if difficulty:
        bits = difficulty["alone"][blank.number - 1]
        line += f" <i>{bits:.1f} bits</i>"
    return line


HTML = Exporter(
    "cloze-html",
    "A page for each split, with answers highlighted or hidden, and an answer key.",
    _files("html", _write_html),
    ("cloze",),
)


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

_LIBRARIES = {"H5P.Blanks": (1, 14), "H5P.Question": (1, 5), "FontAwesome": (4, 5)}


def _write_h5p(dataset: Dataset, out: Path) -> list[Path]:
    out.mkdir()
    files = []
    for split in dataset.manifest.splits:
        files.append(out / f"{split}.h5p")
        with zipfile.ZipFile(files[-1], "w", zipfile.ZIP_DEFLATED) as packed:
            with _member(packed, "h5p.json") as file:
                file.write(json.dumps(_h5p_head(split)).encode())
            with _member(packed, "content/content.json") as file:
                head = json.dumps({"text": "<p>Which words are missing?</p>", **_H5P_BEHAVIOUR})
                file.write(f'{head[:-1]}, "questions": ['.encode())
                for number, row in enumerate(dataset.rows(split)):
                    text = _rendered(row, _h5p_text, _h5p_blank)
                    page = (
                        f"<p><b>{_h5p_text(row.metadata['abstract'].strip())}</b></p><p>{text}</p>"
                    )
                    file.write((", " * (number > 0) + json.dumps(page)).encode())
                file.write(b"]}")
    return files


@contextmanager
def _member(packed: zipfile.ZipFile, name: str) -> Iterator[IO[bytes]]:
    """Open a file in an archive, without a date."""
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    with packed.open(info, "w") as file:
        yield file


def _h5p_head(split: str) -> dict[str, Any]:
    libraries = [
        {"machineName": name, "majorVersion": major, "minorVersion": minor}
        for name, (major, minor) in _LIBRARIES.items()
    ]
    return {
        "title": f"Cloze: {split}",
        "language": "en",
        "mainLibrary": "H5P.Blanks",
        "embedTypes": ["iframe"],
        "license": "U",
        "preloadedDependencies": libraries,
    }


_H5P_BEHAVIOUR = {
    "behaviour": {
        "enableRetry": True,
        "enableSolutionsButton": True,
        "caseSensitive": False,
        "autoCheck": False,
        "acceptSpellingErrors": False,
    }
}


def _h5p_text(text: str) -> str:
    return re.sub("[*/:]", lambda sign: f"&#{ord(sign[0])};", _html(text).replace("<br>", " "))


def _h5p_blank(blank: ClozeBlank) -> str:
    right = "/".join(_h5p_text(answer) for answer in (blank.answer, *blank.alternatives))
    tip = f":{blank.words} words" if blank.words > 1 else ""
    return f"*{right}{tip}*"


H5P = Exporter(
    "h5p",
    "H5P's fill in the blanks: a package for each split, for sites that have the content type.",
    _write_h5p,
    ("cloze",),
)
