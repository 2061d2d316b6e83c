"""Where triples come from: files, cut into parts that are read apart."""

import gzip
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ...engines.engine import Tick
from ...storage.text import explained, is_packed, open_plain, progress

LONGEST_LINE = 1 << 20
"""Longer lines are no triples, and are never held in memory."""

EXAMPLES = 3
_WINDOW = 1 << 16


@dataclass(frozen=True)
class Source:
    """A file, its format, the columns to read, and the spaCy pipeline that reads plain text."""

    path: Path
    format: str
    columns: tuple[tuple[str, str], ...] = ()
    pipeline: str = ""

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
    path = part.source.path
    with explained(path, "mend that"), open_plain(path, packed=is_packed(path)) as file:
        try:
            for line, size in _within(part, file, ends):
                report.lines += 1
                if not report.lines & 0x3FF:
                    tick(progress(file) - part.start)
                if size > LONGEST_LINE:
                    report.problem("line too long", f"{size:,} bytes")
                    continue
                try:
                    text = line.decode()
                except UnicodeDecodeError:
                    report.problem("not UTF-8", line)
                    continue
                yield text
        except gzip.BadGzipFile as error:
            report.problem("broken gzip, the rest is lost", error)


def _within(
    part: Part, file: IO[bytes], ends: Callable[[bytes], bool]
) -> Iterator[tuple[bytes, int]]:
    """Lines of things that begin in the part; the one that it begins within is of the last."""
    position = part.start
    if position:
        position = _start_of_line(file, position - 1)
        for line, size in _raw(file):
            position += size
            if ends(line):
                break
    ended = True
    for line, size in _raw(file):
        if position >= part.stop and ended:
            return
        position += size
        ended = ends(line)
        yield line, size


def _start_of_line(file: IO[bytes], position: int) -> int:
    window = min(position, _WINDOW)
    file.seek(position - window)
    before = file.read(window)
    start = position - window + before.rfind(b"\n") + 1
    file.seek(start)
    return start


def _raw(file: IO[bytes]) -> Iterator[tuple[bytes, int]]:
    """Lines without their ends, and their sizes; of a huge line only the beginning."""
    while line := file.readline(LONGEST_LINE):
        size, rest = len(line), line
        while not rest.endswith(b"\n") and (rest := file.readline(LONGEST_LINE)):
            size += len(rest)
        yield line.rstrip(b"\r\n"), size
