"""Text that others wrote: plain files in UTF-8, within bounds; complaints name file and line."""

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
from .store import Place, Remote

LONGEST_LINE = 1 << 24
"""No line is read that has so many characters."""
DEEPEST = 64
"""No JSON or YAML is read in which more lists and objects lie in one another."""

_MOST_BYTES = 1 << 26
_MOST_GROWTH = 100
"""Text does not shrink to a hundredth; what does was made to fill a memory or a day."""
_FREE_GROWTH = 1 << 22
_HALF = re.compile(r"[\ud800-\udfff]")
"""What bytes that are not UTF-8 are decoded to."""

TOO_LONG = f"has {LONGEST_LINE:,} characters or more; cut it"
NOT_UTF8 = "is not UTF-8; save the file as UTF-8"


def open_plain(path: Place, *, packed: bool = False) -> io.BufferedReader:
    """Open a file's bytes, unpacked where it is; a pipe or a device is refused, not waited for."""
    file = path.open() if isinstance(path, Remote) else _open_here(path)
    return io.BufferedReader(_Unpacked(file), 1 << 16) if packed else file


def _open_here(path: Path) -> io.BufferedReader:
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        code = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
        raise OSError(code, "it is no plain file", str(path))
    return os.fdopen(descriptor, "rb")


def is_packed(path: Path) -> bool:
    """Whether a file is gzip'd, whatever its name."""
    with open_plain(path) as file:
        return file.read(2) == b"\x1f\x8b"


class _Unpacked(io.RawIOBase):
    """What a gzip'd file holds, as long as that is in proportion to its size."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self._gzip = gzip.GzipFile(fileobj=file)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        return self._gzip.seek(place, whence)

    def tell(self) -> int:
        return self._gzip.tell()

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._gzip.read(len(buffer))
        except (EOFError, zlib.error) as error:
            raise gzip.BadGzipFile(str(error)) from None
        if self._gzip.tell() > _MOST_GROWTH * self.file.tell() + _FREE_GROWTH:
            raise gzip.BadGzipFile(f"it unpacks to more than {_MOST_GROWTH} times its size")
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._gzip.close()
        self.file.close()
        super().close()


class _Growing(io.RawIOBase):
    """What a file unpacks to, made part by part and as long as that is in proportion to its size.

    To go back is to begin anew.
    """

    def __init__(self, file: IO[bytes], unpack: Callable[[IO[bytes]], Iterator[bytes]]) -> None:
        self.file = file
        self._unpack = unpack
        self._most = _MOST_GROWTH * file.seek(0, os.SEEK_END) + _FREE_GROWTH
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
            raise io.UnsupportedOperation("its end is not known")
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
        """The next bytes, at most so many; none at the end."""
        while not self._part:
            following = next(self._parts, None)
            if following is None:
                return self._part
            self._part = memoryview(following)
        taken, self._part = self._part[:most], self._part[most:]
        self._place += len(taken)
        if self._place > self._most:
            raise ValueError(f"it unpacks to more than {_MOST_GROWTH} times its size")
        return taken

    def close(self) -> None:
        self.file.close()
        super().close()


def unpacked(file: IO[bytes], unpack: Callable[[IO[bytes]], Iterator[bytes]]) -> io.BufferedReader:
    """What a file unpacks to, for reading by the line."""
    return io.BufferedReader(_Growing(file, unpack), 1 << 16)


def progress(file: io.BufferedReader) -> int:
    """How many bytes of the file on the disk have been read."""
    return (file.raw.file if isinstance(file.raw, _Unpacked) else file).tell()


def next_line(file: IO[bytes]) -> bytes:
    """The next line of a file, with its end; a ValueError where it has none in sight."""
    line = file.readline(LONGEST_LINE)
    if len(line) == LONGEST_LINE:
        raise ValueError(f"the next line {TOO_LONG}")
    return line


@contextmanager
def explained(path: Path | Traversable, remedy: str, option: str = "") -> Iterator[None]:
    """Say in one line why a file cannot be read, and what to do."""
    try:
        yield
    except OSError as error:
        prefix = f"{option}: " if option else ""
        raise NotFound(f"{prefix}cannot read {str(path)!r}: {reason(error)}; {remedy}") from None


def read(path: Path | Traversable, remedy: str = "name a text file", option: str = "") -> str:
    """A file's whole text, its lines ending in \\n; what lies in a package need not be a file."""
    with (
        explained(path, remedy, option),
        open_plain(path) if isinstance(path, Path) else path.open("rb") as file,
    ):
        data = file.read(_MOST_BYTES)
    if len(data) == _MOST_BYTES:
        raise InvalidInput(f"{path} has {_MOST_BYTES:,} bytes or more; cut it into several")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n?|\n", error.object[: error.start])) + 1
        raise InvalidInput(f"{path}:{line}: {NOT_UTF8}") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def numbered_lines(
    path: Path, remedy: str = "name a text file", option: str = "", *, newline: str | None = None
) -> Iterator[tuple[int, str]]:
    """The lines of a file, however they end, without their ends and with their numbers."""
    with (
        explained(path, remedy, option),
        open_plain(path) as file,
        io.TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline) as lines,
    ):
        for number in count(1):
            line = lines.readline(LONGEST_LINE)
            if not line:
                return
            if len(line) == LONGEST_LINE:
                raise InvalidInput(f"{path}:{number}: {TOO_LONG}")
            if not is_text(line):
                raise InvalidInput(f"{path}:{number}: {NOT_UTF8}")
            yield number, line.removesuffix("\n")


