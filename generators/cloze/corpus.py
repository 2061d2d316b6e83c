"""Pairs of an abstract and a concrete text: from files of JSON lines, or built in."""

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

import orjson

from ...errors import InvalidInput, InvalidOption
from ...storage.files import digest
from ...storage.text import MAX_LINE_LENGTH, TOO_LONG, is_text, open_plain, parse_json
from .tokens import MARK, Text

OpenFile = IO[bytes] | None


class Mark(NamedTuple):
    """Tokens that may be blanked, accepted alternatives, and wrong choices of the same topic."""

    start: int
    end: int
    alternatives: list[str]
    wrong: list[str]


_NO_MARKS: Mapping[int, Mark] = {}


class ClozePair:
    """An abstract with one of its concrete texts; pairs of a group have the same `key`.

    Built-in pairs mark candidates for blanks: `marks` has the mark of each token that is in one.
    """

    __slots__ = ("abstract", "cached_units", "concrete", "key", "marks", "place")

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
        self.cached_units: tuple[object, Any] | None = None
        """The finder that looked at the pair last, and the units it found."""

    def mark(self, start: int, end: int) -> Mark | None:
        """Return the mark of exactly these tokens, if there is one."""
        mark = self.marks.get(start)
        return mark if mark is not None and mark[:2] == (start, end) else None

    def alternatives(self, start: int, end: int) -> list[str]:
        """Return the accepted alternatives for these tokens, if exactly they are marked."""
        mark = self.mark(start, end)
        return mark.alternatives[:] if mark else []


Group = list[ClozePair]
"""Neighbouring pairs with the same key; its place is that of the first."""


@dataclass
class BadLines:
    """Invalid lines: their count, and the first few with number and reason."""

    path: str
    strict: bool
    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, line: int, reason: str) -> None:
        """Record a bad line; raise InvalidInput if strict."""
        if self.strict:
            raise InvalidInput(f"{self.path}:{line}: {reason}; fix it or leave --strict out")
        self.count += 1
        if len(self.first) < _MAX_LISTED:
            self.first.append(f"{self.path}:{line}: {reason}")

    def remarks(self) -> list[str]:
        """Return the count and the first few in one line, if there are any."""
        if not self.count:
            return []
        more = self.count - len(self.first)
        rest = f"; and {more} more" if more else ""
        lines = f"{self.count} bad line{'s' * (self.count > 1)}"
        return [f"{lines} passed over: {'; '.join(self.first)}{rest}"]


_MAX_LISTED = 5
_MAX_GROUP_SIZE = 1 << 16
_KNOWN_FIELDS = (("abstract", "concrete"), ("headline", "text"))


