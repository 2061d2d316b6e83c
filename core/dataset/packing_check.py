"""Check how the rows of a file are packed, which decides what other readers find in it.

Some stop after the first of several gzip members or zstd frames; pandas takes column names from
the metadata of a table, and databases skip rows by its statistics. Sizes of pages and levels of
compression are not compared: they depend on the versions of the packages.
"""

import io
import os
import re
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
from .thrift import Struct, decode_struct

if TYPE_CHECKING:
    import pyarrow

_BYTES_AT_ONCE = 1 << 16
_GZIP_HEADER = bytes.fromhex("1f8b08 00 00000000 00 ff")
"""Without name, time and comment."""
_PARQUET_MAGIC = b"PAR1"
_SCHEMA_KEY = b"ARROW:schema"
"""The key of a Parquet file's metadata for its Arrow schema, encoded differently by version."""
_VERSION = re.compile(r"(\.?\d+)+$", re.ASCII)
_GAPS = "has bytes that belong to no column"

# Numbers of fields in parquet.thrift of the Parquet format.
_ROW_COUNT, _GROUPS = 3, 4
_COLUMNS, _GROUP_PLAIN_SIZE, _SORTED_BY, _GROUP_PLACE, _GROUP_PACKED_SIZE = 1, 2, 4, 5, 6
_COLUMN = 3
_PATH, _PLAIN_SIZE, _PACKED_SIZE, _DATA_PAGE, _DICTIONARY_PAGE, _STATISTICS = 3, 6, 7, 9, 11, 12
_OFFSETS = (_PACKED_SIZE, _DATA_PAGE, _DICTIONARY_PAGE)
_STABLE_FIELDS = (1, _PATH, 4, 5)
"""Type, path, codec and number of values of a column."""
_STABLE_STATISTICS = (1, 2, 3, 5, 6)
"""Largest and smallest value, number of nulls, and the first two again in other orders."""
_PAGE_PLAIN_SIZE, _PAGE_PACKED_SIZE = 2, 3
_PAGES = -1
"""Added to a column: the descriptions of its pages."""


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
        writer, due_writer = (_VERSION.sub("", each.created_by) for each in (found, due))
        footer, due_footer = _footer(file), _footer(own)
        same = (
            writer == due_writer
            and found.schema.equals(due.schema)
            and stored.equals(due_stored, check_metadata=True)
            and read.equals(due_read, check_metadata=True)
        )
        alike = found.created_by == due.created_by  # written by the same version
        counts = {_ROW_COUNT: 0, _GROUPS: []}
        if not same or (alike and footer | counts != due_footer | counts):
            return f"its schema is not that of {cls.name}'s rows"
        place, schema = len(_PARQUET_MAGIC), arrow_schema(cls)
        for n, group in enumerate(footer[_GROUPS]):
            described, place = _layout(file, group, place)
            if problem := _group_problem(table, n, described, schema, alike):
                return problem
        file.seek(0)
        if file.read(len(_PARQUET_MAGIC)) != _PARQUET_MAGIC or place != _footer_place(file):
            return _GAPS
    except (pyarrow.ArrowException, OSError, ValueError, LookupError, TypeError) as error:
        return f"its metadata is not readable ({' '.join(str(error).split())})"
    return None


def _footer_place(file: IO[bytes]) -> int:
    file.seek(-8, os.SEEK_END)
    return file.tell() - int.from_bytes(file.read(4), "little")


def _footer(file: IO[bytes]) -> Struct:
    file.seek(_footer_place(file))
    return decode_struct(file.read())[0]


def _layout(file: IO[bytes], group: Struct, place: int) -> tuple[Struct, int]:
    """Return the description of a group of rows, with that of its pages, and where it ends.

    Sizes and offsets, which depend on the version of the compressor, are given as differences from
    those of the pages: 0 in a file whose columns follow each other from `place`.
    """
    begin, plain, packed, columns = place, 0, 0, []
    for chunk in group[_COLUMNS]:
        column, pages, starts = dict(chunk[_COLUMN]), [], [place]
        file.seek(place)
        data = file.read(max(0, column[_PACKED_SIZE]))
        plain_due = end = 0
        while end < len(data):
            page, body = decode_struct(data, end)
            plain_due += body - end + page[_PAGE_PLAIN_SIZE]
            end = body + max(0, page.pop(_PAGE_PACKED_SIZE))
            starts.append(place + end)
            pages.append(page)
        plain, packed = plain + column[_PLAIN_SIZE], packed + column[_PACKED_SIZE]
        column[_PLAIN_SIZE] -= plain_due
        column[_PACKED_SIZE] -= end
        data_page = 1 if _DICTIONARY_PAGE in column else 0
        for field, start in ((_DICTIONARY_PAGE, place), (_DATA_PAGE, starts[data_page])):
            if field in column:
                column[field] -= start
        place += end
        columns.append(chunk | {_COLUMN: column, _PAGES: pages})
    sizes = {_GROUP_PLAIN_SIZE: plain, _GROUP_PACKED_SIZE: packed, _GROUP_PLACE: begin}
    rest = {field: group[field] - due for field, due in sizes.items() if field in group}
    return group | rest | {_COLUMNS: columns}, place


def _group_problem(
    table: Any, n: int, group: Struct, schema: "pyarrow.Schema", alike: bool
) -> str | None:
    """Return how a group of rows differs from one with the same rows that is written here."""
    rows, last = table.metadata.row_group(n).num_rows, table.metadata.num_row_groups - 1
    if not (1 if n == last else ROWS_PER_GROUP) <= rows <= ROWS_PER_GROUP:
        return f"group {n} has {rows} rows, but gen writes {ROWS_PER_GROUP}"
    own = io.BytesIO()
    parquet = parquet_modules()[2]
    parquet.write_table(table.read_row_group(n).cast(schema), own, compression=TABLE_COMPRESSION)
    (written,) = _footer(own)[_GROUPS]
    due, _ = _layout(own, written, len(_PARQUET_MAGIC))
    if group.get(_SORTED_BY) != due.get(_SORTED_BY):
        return f"group {n} claims to be sorted"
    for chunk, due_chunk in zip(group[_COLUMNS], due[_COLUMNS], strict=True):
        column, due_column = chunk[_COLUMN], due_chunk[_COLUMN]
        if any(column.get(field, 0) for field in _OFFSETS):
            return _GAPS
        if _described(column) != _described(due_column) or (alike and chunk != due_chunk):
            name = b".".join(due_column[_PATH]).decode()
            return f"compression, statistics or pages of {name} in group {n} are not those of gen"
    if alike and group != due:
        return f"the description of group {n} is not as gen writes it"
    return None


def _described(column: Struct) -> list[Any]:
    """Return what all versions of the writer say of a column."""
    statistics = column.get(_STATISTICS, {})
    return [
        *(column.get(field) for field in _STABLE_FIELDS),
        *(statistics.get(field) for field in _STABLE_STATISTICS),
    ]
