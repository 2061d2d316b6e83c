"""The pages of `gen view`: rows as a table and one by one, statistics, two datasets together."""

import random
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

import orjson
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ...errors import RelsmithError
from ...example import Example
from ...flat_metadata import flatten_metadata
from ...scoring.predictions import read_predictions
from ...scoring.scorer import score
from ..page import LOOPBACK, Pages, field
from .plots import bars, columns
from .rows import Rows
from .search import RIGHT, UNANSWERED, WRONG, Census, Desk, Filter, word
from .shown import Shown, differing, filled, show

_PER_PAGE = 25
_EXCERPT = 180
_LETTERS = "ab"
_VERDICTS = (WRONG, RIGHT, UNANSWERED)
_LABEL = "m."
"""Begins the name of every field of a query that is a label of rows, so that no other is."""


class Site:
    """One dataset, or two, as pages."""

    def __init__(self, folders: Sequence[Path], predictions: Path | None = None) -> None:
        self.desks = [Desk(Rows(folder)) for folder in folders]
        if predictions is not None:
            first = self.desks[0]
            rows = first.rows
            first.answers = read_predictions(
                predictions, lambda name: rows.find(name) is not None, rows.folder
            )
        self.names = _names(folders)
        self.pages = Pages(
            Path(__file__).parent,
            site=self,
            letters=_LETTERS,
            verdicts=_VERDICTS,
            row_address=self.row_address,
            **HELPERS,
        )

    def app(self, hosts: frozenset[str] | None = LOOPBACK) -> Starlette:
        """The application; where rows stand is looked up meanwhile."""
        for desk in self.desks:
            threading.Thread(target=_prepare, args=[desk.rows], daemon=True).start()
        return self.pages.app(
            [
                Route("/", lambda request: RedirectResponse("/a/rows", 303)),
                Route("/compare", self.compare),
                Route("/statistics", self.statistics),
                Route("/{which}/rows", self.table),
                Route("/{which}/row/{split}/{number}", self.row),
                Route("/{which}/random", self.random),
                Route("/{which}/go", self.go),
            ],
            hosts=hosts,
        )

    def row_address(self, which: int, number: int, query: str = "") -> str:
        """Where the page of a row is."""
        split, n = self.desks[which].rows.place(number)
        return f"/{_LETTERS[which]}/row/{quote(split, safe='')}/{n}" + (query and f"?{query}")

    def table(self, request: Request) -> Response:
        """Rows as a table, a page at a time."""
        which, desk = self._desk(request)
        wanted = _filter(desk, request.query_params)
        found = desk.find(wanted)
        page = max(1, _whole(field(request.query_params, "page") or "1"))
        found.wait(page * _PER_PAGE + 1)
        last = max(1, -(-len(found) // _PER_PAGE))
        page = min(page, last)
        numbers = list(found.numbers[(page - 1) * _PER_PAGE : page * _PER_PAGE])
        listed = [
            (number, row, (desk.answers or {}).get(row.id), desk.judge(row))
            for number, row in zip(numbers, desk.rows.rows(numbers), strict=True)
        ]
        return self.pages.show(
            "rows.html",
            **self._about(which, wanted),
            found=found,
            listed=listed,
            page=page,
            last=last,
            first=(page - 1) * _PER_PAGE,
        )

    def row(self, request: Request) -> Response:
        """One row, whole."""
        which, desk = self._desk(request)
        wanted = _filter(desk, request.query_params)
        number = self._number(desk, request.path_params)
        shown = self._shown(desk, number)
        found = desk.find(wanted)
        place, before, after = found.around(number)
        query = request.query_params
        given = [text[:200] for text in query.getlist("blank")[: len(shown.view.blanks)]]
        said = field(query, "answer", 1_000)
        step = min(_whole(field(query, "step") or "0"), len(shown.view.steps))
        return self.pages.show(
            "row.html",
            **self._about(which, wanted),
            shown=shown,
            number=number,
            place=place,
            before=before,
            after=after,
            found=found,
            step=step,
            quiz=bool(query.get("try")),
            said=said,
            said_score=score(shown.row, said) if said else None,
            given=given,
            filled=filled(shown.view.blanks, given),
        )

    def random(self, request: Request) -> Response:
        """Any of the rows that fit."""
        which, desk = self._desk(request)
        wanted = _filter(desk, request.query_params)
        found = desk.find(wanted)
        found.wait(1)
        if not len(found):
            return RedirectResponse(f"/{_LETTERS[which]}/rows?{_query(wanted)}", 303)
        number = found.numbers[random.randrange(len(found))]  # noqa: S311 (no secret)
        extra = {"try": "1"} if request.query_params.get("try") else {}
        return RedirectResponse(self.row_address(which, number, _query(wanted, **extra)), 303)

    def go(self, request: Request) -> Response:
        """The row of an id, or of a number, counted from 0 as in ids; else rows with that text."""
        which, desk = self._desk(request)
        wanted = _filter(desk, request.query_params)
        text = wanted.text.strip()
        number = desk.rows.find(text)
        if number is None and text.isdecimal() and len(text) < 12:
            split = wanted.split or next(iter(desk.rows.spans))
            number = desk.rows.number(split, int(text))
        if number is not None:
            return RedirectResponse(self.row_address(which, number), 303)
        return RedirectResponse(f"/{_LETTERS[which]}/rows?{_query(wanted)}", 303)

    def compare(self, request: Request) -> Response:
        """The same row of both datasets, side by side."""
        if len(self.desks) < 2:
            raise HTTPException(404, "There is one dataset only; gen view A B shows two.")
        one, other = (desk.rows for desk in self.desks)
        shared = {
            split: min(len(span), len(other.spans[split]))
            for split, span in one.spans.items()
            if split in other.spans
        }
        if not shared:
            raise HTTPException(404, "The two datasets have no split of the same name.")
        split = field(request.query_params, "split") or next(iter(shared))
        if split not in shared:
            raise HTTPException(404, f"There is no split {split} in both.")
        text = field(request.query_params, "number") or "0"
        n = min(_whole(text), shared[split] - 1)
        numbers = [desk.rows.spans[split][n] for desk in self.desks]
        both = [
            self._shown(desk, number, proof=False)
            for desk, number in zip(self.desks, numbers, strict=True)
        ]
        texts = differing(*(shown.row.input for shown in both))
        return self.pages.show(
            "compare.html",
            tab="compare",
            which=0,
            shared=shared,
            split=split,
            n=n,
            both=list(zip(both, texts, numbers, strict=True)),
            same=both[0].row == both[1].row,
        )

    def statistics(self, request: Request) -> Response:
        """Counts over all rows, as far as they are counted."""
        censuses = [desk.census for desk in self.desks]
        for census in censuses:
            census.progress.wait(lambda: False)
        return self.pages.show(
            "statistics.html", tab="statistics", which=0, **plotted(self.desks, censuses)
        )

    def _desk(self, request: Request) -> tuple[int, Desk]:
        which = _LETTERS.find(request.path_params["which"])
        if not 0 <= which < len(self.desks) or len(request.path_params["which"]) != 1:
            raise HTTPException(404)
        return which, self.desks[which]

    def _number(self, desk: Desk, path: Mapping[str, Any]) -> int:
        digits = path["number"]
        n = int(digits) if digits.isdecimal() and len(digits) < 12 else -1
        number = desk.rows.number(path["split"], n)
        if number is None:
            raise HTTPException(404, "There is no such row.")
        return number

    def _shown(self, desk: Desk, number: int, proof: bool = True) -> Shown:
        row = desk.rows.row(number)
        answer = (desk.answers or {}).get(row.id)
        return show(row, desk.rows.manifest.generator, answer, desk.judge(row), proof=proof)

    def _about(self, which: int, wanted: Filter) -> dict[str, object]:
        """What every page on one dataset mentions."""
        desk = self.desks[which]

        def address(page: str, /, **changes: object) -> str:
            query = _query(wanted, **changes)
            return f"/{_LETTERS[which]}/{page}" + (query and f"?{query}")

        return {
            "tab": f"rows {which}",
            "which": which,
            "desk": desk,
            "manifest": desk.rows.manifest,
            "wanted": wanted,
            "chosen": dict(wanted.labels),
            "address": address,
            "query": _query,
        }


def plotted(desks: Sequence[Desk], censuses: Sequence[Census]) -> dict[str, Any]:
    """What the plots of some datasets show, all together."""
    names = list(dict.fromkeys(name for census in censuses for name in census.counts))
    names.sort(key=lambda name: name != "target")
    tables = [
        bars(name, [dict(census.counts.get(name, {})) for census in censuses]) for name in names
    ]
    first = censuses[0]
    scores = {
        name: {
            word(value): (first.right[name][value], count)
            for value, count in dict(first.answered[name]).items()
        }
        for name in names
        if first.counts.get(name) is not None and desks[0].answers is not None
    }
    return {
        "desks": desks,
        "censuses": censuses,
        "tables": [table for table in tables if table.bars or table.rarer],
        "lengths_of": columns([dict(census.lengths) for census in censuses]),
        "scores": scores,
        "verdicts_of": dict(first.verdicts),
        "seen": sum(census.progress.seen for census in censuses),
        "total": sum(census.progress.total for census in censuses),
    }


def _known_labels(row: Example) -> dict[str, str]:
    return {name: word(value) for name, value in flatten_metadata(row.metadata).items()}


def _cut(text: str, wanted: str) -> tuple[str, str, str]:
    """The beginning of a text, or what is around the words that were looked for."""
    place = text.lower().find(wanted.lower()) if wanted else -1
    if place < 0:
        return text if len(text) <= _EXCERPT else text[: _EXCERPT - 1] + "…", "", ""
    start = max(0, place - _EXCERPT // 3)
    end = place + len(wanted)
    stop = min(len(text), max(end, start + _EXCERPT))
    before = ("…" if start else "") + text[start:place]
    return before, text[place:end], text[end:stop] + ("…" if stop < len(text) else "")


def _fields(wanted: Filter) -> list[tuple[str, str]]:
    """A filter as the hidden fields of a form."""
    return parse_qsl(_query(wanted))


HELPERS: dict[str, Any] = {
    "thousands": "{:,}".format,
    "known_labels": _known_labels,
    "cut": _cut,
    "fields": _fields,
    "overlap": lambda some, others: bool(set(some) & set(others)),
    "accepted": lambda blank: orjson.dumps([blank.answer, *blank.alternatives]).decode(),
    "order": lambda values: sorted(values, key=lambda text: (len(text), text)),
}
"""What pages may call."""


def _prepare(rows: Rows) -> None:
    """Load what rows of that kind are shown with, and find out where rows begin."""
    with suppress(RelsmithError):  # whoever asks for a row of it is told
        show(rows.row(0), rows.manifest.generator)
        rows.index()


def _names(folders: Sequence[Path]) -> list[str]:
    """The folders by their own names, or by more of their paths where those are the same."""
    names = [folder.resolve().name or str(folder) for folder in folders]
    return names if len(set(names)) == len(names) else [str(folder) for folder in folders]


def _filter(desk: Desk, query: Mapping[str, str]) -> Filter:
    split = field(query, "split")
    if split and split not in desk.rows.spans:
        raise HTTPException(404, f"There is no split {split}.")
    said = field(query, "verdict")
    if said and (said not in _VERDICTS or desk.answers is None):
        raise HTTPException(404, "There are no such answers.")
    chosen = {
        name.removeprefix(_LABEL): field(query, name)
        for name in query
        if name.startswith(_LABEL) and query[name]
    }
    return Filter(split, tuple(sorted(chosen.items())), field(query, "q"), said)


def _query(wanted: Filter, /, **changes: object) -> str:
    """A filter as the query of an address, with changes; what is empty is left out."""
    parts: dict[str, object] = {"split": wanted.split}
    parts |= {f"{_LABEL}{name}": value for name, value in wanted.labels}
    parts |= {"q": wanted.text, "verdict": wanted.verdict} | changes
    return urlencode({name: str(value) for name, value in parts.items() if value not in ("", None)})


def _whole(text: str) -> int:
    if not (text.isdecimal() and len(text) < 12):
        raise HTTPException(400, f"{text[:20]!r} is no number.")
    return int(text)
