"""Places beyond this machine: folders of object stores, through fsspec, asked until they answer."""

import errno
import io
import logging
import os
import random
import re
import stat
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

from ..errors import InvalidOption, MissingExtra, install, reason

T = TypeVar("T")

PATIENCE = "RELSMITH_STORE_SECONDS"
"""The environment may say how long a store that fails or hangs is asked again."""
_PATIENCE = 120.0
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 15.0
_SLOWEST = 10**6
"""A store that takes fewer bytes in a second hangs."""
_BYTES_AT_ONCE = 1 << 22
_URL = re.compile(r"([a-z][a-z0-9+.-]*)://(.*)", re.DOTALL)
_PASSWORD = re.compile(r"[^/]*:[^/]*@")
_FINAL = (
    FileNotFoundError,
    PermissionError,
    FileExistsError,
    IsADirectoryError,
    NotADirectoryError,
    NotImplementedError,
    TypeError,
    ValueError,
)
"""What a store says for good, and would say again."""


@dataclass(frozen=True)
class Remote:
    """A folder or a file of a store by its URL, with what is used of a Path."""

    url: str

    def __str__(self) -> str:
        return self.url

    def __truediv__(self, name: str) -> "Remote":
        return Remote(f"{self.url}/{name}")

    def __lt__(self, other: "Remote") -> bool:
        return self.url < other.url

    @property
    def name(self) -> str:
        """The last part."""
        return self.url.rpartition("/")[2]

    @property
    def suffix(self) -> str:
        """How the name ends."""
        return Path(self.name).suffix

    @property
    def parent(self) -> "Remote":
        """The folder that it lies in."""
        return Remote(self.url.rpartition("/")[0])

    def resolve(self) -> "Remote":
        """Itself: a store has no links."""
        return self

    def is_symlink(self) -> bool:
        """Never."""
        return False

    def relative_to(self, folder: "Remote") -> Path:
        """The way to it from a folder above."""
        return Path(self.url.removeprefix(f"{folder.url}/"))

    def lstat(self) -> Any:
        """Its size, and whether it is a file; FileNotFoundError where nothing is."""
        return _status(self._ask(lambda fs, path: fs.info(path)))

    def etag(self) -> str:
        """What changes when its bytes do, where the store has such a mark."""
        return _etag(self._ask(lambda fs, path: fs.info(path)))

    def exists(self) -> bool:
        """Whether anything is there."""
        try:
            self.lstat()
        except FileNotFoundError:
            return False
        return True

    def is_dir(self) -> bool:
        """Whether there are files below it."""
        try:
            return stat.S_ISDIR(self.lstat().st_mode)
        except FileNotFoundError:
            return False

    def listed(self) -> dict[str, tuple[int, str]]:
        """The files in a folder by name, each with its size and the mark of its bytes."""
        return {
            name: (entry["size"], _etag(entry))
            for name, entry in self._entries().items()
            if entry["type"] == "file"
        }

    def iterdir(self) -> list["Remote"]:
        """What lies in a folder; nothing where there is none."""
        return [self / name for name in self._entries()]

    def _entries(self) -> dict[str, dict[str, Any]]:
        def ask(fs: Any, path: str) -> dict[str, dict[str, Any]]:
            entries = {entry["name"].rstrip("/"): entry for entry in fs.ls(path, detail=True)}
            # Some stores keep a folder itself as an empty file.
            return {
                name.rpartition("/")[2]: entry
                for name, entry in entries.items()
                if name.strip("/") != path.strip("/")
            }

        try:
            return self._ask(ask)
        except (FileNotFoundError, NotADirectoryError):
            return {}

    def read_bytes(self) -> bytes:
        """All of a small file."""
        data: bytes = self._ask(lambda fs, path: fs.cat_file(path))
        return data

    def write_bytes(self, data: bytes) -> None:
        """Put a small file there, whole."""
        self._ask(lambda fs, path: fs.pipe_file(path, data), len(data))

    def put(self, file: Path) -> None:
        """Put a file of this machine there, whole."""
        self._ask(lambda fs, path: fs.put_file(str(file), path), file.stat().st_size)

    def open(self, mode: str = "rb") -> io.BufferedReader:
        """Open a file for reading, part by part."""
        assert mode == "rb"
        return io.BufferedReader(_Parts(self), _BYTES_AT_ONCE)

    def part(self, start: int, stop: int) -> bytes:
        """Some bytes of a file."""
        data: bytes = self._ask(lambda fs, path: fs.cat_file(path, start=start, end=stop))
        return data

    def replace(self, target: "Remote") -> None:
        """Give a small file another name."""
        target.write_bytes(self.read_bytes())
        self.unlink()

    def unlink(self, missing_ok: bool = False) -> None:
        """Remove a file."""
        try:
            self._ask(lambda fs, path: fs.rm_file(path))
        except FileNotFoundError:
            if not missing_ok:
                raise

    def remove(self, names: Iterable[str]) -> None:
        """Remove files of a folder, many at a time."""
        paths = [(self / name).url for name in names]
        if paths:
            self._ask(lambda fs, _: fs.rm([fs._strip_protocol(path) for path in paths]))

    def rmdir(self) -> None:
        """Nothing: a folder is there as long as its files are."""

    def _ask(self, operation: Callable[[Any, str], T], size: int = 0) -> T:
        """Ask the store, time and again where it fails or hangs, and longer each time."""
        fs = _filesystem(self.url.partition("://")[0])
        path = fs._strip_protocol(self.url)
        patience = float(os.environ.get(PATIENCE) or _PATIENCE)
        end, wait = time.monotonic() + patience, _FIRST_WAIT
        while True:
            try:
                return _in_time(lambda: operation(fs, path), patience / 4 + size / _SLOWEST)
            except Exception as error:
                final = isinstance(error, _FINAL) or _lacks_leave(error) or _is_missing(error)
                if final or time.monotonic() + wait > end:
                    raise _in_words(error, self.url, final=final) from None
            time.sleep(wait * random.uniform(0.5, 1))  # noqa: S311 (only to spread requests)
            wait = min(2 * wait, _LONGEST_WAIT)


