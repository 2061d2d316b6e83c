"""One file of rows, written atomically."""

import gc
import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from platform import node
from typing import IO, Any

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from ..capabilities import Groups
from ..engines.engine import Tick
from ..errors import CannotWrite, CheckFailed, RelsmithError
from ..example import Example
from ..generator import Generator
from ..storage import files
from ..validation import findings, group_findings
from .encoding import shard_writer
from .manifest import DataFile, Encoding

REQUEST = "request.json"
PLACED = "placed.json"
"""Notes in the work folder: what is being made, then that all of it is in place."""

_ROWS_AT_ONCE = 32
"""Rows written per call; each row is freed as soon as it is encoded."""


@dataclass(frozen=True)
class Shard:
    """The task to write rows `start` to `stop` of a split to a file in the work folder."""

    generator: Generator
    seed: int
    splits: tuple[str, ...]
    split: str
    start: int
    stop: int
    name: str
    encoding: Encoding
    work: Path
    judge: bool
    request: str = ""
    """The digest of the request, which the work folder must have noted; empty to skip the check."""

    @property
    def generator_name(self) -> str:
        """The name of the generator."""
        return self.generator.name

    def examples(self) -> Iterator[Example]:
        """Yield the shard's rows; with `judge`, each row and group is judged."""
        row, group = self.start, list[Example]()
        size = Groups.of(self.generator).group_size
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
                        for problem in group_findings(self.generator, group):
                            raise CheckFailed(f"{group[0].id}: {problem}")
                        group.clear()
        except RelsmithError:
            raise
        except Exception as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise CheckFailed(
                f"{self.generator.name} failed at row {row} of {self.split}: {reason}; "
                f"--debug shows where; report it to the generator's authors"
            ) from error


class ShardRecord(BaseModel):
    """The note of a finished shard: its file, and the digest of the request."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    file: DataFile
    request: str


def make_shard(shard: Shard, tick: Tick) -> ShardRecord:
    """Write the shard atomically into the work folder unless its finished file exists."""
    out = shard.work.parent
    with files.explain_write_errors(out, resumable=True):
        check_request(shard)
        record = finished_record(shard)
        if record is None:
            with files.atomic_path(shard.work / shard.name) as unfinished:
                with unfinished.open("wb") as file, gc_paused():
                    finished = _write_rows(shard, file, tick)
                check_request(shard)
            record = ShardRecord(file=finished, request=shard.request)
            files.write(shard.work / f"{shard.name}.json", record.model_dump_json().encode())
    tick(shard.stop - shard.start)
    return record


def check_request(shard: Shard) -> None:
    """Check that the work folder exists and still has the same request.

    Remote workers may not see the folder, and may outlive the run that started them.
    """
    if not shard.request:
        return
    notes = (note_digest(shard.work / name) for name in (REQUEST, PLACED))
    if shard.request not in notes:
        raise CannotWrite(
            f"{node()} sees another folder at {shard.work.parent}, or another run has claimed it; "
            f"choose an --out that all workers share, then run the same command again"
        )


def note_digest(path: Path) -> str | None:
    """Return the digest of a note; None if there is none."""
    note = read_note(path)
    return None if note is None else hashlib.sha256(note).hexdigest()


def read_note(path: Path) -> bytes | None:
    """Return the contents of a small file; None if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def finished_record(shard: Shard) -> ShardRecord | None:
    """Return the record of the shard's finished file, if that is intact; else None."""
    try:
        record = ShardRecord.model_validate_json(
            read_note(shard.work / f"{shard.name}.json") or b""
        )
    except ValidationError:
        return None
    file, path = record.file, shard.work / shard.name
    if not path.exists():
        path = shard.work.parent / shard.name
    try:
        found = (shard.name, shard.split, shard.stop - shard.start, path.lstat().st_size)
        recorded = (file.name, file.split, file.rows, file.bytes)
        ours = recorded == found and record.request == shard.request
        return record if ours and files.digest(path) == file.sha256 else None
    except FileNotFoundError:
        return None


@contextmanager
def gc_paused() -> Iterator[None]:
    """Disable the garbage collector: rows are many small objects without cycles."""
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


def _write_rows(shard: Shard, file: IO[bytes], tick: Tick) -> DataFile:
    sink = _Digesting(file)
    encoded = map(encode, shard.examples())
    rows = 0
    with shard_writer(shard.encoding, sink, type(shard.generator)) as write:
        while chunk := list(islice(encoded, _ROWS_AT_ONCE)):
            write(chunk)
            rows += len(chunk)
            tick(rows)
            if rows % _ROWS_BETWEEN_COLLECTIONS == 0:
                gc.collect()
                gc.freeze()
    return DataFile(
        name=shard.name,
        split=shard.split,
        rows=rows,
        bytes=sink.bytes,
        sha256=sink.sha256.hexdigest(),
    )


def encode(example: Example) -> bytes:
    """Return the row as a line of JSON, without the newline."""
    try:
        return orjson.dumps(example.record())
    except orjson.JSONEncodeError as error:
        raise CheckFailed(f"{example.id} is not JSON: {error}") from None


class _Digesting(io.RawIOBase):
    """A file that counts and hashes the bytes written to it."""

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
