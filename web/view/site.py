"""The pages of `gen view`: tables of rows, and single rows."""

import random
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ...errors import RelsmithError
from ...example import Example
from ...flat_metadata import flatten_metadata
from ...scoring.predictions import read_predictions
from ..page import LOOPBACK, Pages, field
from .rows import DatasetRows
from .search import (
    ANSWERED,
    PREDICTION,
    RIGHT,
    UNANSWERED,
    WRONG,
    DatasetView,
    Filter,
    word,
)
from .shown import RowView, show

_ROWS_PER_PAGE = 25
_EXCERPT_LENGTH = 180
_VERDICTS = (ANSWERED, WRONG, RIGHT, UNANSWERED)
_LABEL_PREFIX = "m."
"""Prefix of query fields that are labels of rows."""


class ViewSite:
    """Pages on a dataset."""

    def __init__(self, folder: Path, predictions: Path | None = None) -> None:
        self.dataset = DatasetView(DatasetRows(folder))
        if predictions is not None:
            rows = self.dataset.rows
            read = read_predictions(
                predictions, lambda name: rows.find(name) is not None, rows.folder
            )
            self.dataset.answers = {
                name: given.reply for name, given in read.items() if given.reply is not None
            }
        self.name = folder.resolve().name or str(folder)
        self.pages = Pages(
            Path(__file__).parent,
            site=self,
            verdicts=_VERDICTS,
            row_address=self.row_address,
            **HELPERS,
        )

    def app(self, hosts: frozenset[str] | None = LOOPBACK) -> Starlette:
        """Return the application."""
        threading.Thread(target=_warm_up, args=[self.dataset.rows], daemon=True).start()
        return self.pages.app(
            [
                Route("/", self.start),
                Route("/rows", self.table),
                Route("/row/{split}/{number}", self.row),
                Route("/random", self.random),
                Route("/go", self.go),
            ],
            hosts=hosts,
        )

    def row_address(self, number: int, query: str = "") -> str:
        """Return the address of a row's page."""
        split, n = self.dataset.rows.place(number)
        return f"/row/{quote(split, safe='')}/{n}" + (query and f"?{query}")

    def start(self, request: Request) -> Response:
        """Redirect to the table, of rows with predictions if there are some."""
        wanted = Filter(verdict=ANSWERED) if self.dataset.answered else Filter()
        query = _query(wanted)
        return RedirectResponse("/rows" + (query and f"?{query}"), 303)

    def table(self, request: Request) -> Response:
        """Show one page of the table of rows."""
        dataset = self.dataset
        wanted = _filter(dataset, request.query_params)
        found = dataset.find(wanted)
        page = max(1, _parse_number(field(request.query_params, "page") or "1"))
        last = max(1, -(-len(found) // _ROWS_PER_PAGE))
        page = min(page, last)
        numbers = list(found.numbers[(page - 1) * _ROWS_PER_PAGE : page * _ROWS_PER_PAGE])
        listed = [
            (number, row, (dataset.answers or {}).get(row.id), dataset.judge(row))
            for number, row in zip(numbers, dataset.rows.rows(numbers), strict=True)
        ]
        return self.pages.show(
            "rows.html",
            **self._page_values(wanted),
            found=found,
            listed=listed,
            page=page,
            last=last,
            first=(page - 1) * _ROWS_PER_PAGE,
        )

    def row(self, request: Request) -> Response:
        """Show one row."""
        dataset = self.dataset
        wanted = _filter(dataset, request.query_params)
        number = self._number(dataset, request.path_params)
        shown = self._shown(dataset, number)
        found = dataset.find(wanted)
        place, before, after = found.neighbours(number)
        query = request.query_params
        step = min(_parse_number(field(query, "step") or "0"), len(shown.view.steps))
        return self.pages.show(
            "row.html",
            **self._page_values(wanted),
            shown=shown,
            number=number,
            place=place,
            before=before,
            after=after,
            found=found,
            step=step,
        )

    def random(self, request: Request) -> Response:
        """Redirect to a random matching row."""
        dataset = self.dataset
        wanted = _filter(dataset, request.query_params)
        found = dataset.find(wanted)
        if not len(found):
            return RedirectResponse(f"/rows?{_query(wanted)}", 303)
        number = found.numbers[random.randrange(len(found))]  # noqa: S311 (no secret)
        return RedirectResponse(self.row_address(number, _query(wanted)), 303)

    def go(self, request: Request) -> Response:
        """Redirect to the row with an id or number (from 0), else to rows with that text."""
        dataset = self.dataset
        wanted = _filter(dataset, request.query_params)
        text = wanted.text.strip()
        number = dataset.rows.find(text)
        if number is None and text.isdecimal() and len(text) < 12:
            split = wanted.split or next(iter(dataset.rows.spans))
            number = dataset.rows.number(split, int(text))
        if number is not None:
            return RedirectResponse(self.row_address(number), 303)
        return RedirectResponse(f"/rows?{_query(wanted)}", 303)

    def _number(self, dataset: DatasetView, path: Mapping[str, Any]) -> int:
        digits = path["number"]
        n = int(digits) if digits.isdecimal() and len(digits) < 12 else -1
        number = dataset.rows.number(path["split"], n)
        if number is None:
            raise HTTPException(404, "There is no such row.")
        return number

    def _shown(self, dataset: DatasetView, number: int) -> RowView:
        (row,) = dataset.rows.rows([number])
        answer = (dataset.answers or {}).get(row.id)
        return show(row, dataset.rows.manifest.generator, answer, dataset.judge(row))

    def _page_values(self, wanted: Filter) -> dict[str, object]:
        """Return the values of every page."""

        def address(page: str, /, **changes: object) -> str:
            query = _query(wanted, **changes)
            return f"/{page}" + (query and f"?{query}")

        return {
            "dataset": self.dataset,
            "manifest": self.dataset.rows.manifest,
            "wanted": wanted,
            "chosen": dict(wanted.labels),
            "address": address,
            "sorted_by": lambda column: address("rows", sort=column),
            "query": _query,
        }


def _known_labels(row: Example) -> dict[str, str]:
    return {name: word(value) for name, value in flatten_metadata(row.metadata).items()}


def _excerpt(text: str, wanted: str) -> tuple[str, str, str]:
    """Return an excerpt around the searched words in three parts, else the beginning."""
    place = text.lower().find(wanted.lower()) if wanted else -1
    if place < 0:
        return text if len(text) <= _EXCERPT_LENGTH else text[: _EXCERPT_LENGTH - 1] + "…", "", ""
    start = max(0, place - _EXCERPT_LENGTH // 3)
    end = place + len(wanted)
    stop = min(len(text), max(end, start + _EXCERPT_LENGTH))
    before = ("…" if start else "") + text[start:place]
    return before, text[place:end], text[end:stop] + ("…" if stop < len(text) else "")


def _fields(wanted: Filter) -> list[tuple[str, str]]:
    return parse_qsl(_query(wanted))


HELPERS: dict[str, Any] = {
    "thousands": "{:,}".format,
    "known_labels": _known_labels,
    "cut": _excerpt,
    "fields": _fields,
    "overlap": lambda some, others: bool(set(some) & set(others)),
}
"""Functions for page templates."""


def _warm_up(rows: DatasetRows) -> None:
    """Import the modules that show such rows."""
    with suppress(RelsmithError):  # reported when a row is requested
        show(rows.rows([0])[0], rows.manifest.generator)


def _filter(dataset: DatasetView, query: Mapping[str, str]) -> Filter:
    split = field(query, "split")
    if split and split not in dataset.rows.spans:
        raise HTTPException(404, f"There is no split {split}.")
    said = field(query, "verdict")
    if said and (said not in _VERDICTS or dataset.answers is None):
        raise HTTPException(404, "There are no such answers.")
    chosen = {
        name.removeprefix(_LABEL_PREFIX): field(query, name)
        for name in query
        if name.startswith(_LABEL_PREFIX) and query[name]
    }
    sort = field(query, "sort")
    columns = [*dataset.facets, "target", *([PREDICTION] if dataset.answers is not None else [])]
    if sort and sort.removeprefix("-") not in columns:
        raise HTTPException(404, "There is no such column.")
    return Filter(split, tuple(sorted(chosen.items())), field(query, "q"), said, sort)


def _query(wanted: Filter, /, **changes: object) -> str:
    """Return a filter with changes as a query string, without empty fields."""
    parts: dict[str, object] = {"split": wanted.split}
    parts |= {f"{_LABEL_PREFIX}{name}": value for name, value in wanted.labels}
    parts |= {"q": wanted.text, "verdict": wanted.verdict, "sort": wanted.sort} | changes
    return urlencode({name: str(value) for name, value in parts.items() if value not in ("", None)})


def _parse_number(text: str) -> int:
    if not (text.isdecimal() and len(text) < 12):
        raise HTTPException(400, f"{text[:20]!r} is not a number.")
    return int(text)
