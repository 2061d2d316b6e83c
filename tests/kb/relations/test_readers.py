"""Relation files in every format, with the irregularities of real ones."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.errors import InvalidInput, InvalidRelations, NotFound
from relsmith.kb.relations import SHIPPED, Extension, load
from relsmith.kb.relations.readers import digest

BATS = "E07 [animal - sound].txt"


def _load(folder: Path, name: str, text: str | bytes):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load(path)


def test_irregularities_of_bats_files_are_noted(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbfdog\tbark/woof//bark/bow_wow\r\n\r\ncat\tmeow/\r\ncow\tmoo"
    (relation,) = _load(tmp_path, BATS, text)
    assert relation.name == "E07 [animal - sound]"
    assert relation.tails == {"dog": ("bark", "woof", "bow wow"), "cat": ("meow",), "cow": ("moo",)}
    assert len(relation.listed) == 6, "a repeated answer is listed twice, for those who count so"
    assert relation.notes == (
        "lines end in CRLF",
        "the last line has no end",
        "blank lines are skipped",
        "2 empty answers are skipped",
        "1 repeated answers count once",
        "1 words with _ are read with spaces",
    )


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        (BATS, "dog\tbark\ncat meow\n", ":2: expected head TAB tail/tail/..., but got 'cat meow'"),
        (BATS, "dog\tbark\tloud\n", ":1: expected head TAB"),
        (BATS, "\tbark\n", ":1: the head is empty"),
        (BATS, "dog\t//\n", ":1: 'dog' has no answer"),
        (BATS, "", " holds no pair"),
        (BATS, "\n\n", " holds no pair"),
        (BATS, b"dog\tbark\ncaf\xe9\tx\n", ":2: is not UTF-8"),
        ("a.tsv", "dog\n", ":1: expected 2 columns (head, tail), but got 1"),
        ("a.tsv", "head\ttail\tkind\n", ":1: no column is called 'kind'"),
    ],
)
def test_invalid_lines_are_refused_by_file_and_line(tmp_path, name, text, complaint) -> None:
    with pytest.raises((InvalidInput, InvalidRelations)) as error:
        _load(tmp_path, name, text)
    assert f"{name}{complaint}" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("stem", "group", "kind", "symmetric"),
    [
        ("I01 [noun - plural_reg]", "inflectional", "noun - plural", False),
        ("I02 [noun - plural_irreg]", "inflectional", "noun - plural", False),
        ("D07 [verb+able_reg]", "derivational", "verb+able", False),
        ("E01 [country - capital]", "encyclopedic", "country - capital", False),
        ("L07 [synonyms - intensity]", "lexicographic", "synonyms", False),
        ("L08 [synonyms - exact]", "lexicographic", "synonyms", True),
        ("L09 [antonyms - gradable]", "lexicographic", "antonyms", True),
        ("L10 [antonyms - binary]", "lexicographic", "antonyms", True),
    ],
)
def test_names_of_bats_files_give_the_relation(tmp_path, stem, group, kind, symmetric) -> None:
    (relation,) = _load(tmp_path, f"{stem}.txt", "a\tb\n")
    assert (relation.group, relation.kind, relation.symmetric) == (group, kind, symmetric)


def test_tables(tmp_path: Path) -> None:
    (one,) = _load(tmp_path, "a.tsv", "dog\tbark\ndog\twoof\n")
    assert one.tails == {"dog": ("bark", "woof")}
    two = _load(tmp_path, "b.tsv", "relation\tgroup\thead\ttail\nr\tg\ta\tb\ns\th\tc\td\n")
    assert [(one.name, one.group, one.pairs) for one in two] == [
        ("r", "g", (("a", "b"),)),
        ("s", "h", (("c", "d"),)),
    ]


def test_a_folder_with_an_index(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "friends.tsv").write_text("a\tb\nb\tc\n")
    (tmp_path / "mine" / "mutual.tsv").write_text("a\tb\nb\ta\n")
    friends, mutual = load(tmp_path)
    assert (friends.group, friends.symmetric, mutual.symmetric) == ("mine", False, True)
    index = tmp_path / "relations.yaml"
    index.write_text("relations:\n  friends: {symmetric: true, group: people}\n")
    friends, mutual = load(tmp_path)
    assert (friends.group, friends.symmetric) == ("people", True)
    index.write_text("relations:\n  foes: {symmetric: true}\n")
    with pytest.raises(InvalidRelations, match="there is no relation 'foes'"):
        load(tmp_path)
    index.write_text("relations:\n  friends: {symetric: true}\n")
    with pytest.raises(InvalidRelations, match=r"relations.yaml:2: .*no such field"):
        load(tmp_path)


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "r.tsv").write_text("a\tb\n")
    with pytest.raises(InvalidRelations, match="relation 'r' is also in"):
        load(tmp_path)


def test_an_empty_folder_is_refused() -> None:
    with pytest.raises(NotFound, match="no relation set is at 'nowhere'"):
        load("nowhere")


def test_a_changed_file_is_read_again_and_has_another_digest(tmp_path: Path) -> None:
    (before,) = _load(tmp_path, "a.tsv", "a\tb\n")
    old = digest(tmp_path / "a.tsv")
    (after,) = _load(tmp_path, "a.tsv", "a\tc\nd\te\n")
    assert before.pairs != after.pairs
    assert digest(tmp_path / "a.tsv") != old


WORDS = st.text(
    st.characters(codec="utf-8", exclude_characters="\t/_", exclude_categories=["C", "Z"]),
    min_size=1,
)


@given(st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=1, max_size=4)), min_size=1, max_size=8))
def test_relations_round_trip(tmp_path_factory, rows) -> None:
    text = "".join(f"{head}\t{'/'.join(tails)}\n" for head, tails in rows)
    folder = tmp_path_factory.mktemp("relations")
    if text.startswith("\ufeff"):
        return
    (relation,) = _load(folder, "r.txt", text)
    assert relation.listed == tuple((head, tail) for head, tails in rows for tail in tails)


def test_the_given_bats_files(bats: Path) -> None:
    relations = load(bats)
    assert len(relations) == 20
    assert all(len(relation.tails) == 50 for relation in relations)
    assert sum(len(relation.pairs) for relation in relations) == 3162
    assert {relation.name[:3] for relation in relations if relation.symmetric} == {"L10"}


def test_shipped_relations_are_usable() -> None:
    relations = load(SHIPPED)
    assert len(relations) >= 30
    for relation in relations:
        assert len(relation.tails) >= 50, relation.name
        assert relation.source, relation.name
        assert relation.licence, relation.name
        assert relation.types, relation.name
        assert relation.notes == (), relation.name
        assert len(relation.listed) == len(relation.pairs), relation.name
    hundreds = sum(len(relation.tails) >= 100 for relation in relations)
    assert hundreds > len(relations) / 2


def test_every_relation_that_ships_is_closed_or_open_and_has_canonical_tails() -> None:
    relations = load(SHIPPED)
    kinds = {relation.name for relation in relations if relation.group == "lexicographic"}
    assert len(kinds) == 10
    for relation in relations:
        assert bool(relation.closed) != bool(relation.open), relation.name
        assert relation.canonical, relation.name
        assert bool(relation.excluded) == bool(relation.open), relation.name
        assert all(head != tail for head, tail in relation.pairs), relation.name


WRONG = {
    "country - demonym": "Djibouti:Djibouti",
    "country - capital": "Netherlands:The Hague",
    "country - continent": "Timor-Leste:Oceania",
    "country - language": "United Kingdom:German, Denmark:Swedish",
    "country - currency": "Zimbabwe:US Dollar",
    "noun - plural": "leaf:leafs",
    "past - participle": "teared:torn",
    "comparative - superlative": "elder:oldest",
    "verb - third person": "stay:staves",
    "ing form - third person": "staying:staves",
    "verb - ing form": "occur:occuring",
    "male - female": "tomcat:tabby",
    "thing - color": "banana:green, garlic:purple",
    "animal - shelter": "koala:tree",
}
RIGHT = {
    "country - neighbour": "Botswana:Zambia",
    "verb - participle": "lie:lain, learn:learnt, burn:burnt, get:got",
    "country - language": "South Africa:Sotho, Ethiopia:Somali, Sweden:Finnish",
    "city - country": "London:United Kingdom, Paris:France",
}


def test_reported_errors_are_corrected() -> None:
    relations = {relation.name: relation for relation in load(SHIPPED)}

    def asked(text: str) -> list[tuple[str, ...]]:
        return [tuple(pair.split(":")) for pair in text.split(", ")]

    for name, text in WRONG.items():
        for head, tail in asked(text):
            assert tail not in relations[name].positive_tails().get(head, ()), (name, head, tail)
    for name, text in RIGHT.items():
        for pair in asked(text):
            assert pair in relations[name].pairs, (name, pair)
    neighbours = Extension(relations["country - neighbour"])
    for pair in (("Albania", "Serbia"), ("Cuba", "United States")):
        assert not neighbours.holds(*pair)
        assert neighbours.why_false(*pair) is None, "it is disputed"
    words = {word for one in relations.values() for pair in one.pairs for word in pair}
    assert not words & {"Kyrgystani Som", "Guyanaese Dollar", "occuring", "staves", "leafs"}


def test_cities_are_spread_over_the_world() -> None:
    (cities,) = (relation for relation in load(SHIPPED) if relation.name == "city - country")
    countries = Counter(tails[0] for tails in cities.positive_tails().values())
    assert len(cities.tails) > 200
    assert len(countries) > 80
    assert max(countries.values()) <= 6


@pytest.mark.parametrize(
    ("false", "complaint"),
    [
        ("dog moo\n", "r.false:1: expected head/head/... TAB tail/tail/..., but got 'dog moo'"),
        ("dog\tmoo/\n", "r.false:1: expected head/head"),
        ("dog\tneigh\n", "r.false:1: 'neigh' is no word of 'r'; add it there or delete it here"),
        ("dog/cow\tmoo\n", "r.false:1: 'cow' : 'moo' is also listed as true; delete one of them"),
    ],
)
def test_invalid_false_pairs_are_refused(tmp_path: Path, false: str, complaint: str) -> None:
    (tmp_path / "r.txt").write_text("dog\tbark/howl\ncow\tmoo\n")
    (tmp_path / "r.false").write_text("dog\tmoo\n")
    with pytest.raises(InvalidRelations, match="'r' is not open"):
        load(tmp_path)
    (tmp_path / "relations.yaml").write_text("relations:\n  r: {open: exclusion list}\n")
    (relation,) = load(tmp_path)
    assert relation.excluded == ((("dog",), ("moo",)),)
    before = digest(tmp_path)
    (tmp_path / "r.false").write_text(false)
    assert digest(tmp_path) != before
    with pytest.raises(InvalidRelations) as error:
        load(tmp_path)
    assert complaint in str(error.value)


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("{open: hearsay}", "exclusion list"),
        ("{open: exclusion list, closed: a law}", "closed or open, not both"),
        ("{symmetric: true, asymmetric: true}", "symmetric or asymmetric, not both"),
    ],
)
def test_contradictory_index_entries_are_refused(tmp_path: Path, said: str, complaint: str) -> None:
    (tmp_path / "r.txt").write_text("dog\tbark\ncow\tmoo\n")
    (tmp_path / "relations.yaml").write_text(f"relations:\n  r: {said}\n")
    with pytest.raises(InvalidRelations, match=complaint):
        load(tmp_path)
