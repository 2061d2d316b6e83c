"""Pairs of an abstract and a concrete text: from JSONL, CSV or TSV, line by line, or our own."""

import csv
import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import IO, Any

import orjson

from ...errors import InvalidInput, InvalidOption
from ...storage.files import digest
from ...storage.text import LONGEST_LINE, TOO_LONG, is_text, next_line, open_plain, parse_json
from .tokens import MARK, Text

Opened = IO[bytes] | None


Mark = tuple[int, int, list[str]]
"""Tokens from a start up to an end that may be blanked, and what would do as well there."""

_NO_MARKS: Mapping[int, Mark] = {}


class Pair:
    """One abstract with one of its concrete texts; `key` is what its group has in common.

    Our own pairs mark what may be blanked: `marks` has the mark of each token that is in one.
    """

    __slots__ = ("abstract", "concrete", "key", "looked_at", "marks", "place")

    def __init__(
        self,
        place: int,
        key: object,
        abstract: Text,
        concrete: Text,
        marks: Mapping[int, Mark] = _NO_MARKS,
    ) -> None:
        self.place, self.key = place, key
        self.abstract, self.concrete, self.marks = abstract, concrete, marks
        self.looked_at: tuple[object, Any] | None = None
        """By whom last, and what that one found, for whoever keeps it to look twice."""

    def alternatives(self, start: int, end: int) -> list[str]:
        """What would do as well for these tokens, where just they are marked."""
        mark = self.marks.get(start)
        return mark[2][:] if mark is not None and mark[:2] == (start, end) else []


Group = list[Pair]
"""Neighbouring pairs of one key; its place is that of the first."""


@dataclass
class Bad:
    """Lines that are no pairs: how many, and the first few with number and reason."""

    path: str
    strict: bool
    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, line: int, reason: str) -> None:
        """Take note of a bad line, or stop at it."""
        if self.strict:
            raise InvalidInput(f"{self.path}:{line}: {reason}; mend it or leave --strict out")
        self.count += 1
        if len(self.first) < _NAMED:
            self.first.append(f"{self.path}:{line}: {reason}")

    def remarks(self) -> list[str]:
        """The count and the first few in one line, where there are any."""
        if not self.count:
            return []
        more = self.count - len(self.first)
        rest = f"; and {more} more" if more else ""
        lines = f"{self.count} bad line{'s' * (self.count > 1)}"
        return [f"{lines} passed over: {'; '.join(self.first)}{rest}"]


_NAMED = 5
_MOST_MEMBERS = 1 << 16
_KNOWN_FIELDS = (("abstract", "concrete"), ("headline", "text"))


class Corpus(ABC):
    """Pairs in their order, each at a place from which reading can start again."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What the corpus is called in messages and manifests."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """The sha256 of all there is to read."""

    @abstractmethod
    def pairs(self, place: int = 0, bad: Bad | None = None, file: Opened = None) -> Iterator[Pair]:
        """Read pairs from a place on; bad lines are passed over, and noted where asked."""

    def open(self) -> AbstractContextManager[Opened]:
        """What to hand to the methods below when reading here and there."""
        return nullcontext()

    def pair(self, place: int, file: Opened) -> Pair | None:
        """Read the pair at a place, where there is one."""
        pair = next(self.pairs(place, file=file), None)
        return pair if pair and pair.place == place else None

    def groups(
        self, place: int = 0, bad: Bad | None = None, file: Opened = None
    ) -> Iterator[Group]:
        """Read groups from the place of one on."""
        group: Group = []
        key: object = None
        for pair in self.pairs(place, bad, file):
            if group and pair.key == key and len(group) < _MOST_MEMBERS:
                group.append(pair)
                continue
            if group:
                yield group
            group, key = [pair], pair.key
        if group:
            yield group


class BuiltIn(Corpus):
    """The corpus that ships with relsmith; a place is a pair's number."""

    @property
    def name(self) -> str:
        """What stands for our own pairs where a file's name would stand."""
        return "built-in"

    @property
    def digest(self) -> str:
        """The sha256 of all pairs, with their marks."""
        return hashlib.sha256(orjson.dumps(built_in_pairs())).hexdigest()

    def pairs(self, place: int = 0, bad: Bad | None = None, file: Opened = None) -> Iterator[Pair]:
        """Read pairs from a number on."""
        pairs = _built_in()
        for number in range(place, len(pairs)):
            yield pairs[number]


@cache
def _built_in() -> list[Pair]:
    """Our own pairs, cut into tokens once for whoever looks at them."""
    return [
        marked_pair(number, abstract, concrete)
        for number, (abstract, concrete) in enumerate(built_in_pairs())
    ]


