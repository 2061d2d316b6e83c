"""Stores have the same content for any order of the input."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from relsmith.errors import AlreadyExists, InvalidOption
from relsmith.kb.triples import Triple, open_store
from relsmith.kb.triples.build import build
from relsmith.kb.triples.table import make_source

# Every third triple occurs twice, far apart, so that counts are added when runs are merged.
ROWS = [(f"animal {n % 37}", f"eats {n % 11}", f"plants {n % 5}", n % 7 + 1) for n in range(3000)]


def table(path: Path, rows: Sequence[tuple[str, str, str, int]] = ROWS) -> Path:
    lines = ["arg1\trelation\targ2\tcount", *("\t".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_store_holds_summed_counts(tmp_path: Path) -> None:
    store = build([make_source(table(tmp_path / "a.tsv"))], tmp_path / "store")
    wanted: dict[tuple[str, str, str], int] = {}
    for *said, count in ROWS:
        wanted[tuple(said)] = wanted.get(tuple(said), 0) + count
    assert store.size == len(wanted)
    found = {triple for n in range(37) for triple in store.about(f"the animals {n}")}
    assert found == {Triple(*said, count) for said, count in wanted.items()}


def test_the_order_of_triples_does_not_change_the_digest(tmp_path: Path) -> None:
    one = make_source(table(tmp_path / "a.tsv"))
    build([one], tmp_path / "1")
    build([one], tmp_path / "2")
    turned = make_source(table(tmp_path / "b.tsv", list(reversed(ROWS))))
    build([turned], tmp_path / "3")
    halves = [
        make_source(table(tmp_path / f"{name}.tsv", rows))
        for name, rows in (("c", ROWS[:1000]), ("d", ROWS[1000:]))
    ]
    build(halves, tmp_path / "4")
    stores = [open_store(tmp_path / name) for name in "1234"]
    assert len({store.digest for store in stores}) == 1
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
    assert stores[3].meta["sources"][1]["lines"] == 2001


def test_only_a_store_is_replaced(tmp_path: Path) -> None:
    source = make_source(table(tmp_path / "a.tsv"))
    build([source], tmp_path / "store")
    with pytest.raises(AlreadyExists, match="--force"):
        build([source], tmp_path / "store")
    assert build([source], tmp_path / "store", force=True).size
    sqlite3.connect(tmp_path / "mine").close()
    with pytest.raises(AlreadyExists, match="is no triple store"):
        build([source], tmp_path / "mine", force=True)


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("arg1\trelation\targ2\nonly\n")
    with pytest.raises(InvalidOption, match="there is no triple in a"):
        build([make_source(tmp_path / "a.tsv")], tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_skipped_lines_are_named_by_number(tmp_path: Path) -> None:
    path = table(tmp_path / "a.tsv")
    with path.open("a") as file:
        file.write("broken line\n")
    store = build([make_source(path)], tmp_path / "store")
    assert store.meta["sources"][0]["problems"] == {"another number of columns": 1}
    assert store.meta["problems"] == ["a.tsv:3002: another number of columns: 'broken line'"]
