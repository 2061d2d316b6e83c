"""Check how the rows of a file are packed, which decides what other readers find in it.

Some stop after the first of several gzip members or zstd frames; pandas takes column names from
the metadata of a table, and databases skip rows by its statistics. Sizes of pages and levels of
compression are not compared: they depend on the versions of the packages.
"""

import io
import os
import zlib
from base64 import b64decode
from typing import IO, TYPE_CHECKING, Any

from ..generator import Generator
from .columns import arrow_schema
from .encoding import (
    ROWS_PER_GROUP,
    TABLE_COMPRESSION,
    parquet_modules,
    shard_writer,
    zstandard_module,
)
from .manifest import Encoding

if TYPE_CHECKING:
    import pyarrow

_BYTES_AT_ONCE = 1 << 16
_GZIP_HEADER = bytes.fromhex("1f8b08 00 00000000 00 ff")
"""Without name, time and comment."""
_PARQUET_MAGIC = b"PAR1"
_SCHEMA_KEY = b"ARROW:schema"
"""The key of a Parquet file's metadata for its Arrow schema, encoded differently by version."""


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
    pyarrow, _, parquet = parquet_modules()
    own = io.BytesIO()
    with shard_writer("parquet", own, cls):
        pass
    try:
        table, due = parquet.ParquetFile(file), parquet.ParquetFile(own).metadata
        found = table.metadata
        keys, due_keys = found.metadata or {}, due.metadata
        if {**keys, _SCHEMA_KEY: b""} != {**due_keys, _SCHEMA_KEY: b""}:
            names = sorted(map(repr, keys.keys() ^ due_keys.keys()))
            return f"its metadata is not what gen writes: {', '.join(names)}"
        stored, due_stored = (
            pyarrow.ipc.read_schema(pyarrow.py_buffer(b64decode(each[_SCHEMA_KEY])))
            for each in (keys, due_keys)
        )
        read, due_read = (each.schema.to_arrow_schema() for each in (found, due))
        writer, due_writer = (each.created_by.rpartition(" ")[0] for each in (found, due))
        same = (
            writer == due_writer
            and found.schema.equals(due.schema)
            and stored.equals(due_stored, check_metadata=True)
            and read.equals(due_read, check_metadata=True)
        )
        if not same:
            return f"its schema is not that of {cls.name}'s rows"
        if not _is_contiguous(file, found):
            return "has bytes that belong to no column"
        schema = arrow_schema(cls)
        problems = (_group_problem(table, n, schema) for n in range(found.num_row_groups))
        return next(filter(None, problems), None)
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        return f"its metadata is not readable ({' '.join(str(error).split())})"


def _is_contiguous(file: IO[bytes], metadata: Any) -> bool:
    """Return whether a table's columns follow each other, from the first bytes to the footer."""
    file.seek(0)
    place = len(_PARQUET_MAGIC)
    ordered = file.read(place) == _PARQUET_MAGIC
    for n in range(metadata.num_row_groups):
        group = metadata.row_group(n)
        for column in map(group.column, range(group.num_columns)):
            ordered &= place == (column.dictionary_page_offset or column.data_page_offset)
            place += column.total_compressed_size
    return ordered and place + metadata.serialized_size + 8 == file.seek(0, os.SEEK_END)


def _group_problem(table: Any, n: int, schema: "pyarrow.Schema") -> str | None:
    """Return how a group of rows differs from one with the same rows that is written here."""
    group, last = table.metadata.row_group(n), table.metadata.num_row_groups - 1
    if not (1 if n == last else ROWS_PER_GROUP) <= group.num_rows <= ROWS_PER_GROUP:
        return f"group {n} has {group.num_rows} rows, but gen writes {ROWS_PER_GROUP}"
    own = io.BytesIO()
    parquet = parquet_modules()[2]
    parquet.write_table(table.read_row_group(n).cast(schema), own, compression=TABLE_COMPRESSION)
    due = parquet.ParquetFile(own).metadata.row_group(0)
    if group.sorting_columns != due.sorting_columns:
        return f"group {n} claims to be sorted"
    for index in range(group.num_columns):
        column, due_column = group.column(index), due.column(index)
        if _described(column) != _described(due_column):
            name = column.path_in_schema
            return f"compression or statistics of {name} in group {n} are not as gen writes them"
    return None


def _described(column: Any) -> tuple[Any, ...]:
    statistics = column.statistics
    values = statistics and (statistics.min, statistics.max, statistics.null_count)
    return column.compression, column.num_values, values
