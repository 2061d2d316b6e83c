"""Check how the rows of a file are packed, which decides what other readers find in it.

Some stop after the first of several gzip members or zstd frames; pandas takes column names from
the metadata of a table, and databases skip rows by its statistics.
"""

import hashlib
import io
import os
import re
import zlib
from base64 import b64decode
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any

from ..generator import Generator
from .columns import arrow_schema
from .encoding import ROWS_PER_GROUP, TABLE_COMPRESSION, parquet_modules, zstandard_module
from .manifest import Encoding

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_BYTES_AT_ONCE = 1 << 16
_GZIP_HEADER = bytes.fromhex("1f8b08 00 00000000 00 ff")
"""Without name, time and comment."""
_PARQUET_MAGIC = b"PAR1"
_SCHEMA_KEY = b"ARROW:schema"
"""The key of a Parquet file's metadata for its Arrow schema, encoded differently by version."""
_VERSION = re.compile(r"(\.?\d+)+$", re.ASCII)
_STABLE_FIELDS = (
    *("physical_type", "num_values", "path_in_schema", "statistics", "compression"),
    *("file_path", "bloom_filter_offset"),
)


def packing_problem(file: IO[bytes], encoding: Encoding, cls: type[Generator] | None) -> str | None:
    """Return how a file whose rows could be read is packed otherwise than `gen` packs it."""
    if encoding == "jsonl.gz" and not _is_one_gzip_member(file):
        return "is not one gzip member without name and time, or has more bytes"
    if encoding == "jsonl.zst" and not _is_one_zstd_frame(file):
        return "is not one zstd frame, or has more bytes"
    return _table_problem(file, cls) if encoding == "parquet" and cls else None


def _is_one_gzip_member(file: IO[bytes]) -> bool:
    file.seek(0)
    if file.read(len(_GZIP_HEADER)) != _GZIP_HEADER:
        return False
    member = zlib.decompressobj(-zlib.MAX_WBITS)
    while not member.eof and (data := member.unconsumed_tail or file.read(_BYTES_AT_ONCE)):
        member.decompress(data, _BYTES_AT_ONCE)
    return len(member.unused_data + file.read(9)) == 8  # the checksum and the length


def _is_one_zstd_frame(file: IO[bytes]) -> bool:
    """Return whether a file has one frame, from the headers of its blocks."""
    zstandard = zstandard_module()
    end = file.seek(0, os.SEEK_END)
    file.seek(0)
    header = file.read(18)
    if not header.startswith(zstandard.FRAME_HEADER):
        return False
    place, last = int(zstandard.frame_header_size(header)), 0
    while not last and place < end:
        file.seek(place)
        block = int.from_bytes(file.read(3), "little")
        last, repeated, size = block & 1, block >> 1 & 3 == 1, block >> 3
        place += 3 + (1 if repeated else size)
    checksum = 4 if zstandard.get_frame_parameters(header).has_checksum else 0
    return place + checksum == end


def _table_problem(file: IO[bytes], cls: type[Generator]) -> str | None:
    """Return how a table differs from one with the same rows that is written here.

    The same version of pyarrow has to write the same bytes. Other versions may differ in sizes and
    pages, but not in the schema, the metadata, and the statistics of columns.
    """
    pyarrow, _, parquet = parquet_modules()
    schema, written, made = arrow_schema(cls), _Digest(), list[Any]()
    try:
        table = parquet.ParquetFile(file)
        found = table.metadata
        sizes = [found.row_group(n).num_rows for n in range(found.num_row_groups)]
        with parquet.ParquetWriter(
            written, schema, compression=TABLE_COMPRESSION, metadata_collector=made
        ) as writer:
            for n in range(len(sizes)):
                writer.write_table(table.read_row_group(n).cast(schema), ROWS_PER_GROUP)
        (due,) = made
        if problem := _schema_problem(pyarrow, found, due):
            return problem
        if any(size != ROWS_PER_GROUP for size in sizes[:-1]) or not all(sizes):
            return f"its groups have {sizes[0]} rows, but gen writes {ROWS_PER_GROUP}"
        file.seek(0)
        digest = hashlib.sha256()
        while data := file.read(_BYTES_AT_ONCE):
            digest.update(data)
        alike = found.created_by == due.created_by
        known = _described(found) == _described(due) and not _has_gaps(file, found)
        if digest.digest() != written.digest.digest() and (alike or not known):
            return f"compression, statistics or pages are not those of {due.created_by}"
    except (pyarrow.ArrowException, OSError, ValueError, LookupError, TypeError) as error:
        return f"its metadata is not readable ({' '.join(str(error).split())})"
    return None


def _schema_problem(pyarrow: Any, found: Any, due: Any) -> str | None:
    """Return how schema and metadata of a table differ from those due."""
    keys, due_keys = found.metadata or {}, due.metadata
    if {**keys, _SCHEMA_KEY: b""} != {**due_keys, _SCHEMA_KEY: b""}:
        names = sorted(map(repr, keys.keys() ^ due_keys.keys()))
        return f"its metadata is not what gen writes: {', '.join(names)}"
    stored, due_stored = (
        pyarrow.ipc.read_schema(pyarrow.py_buffer(b64decode(each[_SCHEMA_KEY])))
        for each in (keys, due_keys)
    )
    read, due_read = (each.schema.to_arrow_schema() for each in (found, due))
    writer, due_writer = (_VERSION.sub("", each.created_by) for each in (found, due))
    same = (
        writer == due_writer
        and found.schema.equals(due.schema)
        and stored.equals(due_stored, check_metadata=True)
        and read.equals(due_read, check_metadata=True)
    )
    return None if same else "its schema is not what gen writes"


class _Digest(io.RawIOBase):
    """A sink that keeps only the digest of what is written."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: "ReadableBuffer") -> int:
        self.digest.update(data)
        return len(memoryview(data))


def _columns(metadata: Any) -> Iterator[dict[str, Any]]:
    for group in metadata.to_dict()["row_groups"]:
        yield from group["columns"]


def _described(metadata: Any) -> list[object]:
    """Return what all versions of the writer say of groups and columns."""
    groups = metadata.to_dict()["row_groups"]
    return [
        *([group[field] for field in ("num_rows", "sorting_columns")] for group in groups),
        *([column[field] for field in _STABLE_FIELDS] for column in _columns(metadata)),
    ]


def _has_gaps(file: IO[bytes], metadata: Any) -> bool:
    """Return whether bytes belong to no column: columns follow each other up to the footer."""
    place = len(_PARQUET_MAGIC)
    for column in _columns(metadata):
        if place != (column["dictionary_page_offset"] or column["data_page_offset"]):
            return True
        place += column["total_compressed_size"]
    file.seek(-8, os.SEEK_END)
    return place != file.tell() - int.from_bytes(file.read(4), "little")
