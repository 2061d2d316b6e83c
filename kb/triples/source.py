"""Sources of triples: files, split into parts that are read separately."""

import gzip
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ...engines.engine import Tick
from ...storage.text import bytes_read, explain_read_errors, is_gzip, open_plain

MAX_LINE_BYTES = 1 << 20
"""Longer lines are skipped, and never held in memory."""

MAX_EXAMPLES = 3
_WINDOW = 1 << 16


@dataclass(frozen=True)
class TripleSource:
    """A file, its format, the columns to read, and the spaCy pipeline that reads plain text."""

    path: Path
    format: str
    columns: tuple[tuple[str, str], ...] = ()
    pipeline: str = ""

    def size(self) -> int:
        """Return the size of the file in bytes."""
        return self.path.stat().st_size


@dataclass(frozen=True)
class SourcePart:
    """A part of a source: what begins in these bytes, or row groups of a Parquet file."""

    source: TripleSource
    start: int
    stop: int
    size: int = 0


@dataclass
class ReadReport:
    """Report on reading a part: number of lines, and problems with examples."""

    lines: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def add_problem(self, kind: str, what: object = "", line: int | None = None) -> None:
        """Count a problem of a line, by default the current one, and keep the first examples."""
        self.problems[kind] += 1
        examples = self.examples.setdefault(kind, [])
        if len(examples) < MAX_EXAMPLES:
            text = str(what)
            examples.append((line or self.lines, text if len(text) <= 60 else f"{text[:57]}..."))


def every_line(line: bytes) -> bool:
    """Return True: in most formats every line ends a record."""
    return True


def read_lines(
    part: SourcePart, report: ReadReport, tick: Tick, ends: Callable[[bytes], bool] = every_line
) -> Iterator[str]:
    """Yield the decompressed lines of a part; `ends` tells the last line of a record."""
    path = part.source.path
    with explain_read_errors(path, "fix that"), open_plain(path, packed=is_gzip(path)) as file:
        try:
            for line, size in _within(part, file, ends):
                report.lines += 1
                if not report.lines & 0x3FF:
                    tick(bytes_read(file) - part.start)
                if size > MAX_LINE_BYTES:
                    report.add_problem("line too long", f"{size:,} bytes")
                    continue
                try:
                    text = line.decode()
                except UnicodeDecodeError:
                    report.add_problem("not UTF-8", line)
                    continue
                yield text
        except gzip.BadGzipFile as error:
            report.add_problem("broken gzip, the rest is lost", error)


def _within(
    part: SourcePart, file: IO[bytes], ends: Callable[[bytes], bool]
) -> Iterator[tuple[bytes, int]]:
    """Yield the lines of records that begin in the part; the part before has the rest."""
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
    """Yield lines without line breaks, and their sizes; of a huge line only the beginning."""
    while line := file.readline(MAX_LINE_BYTES):
        size, rest = len(line), line
        while not rest.endswith(b"\n") and (rest := file.readline(MAX_LINE_BYTES)):
            size += len(rest)
        yield line.rstrip(b"\r\n"), size
