"""Frequencies of pairs, and their comparison, by bench/frequency.py."""

import math
from types import ModuleType


def test_a_pair_is_nearly_as_rare_as_its_rarer_word(frequency: ModuleType) -> None:
    pair_frequency = frequency.pair_frequency
    common, rare = pair_frequency(("dog", "dog")), pair_frequency(("aardvark", "aardvark"))
    assert common > rare + 1
    assert rare < pair_frequency(("dog", "aardvark")) < rare + math.log10(2) + 0.001
    assert pair_frequency(("dog", "qzxvvk")) == 0


def test_samples_are_compared(frequency: ModuleType) -> None:
    assert frequency.compare([1.0], []) is None
    assert frequency.compare([1.0, 2.0], [1.0, 2.0]) == (0, 1)
    distance, chance = frequency.compare([1.0] * 50, [2.0] * 50)
    assert distance == 1 and chance < 1e-10