Place = Path | Remote
"""A folder or a file, on this machine or in a store."""


def place_of(where: "str | Path | Remote") -> Place:
    """A path, or a URL of a store (s3://bucket/folder); file:// is a path too."""
    found = _URL.fullmatch(where) if isinstance(where, str) else None
    if found is None:
        return where if isinstance(where, Remote) else Path(where)
    protocol, rest = found.groups()
    if protocol == "file":
        return Path(rest)
    if _PASSWORD.match(rest) or "?" in rest or "#" in rest:
        raise InvalidOption(
            f"{protocol}://...: no password, key or token may stand in the name of a place; give "
            f"it by the store's own environment variables or files"
        )
    if odd := re.search(r"[*\[\]]", rest):  # fsspec looks for files of such patterns
        raise InvalidOption(
            f"{where}: {odd[0]!r} may not stand in the name of a place; leave it out"
        )
    if not rest.strip("/"):
        raise InvalidOption(f"{where}: name a folder in the store, as in {protocol}://bucket/data")
    _filesystem(protocol)
    return Remote(f"{protocol}://{rest.rstrip('/')}")


@cache
def _filesystem(protocol: str) -> Any:
    try:
        import fsspec
    except ImportError:
        raise MissingExtra(f"{protocol}:// needs fsspec: {install('cloud')}") from None
    # A request that was given up may fail later, when nobody listens any more; and gcsfs says at
    # each request that it may not ask what kind of bucket it is.
    for name in ("asyncio", "gcsfs"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        return fsspec.filesystem(protocol, use_listings_cache=False)
    except ImportError as error:
        raise MissingExtra(
            f"{protocol}:// needs a package more ({reason(error)}): {install('cloud')} has that "
            f"for s3://, pip install gcsfs that for gs://, adlfs that for az://"
        ) from None
    except ValueError as error:
        raise InvalidOption(
            f"{protocol}://: no such store is known ({reason(error)}); s3, gs and az are"
        ) from None


def _in_time(operation: Callable[[], T], seconds: float) -> T:
    """What it gives, or TimeoutError where it takes longer; then it is left alone."""
    outcome: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(operation())
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if failure:
        raise failure[0]
    if not outcome:
        raise TimeoutError(f"no answer in {seconds:.0f} seconds")
    return outcome[0]


def _lacks_leave(error: Exception) -> bool:
    """Whether there is no, or no valid, key to the store: each has errors of its own for that."""
    name = type(error).__name__
    return "Credential" in name or "Auth" in name or "Token" in name


def _is_missing(error: Exception) -> bool:
    """Whether there is no such folder: Azure's package has an error of its own for that."""
    return type(error).__name__ == "ResourceNotFoundError"


def _in_words(error: Exception, url: str, *, final: bool) -> OSError:
    if isinstance(error, OSError) and final:
        return type(error)(error.errno or errno.EIO, reason(error), url)
    if final and _lacks_leave(error):
        return PermissionError(errno.EACCES, reason(error), url)
    if _is_missing(error):
        return FileNotFoundError(errno.ENOENT, str(error).partition("\n")[0], url)
    said = reason(error) or type(error).__name__
    return OSError(errno.EIO, said if final else f"{said}, and so it went on", url)


def _status(entry: dict[str, Any]) -> Any:
    is_file = entry["type"] == "file"
    mode = stat.S_IFREG if is_file else stat.S_IFDIR
    return SimpleNamespace(st_size=entry["size"] or 0, st_mode=mode)


def _etag(entry: dict[str, Any]) -> str:
    return str(entry.get("ETag") or entry.get("etag") or "")


class _Parts(io.RawIOBase):
    """A file of a store, asked for part by part; each part is insisted on by itself."""

    def __init__(self, place: Remote) -> None:
        self._remote = place
        self._size = place.lstat().st_size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        before = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = before + place
        return self._at

    def readinto(self, buffer: Any) -> int:
        stop = min(self._at + len(buffer), self._size)
        if stop <= self._at:
            return 0
        data = self._remote.part(self._at, stop)
        if not data:
            raise OSError(errno.EIO, "it is shorter than it was", str(self._remote))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
