"""Files and folders: atomic writes, locks and digests."""

import errno
import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from ..errors import AlreadyExists, CannotWrite, InvalidOption, reason

LOCK = ".lock"
TEMPORARY_SUFFIX = ".tmp"
"""Suffix of unfinished files and folders; after a crash they can be deleted."""

_NEW, _OLD = "new", "old"
"""Names in the work folder beside a replaced path: the new version, and the old one."""
_SIGNATURE_BYTES = 8
"""Files of the same type share this many first bytes: a header, a signature, a first key."""

Stamp = tuple[int, int] | None


def digest(path: Path) -> str:
    """Return the sha256 of a file, or of the names and digests of all files in a folder."""
    if path.is_dir():
        return digest_of(path, (file for file in path.rglob("*") if file.is_file()))
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of(folder: Path, files: Iterable[Path]) -> str:
    """Return the sha256 of the names and digests of these files; the order does not matter."""
    listed = sorted((file.relative_to(folder).as_posix(), digest(file)) for file in files)
    return hashlib.sha256("".join(f"{name} {sum}\n" for name, sum in listed).encode()).hexdigest()


def stamp(path: str | Path) -> Stamp:
    """Return modification time and size, to detect changes; None if there is no file."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def sync(path: Path) -> None:
    """Flush a file, or the entries of a folder, to the disk."""
    if path.is_dir():
        if os.name != "posix":
            return  # other systems cannot open folders
        descriptor = os.open(path, os.O_RDONLY)
    else:
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def atomic_path(path: Path, work: Path | None = None) -> Iterator[Path]:
    """Provide a temporary path for a file or folder; on success it is renamed to `path`.

    It is in `work` if given, else beside `path`. A failure removes it; a killed run leaves a name
    that ends in TEMPORARY_SUFFIX.
    """
    # Random, because machines that share a folder may have equal process ids.
    unfinished = (work or path.parent) / f"{path.name}.{token_hex(8)}{TEMPORARY_SUFFIX}"
    try:
        yield unfinished
        _sync_all(unfinished)
        unfinished.replace(path)
    finally:
        _remove(unfinished)


def write(path: Path, data: bytes, work: Path | None = None) -> None:
    """Write a small file atomically."""
    with atomic_path(path, work) as unfinished:
        unfinished.write_bytes(data)


def remove_temporary(folder: Path, stem: str = "") -> None:
    """Remove temporary files of killed runs in a folder, of names that start with `stem`."""
    for unfinished in folder.glob(f"{stem}*{TEMPORARY_SUFFIX}"):
        _remove(unfinished)


@contextmanager
def replacing(
    out: Path, *, force: bool | None = None, inputs: Iterable[Path] = (), option: str = "--out"
) -> Iterator[Path]:
    """Provide a path of the same name for a file or folder that replaces `out` on success.

    An existing path is replaced only with `force`, only by the same type of file, and only if the
    new folder has all its names; inputs of the command are never replaced. None stands for commands
    without --force. Leftovers of a killed run are cleaned up first.
    """
    local_path(out, option)
    place = Path(os.path.realpath(out))
    work = _work_folder(place)
    busy = f"another run is writing {out}; wait for it or choose another {option}"
    with explain_write_errors(out, option=option), locked(work, busy):
        _recover(place, work)
        check_inputs(out, inputs, option)
        _check_free(out, force, option)
        successor = work / _NEW / place.name
        successor.parent.mkdir()
        try:
            yield successor
            _sync_all(successor)
            _check_free(out, force, option)
            _check_same_type(out, successor, option)
            _put_in_place(successor, place, work)
        finally:
            _recover(place, work)


def local_path(where: str | Path, option: str = "") -> Path:
    """Return the path; raise InvalidOption for a URL."""
    if re.match(r"[a-z][a-z0-9+.-]+:/", str(where)):
        name = f"{option}: " if option else ""
        raise InvalidOption(f"{name}{where} is a URL; give a folder or file on this machine")
    return Path(where)


def save(path: Path, data: bytes) -> None:
    """Write a small file atomically, replacing an earlier one of the same type."""
    with replacing(path, force=True) as successor:
        successor.write_bytes(data)


def recover(out: Path) -> None:
    """Clean up what a killed run left beside `out`, unless another run is writing it."""
    work = _work_folder(Path(os.path.realpath(out)))
    if work.is_dir():
        with suppress(AlreadyExists), locked(work):
            _recover(Path(os.path.realpath(out)), work)


@contextmanager
def cache_path(path: Path) -> Iterator[Path]:
    """Provide a path for a file or folder of a cache; on success it is renamed to `path`.

    Other processes that make the same file wait; an existing folder is kept. Leftovers of a
    killed run are removed first.
    """
    work = _work_folder(path)
    with locked(work, wait=True):
        clear(work)
        try:
            yield work / path.name
            _sync_all(work / path.name)
            if not path.is_dir():
                (work / path.name).replace(path)
        finally:
            clear(work)


def _work_folder(place: Path) -> Path:
    return place.parent / f".{place.name}{TEMPORARY_SUFFIX}"


def _recover(place: Path, work: Path) -> None:
    others = {path.name for path in work.iterdir()} - {LOCK, _NEW, _OLD}
    if others:
        raise AlreadyExists(
            f"{work} is relsmith's work folder, but has {min(others)!r}; move that elsewhere"
        )
    if (work / _OLD).exists() and not is_occupied(place):
        (work / _OLD).replace(place)
    clear(work)


def _put_in_place(successor: Path, place: Path, work: Path) -> None:
    if place.is_dir():  # a folder cannot be replaced atomically
        place.rename(work / _OLD)
    successor.replace(place)
    sync(place.parent)


def _check_free(out: Path, force: bool | None, option: str) -> None:
    if out.resolve() == Path.cwd():
        raise AlreadyExists(f"{out} is the current folder; choose another {option}")
    if not force and is_occupied(out):
        how = "" if force is None else "pass --force to replace it or "
        raise AlreadyExists(f"{out} already exists; {how}choose another {option}")


def is_occupied(out: Path) -> bool:
    """Return whether the path exists and is not an empty folder."""
    return out.exists() and not (out.is_dir() and not any(out.iterdir()))


@contextmanager
def locked(folder: Path, message: str = "", *, wait: bool = False) -> Iterator[None]:
    """Lock a folder; the lock ends with the process. AlreadyExists(message) if it is taken.

    The folder is created if needed, and removed if empty at the end. Symbolic links are refused,
    because files would be written and deleted at their target.
    """
    from filelock import FileLock, Timeout  # slow to import

    if link := find_symlink(folder):
        raise AlreadyExists(f"{link} is a symbolic link, which relsmith does not use; remove it")
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK, timeout=-1 if wait else 0)
    try:
        lock.acquire()
    except Timeout:
        raise AlreadyExists(message) from None
    try:
        yield
    finally:
        # Removed while locked: a process that opened it before notices and retries.
        try:
            with suppress(OSError):
                (folder / LOCK).unlink()
        finally:
            lock.release()
        with suppress(OSError):
            folder.rmdir()


def find_symlink(work: Path) -> Path | None:
    """Return the work folder or its lock if that is a symbolic link; else None."""
    return next((path for path in (work, work / LOCK) if path.is_symlink()), None)


def clear(folder: Path, *kept: str) -> None:
    """Delete everything in a folder except its lock and the names in `kept`."""
    for path in folder.iterdir():
        if path.name not in (LOCK, *kept):
            _remove(path)


def start_work(work: Path, note: str, data: bytes) -> None:
    """Empty a work folder and write its note; the old note stays until it is replaced."""
    clear(work, note)
    write(work / note, data)


@contextmanager
def explain_write_errors(
    out: Path, *, resumable: bool = False, option: str = "--out"
) -> Iterator[None]:
    """Turn OSError into CannotWrite with a one-line reason and remedy."""
    try:
        yield
    except OSError as error:
        raise write_error(out, error, resumable=resumable, option=option) from None


def write_error(
    out: Path, error: OSError, *, resumable: bool = False, option: str = "--out"
) -> CannotWrite:
    """Return the CannotWrite for an OSError; `resumable` runs continue where they stopped."""
    above = next(path for path in (out, *out.absolute().parents) if path.exists())
    if error.errno in (errno.ENOTDIR, errno.EEXIST) and not above.is_dir():
        return CannotWrite(f"cannot write {out}: {above} is a file; choose another {option}")
    if not out.exists() and error.errno in (errno.ENOENT, errno.EACCES, errno.EPERM, errno.EROFS):
        return CannotWrite(
            f"cannot write {out}: cannot create files in {above} ({reason(error)}); choose another "
            f"{option}"
        )
    why = reason(error)
    if resumable and error.filename and Path(error.filename) != out:
        why += f" ({error.filename})"
    remedy = f"free space or choose another {option}"
    if resumable:
        remedy += ", then run the same command again: it continues where it stopped"
    return CannotWrite(f"cannot write {'into ' if resumable else ''}{out}: {why}; {remedy}")


def check_inputs(out: Path, inputs: Iterable[Path], option: str = "--out") -> None:
    """Raise AlreadyExists if `out` is, or contains, an input of the command."""
    for path in inputs:
        if _contains(out, path):
            raise AlreadyExists(
                f"{out} is, or contains, an input ({path}), so --force does not replace it; "
                f"choose another {option}"
            )


def _contains(outer: Path, inner: Path) -> bool:
    """Return whether `inner` is `outer` or below it, with links resolved."""
    folder, place = (Path(os.path.realpath(path)) for path in (outer, inner))
    linked = outer.exists() and inner.exists() and outer.samefile(inner)
    return linked or folder in (place, *place.parents)


def _check_same_type(out: Path, successor: Path, option: str) -> None:
    if out.exists() and (loss := _loss(out, successor)):
        raise AlreadyExists(f"{loss}, so --force does not replace it; choose another {option}")


def _loss(old: Path, new: Path) -> str:
    """Return what would be lost if `new` replaced `old`; empty if nothing."""
    if new.is_dir():
        if not old.is_dir():
            return f"{old} is a file"
        others = {path.name for path in old.iterdir()} - {path.name for path in new.iterdir()}
        if others:
            return f"{old} also has {min(others)!r}"
        return next(filter(None, (_loss(path, new / path.name) for path in old.iterdir())), "")
    if old.is_dir():
        return f"{old} is a folder"
    if not old.is_file() or _signature(old) not in (b"", _signature(new)):
        return f"{old} is another type of file"
    return ""


def _signature(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_SIGNATURE_BYTES)


def _sync_all(path: Path) -> None:
    for file in path.rglob("*") if path.is_dir() else (path,):
        sync(file)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
