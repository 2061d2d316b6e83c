"""Compiler of WordNet's noun files to arrays: senses, hypernyms and hyponyms, words of glosses."""

import re
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....errors import InvalidOption
from ....storage.text import numbered_lines

Arrays = dict[str, Any]
_QUOTED = re.compile(r'".*?"')


class _Synset(NamedTuple):
    offset: int
    lemma: str
    parents: list[int]
    named: bool
    definition: str


def compile_nouns(folder: Path) -> Arrays:
    """Compile `data.noun` and `index.noun` to the arrays of a taxonomy."""
    synsets = [_synset(line) for line in _lines(folder / "data.noun")]
    index = [_index_entry(line) for line in _lines(folder / "index.noun")]
    offsets = {lemma: own for lemma, _, own in index}
    number = {synset.offset: n for n, synset in enumerate(synsets)}
    upward = [[number[parent] for parent in synset.parents] for synset in synsets]
    try:
        TopologicalSorter(dict(enumerate(upward))).prepare()
    except CycleError:
        what = "its hypernyms go round in a circle; use another WordNet"
        raise InvalidOption(f"data.noun: {what}") from None
    downward: list[list[int]] = [[] for _ in synsets]
    for child, parents in enumerate(upward):
        for parent in parents:
            downward[parent].append(child)
    vocabulary: dict[str, int] = {}
    glosses = [
        sorted({vocabulary.setdefault(word, len(vocabulary)) for word in synset.definition.split()})
        for synset in synsets
    ]
    names = [_name(synset.lemma, offsets[synset.lemma].index(synset.offset)) for synset in synsets]
    return {
        "lemmas": _text(offsets),
        **_ragged("senses", ([number[offset] for offset in own] for own in offsets.values())),
        "tagged": np.array([tagged for _, tagged, _ in index], dtype=np.int16),
        "names": _text(names),
        **_ragged("parents", upward),
        "named": np.array([synset.named for synset in synsets], dtype=bool),
        **_ragged("children", downward),
        "vocabulary": _text(vocabulary),
        **_ragged("glosses", glosses),
    }


def _lines(path: Path) -> Iterator[str]:
    lines = numbered_lines(path, newline="\n")
    yield from (line for _, line in lines if not line.startswith(" "))  # the licence is indented


def _synset(line: str) -> _Synset:
    """Parse a line of data.noun; the definition is cut out of the gloss as NLTK does."""
    columns, _, gloss = line.partition("|")
    fields = columns.split()
    words = int(fields[3], 16)
    pointers = fields[5 + 2 * words :]
    parents = [
        int(pointers[start + 1])
        for start in range(0, 4 * int(fields[4 + 2 * words]), 4)
        if pointers[start] in ("@", "@i")
    ]
    definition = _QUOTED.sub("", gloss.strip("\n")).strip().strip("; ")
    named = "@i" in pointers[: 4 * int(fields[4 + 2 * words]) : 4]
    return _Synset(int(fields[0]), fields[4].lower(), parents, named, definition)


def _index_entry(line: str) -> tuple[str, int, list[int]]:
    """Return a lemma, the number of its senses in tagged texts (the first ones), and all senses."""
    fields = line.split()
    start = len(fields) - int(fields[2])
    return fields[0], int(fields[start - 1]), [int(offset) for offset in fields[start:]]


def _name(lemma: str, sense: int) -> str:
    return f"{lemma}.n.{sense + 1:02}"


def _text(words: Iterable[str]) -> Any:
    return np.frombuffer("\n".join(words).encode(), dtype=np.uint8)


def _ragged(name: str, rows: Iterable[list[int]]) -> Arrays:
    """Return rows of different lengths as one array, and the start of each."""
    listed = list(rows)
    starts = np.zeros(len(listed) + 1, dtype=np.int32)
    np.cumsum([len(row) for row in listed], out=starts[1:])
    values = np.fromiter(chain.from_iterable(listed), dtype=np.int32, count=int(starts[-1]))
    return {name: values, f"{name}_starts": starts}
