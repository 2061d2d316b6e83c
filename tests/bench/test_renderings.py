"""Size and variety of the sentence banks."""

import pytest
from renderings import Overlap, _overlap, clauses, measure

from relsmith.templates.bank import find_bank
from relsmith.templates.language import words_of
from relsmith.templates.samples import possible_genders
from relsmith.testing.profile import profile

EVERY = 20 if profile() == "quick" else 1
"""Overlap, which takes most of the time, is measured in every n-th group."""


@pytest.mark.slow
def test_the_kinship_bank_meets_its_size_limits():
    bank = find_bank("kinship")
    found = measure(bank, every=67)
    assert found.frames >= 1200
    assert found.clauses == {1: 11, 2: 30, 3: 109}
    assert found.renderings >= 6016
    assert found.least_per_group >= 8
    assert found.mean_per_group >= 20
    assert found.words >= 3600
    # The original bank measured in the same way.
    assert found.words_only.unigrams <= 0.166
    assert found.words_only.bigrams <= 0.036


@pytest.mark.parametrize("world", ["spatial", "time"])
def test_the_bank_of_another_world_is_large_enough(world):
    found = measure(find_bank(world), every=EVERY)
    assert found.frames >= 130
    assert found.least_per_group >= 40
    assert min(found.frames_by_length.values()) >= 20


@pytest.mark.parametrize("world", ["ordering", "work"])
def test_the_bank_of_a_later_world_is_larger(world):
    found = measure(find_bank(world), every=EVERY)
    assert found.frames >= 170
    assert found.least_per_group >= 40
    assert min(found.frames_by_length.values()) >= 20


def test_spouses_differ_in_gender():
    bank = find_bank("kinship")
    assert len(list(possible_genders(bank, ("child",)))) == 4
    assert len(list(possible_genders(bank, ("SO", "child")))) == 4
    assert ("child", "child") in clauses(bank) and ("child", "inv-un") not in clauses(bank)


def test_words_are_counted_without_case_and_possessive():
    assert words_of("The dog's left-handed, isn't it? 42!") == [
        "the",
        "dog",
        "left-handed",
        "isn't",
        "it",
    ]


def test_overlap_by_hand():
    texts = [["a", "b", "c"], ["b", "c", "d"], ["x", "y"]]
    # Pairs: {b, c} of {a, b, c, d}; nothing; nothing. Bigrams: {bc} of {ab, bc, cd}.
    assert _overlap(texts) == Overlap(0.5 / 3, 1 / 3 / 3)
