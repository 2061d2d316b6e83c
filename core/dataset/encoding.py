"""How the rows of a file are packed: lines of JSON in every format, on their way in and out."""

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import orjson

from ..errors import CheckFailed, InvalidOption, MissingExtra, install
from ..example import Example
from ..generator import Generator
from ..storage.store import Place
from ..storage.text import open_plain, unpacked
from .columns import Unfit, arrow_schema, columns, conformed
from .manifest import Encoding

if TYPE_CHECKING:
    import pyarrow

Write = Callable[[list[bytes]], object]
"""Takes some lines, without their ends."""

_GZIP_LEVEL = 6
_ZSTD_LEVEL = 3
_ZSTD_WINDOW = 1 << 27
_ROWS_PER_GROUP = 4096
"""So many rows of a table are held at once, written or read."""
_ROWS_PER_BATCH = 256


def check_encoding(encoding: Encoding, kind: type[Generator]) -> None:
    """See that such files can be written of a generator's rows, before any row is made."""
    if encoding == "jsonl.zst":
        _zstandard()
    elif encoding == "parquet":
        _parquet()
        try:
            columns(kind)
        except Unfit as error:
            raise InvalidOption(
                f"--format: rows of {kind.name} make no table ({error}); choose jsonl.zst, say"
            ) from None


def line_of(encoding: Encoding, kind: type[Generator]) -> Callable[[Example], bytes]:
    """What makes of a row the line that is read from such a file, without its end."""
    if encoding != "parquet":
        return lambda example: orjson.dumps(example.record())
    row = columns(kind)  # a table has all fields, in one order
    return lambda example: orjson.dumps(conformed(example.record(), row))


@contextmanager
def packing(encoding: Encoding, sink: Any, kind: type[Generator]) -> Iterator[Write]:
    """Give what writes lines to a file in a format; all is in the file at the end."""
    if encoding == "parquet":
        with _as_table(sink, arrow_schema(kind)) as write:
            yield write
        return
    packed = sink
    if encoding == "jsonl.gz":
        packed = gzip.GzipFile("", "wb", _GZIP_LEVEL, sink, mtime=0)
    elif encoding == "jsonl.zst":
        packed = _zstandard().ZstdCompressor(_ZSTD_LEVEL).stream_writer(sink, closefd=False)
    yield lambda lines: packed.write(b"\n".join(lines) + b"\n")
    if packed is not sink:
        packed.close()


@contextmanager
def _as_table(sink: Any, schema: "pyarrow.Schema") -> Iterator[Write]:
    pyarrow, json, parquet = _parquet()
    held: list[bytes] = []
    options = json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")

    def put() -> None:
        data = b"\n".join(held)
        # One block: a row may be longer than the usual one, and threads would gain nothing.
        reading = json.ReadOptions(use_threads=False, block_size=len(data) + 1)
        try:
            table = json.read_json(pyarrow.BufferReader(data), reading, options)
        except pyarrow.ArrowException as error:
            first = orjson.loads(held[0])["id"]
            why = " ".join(str(error).split())
            raise CheckFailed(
                f"{first}, or one of the rows that follow, is not as its Metadata says ({why}); "
                f"choose another --format, and report it to the generator's authors"
            ) from None
        writer.write_table(table.select(schema.names), row_group_size=_ROWS_PER_GROUP)
        held.clear()

    def write(lines: list[bytes]) -> None:
        held.extend(lines)
        if len(held) >= _ROWS_PER_GROUP:
            put()

    with parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        yield write
        if held:
            put()


def open_lines(path: Place) -> IO[bytes]:
    """Open a shard for reading line by line, unpacked."""
    if path.suffix == ".zst":
        return unpacked(open_plain(path), _unpacked)
    if path.suffix == ".parquet":
        return unpacked(open_plain(path), _table_lines)
    return open_plain(path, packed=path.suffix == ".gz")


def _unpacked(file: IO[bytes]) -> Iterator[bytes]:
    zstandard = _zstandard()
    decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    stream = decompressor.stream_reader(file, read_across_frames=True, closefd=False)
    try:
        while data := stream.read(1 << 16):
            yield data
    except zstandard.ZstdError as error:
        raise ValueError(f"it is not packed by zstd, or damaged ({error})") from None


def _table_lines(file: IO[bytes]) -> Iterator[bytes]:
    pyarrow, _, parquet = _parquet()
    try:
        table = parquet.ParquetFile(file)
        for batch in table.iter_batches(_ROWS_PER_BATCH, use_threads=False):
            for row in batch.to_pylist():
                yield orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
    except (pyarrow.ArrowException, TypeError) as error:
        raise ValueError(f"it is no table of rows ({' '.join(str(error).split())})") from None


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError:
        raise MissingExtra(f"jsonl.zst needs zstandard: {install('bulk')}") from None
    return zstandard


def _parquet() -> Any:
    try:
        import pyarrow
        from pyarrow import json, parquet
    except ImportError:
        raise MissingExtra(f"parquet needs pyarrow: {install('bulk')}") from None
    return pyarrow, json, parquet
