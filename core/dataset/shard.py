"""One file of rows: written whole or not at all, and read back as it stands."""

import gc
import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from platform import node
from typing import IO, Any

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from ..engines.engine import Tick
from ..errors import CannotWrite, CheckFailed, RelsmithError
from ..example import Example
from ..generator import Generator
from ..judge import disagreements, findings
from ..storage import files
from ..storage.store import Place, Remote
from .encoding import packing
from .manifest import Encoding, File

REQUEST = "request.json"
PLACED = "placed.json"
"""In the work folder: what is being made, and later that all of it is in place."""

_ROWS_AT_ONCE = 32
"""So many lines are written at once; a row lives no longer than it takes to encode it."""


@dataclass(frozen=True)
class Shard:
    """Rows `start` to `stop` of a split, on their way to a file in the work folder."""

    generator: Generator
    seed: int
    splits: tuple[str, ...]
    split: str
    start: int
    stop: int
    name: str
    encoding: Encoding
    work: Place
    judge: bool
    request: str = ""
    """The digest of what was asked for, where the work folder must say the same."""

    @property
    def made_by(self) -> str:
        """The name of the generator."""
        return self.generator.name

    def examples(self) -> Iterator[Example]:
        """The shard's rows; with `judge`, each one solved anew as well."""
        row, group = self.start, list[Example]()
        size = self.generator.together
        try:
            for example in self.generator.examples(
                self.stop, start=self.start, seed=self.seed, split=self.split, splits=self.splits
            ):
                if self.judge and (found := findings(self.generator, example)):
                    raise CheckFailed(f"{example.id}: {found[0]}")
                yield example
                row += 1
                if self.judge and size > 1:
                    group.append(example)
                    if len(group) == size:
                        for problem in disagreements(self.generator, group):
                            raise CheckFailed(f"{group[0].id}: {problem}")
                        group.clear()
        except RelsmithError:
            raise
        except Exception as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise CheckFailed(
                f"{self.generator.name} broke down at row {row} of {self.split}: {reason}; "
                f"--debug shows where; report it to the generator's authors"
            ) from error


class Record(BaseModel):
    """What is noted of a finished shard: its file, and for what request it was made."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    file: File
    request: str
    etag: str = ""
    """The mark of its bytes, where a store has such marks."""


def make_shard(shard: Shard, tick: Tick) -> Record:
    """Write the shard unless a finished file of it is there; a crash leaves no half one.

    On this machine it waits in the work folder; a store cannot rename, so there it is in place.
    """
    out = shard.work.parent
    with files.explained(out, resumable=True):
        check_ours(shard)
        record = finished_record(shard)
        if record is None:
            place = (out if isinstance(out, Remote) else shard.work) / shard.name
            with files.whole(place) as unfinished:
                with unfinished.open("wb") as file, seldom_collecting():
                    finished = _write_rows(shard, file, tick)
                check_ours(shard)
            etag = place.etag() if isinstance(place, Remote) else ""
            record = Record(file=finished, request=shard.request, etag=etag)
            files.write(shard.work / f"{shard.name}.json", record.model_dump_json().encode())
    tick(shard.stop - shard.start)
    return record


def check_ours(shard: Shard) -> None:
    """See that the work folder is there, and still for the same request.

    Whoever works elsewhere may not see the folder, and may outlive the run that asked for it.
    """
    if not shard.request:
        return
    notes = (note_digest(shard.work / name) for name in (REQUEST, PLACED))
    if shard.request not in notes:
        raise CannotWrite(
            f"{shard.work.parent} is not what {node()} sees there, or was given to another run; "
            f"choose an --out that all workers share, then run the same command again"
        )


def note_digest(path: Place) -> str | None:
    """The digest of what a note says; None where there is none."""
    note = read_note(path)
    return None if note is None else hashlib.sha256(note).hexdigest()


def read_note(path: Place) -> bytes | None:
    """What a small file says; None where there is none to be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError:
        if isinstance(path, Remote):
            raise  # there may well be one
        return None


def finished_record(shard: Shard) -> Record | None:
    """The record of the shard's file where that stands, in work or in place, unharmed."""
    try:
        record = Record.model_validate_json(read_note(shard.work / f"{shard.name}.json") or b"")
    except ValidationError:
        return None
    file, path = record.file, shard.work / shard.name
    if isinstance(path, Remote) or not path.exists():
        path = shard.work.parent / shard.name
    try:
        found = (shard.name, shard.split, shard.stop - shard.start, path.lstat().st_size)
        recorded = (file.name, file.split, file.rows, file.bytes)
        ours = recorded == found and record.request == shard.request
        return record if ours and files.digest(path) == file.sha256 else None
    except FileNotFoundError:
        return None


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """Look for cyclic garbage when told to only: rows are many small objects without cycles."""
    was_enabled = gc.isenabled()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        if was_enabled:
            gc.enable()


_ROWS_BETWEEN_COLLECTIONS = 512 * _ROWS_AT_ONCE


def _write_rows(shard: Shard, file: IO[bytes], tick: Tick) -> File:
    sink = _Digesting(file)
    encoded = map(encode, shard.examples())
    rows = 0
    with packing(shard.encoding, sink, type(shard.generator)) as write:
        while chunk := list(islice(encoded, _ROWS_AT_ONCE)):
            write(chunk)
            rows += len(chunk)
            tick(rows)
            if rows % _ROWS_BETWEEN_COLLECTIONS == 0:
                gc.collect()
                gc.freeze()
    return File(
        name=shard.name,
        split=shard.split,
        rows=rows,
        bytes=sink.bytes,
        sha256=sink.sha256.hexdigest(),
    )


def encode(example: Example) -> bytes:
    """The row as a line of JSON, without its end."""
    try:
        return orjson.dumps(example.record())
    except orjson.JSONEncodeError as error:
        raise CheckFailed(f"{example.id} is not JSON: {error}") from None


class _Digesting(io.RawIOBase):
    """A file that counts and hashes what passes through."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.bytes = 0
        self.sha256 = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.bytes += len(data)
        self.sha256.update(data)
        return self.file.write(data)

    def flush(self) -> None:
        if not self.file.closed:
            self.file.flush()
