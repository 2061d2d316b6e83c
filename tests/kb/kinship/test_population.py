from itertools import permutations, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith.kb.kinship.family import FEMALE, MALE, Family, broken_axioms
from relsmith.kb.kinship.population import families, random_family


def canonical(family: Family):
    """The same for families that differ in numbering only."""

    def renumbered(order):
        new = {old: n for n, old in enumerate(order)}
        return tuple(
            (
                family.genders[old],
                *(
                    -1 if links[old] is None else new[links[old]]
                    for links in (family.fathers, family.mothers, family.spouses)
                ),
            )
            for old in order
        )

    return min(renumbered(order) for order in permutations(range(len(family))))


def every_family(size):
    """All families of a size by trying all links: slow and plain."""
    people = range(size)
    for genders in product((MALE, FEMALE), repeat=size):
        for spouses in product((None, *people), repeat=size):
            wed = Family(genders, (None,) * size, (None,) * size, spouses)
            if broken_axioms(wed):
                continue
            pairs = [(None, None), *((f, m) for f in people for m in people if spouses[f] == m)]
            for parents in product(pairs, repeat=size):
                fathers, mothers = zip(*parents, strict=True)
                family = Family(genders, fathers, mothers, spouses)
                if not broken_axioms(family):
                    yield family


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_every_small_family_is_enumerated(size):
    built = {canonical(family) for family in families(size) if len(family) == size}
    assert built == {canonical(family) for family in every_family(size)}


def test_enumerated_families_keep_the_axioms():
    assert not any(broken_axioms(family) for family in families(6))


@settings(max_examples=50, deadline=None)
@given(st.integers(), st.integers(0, 30))
def test_random_families_keep_the_axioms_and_depend_on_the_rng_only(seed, size):
    family = random_family(Random(seed), size)
    assert len(family) == size
    assert not broken_axioms(family)
    assert family == random_family(Random(seed), size)