def is_text(text: str) -> bool:
    """Whether there is no half of a character in it, as JSON and bytes of elsewhere may bring."""
    return text.isascii() or not _HALF.search(text)


def rows(
    path: Path, delimiter: str | None = None, remedy: str = "name a table", option: str = ""
) -> Iterator[tuple[int, list[str]]]:
    """The rows of a table that are not blank, each with the number of its last line.

    Without a delimiter it is a tab where the first line has one, else a comma.
    """
    csv.field_size_limit(LONGEST_LINE)
    lines = numbered_lines(path, remedy, option)
    number, first = next(lines, (0, ""))
    delimiter = delimiter or ("\t" if "\t" in first else ",")

    def texts() -> Iterator[str]:
        nonlocal number
        yield f"{first}\n"
        for number, line in lines:  # noqa: B007 (it is the caller's)
            yield f"{line}\n"

    try:
        for cells in csv.reader(texts(), delimiter=delimiter, strict=True):
            if any(cell.strip() for cell in cells):
                yield number, cells
    except csv.Error as error:
        raise InvalidInput(f"{path}:{number}: {csv_reason(error)}; mend the quotes") from None


def csv_reason(error: csv.Error) -> str:
    """What is amiss in a table, in our words where Python's would take us by surprise."""
    return str(error).replace("unexpected end of data", "a quote that is opened and never closed")


def parse_json(text: str | bytes, loads: Callable[[Any], Any] = orjson.loads) -> Any:
    """The value that a text of JSON is of; what is amiss is a ValueError in one line."""
    try:
        value = loads(text)
        brackets = ("[", "{") if isinstance(text, str) else (b"[", b"{")
        if sum(map(text.count, brackets)) > DEEPEST and _is_deep(value):  # type: ignore[arg-type]
            raise RecursionError
    except RecursionError:
        raise ValueError(f"is nested more than {DEEPEST} deep; write it flat") from None
    except ValueError as error:
        where = f" (character {error.pos + 1})" if isinstance(error, JSONDecodeError) else ""
        raise ValueError(f"is not JSON{where}") from None
    return value


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        parts = chain.from_iterable(
            outer.values() if isinstance(outer, dict) else outer for outer in level
        )
        level = [part for part in parts if isinstance(part, dict | list)]
        if not level:
            return False
    return True
