"""The pages of `gen view`: tables of rows, single rows, statistics, comparisons."""

import random
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
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
from .rows import DatasetRows
from .search import (
    ANSWERED,
    PREDICTION,
    RIGHT,
    UNANSWERED,
    WRONG,
    DatasetCounts,
    DatasetView,
    Filter,
    word,
)
from .shown import RowView, check_blanks, diff_words, show

_ROWS_PER_PAGE = 25
_EXCERPT_LENGTH = 180
_LETTERS = "ab"
_VERDICTS = (ANSWERED, WRONG, RIGHT, UNANSWERED)
_LABEL_PREFIX = "m."
"""Prefix of query fields that are labels of rows."""


class ViewSite:
    """Pages on one or two datasets."""

    def __init__(self, folders: Sequence[Path], predictions: Path | None = None) -> None:
        self.datasets = [DatasetView(DatasetRows(folder)) for folder in folders]
        if predictions is not None:
            first = self.datasets[0]
            rows = first.rows
            read = read_predictions(
                predictions, lambda name: rows.find(name) is not None, rows.folder
            )
            first.answers = {
                name: given.reply for name, given in read.items() if given.reply is not None
            }
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
        """Return the application, and index rows in the background."""
        for dataset in self.datasets:
            threading.Thread(target=_warm_up, args=[dataset.rows], daemon=True).start()
        return self.pages.app(
            [
                Route("/", self.start),
                Route("/compare", self.compare),
                Route("/statistics", self.statistics),
                Route("/{which}/rows", self.table),
                Route("/{which}/row/{split}/{number}", self.row),
                Route("/{which}/random", self.random),
                Route("/{which}/go", self.go),
            ],
            hosts=hosts,
        )

    @cached_property
    def shared_splits(self) -> dict[str, int]:
        """The splits that two datasets have in common, with the rows to compare; else nothing."""
        one, *others = (dataset.rows.spans for dataset in self.datasets)
        return {
            split: min(len(span), len(other[split]))
            for other in others
            for split, span in one.items()
            if split in other
        }

    def row_address(self, which: int, number: int, query: str = "") -> str:
        """Return the address of a row's page."""
        split, n = self.datasets[which].rows.place(number)
        return f"/{_LETTERS[which]}/row/{quote(split, safe='')}/{n}" + (query and f"?{query}")

    def start(self, request: Request) -> Response:
        """Redirect to the table, of rows with predictions if there are some."""
        wanted = Filter(verdict=ANSWERED) if self.datasets[0].answered else Filter()
        query = _query(wanted)
        return RedirectResponse("/a/rows" + (query and f"?{query}"), 303)

    def table(self, request: Request) -> Response:
        """Show one page of the table of rows."""
        which, dataset = self._dataset(request)
        wanted = _filter(dataset, request.query_params)
        found = dataset.find(wanted)
        page = max(1, _parse_number(field(request.query_params, "page") or "1"))
        found.wait(page * _ROWS_PER_PAGE + 1)
        last = max(1, -(-len(found) // _ROWS_PER_PAGE))
        page = min(page, last)
        numbers = list(found.numbers[(page - 1) * _ROWS_PER_PAGE : page * _ROWS_PER_PAGE])
        listed = [
            (number, row, (dataset.answers or {}).get(row.id), dataset.judge(row))
            for number, row in zip(numbers, dataset.rows.rows(numbers), strict=True)
        ]
        return self.pages.show(
            "rows.html",
            **self._page_values(which, wanted),
            found=found,
            listed=listed,
            page=page,
            last=last,
            first=(page - 1) * _ROWS_PER_PAGE,
        )

    def row(self, request: Request) -> Response:
        """Show one row."""
        which, dataset = self._dataset(request)
        wanted = _filter(dataset, request.query_params)
        number = self._number(dataset, request.path_params)
        shown = self._shown(dataset, number)
        found = dataset.find(wanted)
        place, before, after = found.neighbours(number)
        query = request.query_params
        given = [text[:200] for text in query.getlist("blank")[: len(shown.view.blanks)]]
        said = field(query, "answer", 1_000)
        step = min(_parse_number(field(query, "step") or "0"), len(shown.view.steps))
        return self.pages.show(
            "row.html",
            **self._page_values(which, wanted),
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
            filled=check_blanks(shown.view.blanks, given),
        )

    def random(self, request: Request) -> Response:
        """Redirect to a random matching row."""
        which, dataset = self._dataset(request)
        wanted = _filter(dataset, request.query_params)
        found = dataset.find(wanted)
        found.wait(1)
        if not len(found):
            return RedirectResponse(f"/{_LETTERS[which]}/rows?{_query(wanted)}", 303)
        number = found.numbers[random.randrange(len(found))]  # noqa: S311 (no secret)
        extra = {"try": "1"} if request.query_params.get("try") else {}
        return RedirectResponse(self.row_address(which, number, _query(wanted, **extra)), 303)

    def go(self, request: Request) -> Response:
        """Redirect to the row with an id or number (from 0), else to rows with that text."""
        which, dataset = self._dataset(request)
        wanted = _filter(dataset, request.query_params)
        text = wanted.text.strip()
        number = dataset.rows.find(text)
        if number is None and text.isdecimal() and len(text) < 12:
            split = wanted.split or next(iter(dataset.rows.spans))
            number = dataset.rows.number(split, int(text))
        if number is not None:
            return RedirectResponse(self.row_address(which, number), 303)
        return RedirectResponse(f"/{_LETTERS[which]}/rows?{_query(wanted)}", 303)

    def compare(self, request: Request) -> Response:
        """Show the same row of both datasets side by side."""
        if len(self.datasets) < 2:
            raise HTTPException(404, "There is one dataset only; gen view A B shows two.")
        shared = self.shared_splits
        if not shared:
            raise HTTPException(404, "The two datasets have no split of the same name.")
        split = field(request.query_params, "split") or next(iter(shared))
        if split not in shared:
            raise HTTPException(404, f"There is no split {split} in both.")
        text = field(request.query_params, "number") or "0"
        n = min(_parse_number(text), shared[split] - 1)
        numbers = [dataset.rows.spans[split][n] for dataset in self.datasets]
        both = [
            self._shown(dataset, number, proof=False)
            for dataset, number in zip(self.datasets, numbers, strict=True)
        ]
        texts = diff_words(*(shown.row.input for shown in both))
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
        """Show the counts over the rows scanned so far."""
        counts = [dataset.counts for dataset in self.datasets]
        for each in counts:
            each.progress.wait(lambda: False)
        return self.pages.show(
            "statistics.html", tab="statistics", which=0, **plot_values(self.datasets, counts)
        )

    def _dataset(self, request: Request) -> tuple[int, DatasetView]:
        which = _LETTERS.find(request.path_params["which"])
        if not 0 <= which < len(self.datasets) or len(request.path_params["which"]) != 1:
            raise HTTPException(404)
        return which, self.datasets[which]

    def _number(self, dataset: DatasetView, path: Mapping[str, Any]) -> int:
        digits = path["number"]
        n = int(digits) if digits.isdecimal() and len(digits) < 12 else -1
        number = dataset.rows.number(path["split"], n)
        if number is None:
            raise HTTPException(404, "There is no such row.")
        return number

    def _shown(self, dataset: DatasetView, number: int, proof: bool = True) -> RowView:
        row = dataset.rows.row(number)
        answer = (dataset.answers or {}).get(row.id)
        return show(row, dataset.rows.manifest.generator, answer, dataset.judge(row), proof=proof)

    def _page_values(self, which: int, wanted: Filter) -> dict[str, object]:
        """Return the values of every page on one dataset."""
        dataset = self.datasets[which]

        def address(page: str, /, **changes: object) -> str:
            query = _query(wanted, **changes)
            return f"/{_LETTERS[which]}/{page}" + (query and f"?{query}")

        return {
            "tab": f"rows {which}",
            "which": which,
            "dataset": dataset,
            "manifest": dataset.rows.manifest,
            "wanted": wanted,
            "chosen": dict(wanted.labels),
            "address": address,
            "sorted_by": lambda column: address("rows", sort=column),
            "query": _query,
        }


def plot_values(datasets: Sequence[DatasetView], counts: Sequence[DatasetCounts]) -> dict[str, Any]:
    """Return the values of the plots of some datasets."""
    names = list(dict.fromkeys(name for each in counts for name in each.by_label))
    names.sort(key=lambda name: name != "target")
    tables = [bars(name, [dict(each.by_label.get(name, {})) for each in counts]) for name in names]
    first = counts[0]
    scores = {
        name: {
            word(value): (first.right[name][value], count)
            for value, count in dict(first.answered[name]).items()
        }
        for name in names
        if first.by_label.get(name) is not None and datasets[0].answers is not None
    }
    return {
        "datasets": datasets,
        "tables": [table for table in tables if table.bars or table.rarer],
        "lengths_of": columns([dict(each.lengths) for each in counts]),
        "scores": scores,
        "verdicts_of": dict(first.verdicts),
        "seen": sum(each.progress.seen for each in counts),
        "total": sum(each.progress.total for each in counts),
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
    """Return a filter as the hidden fields of a form."""
    return parse_qsl(_query(wanted))


HELPERS: dict[str, Any] = {
    "thousands": "{:,}".format,
    "known_labels": _known_labels,
    "cut": _excerpt,
    "fields": _fields,
    "overlap": lambda some, others: bool(set(some) & set(others)),
    "accepted": lambda blank: orjson.dumps([blank.answer, *blank.alternatives]).decode(),
    "order": lambda values: sorted(values, key=lambda text: (len(text), text)),
}
"""Functions for page templates."""


def _warm_up(rows: DatasetRows) -> None:
    """Import the modules that show such rows, and index the offsets of rows."""
    with suppress(RelsmithError):  # reported when a row is requested
        show(rows.row(0), rows.manifest.generator)
        rows.index()


def _names(folders: Sequence[Path]) -> list[str]:
    """Return the names of the folders; their paths if the names are equal."""
    names = [folder.resolve().name or str(folder) for folder in folders]
    return names if len(set(names)) == len(names) else [str(folder) for folder in folders]


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
