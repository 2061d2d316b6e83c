"""Paths in object stores, through fsspec, with retries."""

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

from ..errors import InvalidOption, MissingExtra, install_command, reason

T = TypeVar("T")

TIMEOUT_VARIABLE = "RELSMITH_STORE_SECONDS"
"""Environment variable: seconds to retry a store that fails or hangs."""
_DEFAULT_TIMEOUT = 120.0
_FIRST_WAIT, _MAX_WAIT = 0.5, 15.0
_MIN_BYTES_PER_SECOND = 10**6
"""Slower transfers count as hanging."""
_BUFFER_BYTES = 1 << 22
_URL = re.compile(r"([a-z][a-z0-9+.-]*)://(.*)", re.DOTALL)
_PASSWORD = re.compile(r"[^/]*:[^/]*@")
_PERMANENT_ERRORS = (
    FileNotFoundError,
    PermissionError,
    FileExistsError,
    IsADirectoryError,
    NotADirectoryError,
    NotImplementedError,
    TypeError,
    ValueError,
)
"""Errors that a retry would not change."""


@dataclass(frozen=True)
class RemotePath:
    """A folder or file of a store, with the methods of Path that we use."""

    url: str

    def __str__(self) -> str:
        return self.url

    def __truediv__(self, name: str) -> "RemotePath":
        return RemotePath(f"{self.url}/{name}")

    def __lt__(self, other: "RemotePath") -> bool:
        return self.url < other.url

    @property
    def name(self) -> str:
        """The last component."""
        return self.url.rpartition("/")[2]

    @property
    def suffix(self) -> str:
        """The suffix of the name."""
        return Path(self.name).suffix

    @property
    def parent(self) -> "RemotePath":
        """The containing folder."""
        return RemotePath(self.url.rpartition("/")[0])

    def resolve(self) -> "RemotePath":
        """Return itself: stores have no links."""
        return self

    def is_symlink(self) -> bool:
        """Return False: stores have no links."""
        return False

    def relative_to(self, folder: "RemotePath") -> Path:
        """Return the path relative to a folder above."""
        return Path(self.url.removeprefix(f"{folder.url}/"))

    def lstat(self) -> Any:
        """Return size and type; FileNotFoundError if it does not exist."""
        return _status(self._request(lambda fs, path: fs.info(path)))

    def etag(self) -> str:
        """Return the entity tag, which changes with the bytes; empty if the store has none."""
        return _etag(self._request(lambda fs, path: fs.info(path)))

    def exists(self) -> bool:
        """Return whether the path exists."""
        try:
            self.lstat()
        except FileNotFoundError:
            return False
        return True

    def is_dir(self) -> bool:
        """Return whether it is a folder."""
        try:
            return stat.S_ISDIR(self.lstat().st_mode)
        except FileNotFoundError:
            return False

    def list_files(self) -> dict[str, tuple[int, str]]:
        """Return the size and entity tag of each file in a folder, by name."""
        return {
            name: (entry["size"], _etag(entry))
            for name, entry in self._entries().items()
            if entry["type"] == "file"
        }

    def iterdir(self) -> list["RemotePath"]:
        """Return the contents of a folder; empty if it does not exist."""
        return [self / name for name in self._entries()]

    def _entries(self) -> dict[str, dict[str, Any]]:
        def ask(fs: Any, path: str) -> dict[str, dict[str, Any]]:
            entries = {entry["name"].rstrip("/"): entry for entry in fs.ls(path, detail=True)}
            # Some stores represent a folder by an empty file.
            return {
                name.rpartition("/")[2]: entry
                for name, entry in entries.items()
                if name.strip("/") != path.strip("/")
            }

        try:
            return self._request(ask)
        except (FileNotFoundError, NotADirectoryError):
            return {}

    def read_bytes(self) -> bytes:
        """Read a small file."""
        data: bytes = self._request(lambda fs, path: fs.cat_file(path))
        return data

    def write_bytes(self, data: bytes) -> None:
        """Write a small file atomically."""
        self._request(lambda fs, path: fs.pipe_file(path, data), len(data))

    def put(self, file: Path) -> None:
        """Upload a local file."""
        self._request(lambda fs, path: fs.put_file(str(file), path), file.stat().st_size)

    def open(self, mode: str = "rb") -> io.BufferedReader:
        """Open a file for buffered reading."""
        assert mode == "rb"
        return io.BufferedReader(_RemoteFile(self), _BUFFER_BYTES)

    def read_range(self, start: int, stop: int) -> bytes:
        """Read some bytes of a file."""
        data: bytes = self._request(lambda fs, path: fs.cat_file(path, start=start, end=stop))
        return data

    def replace(self, target: "RemotePath") -> None:
        """Rename a small file, by copying it."""
        target.write_bytes(self.read_bytes())
        self.unlink()

    def unlink(self, missing_ok: bool = False) -> None:
        """Remove a file."""
        try:
            self._request(lambda fs, path: fs.rm_file(path))
        except FileNotFoundError:
            if not missing_ok:
                raise

    def remove(self, names: Iterable[str]) -> None:
        """Remove files of a folder in one request."""
        paths = [(self / name).url for name in names]
        if paths:
            self._request(lambda fs, _: fs.rm([fs._strip_protocol(path) for path in paths]))

    def rmdir(self) -> None:
        """Do nothing: a folder exists as long as its files do."""

    def _request(self, operation: Callable[[Any, str], T], size: int = 0) -> T:
        """Run an operation; retry with growing waits if the store fails or hangs."""
        fs = _filesystem(self.url.partition("://")[0])
        path = fs._strip_protocol(self.url)
        timeout = float(os.environ.get(TIMEOUT_VARIABLE) or _DEFAULT_TIMEOUT)
        end, wait = time.monotonic() + timeout, _FIRST_WAIT
        while True:
            try:
                return _call_with_timeout(
                    lambda: operation(fs, path), timeout / 4 + size / _MIN_BYTES_PER_SECOND
                )
            except Exception as error:
                final = (
                    isinstance(error, _PERMANENT_ERRORS)
                    or _is_auth_error(error)
                    or _is_missing(error)
                )
                if final or time.monotonic() + wait > end:
                    raise _as_os_error(error, self.url, final=final) from None
            time.sleep(wait * random.uniform(0.5, 1))  # noqa: S311 (only to spread requests)
            wait = min(2 * wait, _MAX_WAIT)


