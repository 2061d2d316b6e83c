"""Phrases and what they are aligned to, counted by hand."""

import math

import pytest

from relsmith.evaluation.papers.cloze.alignments import Alignment, PhraseTable


def test_phrases_by_hand() -> None:
    one = Alignment(
        split="a/train",
        abstract=["drain", "pasta"],
        concrete=["put", "big", "strainer", "in", "sink", "."],
        alignment=[0, 0, 0, 1, 1, 1],
        blanks=[(1, 3), (4, 5)],
    )
    other = Alignment(
        split="a/train",
        abstract=["drain", "rice"],
        concrete=["big", "sink"],
        alignment=[0, 1],
        blanks=[],
    )
    phrases = PhraseTable([one, other])
    assert phrases.pairs == {
        ("drain", "big"): 2,
        ("drain", "strainer"): 1,
        ("drain", "big strainer"): 1,
        ("pasta", "sink"): 1,
        ("rice", "sink"): 1,
    }
    big = phrases.of_abstract("drain", 2)
    assert [(pair.phrase, pair.count) for pair in big] == [("big", 2)]
    assert big[0].pmi == pytest.approx(math.log2(2 * 6 / (2 * 4)))
    both = phrases.of_concrete("big", 1)
    assert [(pair.phrase, pair.count) for pair in both] == [("drain", 3)]
    assert both[0].pmi == pytest.approx(math.log2(3 * 6 / (3 * 4)))
    assert [pair.phrase for pair in phrases.of_concrete("sink", 1)] == ["pasta", "rice"]
    assert phrases.common(phrases.abstract, 1) == ["drain"]
