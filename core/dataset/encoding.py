"""File formats: rows are lines of JSON, plain, compressed, or converted to Parquet."""

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import orjson

from ..errors import CheckFailed, InvalidOption, MissingExtra, install_command
from ..example import Example
from ..generator import Generator
from ..storage.text import decompressed_reader, open_plain
from .columns import NotTabular, arrow_schema, column_types, conform
from .manifest import Encoding

if TYPE_CHECKING:
    import pyarrow

Write = Callable[[list[bytes]], object]
"""Writes lines, given without newlines."""

_GZIP_LEVEL = 6
_ZSTD_LEVEL = 3
_ZSTD_WINDOW = 1 << 27
TABLE_COMPRESSION = "zstd"
ROWS_PER_GROUP = 4096
"""Rows of a table held in memory, for writing."""
_ROWS_PER_BATCH = 256


def check_encoding(encoding: Encoding, cls: type[Generator]) -> None:
    """Check before any row is made that the generator's rows can be written in this format."""
    if encoding == "jsonl.zst":
        zstandard_module()
    elif encoding == "parquet":
        parquet_modules()
        try:
            column_types(cls)
        except NotTabular as error:
            raise InvalidOption(
                f"--format: rows of {cls.name} do not fit a table ({error}); choose jsonl.zst"
            ) from None


def line_encoder(encoding: Encoding, cls: type[Generator]) -> Callable[[Example], bytes]:
    """Return the function that gives the line of a row as read back from such a file."""
    if encoding != "parquet":
        return lambda example: orjson.dumps(example.record())
    row = column_types(cls)  # a table has all fields, in a fixed order
    return lambda example: orjson.dumps(conform(example.record(), row))


@contextmanager
def shard_writer(encoding: Encoding, sink: Any, cls: type[Generator]) -> Iterator[Write]:
    """Provide a function that writes lines to `sink` in a format; flushed on exit."""
    if encoding == "parquet":
        with _table_writer(sink, arrow_schema(cls)) as write:
            yield write
        return
    compressed = sink
    if encoding == "jsonl.gz":
        compressed = gzip.GzipFile("", "wb", _GZIP_LEVEL, sink, mtime=0)
    elif encoding == "jsonl.zst":
        compressed = (
            zstandard_module().ZstdCompressor(_ZSTD_LEVEL).stream_writer(sink, closefd=False)
        )
    yield lambda lines: compressed.write(b"\n".join(lines) + b"\n")
    if compressed is not sink:
        compressed.close()


@contextmanager
def _table_writer(sink: Any, schema: "pyarrow.Schema") -> Iterator[Write]:
    pyarrow, json, parquet = parquet_modules()
    buffer: list[bytes] = []
    options = json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")

    def flush() -> None:
        data = b"\n".join(buffer)
        # One block: a row may be longer than the default, and threads would gain nothing.
        reading = json.ReadOptions(use_threads=False, block_size=len(data) + 1)
        try:
            table = json.read_json(pyarrow.BufferReader(data), reading, options)
        except pyarrow.ArrowException as error:
            first = orjson.loads(buffer[0])["id"]
            why = " ".join(str(error).split())
            raise CheckFailed(
                f"{first}, or a row after it, does not match its Metadata ({why}); "
                f"choose another --format, and report it to the generator's authors"
            ) from None
        writer.write_table(table.select(schema.names), row_group_size=ROWS_PER_GROUP)
        buffer.clear()

    def write(lines: list[bytes]) -> None:
        buffer.extend(lines)
        if len(buffer) >= ROWS_PER_GROUP:
            flush()

    with parquet.ParquetWriter(sink, schema, compression=TABLE_COMPRESSION) as writer:
        yield write
        if buffer:
            flush()


def open_lines(path: Path) -> IO[bytes]:
    """Open a shard for reading its decompressed lines."""
    if path.suffix == ".zst":
        return decompressed_reader(open_plain(path), _zstd_chunks)
    if path.suffix == ".parquet":
        return decompressed_reader(open_plain(path), _table_lines)
    return open_plain(path, packed=path.suffix == ".gz")


def _zstd_chunks(file: IO[bytes]) -> Iterator[bytes]:
    zstandard = zstandard_module()
    decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    stream = decompressor.stream_reader(file, read_across_frames=True, closefd=False)
    try:
        while data := stream.read(1 << 16):
            yield data
    except zstandard.ZstdError as error:
        raise ValueError(f"it is not zstd data, or damaged ({error})") from None


def _table_lines(file: IO[bytes]) -> Iterator[bytes]:
    pyarrow, _, parquet = parquet_modules()
    try:
        table = parquet.ParquetFile(file)
        for batch in table.iter_batches(_ROWS_PER_BATCH, use_threads=False):
            for row in batch.to_pylist():
                yield orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
    except (pyarrow.ArrowException, TypeError) as error:
        raise ValueError(f"it is not a table of rows ({' '.join(str(error).split())})") from None


def zstandard_module() -> Any:
    """Import zstandard."""
    try:
        import zstandard
    except ImportError:
        raise MissingExtra(f"jsonl.zst needs zstandard: {install_command('bulk')}") from None
    return zstandard


def parquet_modules() -> Any:
    """Import pyarrow, and its modules for JSON and Parquet."""
    try:
        import pyarrow
        from pyarrow import json, parquet
    except ImportError:
        raise MissingExtra(f"parquet needs pyarrow: {install_command('bulk')}") from None
    return pyarrow, json, parquet