Location = Path | RemotePath
"""A folder or file, local or in a store."""


def parse_location(where: "str | Path | RemotePath") -> Location:
    """Return a Path, or a RemotePath for the URL of a store (s3://bucket/folder)."""
    found = _URL.fullmatch(where) if isinstance(where, str) else None
    if found is None:
        return where if isinstance(where, RemotePath) else Path(where)
    protocol, rest = found.groups()
    if protocol == "file":
        return Path(rest)
    if _PASSWORD.match(rest) or "?" in rest or "#" in rest:
        raise InvalidOption(
            f"{protocol}://...: a URL must not contain a password, key or token; use the store's "
            f"own environment variables or files"
        )
    if odd := re.search(r"[*\[\]]", rest):  # fsspec expands such patterns
        raise InvalidOption(f"{where}: a URL must not contain {odd[0]!r}; leave it out")
    if not rest.strip("/"):
        raise InvalidOption(f"{where}: name a folder in the store, as in {protocol}://bucket/data")
    _filesystem(protocol)
    return RemotePath(f"{protocol}://{rest.rstrip('/')}")


@cache
def _filesystem(protocol: str) -> Any:
    try:
        import fsspec
    except ImportError:
        raise MissingExtra(f"{protocol}:// needs fsspec: {install_command('cloud')}") from None
    # An abandoned request may fail later, and gcsfs logs at each request that it may not read the
    # type of the bucket.
    for name in ("asyncio", "gcsfs"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        return fsspec.filesystem(protocol, use_listings_cache=False)
    except ImportError as error:
        raise MissingExtra(
            f"{protocol}:// needs another package ({reason(error)}): for s3:// "
            f"{install_command('cloud')}, for gs:// pip install gcsfs, for az:// pip install adlfs"
        ) from None
    except ValueError as error:
        raise InvalidOption(
            f"{protocol}://: unknown protocol ({reason(error)}); use s3, gs or az"
        ) from None


def _call_with_timeout(operation: Callable[[], T], seconds: float) -> T:
    """Run an operation in a thread; TimeoutError if it takes longer, and it is abandoned."""
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


def _is_auth_error(error: Exception) -> bool:
    """Return whether credentials are missing or invalid; each store has its own error class."""
    name = type(error).__name__
    return "Credential" in name or "Auth" in name or "Token" in name


def _is_missing(error: Exception) -> bool:
    """Return whether the path does not exist, by the error class of Azure's package."""
    return type(error).__name__ == "ResourceNotFoundError"


def _as_os_error(error: Exception, url: str, *, final: bool) -> OSError:
    if isinstance(error, OSError) and final:
        return type(error)(error.errno or errno.EIO, reason(error), url)
    if final and _is_auth_error(error):
        return PermissionError(errno.EACCES, reason(error), url)
    if _is_missing(error):
        return FileNotFoundError(errno.ENOENT, str(error).partition("\n")[0], url)
    message = reason(error) or type(error).__name__
    return OSError(errno.EIO, message if final else f"{message}, at every retry", url)


def _status(entry: dict[str, Any]) -> Any:
    is_file = entry["type"] == "file"
    mode = stat.S_IFREG if is_file else stat.S_IFDIR
    return SimpleNamespace(st_size=entry["size"] or 0, st_mode=mode)


def _etag(entry: dict[str, Any]) -> str:
    return str(entry.get("ETag") or entry.get("etag") or "")


class _RemoteFile(io.RawIOBase):
    """A file of a store, read in ranges; each range is retried on its own."""

    def __init__(self, place: RemotePath) -> None:
        self._remote = place
        self._size = place.lstat().st_size
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}[whence]
        self._position = start + offset
        return self._position

    def readinto(self, buffer: Any) -> int:
        stop = min(self._position + len(buffer), self._size)
        if stop <= self._position:
            return 0
        data = self._remote.read_range(self._position, stop)
        if not data:
            raise OSError(errno.EIO, "the file has become shorter", str(self._remote))
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)
