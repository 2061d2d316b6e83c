"""Read text files of users: UTF-8, with size limits; errors name file and line."""

import csv
import errno
import gzip
import io
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources.abc import Traversable
from itertools import chain, count
from json import JSONDecodeError
from pathlib import Path
from typing import IO, Any

import orjson

from ..errors import InvalidInput, NotFound, reason

MAX_LINE_LENGTH = 1 << 24
"""Lines of this length or more are refused, in characters."""
MAX_DEPTH = 64
"""The maximum nesting of JSON and YAML."""

_MAX_BYTES = 1 << 26
_BYTES_AT_ONCE = 1 << 16
_MAX_EXPANSION = 100
"""The maximum ratio of decompressed to compressed size, against decompression bombs."""
_FREE_EXPANSION = 1 << 22
_SURROGATE = re.compile(r"[\ud800-\udfff]")
"""Lone surrogates, to which invalid bytes are decoded."""

TOO_LONG = f"has {MAX_LINE_LENGTH:,} characters or more; cut it"
NOT_UTF8 = "is not UTF-8; save the file as UTF-8"


def open_plain(path: Path, *, packed: bool = False) -> io.BufferedReader:
    """Open a regular file for reading bytes, decompressed if `packed`; no pipes or devices."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        code = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
        raise OSError(code, "it is not a regular file", str(path))
    file = os.fdopen(descriptor, "rb")
    return decompressed_reader(file, _gzip_chunks) if packed else file


def is_gzip(path: Path) -> bool:
    """Return whether a file is compressed with gzip, by its first bytes."""
    with open_plain(path) as file:
        return file.read(2) == b"\x1f\x8b"


def _gzip_chunks(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the decompressed bytes of a gzip file, limited in proportion to what is read of it."""
    unpacked = gzip.GzipFile(fileobj=file)
    try:
        while data := unpacked.read(_BYTES_AT_ONCE):
            if unpacked.tell() > _MAX_EXPANSION * file.tell() + _FREE_EXPANSION:
                raise gzip.BadGzipFile(f"it expands to more than {_MAX_EXPANSION} times its size")
            yield data
    except (EOFError, zlib.error) as error:
        raise gzip.BadGzipFile(str(error)) from None


class _ChunkReader(io.RawIOBase):
    """The decompressed bytes of a file, in chunks, limited in proportion to its size.

    Seeking backwards starts again at the beginning.
    """

    def __init__(self, file: IO[bytes], unpack: Callable[[IO[bytes]], Iterator[bytes]]) -> None:
        self.file = file
        self._unpack = unpack
        self._most = _MAX_EXPANSION * file.seek(0, os.SEEK_END) + _FREE_EXPANSION
        self._begin()

    def _begin(self) -> None:
        self.file.seek(0)
        self._parts = self._unpack(self.file)
        self._part = memoryview(b"")
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        if whence != os.SEEK_SET:
            raise io.UnsupportedOperation("the end is unknown")
        if place < self._place:
            self._begin()
        while self._place < place and self._take(place - self._place):
            pass
        return self._place

    def readinto(self, buffer: Any) -> int:
        part = self._take(len(buffer))
        buffer[: len(part)] = part
        return len(part)

    def _take(self, most: int) -> memoryview:
        """Return up to `most` next bytes; empty at the end."""
        while not self._part:
            following = next(self._parts, None)
            if following is None:
                return self._part
            self._part = memoryview(following)
        taken, self._part = self._part[:most], self._part[most:]
        self._place += len(taken)
        if self._place > self._most:
            raise ValueError(f"it expands to more than {_MAX_EXPANSION} times its size")
        return taken

    def close(self) -> None:
        self.file.close()
        super().close()


def decompressed_reader(
    file: IO[bytes], unpack: Callable[[IO[bytes]], Iterator[bytes]]
) -> io.BufferedReader:
    """Return a reader of the chunks that `unpack` makes of a file."""
    return io.BufferedReader(_ChunkReader(file, unpack), 1 << 16)


def bytes_read(file: io.BufferedReader) -> int:
    """Return the number of bytes read from the disk, before decompression."""
    return (file.raw.file if isinstance(file.raw, _ChunkReader) else file).tell()


