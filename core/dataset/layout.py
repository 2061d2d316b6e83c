"""What a dataset's folder holds: the manifest as it is written, its card, the listed files."""

import stat
from collections.abc import Iterator
from math import gcd
from typing import Any

from ..errors import reason
from ..storage.files import LOCK, TEMPORARY
from ..storage.store import Place
from .card import CARD, card
from .manifest import MANIFEST, WORK, Manifest, file_name, is_file_name

_RECORDS = {LOCK, "request.json", "placed.json"}


def layout_findings(folder: Place, manifest: Manifest) -> Iterator[str]:
    """What is wrong with the folder before any row is looked at."""
    yield from _text_findings(folder, MANIFEST, manifest.json_bytes(), "the way gen writes it")
    yield from _text_findings(folder, CARD, card(manifest).encode(), "the card of this manifest")
    yield from _count_findings(manifest)
    yield from _strangers(folder, manifest)


def irregularity(path: Place) -> str | None:
    """Why a file cannot be taken for one of the folder's own; None where it can."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return "missing"
    except OSError as error:
        return f"cannot be read: {reason(error)}"
    if stat.S_ISLNK(mode):
        return "is a symbolic link; a dataset's files are its own"
    return None if stat.S_ISREG(mode) else "is no plain file"


def _text_findings(folder: Place, name: str, text: bytes, wanted: str) -> Iterator[str]:
    problem = irregularity(folder / name)
    try:
        if problem is None and not _reads(folder / name, text):
            problem = f"is not {wanted}; was it changed?"
    except OSError as error:
        problem = f"cannot be read: {reason(error)}"
    if problem:
        yield f"{name}: {problem}"


def _reads(path: Place, text: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(text) + 1) == text


def _count_findings(manifest: Manifest) -> Iterator[str]:
    """The splits and their files fit one another, in number, names and order."""
    names: list[str] = []
    for split, rows in manifest.splits.items():
        files = [file for file in manifest.files if file.split == split]
        counted = sum(file.rows for file in files)
        if counted != rows:
            yield f"{MANIFEST}: {split} has {rows} rows, but its files {counted}"
        group = gcd(*(file.rows for file in files))  # those that belong together stay so
        for index, file in enumerate(files):
            names.append(file_name(split, index, len(files), manifest.encoding))
            groups = rows // group
            due = (groups * (index + 1) // len(files) - groups * index // len(files)) * group
            if counted == rows and file.rows != due:
                yield f"{MANIFEST}: {file.name} has {file.rows} rows, but {due} belong there"
    for file in manifest.files:
        if file.split not in manifest.splits:
            yield f"{MANIFEST}: {file.name} is of no split that is listed"
    listed = [file.name for file in manifest.files if file.split in manifest.splits]
    for name, due_name in zip(listed, names, strict=True):
        if name != due_name:
            yield f"{MANIFEST}: {name} is listed where {due_name} belongs"
            return


def _strangers(folder: Place, manifest: Manifest) -> Iterator[str]:
    """What is in the folder and belongs to no dataset: loaders and people may take it for data."""
    listed = {MANIFEST, CARD, *(file.name for file in manifest.files)}
    paths: list[Any] = sorted(folder.iterdir(), key=str)
    for path in paths:
        if path.name == WORK and path.is_dir() and not path.is_symlink():
            strange = sorted(inner for inner in path.iterdir() if not _is_work(inner))
        else:
            strange = [] if path.name in listed else [path]
        for inner in strange:
            name = inner.relative_to(folder).as_posix()
            yield f"{name if name.isprintable() else ascii(name)}: not in the manifest"


def _is_work(path: Place) -> bool:
    """Whether a run that makes a dataset, or was stopped while it did, leaves such a file."""
    name = path.name
    ours = name in _RECORDS or name.endswith(TEMPORARY) or is_file_name(name.removesuffix(".json"))
    return ours and irregularity(path) is None
