"""Reader of the published CLUTRR files, the original CSV and the one on Hugging Face."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ....errors import InvalidOption, RelsmithError
from ....storage.text import table_rows
from ..fact import Fact
from .judge import MALE_WORDS, WORDS

_COLUMNS = "id story query task_name story_edges edge_types query_edge genders".split()
_NOISE = {"1": "clean", "2": "supporting", "3": "irrelevant", "4": "disconnected"}
"""Kind of noise, by the number before the point of a task's name."""
_MAX_LITERAL_CHARACTERS = 1 << 11
_T = TypeVar("_T")


@dataclass(frozen=True)
class Row:
    """One official example, with the facts whose word is in the file (noise may have none)."""

    id: str
    k: int
    facts: tuple[Fact, ...]
    genders: dict[str, str]
    query: tuple[str, str]
    target: str
    story: str
    noise: str


class _RowError(Exception):
    """A row is not as in official files."""


def clause(row: Row) -> str:
    """Return the relations of a row's facts in order, without gender."""
    return " ".join(MALE_WORDS[WORDS.index(word) % len(MALE_WORDS)] for _, word, _ in row.facts)


def is_official(path: Path) -> bool:
    """Return whether the first line of a file has the columns of an official file."""
    try:
        return set(_COLUMNS) <= set(next(table_rows(path), (0, []))[1])
    except RelsmithError:
        return False


def read(path: Path) -> Iterator[Row]:
    """Yield every row of an official file; errors name the file and the row."""
    remedy = "give an official CLUTRR CSV"
    table = table_rows(path, remedy)
    _, columns = next(table, (0, []))
    # Hugging Face numbers the answers in "target" and spells them in "target_text"
    answer = "target_text" if "target_text" in columns else "target"
    missing = [name for name in (*_COLUMNS, answer) if name not in columns]
    if missing:
        raise InvalidOption(f"{path} has no column {missing[0]!r}; {remedy}")
    for number, (_, cells) in enumerate(table, start=1):
        try:
            if len(cells) != len(columns):
                raise _RowError("not as many cells as the header; quote those that hold commas")
            yield _row(dict(zip(columns, cells, strict=True)), answer)
        except _RowError as bad:
            raise InvalidOption(f"{path}, row {number}: {bad}") from None


def _row(cells: dict[str, str], answer: str) -> Row:
    genders = _genders(cells["genders"])
    names = list(genders)
    edges = [_pair(edge, int, "story_edges") for edge in _sequence(cells, "story_edges")]
    words = [_word(word, "edge_types") for word in _sequence(cells, "edge_types")]
    if len(words) > len(edges):
        raise _RowError(f"{len(words)} edge_types, {len(edges)} story_edges; add the edges")
    query = _pair(_literal(cells, "query"), str, "query")
    query_edge = _pair(_literal(cells, "query_edge"), int, "query_edge")
    for node in {node for edge in (*edges, query_edge) for node in edge}:
        if not 0 <= node < len(names):
            raise _RowError(f"node {node} has no name; genders names {len(names)} people")
    if query != (names[query_edge[0]], names[query_edge[1]]):
        raise _RowError(f"query {query} is not query_edge {query_edge}; list genders by node")
    kind, _, k = cells["task_name"].removeprefix("task_").partition(".")
    if not re.fullmatch("[0-9]{1,4}", k):
        raise _RowError(f"task_name is {cells['task_name']!r:.100}; expected one like 'task_1.2'")
    return Row(
        id=cells["id"],
        k=int(k),
        facts=tuple((names[x], word, names[y]) for (x, y), word in zip(edges, words, strict=False)),
        genders=genders,
        query=query,
        target=_word(cells[answer], answer),
        story=cells["story"],
        noise=_NOISE.get(kind, "unknown"),
    )


def _literal(cells: dict[str, str], column: str) -> object:
    try:
        if len(cells[column]) > _MAX_LITERAL_CHARACTERS:
            raise ValueError
        return ast.literal_eval(cells[column])
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise _RowError(f"{column} is {cells[column]!r:.100}; expected a Python literal") from None


def _sequence(cells: dict[str, str], column: str) -> list[object]:
    value = _literal(cells, column)
    if not isinstance(value, list):
        raise _RowError(f"{column} is {value!r:.100}; expected a list")
    return value


def _pair(value: object, kind: type[_T], column: str) -> tuple[_T, _T]:
    match value:
        case (first, second) if isinstance(first, kind) and isinstance(second, kind):
            return first, second
    raise _RowError(f"{column} holds {value!r:.100}; expected a pair of {kind.__name__}")


def _word(value: object, column: str) -> str:
    if value not in WORDS:
        raise _RowError(f"{column} holds {value!r:.100}; expected one of {', '.join(WORDS)}")
    return str(value)


def _genders(text: str) -> dict[str, str]:
    genders: dict[str, str] = {}
    for item in text.split(","):
        name, _, gender = item.partition(":")
        if gender not in ("male", "female"):
            raise _RowError(f"genders holds {item!r}; expected one like 'Ann:female'")
        if name in genders:
            raise _RowError(f"genders names {name!r} twice; names must differ")
        genders[name] = gender
    return genders