class Corpus(ABC):
    """Pairs in order, each at a place from which reading can start again."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the corpus in messages and manifests."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """SHA-256 of the whole corpus."""

    @abstractmethod
    def pairs(
        self, place: int = 0, bad: BadLines | None = None, file: OpenFile = None
    ) -> Iterator[ClozePair]:
        """Read pairs from a place on; bad lines are skipped, and recorded in `bad`."""

    def open(self) -> AbstractContextManager[OpenFile]:
        """Return what to pass as `file` to the other methods for random access."""
        return nullcontext()

    def pair(self, place: int, file: OpenFile) -> ClozePair | None:
        """Read the pair at a place, if there is one."""
        pair = next(self.pairs(place, file=file), None)
        return pair if pair and pair.place == place else None

    def groups(
        self, place: int = 0, bad: BadLines | None = None, file: OpenFile = None
    ) -> Iterator[Group]:
        """Read groups, starting at the place of one."""
        group: Group = []
        key: object = None
        for pair in self.pairs(place, bad, file):
            if group and pair.key == key and len(group) < _MAX_GROUP_SIZE:
                group.append(pair)
                continue
            if group:
                yield group
            group, key = [pair], pair.key
        if group:
            yield group


Units = Literal["us", "metric"]


class BuiltInCorpus(Corpus):
    """The corpus that ships with relsmith; a place is the number of a pair."""

    def __init__(self, units: Units = "us") -> None:
        self.units: Units = units

    @property
    def name(self) -> str:
        """Name in place of a file name."""
        return "built-in"

    @property
    def digest(self) -> str:
        """SHA-256 of all pairs, with their marks."""
        return hashlib.sha256(orjson.dumps(built_in_pairs(self.units))).hexdigest()

    def pairs(
        self, place: int = 0, bad: BadLines | None = None, file: OpenFile = None
    ) -> Iterator[ClozePair]:
        """Read pairs from a number on."""
        pairs = _built_in(self.units)
        for number in range(place, len(pairs)):
            yield pairs[number]


@cache
def _built_in(units: Units) -> list[ClozePair]:
    return [
        marked_pair(number, abstract, concrete)
        for number, (abstract, concrete) in enumerate(built_in_pairs(units))
    ]


_MEASURE = re.compile(r"\{(.*?);(.*?)\}")


@cache
def built_in_pairs(units: Units = "us") -> list[tuple[str, str]]:
    """Read the built-in pairs by topic: an abstract, then its texts after dashes, with marks.

    Measures stand in braces: `{inches;centimeters}`.
    """
    pairs, abstract = [], ""
    measure = r"\1" if units == "us" else r"\2"
    folder = files(__package__) / "pairs"
    for topic in sorted(folder.iterdir(), key=lambda path: path.name):
        if topic.name.endswith(".txt"):
            text = _MEASURE.sub(measure, topic.read_text(encoding="utf-8"))
            for line in text.splitlines():
                if line.startswith("- "):
                    pairs.append((abstract, line[2:]))
                else:
                    abstract = line
    return pairs


_MARKED = re.compile(r"\[([^\]]*)\]")


def marked_pair(place: int, abstract: str, concrete: str) -> ClozePair:
    """Return a pair whose text has marks: `[answer|alternative~wrong|wrong]`."""
    text, end = "", 0
    marked: list[Mark] = []
    for match in _MARKED.finditer(concrete):
        right, _, wrong = match[1].partition("~")
        answer, *alternatives = right.split("|")
        text += concrete[end : match.start()]
        others = wrong.split("|") if wrong else []
        marked.append(Mark(len(text), len(text) + len(answer), alternatives, others))
        text += answer
        end = match.end()
    words = Text(text + concrete[end:])
    at = {start: number for number, start in enumerate(words.starts)}
    marks: dict[int, Mark] = {}
    for first, last, alternatives, wrong in marked:
        tokens = [at[start] for start in words.starts if first <= start < last]
        mark = Mark(tokens[0], tokens[-1] + 1, alternatives, wrong)
        marks.update(dict.fromkeys(tokens, mark))
    return ClozePair(place, abstract, Text(abstract), words, marks)


class PairFile(Corpus):
    """A file with one JSON object per line; a place is the byte at which a line starts."""

    def __init__(self, path: Path, names: tuple[str, ...], group: str | None, train: bool) -> None:
        self.path, self.names, self.group, self.train = path, names, group, train

    def __reduce__(self) -> tuple[Any, ...]:  # compiled classes cannot be pickled without
        return type(self), (self.path, self.names, self.group, self.train)

    @property
    def name(self) -> str:
        """Name of the file, without folders, which differ between machines."""
        return self.path.name

    def open(self) -> AbstractContextManager[OpenFile]:
        """Open the file for reading single lines."""
        return open_plain(self.path)

    @property
    def digest(self) -> str:
        """SHA-256 of the whole file."""
        return digest(self.path)

    def pairs(
        self, place: int = 0, bad: BadLines | None = None, file: OpenFile = None
    ) -> Iterator[ClozePair]:
        """Read pairs from a byte offset on."""
        names, end, number = self.names, place, 0
        with nullcontext(file) if file else open_plain(self.path) as lines:
            lines.seek(place)
            while line := lines.readline(MAX_LINE_LENGTH):
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

    def pair(self, place: int, file: OpenFile) -> ClozePair | None:
        """Read only the line at a byte offset."""
        assert file is not None
        file.seek(place)
        line = file.readline(MAX_LINE_LENGTH)
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
    """Skip the rest of a line that is too long; return its length."""
    passed = 0
    while len(line) == MAX_LINE_LENGTH and line[-1:] != b"\n":
        line = lines.readline(MAX_LINE_LENGTH)
        passed += len(line)
    return passed


def _is_clean(line: bytes) -> bool:
    """Return whether no text in the line can contain a space or a blank, escaped or not."""
    return b" " not in line and b"\\" not in line and _MARK not in line


_MARK = MARK.encode()


_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class _InvalidRecord(ValueError):
    """The reason why a record is not a pair."""


def _pair(
    place: int, record: Any, names: tuple[str, ...], group: str | None, clean: bool
) -> ClozePair:
    first, second = names
    abstract = _text(record[first], first, clean)
    concrete = _text(record[second], second, clean)
    return ClozePair(place, abstract.text if group is None else record[group], abstract, concrete)


_SURROGATE = re.compile(r"[\ud800-\udfff]")
"""From invalid UTF-8, or from a JSON escape."""


def _text(value: Any, name: str, clean: bool) -> Text:
    """Return the field as a text; refuse it if blanks and answers could not restore it."""
    if type(value) is list and value:
        text, tokens = " ".join(value), value
        if not clean and text.count(" ") >= len(value):
            raise _InvalidRecord(f"{name} has a token with a space in it")
    elif type(value) is str and value.strip():
        text, tokens = value, None
        if not text.isascii() and _SURROGATE.search(text):
            raise _InvalidRecord(f"{name} is not UTF-8")
    elif value in ("", [], None) or isinstance(value, str):
        raise _InvalidRecord(f"{name} is empty")
    else:
        raise _InvalidRecord(f"{name} is neither a text nor a list of tokens")
    if not clean and MARK in text:
        raise _InvalidRecord(f"{name} holds a blank ({MARK}) of its own")
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
    if isinstance(error, _InvalidRecord):
        return str(error)
    if len(line) == MAX_LINE_LENGTH:
        return TOO_LONG
    if not line.strip():
        return "is empty"
    if not is_text(line.decode("utf-8", "surrogateescape")):
        return "is not UTF-8"
    no_object = "is no object with texts or lists of tokens"
    return no_object if isinstance(error, TypeError) else str(error)


_SUFFIXES = (".jsonl", ".ndjson", ".json")


def open_corpus(
    path: str | None,
    names: tuple[str, ...] = (),
    group: str | None = None,
    *,
    train: bool = False,
    units: Units = "us",
) -> Corpus:
    """Return the corpus at a path, or the built-in one if there is none.

    With `train`, pairs whose field `split` has another value are skipped.
    """
    if path is None:
        return BuiltInCorpus(units)
    if not Path(path).is_file():
        raise InvalidOption(f"there is no file {path!r}; name a file of pairs that is there")
    if Path(path).suffix.lower() not in _SUFFIXES:
        raise InvalidOption(
            f"{path!r} is of no kind that can be read; there are: {', '.join(_SUFFIXES)}"
        )
    return PairFile(Path(path), names, group, train)


_MAX_GROUPS_AHEAD, _MAX_BYTES_AHEAD = 8, 1 << 13
"""Groups this near are reached by reading on, others by seeking."""


class GroupReader:
    """Reads groups by place; `sequential` if they are read in the order of the file."""

    def __init__(self, corpus: Corpus, file: OpenFile, sequential: bool) -> None:
        self._corpus, self._file, self._sequential = corpus, file, sequential
        self._groups: Iterator[Group] = iter(())
        self._group: Group = []
        self._place = -1

    def group(self, place: int, alone: bool) -> Group:
        """Read the group that starts at a place."""
        if self._place != place:
            self._group = self._read_on(place) if self._sequential else self._seek(place, alone)
            self._place = place
        return self._group

    def _read_on(self, place: int) -> Group:
        if 0 < place - self._place < _MAX_BYTES_AHEAD:
            for _ in range(_MAX_GROUPS_AHEAD):
                group = next(self._groups, None)
                if group is None or group[0].place > place:
                    break
                if group[0].place == place:
                    return group
        self._groups = self._corpus.groups(place, file=self._file)
        return self._checked(place, next(self._groups, None))

    def _seek(self, place: int, alone: bool) -> Group:
        if not alone:
            return self._checked(place, next(self._corpus.groups(place, file=self._file), None))
        pair = self._corpus.pair(place, self._file)
        return self._checked(place, [pair] if pair else None)

    def _checked(self, place: int, group: Group | None) -> Group:
        if group is None or group[0].place != place:
            raise InvalidInput(f"{self._corpus.name} was changed while it was read")
        return group

    def pair(self, member: int) -> ClozePair:
        """Return the pair of that number in the group read last."""
        return self._group[member]