@cache
def built_in_pairs() -> list[tuple[str, str]]:
    """Our own pairs with their marks, topic by topic: an abstract, then its texts behind dashes."""
    pairs, abstract = [], ""
    folder = files(__package__) / "pairs"
    for topic in sorted(folder.iterdir(), key=lambda path: path.name):
        if topic.name.endswith(".txt"):
            for line in topic.read_text(encoding="utf-8").splitlines():
                if line.startswith("- "):
                    pairs.append((abstract, line[2:]))
                else:
                    abstract = line
    return pairs


_MARKED = re.compile(r"\[([^\]]*)\]")


def marked_pair(place: int, abstract: str, concrete: str) -> Pair:
    """A pair whose text has its marks in brackets: the answer, then what would do as well."""
    text, end = "", 0
    marked: list[tuple[int, int, list[str]]] = []
    for match in _MARKED.finditer(concrete):
        answer, *alternatives = match[1].split("|")
        text += concrete[end : match.start()]
        marked.append((len(text), len(text) + len(answer), alternatives))
        text += answer
        end = match.end()
    words = Text(text + concrete[end:])
    at = {start: number for number, start in enumerate(words.starts)}
    marks: dict[int, Mark] = {}
    for first, last, alternatives in marked:
        tokens = [at[start] for start in words.starts if first <= start < last]
        mark = (tokens[0], tokens[-1] + 1, alternatives)
        marks.update(dict.fromkeys(tokens, mark))
    return Pair(place, abstract, Text(abstract), words, marks)


class File(Corpus):
    """A file of pairs; a place is the byte at which a line starts."""

    def __init__(self, path: Path, names: tuple[str, ...], group: str | None, train: bool) -> None:
        self.path, self.names, self.group, self.train = path, names, group, train

    def __reduce__(self) -> tuple[Any, ...]:  # compiled, it would not be pickled without
        return type(self), (self.path, self.names, self.group, self.train)

    @property
    def name(self) -> str:
        """The file without its folders, which differ from machine to machine."""
        return self.path.name

    def open(self) -> AbstractContextManager[Opened]:
        """One handle for many reads of single lines."""
        return open_plain(self.path)

    @property
    def digest(self) -> str:
        """The sha256 of the whole file."""
        return digest(self.path)


class JsonLines(File):
    """One object a line."""

    def pairs(self, place: int = 0, bad: Bad | None = None, file: Opened = None) -> Iterator[Pair]:
        """Read pairs from a byte on."""
        names, end, number = self.names, place, 0
        with nullcontext(file) if file else open_plain(self.path) as lines:
            lines.seek(place)
            while line := lines.readline(LONGEST_LINE):
                number += 1
                start, end = end, end + len(line) + _rest(lines, line)
                try:
                    record = _record(start, line)
                    names = names or _names(record)
                    if self.train and record.get("split", "train") != "train":
                        continue
                    pair = _pair(start, record, names, self.group, _is_clean(line))
                except (ValueError, TypeError, KeyError) as error:
                    if bad:
                        bad.add(number, _reason(line, error))
                    continue
                yield pair

    def pair(self, place: int, file: Opened) -> Pair | None:
        """Read the line at a byte, and nothing else."""
        assert file is not None
        file.seek(place)
        line = file.readline(LONGEST_LINE)
        try:
            record = _record(place, line)
            names = self.names or _names(record)
            return _pair(place, record, names, self.group, _is_clean(line))
        except (ValueError, TypeError, KeyError):
            return None


def _record(place: int, line: bytes) -> Any:
    record = parse_json(line if place else line.removeprefix(_BYTE_ORDER_MARK))
    if not isinstance(record, dict):
        raise TypeError
    return record


def _rest(lines: IO[bytes], line: bytes) -> int:
    """Pass over what is left of a line that is too long, and count it."""
    passed = 0
    while len(line) == LONGEST_LINE and line[-1:] != b"\n":
        line = lines.readline(LONGEST_LINE)
        passed += len(line)
    return passed


def _is_clean(line: bytes) -> bool:
    """Whether no text in it can hold a space or a blank, be it escaped; seen at a glance."""
    return b" " not in line and b"\\" not in line and _MARK not in line


_MARK = MARK.encode()


