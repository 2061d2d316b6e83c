"""Rewrite claims in JSON and in tables as sentences, for the reader of sentences."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

_X_HEADS: Final = frozenset("of to x whom of_whom to_whom object relative_to from".split())
_Y_HEADS: Final = frozenset("person who name subject y".split())
_ANSWERS: Final = frozenset(("answer", "final_answer", "possible", "options", "choices"))
_R_HEADS: Final = frozenset("relation relationship role rel is predicate r is_the y_is_x's".split())
_MAX_JSON: Final = 20_000
"""Characters in which JSON is looked for."""
_DECODER: Final = json.JSONDecoder()
_BLOCK = re.compile(r"^[^\w\n\[{]*(?=[\[{])", re.MULTILINE)
"""The start of a line that begins with JSON."""
_TABLE = re.compile(r"(?:^[ \t]*\|.*\|[ \t]*(?:\n|\Z)){2,}", re.MULTILINE)
_NOTE = re.compile(r"\s*\([^()]*\)\s*\Z")
"""A remark in brackets at the end of a cell."""


class Rewritten(NamedTuple):
    """A sentence for a part text[start:end]."""

    sentence: str
    start: int
    end: int


def rewrite(text: str, *, relational: bool) -> tuple[str, list[Rewritten]]:
    """Return the text without the JSON and the tables that are understood, and these as sentences.

    Sentences are `y is the r of x`, or `y is r x` in a relational world.
    """
    found: list[Rewritten] = []
    for start, end, sentences in (*_json_blocks(text, relational), *_tables(text, relational)):
        place = start
        for sentence, said in sentences:
            place = max(place, text.find(said, place, end))
            found.append(Rewritten(sentence, place, min(place + len(said), end)))
        if sentences:
            text = text[:start] + re.sub(r"\S", " ", text[start:end]) + text[end:]
    return text, found


Block = tuple[int, int, list[tuple[str, str]]]
"""A span, and its sentences, each with a word from which its place is known."""


def _sentence(x: str, relation: str, y: str, relational: bool) -> str:
    return f"{y} {relation} {x}." if relational else f"{y} is the {relation} of {x}."


def _json_blocks(text: str, relational: bool) -> Iterator[Block]:
    last = 0
    for match in _BLOCK.finditer(text[:_MAX_JSON]):
        if match.end() >= last:
            try:
                value, last = _DECODER.raw_decode(text[:_MAX_JSON], match.end())
            except (ValueError, RecursionError):
                continue
            yield match.end(), last, [*_walk(value, relational)]


def _walk(value: Any, relational: bool) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for item in value:
            yield from _walk(item, relational)
    elif isinstance(value, str):
        yield f"{value}.", value
    elif isinstance(value, dict):
        cells = {
            name.casefold().replace(" ", "_"): each
            for name, each in value.items()
            if isinstance(each, str)
        }
        if triple := _triple(cells, relational):
            yield _sentence(*triple, relational), triple[2]
            return
        for name, each in value.items():
            if name.casefold() not in _ANSWERS:
                yield from _named(name, each, relational)
                yield from _walk(each, relational)


def _named(name: str, value: Any, relational: bool) -> Iterator[tuple[str, str]]:
    """Yield sentences for {name: "Bob's aunt"}, and for {name: {relation: other names}}."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            yield f"{name}: {item}.", item
    for relation, others in value.items() if isinstance(value, dict) else ():
        for other in others if isinstance(others, list) else [others]:
            if isinstance(other, str) and (relation.endswith(" of") or relational):
                yield f"{name} is {relation} {other}.", other
            elif isinstance(other, str):
                yield _sentence(name, relation, other, relational), other
                yield _sentence(relation, name, other, relational), other


def _triple(cells: dict[str, str], relational: bool) -> tuple[str, str, str] | None:
    """Return (x, relation, y) of named cells; None if their names leave open what is what."""
    relation = next((cells[name] for name in cells if name in _R_HEADS), None)
    if relation is None:
        return None
    if {"from", "to"} <= cells.keys():
        return cells["from"], relation, cells["to"]
    if relational and {"a", "b"} <= cells.keys():
        return cells["b"], relation, cells["a"]
    x = next((cells[name] for name in cells if name in _X_HEADS), None)
    y = next((cells[name] for name in cells if name in _Y_HEADS), None)
    if relational and {"x", "y"} <= cells.keys():
        return None
    return None if x is None or y is None else (x, relation, y)


def _tables(text: str, relational: bool) -> Iterator[Block]:
    for match in _TABLE.finditer(text):
        yield match.start(), match.end(), [*_table_sentences(match[0], relational)]


def _table_sentences(text: str, relational: bool) -> Iterator[tuple[str, str]]:
    """Yield sentences for the rows of a table, each with one of its cells."""
    lines = [
        [_NOTE.sub("", cell).strip(" *`") for cell in line.strip().strip("|").split("|")]
        for line in text.strip().split("\n")
    ]
    heads = [re.sub(r"[^\w' ]", "", head).strip().casefold().replace(" ", "_") for head in lines[0]]
    for cells in lines[1:]:
        if len(cells) != len(heads) or not re.search(r"\w", "".join(cells)):
            continue
        named = dict(zip(heads, cells, strict=True))
        if triple := _triple(named, relational):
            yield _sentence(*triple, relational), triple[2]
        elif heads[0] in _Y_HEADS and not relational:
            for head, cell in zip(heads[1:], cells[1:], strict=True):
                yield f"{cells[0]}'s {head.replace('_', ' ')} is {cell.split(': ')[-1]}.", cell
