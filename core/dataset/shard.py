"""One file of rows: written whole or not at all, and read back as it stands."""

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

from .. import files
from ..engine import Tick
from ..errors import CannotWrite, CheckFailed, RelsmithError
from ..example import Example
from ..generator import Generator
from ..judge import disagreements, findings
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
    work: Path
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


def write_shard(shard: Shard, tick: Tick) -> File:
    """Write the shard unless a finished file of it is there; a crash leaves no half one."""
    check_ours(shard)
    finished = finished_file(shard)
    if finished is None:
        with files.explained(shard.work.parent, resumable=True):
            with files.whole(shard.work / shard.name) as unfinished:
                with unfinished.open("wb") as file, seldom_collecting():
                    finished = _write_rows(shard, file, tick)
                check_ours(shard)
            record = _Record(file=finished, request=shard.request)
            files.write(shard.work / f"{shard.name}.json", record.model_dump_json().encode())
    tick(shard.stop - shard.start)
    return finished


class _Record(BaseModel):
    """What is noted of a finished shard: its file, and for what request it was made."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: File
    request: str


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


def note_digest(path: Path) -> str | None:
    """The digest of what a note says; None where there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


def finished_file(shard: Shard) -> File | None:
    """The record of the shard's file where that file stands, in work or in place, unharmed."""
    try:
        noted = _Record.model_validate_json((shard.work / f"{shard.name}.json").read_bytes())
    except (OSError, ValidationError):
        return None
    record = noted.file
    path = shard.work / shard.name
    if not path.exists():
        path = shard.work.parent / shard.name
    try:
        found = (shard.name, shard.split, shard.stop - shard.start, path.lstat().st_size)
        recorded = (record.name, record.split, record.rows, record.bytes)
        ours = recorded == found and noted.request == shard.request
        return record if ours and files.digest(path) == record.sha256 else None
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
