"""Where triples come from: files, cut into parts that are read apart."""

import gzip
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ...engine import Tick
from ...errors import NotFound

LONGEST_LINE = 1 << 20
"""Longer lines are no triples, and are never held in memory."""

EXAMPLES = 3
_GZIP_MAGIC = b"\x1f\x8b"
_WINDOW = 1 << 16


@dataclass(frozen=True)
class Source:
    """A file, its format, the columns to read, and the spaCy pipeline that reads plain text."""

    path: Path
    format: str
    columns: tuple[tuple[str, str], ...] = ()
    pipeline: str = ""

    def is_packed(self) -> bool:
        """Whether the file is gzip'd, whatever its name."""
        with self.path.open("rb") as file:
            return file.read(2) == _GZIP_MAGIC

    def size(self) -> int:
        """How many bytes the file has."""
        return self.path.stat().st_size


@dataclass(frozen=True)
class Part:
    """A piece of a source: what begins in these bytes, or these row groups of a Parquet file."""

    source: Source
    start: int
    stop: int
    size: int = 0


@dataclass
class Report:
    """How a part was read: its lines, and those that hold no triple though they should."""

    lines: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def problem(self, kind: str, what: object = "", line: int | None = None) -> None:
        """Count a line, the one at hand if no other, and remember the first of each kind."""
        self.problems[kind] += 1
        examples = self.examples.setdefault(kind, [])
        if len(examples) < EXAMPLES:
            text = str(what)
            examples.append((line or self.lines, text if len(text) <= 60 else f"{text[:57]}..."))


def every_line(line: bytes) -> bool:
    """Most formats have a thing on every line."""
    return True


def read_lines(
    part: Part, report: Report, tick: Tick, ends: Callable[[bytes], bool] = every_line
) -> Iterator[str]:
    """The lines of a part, unpacked. Where several make one thing, `ends` knows the last."""
    try:
        with _opened(part.source) as (file, beneath):
            for line, size in _within(part, file, ends):
                report.lines += 1
                if not report.lines & 0x3FF:
                    tick(beneath.tell() - part.start)
                if size > LONGEST_LINE:
                    report.problem("line too long", f"{size:,} bytes")
                    continue
                try:
                    text = line.decode()
                except UnicodeDecodeError:
                    report.problem("not UTF-8", line)
                    continue
                yield text
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        report.problem("broken gzip, the rest is lost", error)


@contextmanager
def _opened(source: Source) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The file unpacked, and the file itself, whose position tells how far it is read."""
    try:
        with source.path.open("rb") as file:
            if source.is_packed():
                with gzip.open(file) as unpacked:
                    yield unpacked, file  # type: ignore[misc]  # reads like any other
            else:
                yield file, file
    except OSError as error:
        if error.errno is None:
            raise
        raise NotFound(f"cannot read {source.path}: {error.strerror}; mend that") from None


def _within(
    part: Part, file: IO[bytes], ends: Callable[[bytes], bool]
) -> Iterator[tuple[bytes, int]]:
    """Lines of things that begin in the part; the one that it begins within is of the last."""
    at = part.start
    if at:
        at = _start_of_line(file, at - 1)
        for line, size in _raw(file):
            at += size
            if ends(line):
                break
    ended = True
    for line, size in _raw(file):
        if at >= part.stop and ended:
            return
        at += size
        ended = ends(line)
        yield line, size


def _start_of_line(file: IO[bytes], at: int) -> int:
    window = min(at, _WINDOW)
    file.seek(at - window)
    before = file.read(window)
    start = at - window + before.rfind(b"\n") + 1
    file.seek(start)
    return start


def _raw(file: IO[bytes]) -> Iterator[tuple[bytes, int]]:
    """Lines without their ends, and their sizes; of a huge line only the beginning."""
    while line := file.readline(LONGEST_LINE):
        size, rest = len(line), line
        while not rest.endswith(b"\n") and (rest := file.readline(LONGEST_LINE)):
            size += len(rest)
        yield line.rstrip(b"\r\n"), size
