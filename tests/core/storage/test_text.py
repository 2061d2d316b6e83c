import gzip
import json
import os
import socket
import tracemalloc
from functools import partial

import pytest

from relsmith.errors import InvalidInput, NotFound
from relsmith.storage.text import (
    MAX_DEPTH,
    MAX_LINE_LENGTH,
    is_gzip,
    next_line,
    numbered_lines,
    open_plain,
    parse_json,
    read,
    read_limited,
    table_rows,
)


def written(tmp_path, data: bytes):
    path = tmp_path / "input.txt"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_keep_their_numbers_with_any_line_ending(tmp_path, end):
    path = written(tmp_path, b"\xef\xbb\xbf" + end.join([b"a", b"", "\x85\u2028ß".encode()]))
    assert list(numbered_lines(path)) == [(1, "a"), (2, ""), (3, "\x85\u2028ß")]
    assert read(path) == "a\n\n\x85\u2028ß"


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("reader", [read, lambda path: list(numbered_lines(path))])
def test_invalid_utf8_is_named_by_line(tmp_path, end, reader):
    path = written(tmp_path, end.join([b"a", b"b", b"caf\xe9", b"d"]))
    with pytest.raises(InvalidInput, match=r"input\.txt:3: is not UTF-8"):
        reader(path)


def test_an_endless_line_is_not_read_to_its_end(tmp_path):
    path = written(tmp_path, b"a\n" + b"x" * (MAX_LINE_LENGTH + 5))
    with pytest.raises(InvalidInput, match=r"input\.txt:2: has 16,777,216 characters or more"):
        list(numbered_lines(path))
    with open_plain(path) as file:
        assert next_line(file) == b"a\n"
        with pytest.raises(ValueError, match="16,777,216"):
            next_line(file)


def test_only_regular_files_are_opened_without_blocking(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        for path in (tmp_path / "pipe", tmp_path / "socket", tmp_path, "/dev/zero"):
            with pytest.raises(OSError, match=r"."):
                open_plain(path)
    with pytest.raises(
        NotFound, match=r"way: cannot read .*pipe': it is not a regular file; do this"
    ):
        read(tmp_path / "pipe", "do this", "way")


def test_compressed_files_are_read_and_can_be_seeked(tmp_path):
    lines = [b"%d %s\n" % (n, os.urandom(5).hex().encode()) for n in range(5000)]
    path = written(tmp_path, gzip.compress(b"".join(lines)))
    assert is_gzip(path)
    with open_plain(path, packed=True) as file:
        assert file.readlines() == lines
        file.seek(len(lines[0]))
        assert file.readline() == lines[1]


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_decompression_bomb_is_stopped(tmp_path, end):
    path = written(tmp_path, gzip.compress((b" " + end) * (1 << 25)))
    with (
        open_plain(path, packed=True) as file,
        pytest.raises(gzip.BadGzipFile, match="100 times its size"),
    ):
        while file.read(1 << 16):
            assert file.tell() < 1 << 24


def test_broken_gzip_is_an_oserror(tmp_path):
    packed = gzip.compress(os.urandom(1000))
    for data in (packed[:-20], packed[:50] + b"xxxx" + packed[54:], b"\x1f\x8bno"):
        with open_plain(written(tmp_path, data), packed=True) as file, pytest.raises(OSError):
            file.read()


def test_rows_of_tables_are_found_by_their_last_line(tmp_path):
    path = written(tmp_path, b'a,b\r\n\r\n"1\r\n2",3\r\n , \r\n4,5')
    assert list(table_rows(path)) == [(1, ["a", "b"]), (4, ["1\n2", "3"]), (6, ["4", "5"])]
    assert list(table_rows(written(tmp_path, b""))) == []
    with pytest.raises(InvalidInput, match=r"input\.txt:2: a quote that is opened"):
        list(table_rows(written(tmp_path, b'a,b\n"1,2\n')))


def test_a_small_file_takes_little_memory_and_a_large_one_is_refused(tmp_path):
    path = written(tmp_path, b"word\n")
    tracemalloc.start()
    assert read(path) == "word\n"
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
    with open_plain(path) as file, pytest.raises(OSError, match="it has 4 bytes or more"):
        read_limited(file, 4)


@pytest.mark.parametrize("loads", [partial(parse_json), partial(parse_json, loads=json.loads)])
def test_json_is_read_to_a_fixed_depth(loads):
    deep = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert loads(deep) == json.loads(deep)
    assert loads('"' + "[" * 1000 + '"') == "[" * 1000
    for nested in (f"[{deep}]", '{"a":' * 300 + "1" + "}" * 300):
        with pytest.raises(ValueError, match="nested more than 64 deep"):
            loads(nested)
    for broken in ("", "{", "[" * 100_000, '{"a": 1'):
        with pytest.raises(ValueError, match=r"is not JSON|nested"):
            loads(broken)
