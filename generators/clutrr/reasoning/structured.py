"""Rewrite claims in JSON and in tables as sentences, for the reader of sentences."""

import json
import re
from collections.abc import Callable, Iterator
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
_PAIR = re.compile(r"\s*(?:\||<?-+>|\u2192|,|/|_to_|&)\s*")
"""Signs between two names in a key."""
_NOTE = re.compile(r"\s*\([^()]*\)\s*\Z")
"""A remark in brackets at the end of a cell."""


Kind = Callable[[str], str]
"""Says whether a text is a name, a relation or neither."""


class Rewritten(NamedTuple):
    """A sentence for a part text[start:end]."""

    sentence: str
    start: int
    end: int
    notation: str
    """The notation, if it leaves open who is the relative of whom; see `Claim.notation`."""


class Said(NamedTuple):
    """A sentence, a word from which its place is known, and its notation."""

    sentence: str
    word: str
    notation: str = ""


Block = tuple[int, int, list[Said]]
"""A span, and its sentences."""


def rewrite(text: str, kind: Kind, *, relational: bool) -> tuple[str, list[Rewritten]]:
    """Return the text without the JSON and the tables that are understood, and these as sentences.

    Sentences are `y is the r of x`, or `y is r x` in a relational world.
    """
    found: list[Rewritten] = []
    cells = CellReader(kind, relational)
    for start, end, sentences in (*cells.json_blocks(text), *cells.tables(text)):
        place = start
        for sentence, word, notation in sentences:
            place = max(place, text.find(word, place, end))
            found.append(Rewritten(sentence, place, min(place + len(word), end), notation))
        if sentences:
            text = text[:start] + re.sub(r"\S", " ", text[start:end]) + text[end:]
    return text, found


class CellReader:
    """Reads claims from the cells of JSON and of tables."""

    def __init__(self, kind: Kind, relational: bool) -> None:
        self.kind, self.relational = kind, relational

    def json_blocks(self, text: str) -> Iterator[Block]:
        """Yield the JSON values of a text, each with its sentences."""
        last = 0
        for match in _BLOCK.finditer(text[:_MAX_JSON]):
            if match.end() >= last:
                try:
                    value, last = _DECODER.raw_decode(text[:_MAX_JSON], match.end())
                except (ValueError, RecursionError):
                    continue
                yield match.end(), last, [*self._walk(value)]

    def tables(self, text: str) -> Iterator[Block]:
        """Yield the Markdown tables of a text, each with its sentences."""
        for match in _TABLE.finditer(text):
            yield match.start(), match.end(), [*self._table(match[0])]

    def _sentence(self, x: str, relation: str, y: str, notation: str = "") -> Said:
        relation = relation.removeprefix("is ")
        verb = relation if self.relational or relation.endswith(" of") else f"the {relation} of"
        return Said(f"{y} is {verb} {x}.", y, notation)

    def _walk(self, value: Any) -> Iterator[Said]:
        if isinstance(value, str):
            yield Said(f"{value}.", value)
        elif isinstance(value, list):
            cells = {str(n): item for n, item in enumerate(value) if isinstance(item, str)}
            if len(cells) == len(value) and (said := self._guessed(cells)):
                yield said
                return
            for item in value:
                yield from self._walk(item)
        elif isinstance(value, dict):
            pairs = [pair for pair in value.items() if isinstance(pair[1], str)]
            cells = {name.casefold().replace(" ", "_"): each for name, each in pairs}
            named = {
                f"{n} {m}": part for n, pair in enumerate(pairs) for m, part in enumerate(pair)
            }
            if said := self._triple(cells) or self._guessed(named):
                yield said
                return
            for name, each in value.items():
                if name.casefold() not in _ANSWERS:
                    yield from self._named(name, each)
                    yield from self._walk(each)

    def _named(self, name: str, value: Any) -> Iterator[Said]:
        """Yield sentences for {name: "Bob's aunt"}, and for {name: {relation: other names}}."""
        pair = [part for part in _PAIR.split(name) if self.kind(part) == "name"]
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str) and len(pair) == len(_PAIR.split(name)) == 2:
                if said := self._guessed({"a": pair[0], "relation": item, "b": pair[1]}, "pair"):
                    yield said
            elif isinstance(item, str):
                yield Said(f"{name}: {item}.", item)
                yield Said(f"{name} {item}.", item)
        for item in value if isinstance(value, list) else [value]:
            cells = [*item.values()] if isinstance(item, dict) else []
            if cells and all(isinstance(each, str) for each in [*cells]):
                said = self._guessed({"": name, **item})
                if said and self.kind(name) == "name":
                    yield said
        for head, others in value.items() if isinstance(value, dict) else ():
            relation = head.replace("_", " ")
            for other in others if isinstance(others, list) else [others]:
                if isinstance(other, str) and (relation.endswith(" of") or self.relational):
                    yield Said(f"{name} is {relation} {other}.", other)
                elif isinstance(other, str):
                    yield self._sentence(name, relation, other)._replace(word=other)
                    yield self._sentence(relation, name, other)._replace(word=other)

    def _triple(self, cells: dict[str, str]) -> Said | None:
        """Return the sentence of named cells; None if they are no claim."""
        relation = next((cells[name] for name in cells if name in _R_HEADS), None)
        x = next((cells[name] for name in cells if name in _X_HEADS), None)
        y = next((cells[name] for name in cells if name in _Y_HEADS), None)
        if relation is None or x is None or y is None or {"x", "y"} <= cells.keys():
            return self._guessed(cells)
        if {"from", "to"} <= cells.keys():
            return self._sentence(cells["from"], relation, cells["to"])
        return self._sentence(x, relation, y)

    def _guessed(self, cells: dict[str, str], notation: str = "") -> Said | None:
        """Return the sentence of two names and a relation whose direction is not known."""
        kinds = {head: self.kind(cell) for head, cell in cells.items()}
        first, *others = [cells[head] for head, kind in kinds.items() if kind == "name"] or [""]
        relations = [cells[head] for head, kind in kinds.items() if kind == "relation"]
        if len(others) != 1 or len(relations) != 1:
            return None
        heads = ",".join(head for head, kind in kinds.items() if kind)
        is_usual = self.relational or relations[0].endswith(" of")
        notation = f"{'' if is_usual else '?'}{notation or heads}"
        return self._sentence(others[0], relations[0], first, notation)

    def _table(self, text: str) -> Iterator[Said]:
        lines = [
            [_NOTE.sub("", cell).strip(" *`") for cell in line.strip().strip("|").split("|")]
            for line in text.strip().split("\n")
        ]
        heads = [
            re.sub(r"[^\w' ]", "", head).strip().casefold().replace(" ", "_") for head in lines[0]
        ]
        for cells in lines[1:]:
            if len(cells) != len(heads) or not re.search(r"\w", "".join(cells)):
                continue
            if said := self._triple(dict(zip(heads, cells, strict=True))):
                yield said
            elif heads[0] in _Y_HEADS and not self.relational:
                for head, cell in zip(heads[1:], cells[1:], strict=True):
                    owned = f"{cells[0]}'s {head.replace('_', ' ')}"
                    yield Said(f"{owned} is {cell.split(': ')[-1]}.", cell)
