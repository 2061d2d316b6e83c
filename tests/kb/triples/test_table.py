"""Every format is read, and unreadable lines are named."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from relsmith.errors import InvalidOption, NotFound
from relsmith.kb.triples import Triple
from relsmith.kb.triples.table import (
    MAX_LINE_BYTES,
    ReadReport,
    TripleSource,
    make_source,
    read_triples,
)


def read(source: TripleSource) -> tuple[list[Triple], ReadReport]:
    report = ReadReport()
    return list(read_triples(source, report, lambda done: None)), report


ASPIRIN = Triple("aspirin", "relieves", "headaches", 3)
BARK = Triple("the bark", "is used for", "pain relief", 1)


def test_tables_have_named_columns(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(
        "arg2\targ1\tnote\trelation\tcount\n"
        "headaches\taspirin\t-\trelieves\t3\npain relief\tthe  bark\t-\tis used for\t1\n"
    )
    (tmp_path / "a.csv").write_text(
        '\ufeffn,s,p,o\r\n3,aspirin,relieves,headaches\r\n1,"the bark",is used for,pain relief\r\n'
    )
    (tmp_path / "numbered.tsv").write_text(
        "aspirin\trelieves\theadaches\t3\nthe bark\tis used for\tpain relief\t1\n"
    )
    names = [("arg1", "s"), ("relation", "p"), ("arg2", "o"), ("count", "n")]
    numbers = [(name, str(at)) for at, name in enumerate(("arg1", "relation", "arg2", "count"), 1)]
    for source in (
        make_source(tmp_path / "a.tsv"),
        make_source(tmp_path / "a.csv", columns=names),
        make_source(tmp_path / "numbered.tsv", columns=numbers),
    ):
        found, report = read(source)
        assert found == [ASPIRIN, BARK]
        assert not report.problems


def test_huge_lines_and_invalid_bytes_are_skipped(tmp_path: Path) -> None:
    lines = [
        b"arg1\trelation\targ2",
        b"aspirin\trelieves\theadaches",
        b"x" * (10 << 20),
        b"a\xffb\tis\tc",
        b"a\0b\tis\tc",
        b"a\tis\t",
        b"a\tis\tb\tc",
        b"\t\t",
        b"the bark\tis used for\tpain relief",
    ]
    (tmp_path / "a.tsv").write_bytes(b"\n".join(lines))
    found, report = read(make_source(tmp_path / "a.tsv"))
    assert [triple.arg1 for triple in found] == ["aspirin", "the bark"]
    assert report.problems == {
        "line too long": 1,
        "not UTF-8": 1,
        "control characters": 1,
        "an empty field": 2,
        "another number of columns": 1,
    }
    assert report.examples["line too long"] == [(3, "10,485,761 bytes")]


def test_a_truncated_gzip_gives_its_complete_lines(tmp_path: Path) -> None:
    packed = gzip.compress("".join(f"dogs\teat\tmeat {n}\n" for n in range(40_000)).encode())
    half = len(packed) // 2
    columns = [("arg1", "1"), ("relation", "2"), ("arg2", "3")]
    for data in (packed[:-90], packed[:half] + b"\0" * 4 + packed[half + 4 :]):
        (tmp_path / "torn").write_bytes(data)
        found, report = read(make_source(tmp_path / "torn", "tsv", columns))
        assert report.problems.pop("broken gzip, the rest is lost") == 1
        assert len(found) + report.problems.total() == report.lines > 0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda folder: make_source(folder / "nothing.tsv"), "there is no file"),
        (lambda folder: make_source(folder / "a.dat"), "does not tell its format"),
        (lambda folder: make_source(folder / "a.dat", "tvs"), "did you mean 'tsv'"),
        (
            lambda folder: read(make_source(folder / "a.dat", "tsv")),
            "no column 'arg1'",
        ),
        (
            lambda folder: read(make_source(folder / "a.dat", "csv", [("subject", "s")])),
            "no field is called 'subject'",
        ),
    ],
)
def test_errors_are_one_line(tmp_path: Path, wrong: Callable[[Path], object], words: str) -> None:
    (tmp_path / "a.dat").write_text("s\tp\to\n")
    with pytest.raises((InvalidOption, NotFound)) as caught:
        wrong(tmp_path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_lines_longer_than_the_limit_do_not_hide_the_next(tmp_path: Path) -> None:
    for extra in (-1, 0, 1):
        line = "x" * (MAX_LINE_BYTES + extra)
        (tmp_path / "a.tsv").write_text(f"arg1\trelation\targ2\n{line}\na\tis\tb\n")
        found, report = read(make_source(tmp_path / "a.tsv"))
        assert [triple.arg1 for triple in found] == ["a"]
        assert (report.lines, report.problems.total()) == (3, 1)


@pytest.mark.slow
def test_a_decompression_bomb_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "a.tsv.gz").write_bytes(
        gzip.compress(b"arg1\trelation\targ2\na\tis\tb\n" + b"\n" * (1 << 26))
    )
    triples, report = read(make_source(tmp_path / "a.tsv.gz"))
    assert [triple.arg1 for triple in triples] == ["a"]
    assert report.lines < 1 << 24
    assert report.problems == {"broken gzip, the rest is lost": 1}
