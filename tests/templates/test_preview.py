"""Previews match their filters."""

import re

import pytest

from relsmith import Stream
from relsmith.errors import NotFound
from relsmith.templates.bank import find_bank
from relsmith.templates.preview import previews
from relsmith.testing.profile import scaled


def test_previews_are_of_what_was_asked_for():
    bank = find_bank("kinship")
    found = list(previews(bank, Stream(0), 30, word="aunt"))
    assert len(found) == 30
    for frame, text in found:
        assert any(word in text for word in ("aunt", "niece", "nephew", "Aunt")), (frame, text)
    themes = {bank.by_id[frame].theme for frame, _ in previews(bank, Stream(0), 9, theme="births")}
    assert themes == {"births"}
    lengths = {
        len(bank.by_id[frame].predicates) for frame, _ in previews(bank, Stream(0), 9, length=3)
    }
    assert lengths == {3}


def test_families_in_previews_are_possible():
    bank = find_bank("kinship")
    both = [text for frame, text in previews(bank, Stream(1), 2000) if frame == "couples-38"]
    assert both, "that of two parents"
    for seed in range(scaled(40)):
        shown = dict(previews(bank, Stream(seed), 2000, theme="couples"))
        parents = re.findall(r"parents, (\w+) and (\w+)", shown["couples-38"])
        genders = [[name in bank.names("male") for name in pair] for pair in parents]
        assert genders in ([[True, False]], [[False, True]]), shown["couples-38"]


def test_what_does_not_exist_is_named():
    bank = find_bank("kinship")
    with pytest.raises(NotFound, match="no relation is called 'fther'; did you mean 'father'"):
        list(previews(bank, Stream(0), 1, word="fther"))
    with pytest.raises(NotFound, match="no theme is called 'wars'; there are: across"):
        list(previews(bank, Stream(0), 1, theme="wars"))
