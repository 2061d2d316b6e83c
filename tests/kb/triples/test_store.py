"""The store returns its triples for every spelling of an argument."""

import contextlib
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.errors import NotAStore, NotFound
from relsmith.kb.triples import Triple, TripleStore, argument_key, open_store
from relsmith.kb.triples.store import encode_triple, write_store

WORDS = [
    "the cat",
    "cats",
    "a dog",
    "vitamin A",
    "vitamin",
    "Straße",
    "no sugar",
    "1",
    "C++",
    "蜂蜜",
]
TRIPLES = st.builds(
    Triple,
    st.sampled_from(WORDS),
    st.sampled_from(["is", "is a kind of", "1"]),
    st.sampled_from(WORDS),
    st.integers(1, 5),
)


ABOUT = {"sources": []}


def stored(triples: list[Triple]) -> TripleStore:
    connection = sqlite3.connect(":memory:")
    write_store(
        connection, sorted(line for triple in triples for line in encode_triple(*triple)), ABOUT
    )
    return TripleStore(connection)


def summed(triples: list[Triple]) -> Counter[tuple[str, str, str]]:
    total: Counter[tuple[str, str, str]] = Counter()
    for *said, count in triples:
        total[tuple(said)] += count
    return total


@given(st.lists(TRIPLES), st.randoms())
def test_triples_round_trip(triples: list[Triple], random) -> None:
    store = stored(triples)
    total = summed(triples)
    assert store.size == len(total)
    for word in WORDS:
        key = argument_key(word)
        wanted = {
            said: n for said, n in total.items() if key in map(argument_key, (said[0], said[2]))
        }
        found = list(store.about(word))
        assert {tuple(one[:3]): one.count for one in found} == wanted
        assert len(found) == len(wanted)
        capped = list(store.about(word, cap=2))
        assert len(capped) == min(2, len(found))
        assert [one for one in found if one in capped] == capped
        rest = [one.count for one in found if one not in capped]
        assert not rest or min(one.count for one in capped) >= max(rest)
    keys = {argument_key(said[at]) for said in total for at in (0, 2)}
    assert list(store.arguments()) == sorted(keys)
    assert store.meta["arguments"] == len(keys)
    random.shuffle(triples)
    assert stored(triples).digest == store.digest


def test_digests_of_different_stores_differ() -> None:
    one = stored([Triple("a cat", "eats", "a mouse", 1)])
    assert one.digest != stored([Triple("a cat", "eats", "a mouse", 2)]).digest
    assert one.digest != stored([Triple("a cat", "eats", "the mouse", 1)]).digest


def test_a_folder_without_a_store_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="gen triples build"):
        open_store(tmp_path / "nothing")
    (tmp_path / "text").write_text("aspirin\trelieves\theadache\n")
    other = sqlite3.connect(tmp_path / "other")
    other.execute("CREATE TABLE meta (name, value)")
    other.execute("INSERT INTO meta VALUES ('format', '1')")
    other.commit()
    other.close()
    for name in ("text", "other"):
        with pytest.raises(NotAStore) as caught:
            open_store(tmp_path / name)
        assert name in str(caught.value)
        assert "\n" not in str(caught.value)
    newer = sqlite3.connect(tmp_path / "newer")
    write_store(newer, [], ABOUT | {"format": 99})
    newer.close()
    with pytest.raises(NotAStore, match="of format 99"):
        open_store(tmp_path / "newer")


def damaged(tmp_path: Path, statement: str, *values: object) -> Path:
    path = tmp_path / "damaged"
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    write_store(
        connection,
        sorted(encode_triple("a cat", "eats", "a mouse", 1)),
        {"sources": [{"name": "x"}]},
    )
    connection.execute(statement, values)
    connection.commit()
    connection.close()
    return path


def used(path: Path) -> None:
    store = open_store(path)
    list(store.about("a cat"))
    list(store.arguments())
    list(store.triples())


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        ("UPDATE triple SET said = ?", ["text"]),
        ("UPDATE triple SET said = ?", [None]),
        ("UPDATE triple SET said = ?", [b"a cat\teats\tx\t1"]),
        ("UPDATE triple SET said = ?", ["a cat\teats\tx\tmany"]),
        ("UPDATE triple SET said = CAST(? AS TEXT)", [b"\xff\teats\tx\t1"]),
        ("UPDATE meta SET value = ? WHERE name = 'sources'", ["[1]"]),
        (
            "UPDATE meta SET value = ? WHERE name = 'sources'",
            ['[{"name": "a.tsv", "format": "tsv", "problems": {}}]'],
        ),
        ("UPDATE meta SET value = ? WHERE name = 'size'", ['"many"']),
        ("DELETE FROM meta WHERE name = 'digest'", []),
        ("UPDATE meta SET value = ?", ["[" * 2000]),
        ("UPDATE meta SET value = ?", [b"\xff"]),
        ("DROP TABLE triple", []),
        ("ALTER TABLE triple RENAME TO other", []),
        ("CREATE VIEW more AS SELECT 1", []),
    ],
)
def test_a_damaged_store_is_reported(tmp_path: Path, statement: str, values: list[object]) -> None:
    path = damaged(tmp_path, statement, *values)
    with pytest.raises(NotAStore, match=r"damaged.*gen triples build") as caught:
        used(path)
    assert "\n" not in str(caught.value)


def test_changed_bytes_of_a_store_are_noticed_or_harmless(tmp_path: Path) -> None:
    whole = damaged(tmp_path, "SELECT 1").read_bytes()
    for place in range(0, len(whole), 37):
        path = tmp_path / "flipped"
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        with contextlib.suppress(NotAStore):
            used(path)
