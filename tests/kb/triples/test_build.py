"""Stores have the same bytes for any partition, order and number of crashes."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from relsmith.engines.engine import Local, Result, Spec, Work
from relsmith.errors import AlreadyExists, InvalidOption
from relsmith.kb.triples import Triple, formats, open_store
from relsmith.kb.triples import build as module
from relsmith.kb.triples.build import build, merged
from relsmith.kb.triples.formats import make_source

# Every third triple occurs twice, far apart, so that counts are added when runs are merged.
ROWS = [(f"animal {n % 37}", f"eats {n % 11}", f"plants {n % 5}", n % 7 + 1) for n in range(3000)]


def table(path: Path, rows: Sequence[tuple[str, str, str, int]] = ROWS) -> Path:
    lines = ["arg1\trelation\targ2\tcount", *("\t".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Force many parts, many runs and several levels of merging."""
    monkeypatch.setattr(formats, "_PART_BYTES", 3000)
    monkeypatch.setattr(module, "_MAX_TRIPLES_IN_MEMORY", 40)
    monkeypatch.setattr(module, "_MAX_RUNS", 4)
    monkeypatch.setattr(module, "_MAX_BYTES_IN_MEMORY", 1)


class Killed(Exception):
    pass


class Dying:
    """An engine that is killed after some shards."""

    def __init__(self, lives: int) -> None:
        self.lives = lives

    def map_shards(self, work: Work[Spec, Result], specs: Sequence[Spec]) -> Iterator[Result]:
        for spec in specs[: self.lives]:
            yield work(spec, lambda rows: None)
        raise Killed


def test_a_store_holds_summed_counts(tmp_path: Path) -> None:
    store = build([make_source(table(tmp_path / "a.tsv"))], tmp_path / "store")
    wanted: dict[tuple[str, str, str], int] = {}
    for *said, count in ROWS:
        wanted[tuple(said)] = wanted.get(tuple(said), 0) + count
    assert store.size == len(wanted)
    found = {triple for n in range(37) for triple in store.about(f"the animals {n}")}
    assert found == {Triple(*said, count) for said, count in wanted.items()}
    assert not list(tmp_path.glob("*.unfinished"))


def test_chunks_order_and_workers_do_not_change_bytes(
    tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = make_source(table(tmp_path / "a.tsv"))
    build([one], tmp_path / "1")
    monkeypatch.undo()
    build([one], tmp_path / "2", engine=Local(2))
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


def test_a_killed_build_resumes(tmp_path: Path, small: None) -> None:
    source = make_source(table(tmp_path / "a.tsv"))
    whole = build([source], tmp_path / "whole")
    with pytest.raises(Killed):
        build([source], tmp_path / "store", engine=Dying(5))
    work = tmp_path / "store.unfinished"
    records = {path: path.stat().st_mtime_ns for path in work.glob("part-*.json")}
    assert len(records) == 5
    seen: list[Any] = []

    class Watching(Local):
        def map_shards(self, work: Work[Spec, Result], specs: Sequence[Spec]) -> Iterator[Result]:
            for result in super().map_shards(work, specs):
                seen.append({path: path.stat().st_mtime_ns for path in records})
                yield result

    store = build([source], tmp_path / "store", engine=Watching())
    assert seen[-1] == records, "finished parts were read again"
    assert store.digest == whole.digest
    assert not work.exists()


def test_another_request_does_not_resume_a_build(tmp_path: Path, small: None) -> None:
    source = make_source(table(tmp_path / "a.tsv"))
    with pytest.raises(Killed):
        build([source], tmp_path / "store", engine=Dying(1))
    other = make_source(table(tmp_path / "b.tsv", ROWS[:10]))
    with pytest.raises(AlreadyExists, match="unfinished store of other files"):
        build([other], tmp_path / "store")
    assert build([other], tmp_path / "store", force=True).size == 10
    with pytest.raises(AlreadyExists, match="--force"):
        build([other], tmp_path / "store")


def test_a_foreign_folder_is_kept(tmp_path: Path, small: None) -> None:
    work = tmp_path / "store.unfinished"
    work.mkdir()
    (work / "mine.tmp").write_text("precious")
    with pytest.raises(AlreadyExists, match=r"holds 'mine\.tmp'; move that elsewhere"):
        build([make_source(table(tmp_path / "a.tsv"))], tmp_path / "store")
    assert (work / "mine.tmp").read_text() == "precious"
    (work / "mine.tmp").rename(work / "request.json.77.tmp")  # as a killed run leaves it
    assert build([make_source(tmp_path / "a.tsv")], tmp_path / "store").size


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("arg1\trelation\targ2\nonly\n")
    with pytest.raises(InvalidOption, match="there is no triple in a"):
        build([make_source(tmp_path / "a.tsv")], tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_skipped_lines_are_named_by_number(tmp_path: Path, small: None) -> None:
    path = table(tmp_path / "a.tsv")
    with path.open("a") as file:
        file.write("broken line\n")
    store = build([make_source(path)], tmp_path / "store")
    assert store.meta["sources"][0]["problems"] == {"another number of columns": 1}
    assert store.meta["problems"] == ["a.tsv:3002: another number of columns: 'broken line'"]


def test_merging_sorts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_BYTES_IN_MEMORY", 1)
    lines = [b"%05d %s\n" % (n * 7919 % 10007, b"x" * (n % 90)) for n in range(6000)]
    runs = []
    for at in range(7):
        runs.append(tmp_path / str(at))
        runs[-1].write_bytes(b"".join(sorted(lines[at::7])))
    (tmp_path / "empty").write_bytes(b"")
    assert list(merged([*runs, tmp_path / "empty"])) == sorted(lines)
