"""Files and folders: written whole or not at all, held against other runs, known by digest."""

import errno
import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory

from ..errors import AlreadyExists, CannotWrite, InvalidOption, reason
from .store import Place, Remote

LOCK = ".lock"
TEMPORARY = ".tmp"
"""How names end of what is not finished; after a crash it may be thrown away."""

_NEW, _OLD = "new", "old"
"""In the folder beside what is replaced: its successor, and what stood there before."""
_BEGINNING = 8
"""Files of a kind have so many first bytes in common: a header, a signature, a first key."""

Stamp = tuple[int, int] | None


def digest(path: Place) -> str:
    """The sha256 of a file; of a folder, over the names and digests of all files below it."""
    if isinstance(path, Path) and path.is_dir():
        return digest_of(path, (file for file in path.rglob("*") if file.is_file()))
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of(folder: Path, files: Iterable[Path]) -> str:
    """The sha256 over the names and digests of these files of a folder, in any order."""
    listed = sorted((file.relative_to(folder).as_posix(), digest(file)) for file in files)
    return hashlib.sha256("".join(f"{name} {sum}\n" for name, sum in listed).encode()).hexdigest()


def stamp(path: str | Path) -> Stamp:
    """What changes when a file does, so that it is read again only then; None where none is."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def sync(path: Place) -> None:
    """See that a file, or the list of what a folder holds, would survive a loss of power."""
    if isinstance(path, Remote):
        return  # what a store has taken, it keeps
    if path.is_dir():
        if os.name != "posix":
            return  # elsewhere a folder cannot be opened
        descriptor = os.open(path, os.O_RDONLY)
    else:
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def whole(path: Place, work: Place | None = None) -> Iterator[Path]:
    """Give another path to write a file or make a folder at; in the end it becomes `path`.

    It lies in `work` where that is given, else beside. What fails leaves nothing behind, and what
    is killed leaves a name that ends in TEMPORARY. A file for a store is made on this machine.
    """
    if isinstance(path, Remote):
        with TemporaryDirectory() as folder:
            yield Path(folder, path.name)
            path.put(Path(folder, path.name))
        return
    assert not isinstance(work, Remote)
    # Machines that share a folder may have processes of one number.
    unfinished = (work or path.parent) / f"{path.name}.{token_hex(8)}{TEMPORARY}"
    try:
        yield unfinished
        _sync_all(unfinished)
        unfinished.replace(path)
    finally:
        _remove(unfinished)


def write(path: Place, data: bytes, work: Place | None = None) -> None:
    """Put a small file in place whole."""
    if isinstance(path, Remote):
        path.write_bytes(data)
        return
    with whole(path, work) as unfinished:
        unfinished.write_bytes(data)


def sweep(folder: Place, stem: str = "") -> None:
    """Throw away what killed runs left unfinished in a folder, of files whose names begin so."""
    if isinstance(folder, Remote):
        return  # nothing unfinished is ever seen there
    for unfinished in folder.glob(f"{stem}*{TEMPORARY}"):
        _remove(unfinished)


@contextmanager
def replacing(
    out: Path, *, force: bool = False, inputs: Iterable[Place] = (), option: str = "--out"
) -> Iterator[Path]:
    """Give a path of the same name, to make a file or a folder at that in the end becomes `out`.

    What is there is replaced with `force` only, by its own kind only, and where it holds nothing
    that its successor lacks; an input of the command is never replaced. What a killed run left is
    tidied away first, and what it had moved aside put back.
    """
    refuse_url(out, option)
    place = Path(os.path.realpath(out))
    work = _beside(place)
    busy = f"another run is writing {out}; wait for it or choose another {option}"
    with explained(out, option=option), alone(work, busy):
        _recover(place, work)
        check_inputs(out, inputs, option)
        _check_free(out, force, option)
        successor = work / _NEW / place.name
        successor.parent.mkdir()
        try:
            yield successor
            _sync_all(successor)
            _check_free(out, force, option)
            _check_kind(out, successor, option)
            _put_in_place(successor, place, work)
        finally:
            _recover(place, work)


def refuse_url(out: Path, option: str = "--out") -> None:
    """Refuse a URL where only a path will do: as a path it would be a folder of an odd name."""
    if re.match(r"[a-z][a-z0-9+.-]+:/", str(out)):
        raise InvalidOption(
            f"{option}: {out} looks like the URL of a store, where only datasets can be written; "
            f"name a path"
        )


def save(path: Path, data: bytes) -> None:
    """Put a small file in place whole, over an earlier one of its kind."""
    with replacing(path, force=True) as successor:
        successor.write_bytes(data)


def recover(out: Path) -> None:
    """Tidy away what a killed run left beside `out`, unless a run is at it."""
    work = _beside(Path(os.path.realpath(out)))
    if work.is_dir():
        with suppress(AlreadyExists), alone(work):
            _recover(Path(os.path.realpath(out)), work)


@contextmanager
def cached(path: Path) -> Iterator[Path]:
    """Give a path to make a file or folder of a cache at; in the end it becomes `path`.

    Whoever makes the same at a time waits, since what makes it is short; a folder that is there by
    then stays. What a killed run left is thrown away first.
    """
    work = _beside(path)
    with alone(work, wait=True):
        clear(work)
        try:
            yield work / path.name
            _sync_all(work / path.name)
            if not path.is_dir():
                (work / path.name).replace(path)
        finally:
            clear(work)


def _beside(place: Path) -> Path:
    return place.parent / f".{place.name}{TEMPORARY}"


def _recover(place: Path, work: Path) -> None:
    others = {path.name for path in work.iterdir()} - {LOCK, _NEW, _OLD}
    if others:
        raise AlreadyExists(
            f"{work} is where relsmith works, but holds {min(others)!r}; move that elsewhere"
        )
    if (work / _OLD).exists() and not is_taken(place):
        (work / _OLD).replace(place)
    clear(work)


def _put_in_place(successor: Path, place: Path, work: Path) -> None:
    if place.is_dir():  # a folder cannot be replaced at once
        place.rename(work / _OLD)
    successor.replace(place)
    sync(place.parent)


def _check_free(out: Path, force: bool, option: str) -> None:
    if out.resolve() == Path.cwd():
        raise AlreadyExists(f"{out} is the folder that gen runs in; choose another {option}")
    if not force and is_taken(out):
        raise AlreadyExists(
            f"{out} already exists; pass --force to replace it or choose another {option}"
        )


def is_taken(out: Path) -> bool:
    """Whether something stands there; an empty folder is nothing."""
    return out.exists() and not (out.is_dir() and not any(out.iterdir()))


@contextmanager
def alone(folder: Place, complaint: str = "", *, wait: bool = False) -> Iterator[None]:
    """Hold a folder against other runs; the system lets go of it when this one is killed.

    It is made where it is not there, and removed where it is empty in the end. A link is refused:
    to work in it would be to write, and to throw away, where it leads. A store has no locks.
    """
    if isinstance(folder, Remote):
        yield
        return
    from filelock import FileLock, Timeout  # slow to import

    if link := link_in(folder):
        raise AlreadyExists(f"{link} is a symbolic link, and relsmith works in none; remove it")
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK, timeout=-1 if wait else 0)
    try:
        lock.acquire()
    except Timeout:
        raise AlreadyExists(complaint) from None
    try:
        yield
    finally:
        # Removed while it is held: whoever opened it before sees that, and tries again.
        try:
            with suppress(OSError):
                (folder / LOCK).unlink()
        finally:
            lock.release()
        with suppress(OSError):
            folder.rmdir()


def link_in(work: Path) -> Path | None:
    """The symbolic link that stands for a work folder or its lock, which no run of ours makes."""
    return next((path for path in (work, work / LOCK) if path.is_symlink()), None)


def clear(folder: Place, *kept: str) -> None:
    """Throw away what is in a folder, but for its lock and what is kept by name."""
    if isinstance(folder, Remote):
        folder.remove(name for name in folder.listed() if name not in kept)
        return
    for path in folder.iterdir():
        if path.name not in (LOCK, *kept):
            _remove(path)


def begin(work: Place, note: str, data: bytes) -> None:
    """Empty a work folder and note what it is for now; at no moment is it without its note."""
    clear(work, note)
    write(work / note, data)


@contextmanager
def explained(out: Place, *, resumable: bool = False, option: str = "--out") -> Iterator[None]:
    """Say in one line why something cannot be written there, and what to do."""
    try:
        yield
    except OSError as error:
        raise cannot_write(out, error, resumable=resumable, option=option) from None


def cannot_write(
    out: Place, error: OSError, *, resumable: bool = False, option: str = "--out"
) -> CannotWrite:
    """Say why nothing can be written there; a `resumable` run would go on where it stopped."""
    if isinstance(out, Remote):
        return CannotWrite(
            f"cannot write into {out}: {reason(error)}; see that it is there, that it answers and "
            f"that you may write, then run the same command again: it goes on where it stopped"
        )
    above = next(path for path in (out, *out.absolute().parents) if path.exists())
    if error.errno in (errno.ENOTDIR, errno.EEXIST) and not above.is_dir():
        return CannotWrite(f"cannot write {out}: {above} is a file; choose another {option}")
    if not out.exists() and error.errno in (errno.ENOENT, errno.EACCES, errno.EPERM, errno.EROFS):
        return CannotWrite(
            f"cannot write {out}: nothing can be made in {above} ({reason(error)}); choose another "
            f"{option}"
        )
    why = reason(error)
    if resumable and error.filename and Path(error.filename) != out:
        why += f" ({error.filename})"
    remedy = f"make room or choose another {option}"
    if resumable:
        remedy += ", then run the same command again: it goes on where it stopped"
    return CannotWrite(f"cannot write {'into ' if resumable else ''}{out}: {why}; {remedy}")


def check_inputs(out: Place, inputs: Iterable[Place], option: str = "--out") -> None:
    """Refuse to write over what is read, by whatever name."""
    for path in inputs:
        if _holds(out, path):
            raise AlreadyExists(
                f"{out} is, or holds, what is read ({path}), so even --force leaves it alone; "
                f"choose another {option}"
            )


def _holds(outer: Place, inner: Place) -> bool:
    """Whether a path is the other or lies below it, by whatever names and links."""
    if isinstance(outer, Remote) or isinstance(inner, Remote):
        return f"{inner}/".startswith(f"{outer}/")
    folder, place = (Path(os.path.realpath(path)) for path in (outer, inner))
    linked = outer.exists() and inner.exists() and outer.samefile(inner)
    return linked or folder in (place, *place.parents)


def _check_kind(out: Path, successor: Path, option: str) -> None:
    if out.exists() and (other := _other_kind(out, successor)):
        raise AlreadyExists(f"{other}, so even --force leaves it alone; choose another {option}")


def _other_kind(old: Path, new: Path) -> str:
    """Say what would be lost if the old were replaced, '' where it is of the new one's kind."""
    if new.is_dir():
        if not old.is_dir():
            return f"{old} is a file"
        others = {path.name for path in old.iterdir()} - {path.name for path in new.iterdir()}
        if others:
            return f"{old} also holds {min(others)!r}"
        return next(
            filter(None, (_other_kind(path, new / path.name) for path in old.iterdir())), ""
        )
    if old.is_dir():
        return f"{old} is a folder"
    if not old.is_file() or _beginning(old) not in (b"", _beginning(new)):
        return f"{old} is another kind of file"
    return ""


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_BEGINNING)


def _sync_all(path: Path) -> None:
    for file in path.rglob("*") if path.is_dir() else (path,):
        sync(file)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