class Table(File):
    """A header, then one record a line, or several lines where a quoted field goes on."""

    def pairs(self, place: int = 0, bad: Bad | None = None, file: Opened = None) -> Iterator[Pair]:
        """Read pairs from a byte on."""
        delimiter = "\t" if self.path.suffix == ".tsv" else ","
        csv.field_size_limit(LONGEST_LINE)
        with nullcontext(file) if file else open_plain(self.path) as opened:
            opened.seek(0)
            lines = _Lines(opened)
            header, names = self._columns(csv.reader(lines, delimiter=delimiter))
            if place:
                opened.seek(place)
                lines.place = place
            reader = csv.reader(lines, delimiter=delimiter)
            for _ in count():
                start, number = lines.place, lines.number + 1
                try:
                    values = next(reader, None)
                    if values is None:
                        return
                    if len(values) != len(header):
                        raise _Unfit(f"has {len(values)} fields, but the header {len(header)}")
                    record = dict(zip(header, values, strict=True))
                    if self.train and record.get("split", "train") != "train":
                        continue
                    yield _pair(start, record, names, self.group, clean=False)
                except (csv.Error, ValueError, KeyError) as error:
                    if bad:
                        bad.add(number, _reason(b"", error))

    def _columns(self, reader: Any) -> tuple[list[str], tuple[str, ...]]:
        """The names of all columns, and of the two that are read."""
        try:
            header: list[str] = next(reader, [])
            return header, self.names or _names(dict.fromkeys(header))
        except (csv.Error, ValueError, KeyError) as error:
            raise InvalidInput(
                f"{self.path}:1: the header {_reason(b'', error)}; it must name the columns, and "
                f"lines must end in LF"
            ) from None


class _Lines:
    """Lines of text from a file of bytes, and how far reading has come."""

    def __init__(self, file: Any) -> None:
        self.file, self.place, self.number = file, 0, 0

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line: bytes = next_line(self.file)
        if not line:
            raise StopIteration
        if not self.place:
            self.place = len(line) - len(line.removeprefix(_BYTE_ORDER_MARK))
            line = line[self.place :]
        self.place += len(line)
        self.number += 1
        # What is not UTF-8 becomes halves of characters, which _unfit takes note of.
        return line.decode("utf-8", "surrogateescape")


_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class _Unfit(ValueError):
    """Why a record is no pair."""


def _pair(place: int, record: Any, names: tuple[str, ...], group: str | None, clean: bool) -> Pair:
    first, second = names
    abstract = _text(record[first], first, clean)
    concrete = _text(record[second], second, clean)
    return Pair(place, abstract.text if group is None else record[group], abstract, concrete)


_HALF = re.compile(r"[\ud800-\udfff]")
"""Half of a character: what was no UTF-8, or JSON's way to write one that is none."""


def _text(value: Any, name: str, clean: bool) -> Text:
    """The field as a text, refused where it could not be restored from blanks and answers."""
    if type(value) is list and value:
        text, tokens = " ".join(value), value
        if not clean and text.count(" ") >= len(value):
            raise _Unfit(f"{name} has a token with a space in it")
    elif type(value) is str and value.strip():
        text, tokens = value, None
        if not text.isascii() and _HALF.search(text):
            raise _Unfit(f"{name} is not UTF-8")
    elif value in ("", [], None) or isinstance(value, str):
        raise _Unfit(f"{name} is empty")
    else:
        raise _Unfit(f"{name} is neither a text nor a list of tokens")
    if not clean and MARK in text:
        raise _Unfit(f"{name} holds a blank ({MARK}) of its own")
    return Text(text, tokens)


def _names(record: Any) -> tuple[str, ...]:
    if not isinstance(record, dict):
        raise TypeError
    for names in _KNOWN_FIELDS:
        if names[0] in record and names[1] in record:
            return names
    raise KeyError(_KNOWN_FIELDS[0][0])


def _reason(line: bytes, error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"has no field {error.args[0]!r}"
    if isinstance(error, _Unfit | csv.Error) or not line:
        return str(error)
    if len(line) == LONGEST_LINE:
        return TOO_LONG
    if not line.strip():
        return "is empty"
    if not is_text(line.decode("utf-8", "surrogateescape")):
        return "is not UTF-8"
    no_object = "is no object with texts or lists of tokens"
    return no_object if isinstance(error, TypeError) else str(error)


_READERS: dict[str, type[File]] = {
    ".jsonl": JsonLines,
    ".ndjson": JsonLines,
    ".json": JsonLines,
    ".csv": Table,
    ".tsv": Table,
}


def open_corpus(
    path: str | None,
    names: tuple[str, ...] = (),
    group: str | None = None,
    *,
    train: bool = False,
) -> Corpus:
    """The corpus at a path, or our own where there is none.

    With `train`, pairs whose field `split` says something else are passed over.
    """
    if path is None:
        return BuiltIn()
    if not Path(path).is_file():
        raise InvalidOption(f"there is no file {path!r}; name a file of pairs that is there")
    reader = _READERS.get(Path(path).suffix.lower())
    if reader is None:
        raise InvalidOption(
            f"{path!r} is of no kind that can be read; there are: {', '.join(_READERS)}"
        )
    return reader(Path(path), names, group, train)