def read_limited(file: IO[bytes], limit: int = _MAX_BYTES) -> bytes:
    """Return all bytes of a file; OSError at the limit. Memory is taken only for what is there."""
    parts, size = [], 0
    while part := file.read(_BYTES_AT_ONCE):
        parts.append(part)
        size += len(part)
        if size >= limit:
            raise OSError(errno.EFBIG, f"it has {limit:,} bytes or more")
    return b"".join(parts)


def next_line(file: IO[bytes]) -> bytes:
    """Return the next line with its newline; ValueError if it is too long."""
    line = file.readline(MAX_LINE_LENGTH)
    if len(line) == MAX_LINE_LENGTH:
        raise ValueError(f"the next line {TOO_LONG}")
    return line


@contextmanager
def explain_read_errors(path: Path | Traversable, remedy: str, option: str = "") -> Iterator[None]:
    """Turn OSError into NotFound with a one-line reason and remedy."""
    try:
        yield
    except OSError as error:
        prefix = f"{option}: " if option else ""
        raise NotFound(f"{prefix}cannot read {str(path)!r}: {reason(error)}; {remedy}") from None


def read(path: Path | Traversable, remedy: str = "name a text file", option: str = "") -> str:
    """Return the text of a file or package resource, with \\n as newline."""
    with (
        explain_read_errors(path, remedy, option),
        open_plain(path) if isinstance(path, Path) else path.open("rb") as file,
    ):
        data = read_limited(file)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n?|\n", error.object[: error.start])) + 1
        raise InvalidInput(f"{path}:{line}: {NOT_UTF8}") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def numbered_lines(
    path: Path, remedy: str = "name a text file", option: str = "", *, newline: str | None = None
) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers, without newlines."""
    with (
        explain_read_errors(path, remedy, option),
        open_plain(path) as file,
        io.TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline) as lines,
    ):
        for number in count(1):
            line = lines.readline(MAX_LINE_LENGTH)
            if not line:
                return
            if len(line) == MAX_LINE_LENGTH:
                raise InvalidInput(f"{path}:{number}: {TOO_LONG}")
            if not is_text(line):
                raise InvalidInput(f"{path}:{number}: {NOT_UTF8}")
            yield number, line.removesuffix("\n")


def is_text(text: str) -> bool:
    """Return whether the text has no lone surrogates, which JSON and invalid bytes may bring."""
    return text.isascii() or not _SURROGATE.search(text)


def table_rows(path: Path, remedy: str = "name a table") -> Iterator[tuple[int, list[str]]]:
    """Yield the non-blank rows of a CSV table, each with the number of its last line."""
    csv.field_size_limit(MAX_LINE_LENGTH)
    number = 0

    def texts() -> Iterator[str]:
        nonlocal number
        for number, line in numbered_lines(path, remedy):  # noqa: B007 (it is the caller's)
            yield f"{line}\n"

    try:
        for cells in csv.reader(texts(), strict=True):
            if any(cell.strip() for cell in cells):
                yield number, cells
    except csv.Error as error:
        open_quote = "a quote that is opened and never closed"
        why = str(error).replace("unexpected end of data", open_quote)
        raise InvalidInput(f"{path}:{number}: {why}; fix the quotes") from None


def parse_json(text: str | bytes, loads: Callable[[Any], Any] = orjson.loads) -> Any:
    """Parse JSON; errors are a ValueError with a one-line message."""
    try:
        value = loads(text)
        brackets = ("[", "{") if isinstance(text, str) else (b"[", b"{")
        if sum(map(text.count, brackets)) > MAX_DEPTH and _is_deep(value):  # type: ignore[arg-type]
            raise RecursionError
    except RecursionError:
        raise ValueError(f"is nested more than {MAX_DEPTH} deep; write it flat") from None
    except ValueError as error:
        where = f" (character {error.pos + 1})" if isinstance(error, JSONDecodeError) else ""
        raise ValueError(f"is not JSON{where}") from None
    return value


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        parts = chain.from_iterable(
            outer.values() if isinstance(outer, dict) else outer for outer in level
        )
        level = [part for part in parts if isinstance(part, dict | list)]
        if not level:
            return False
    return True
