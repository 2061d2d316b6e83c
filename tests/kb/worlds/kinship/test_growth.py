"""Sampled families obey the axioms, and their tables agree with the semantics."""

from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith import Stream
from relsmith.kb.worlds.kinship import world
from relsmith.kb.worlds.kinship.family import FEMALE, MALE, Family, broken_axioms, related
from relsmith.kb.worlds.scene import members
from relsmith.testing.profile import scaled

PREDICATES = list(world().predicates)


def as_family(kin) -> Family:
    """Return the family of the axioms, by parents and spouses only."""
    parents, spouse = PREDICATES.index("inv-child"), PREDICATES.index("SO")
    fathers, mothers, spouses = [], [], []
    for row in kin.related:
        both = members(row[parents])
        fathers.append(next((p for p in both if kin.gender[p]), None))
        mothers.append(next((p for p in both if not kin.gender[p]), None))
        spouses.append(next(iter(members(row[spouse])), None))
    genders = tuple(MALE if male else FEMALE for male in kin.gender)
    return Family(genders, tuple(fathers), tuple(mothers), tuple(spouses))


families = st.builds(
    lambda seed, people, children, marriage: world().scene(
        Stream("family", seed), people, children=children, marriage=marriage
    ),
    st.integers(),
    st.integers(10, 60),
    st.integers(2, 8),
    st.floats(0.21, 1),
)


@settings(max_examples=scaled(40, least=10))
@given(families)
def test_families_obey_the_axioms_and_relations_are_what_they_mean(kin) -> None:
    family = as_family(kin)
    assert broken_axioms(family) == []
    for person in range(len(family)):
        meant = related(family, person)
        found = {name: set(members(kin.related[person][at])) for at, name in enumerate(PREDICATES)}
        assert found == {name: others - {person} for name, others in meant.items()}


@settings(max_examples=scaled(40, least=10))
@given(families)
def test_no_two_relations_hold_between_two_people(kin) -> None:
    pairs = [pair for some in kin.pairs() for pair in some]
    assert len(set(pairs)) == len(pairs)
    for x, row in enumerate(kin.related):
        for y, predicate in enumerate(kin.between[x]):
            holding = [at for at, others in enumerate(row) if others >> y & 1]
            assert holding == ([] if predicate < 0 else [predicate])
            assert (kin.neighbors[x] >> y & 1) == bool(holding)
