"""Check a dataset's folder: the manifest and the card byte by byte, and the list of files."""

import stat
from collections.abc import Iterator
from math import gcd
from pathlib import Path
from typing import Any

from ..errors import reason
from ..storage.files import LOCK, TEMPORARY_SUFFIX
from .card import CARD, card
from .manifest import MANIFEST, WORK_FOLDER, Manifest, is_shard_name, shard_bounds, shard_name

_RECORDS = {LOCK, "request.json", "placed.json"}


def layout_findings(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Yield what is wrong with the folder, without reading rows."""
    yield from _text_findings(folder, MANIFEST, manifest.json_bytes(), "the way gen writes it")
    yield from _text_findings(folder, CARD, card(manifest).encode(), "the card of this manifest")
    yield from _count_findings(manifest)
    yield from _unlisted_files(folder, manifest)


def file_problem(path: Path) -> str | None:
    """Return why a path is not a regular file of the dataset; None if it is."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return "missing"
    except OSError as error:
        return f"cannot be read: {reason(error)}"
    if stat.S_ISLNK(mode):
        return "is a symbolic link; datasets contain only regular files"
    return None if stat.S_ISREG(mode) else "is not a regular file"


def _text_findings(folder: Path, name: str, text: bytes, wanted: str) -> Iterator[str]:
    problem = file_problem(folder / name)
    try:
        if problem is None:
            with (folder / name).open("rb") as file:
                if file.read(len(text) + 1) != text:
                    problem = f"is not {wanted}; was it changed?"
    except OSError as error:
        problem = f"cannot be read: {reason(error)}"
    if problem:
        yield f"{name}: {problem}"


def _count_findings(manifest: Manifest) -> Iterator[str]:
    """Yield where splits and files disagree in row counts, names or order."""
    names: list[str] = []
    for split, rows in manifest.splits.items():
        files = [file for file in manifest.files if file.split == split]
        counted = sum(file.rows for file in files)
        if counted != rows:
            yield f"{MANIFEST}: {split} has {rows} rows, but its files {counted}"
        names += [
            shard_name(split, index, len(files), manifest.encoding) for index in range(len(files))
        ]
    for file in manifest.files:
        if file.split not in manifest.splits:
            yield f"{MANIFEST}: {file.name} is of no split that is listed"
    listed = [file.name for file in manifest.files if file.split in manifest.splits]
    for name, due_name in zip(listed, names, strict=True):
        if name != due_name:
            yield f"{MANIFEST}: {name} is listed where {due_name} belongs"
            return


def boundary_findings(manifest: Manifest, group_size: int | None) -> Iterator[str]:
    """Yield files with more or fewer rows than `gen` puts there; None for unknown groups."""
    for split, rows in manifest.splits.items():
        files = [file for file in manifest.files if file.split == split]
        if sum(file.rows for file in files) != rows:
            continue
        size = group_size or gcd(*(file.rows for file in files))
        for index, file in enumerate(files):
            start, stop = shard_bounds(rows, size, index, len(files))
            if file.rows != stop - start:
                due = stop - start
                yield f"{MANIFEST}: {file.name} has {file.rows} rows, but {due} belong there"


def _unlisted_files(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Yield files that do not belong to the dataset but may be mistaken for data."""
    listed = {MANIFEST, CARD, *(file.name for file in manifest.files)}
    paths: list[Any] = sorted(folder.iterdir(), key=str)
    for path in paths:
        if path.name == WORK_FOLDER and path.is_dir() and not path.is_symlink():
            unlisted = sorted(inner for inner in path.iterdir() if not _is_work_file(inner))
        else:
            unlisted = [] if path.name in listed else [path]
        for inner in unlisted:
            name = inner.relative_to(folder).as_posix()
            yield f"{name if name.isprintable() else ascii(name)}: not in the manifest"


def _is_work_file(path: Path) -> bool:
    """Return whether a running or interrupted `gen` leaves such a file in its work folder."""
    name = path.name
    ours = (
        name in _RECORDS
        or name.endswith(TEMPORARY_SUFFIX)
        or is_shard_name(name.removesuffix(".json"))
    )
    return ours and file_problem(path) is None
