from pathlib import Path

import pytest

from relsmith.kb.worlds.kinship.family import (
    AXIOMS,
    RELATIONS,
    Family,
    broken_axioms,
    describe,
    related,
)

# Grandparents 0 and 1; their children 2, 3 and 4; 2 married 5, 3 married 6; 7 is the child
# of 2 and 5, 8 of 3 and 6; 7 married 9.
GENDERS = "male female male female male female male male female female".split()
COUPLES = [(0, 1), (2, 5), (3, 6), (7, 9)]
CHILDREN = {2: (0, 1), 3: (0, 1), 4: (0, 1), 7: (2, 5), 8: (6, 3)}


def a_family() -> Family:
    family = Family()
    for gender in GENDERS:
        family = family.with_person(gender)
    for couple in COUPLES:
        family = family.with_marriage(*couple)
    for child, parents in CHILDREN.items():
        family = family.with_parents(child, *parents)
    return family


def test_every_relation_is_computed():
    truth = {
        "child": {(0, 2), (0, 3), (0, 4), (2, 7), (5, 7), (3, 8), (6, 8)}
        | {(1, 2), (1, 3), (1, 4)},
        "SO": {(0, 1), (2, 5), (3, 6), (7, 9)},
        "sibling": {(2, 3), (2, 4), (3, 4)},
        "grand": {(0, 7), (1, 7), (0, 8), (1, 8)},
        "in-law": {(0, 5), (1, 5), (0, 6), (1, 6), (2, 9), (5, 9)},
        "sibling-in-law": {(2, 6), (4, 6), (3, 5), (4, 5)},
        "un": {(3, 7), (4, 7), (2, 8), (4, 8)},
    }
    symmetric = ("SO", "sibling", "sibling-in-law")
    expected = {
        **{name: pairs | {p[::-1] for p in pairs} for name, pairs in truth.items()},
        **{name: pairs for name, pairs in truth.items() if name not in symmetric},
        **{
            f"inv-{name}": {p[::-1] for p in pairs}
            for name, pairs in truth.items()
            if name not in symmetric
        },
    }
    family = a_family()
    assert not broken_axioms(family)
    found: dict[str, set[tuple[int, int]]] = {name: set() for name in RELATIONS}
    for person in range(len(family)):
        for name, others in related(family, person).items():
            found[name] |= {(person, other) for other in others}
    assert found == expected


def with_links(fathers=(), mothers=(), spouses=(), genders="mmmfff"):
    """Return a family in which people 0 to 2 are men and 3 to 5 women by default."""
    size = len(genders)

    def links(given):
        return tuple(dict(given).get(person) for person in range(size))

    names = tuple({"m": "male", "f": "female"}.get(gender, gender) for gender in genders)
    return Family(names, links(fathers), links(mothers), links(spouses))


@pytest.mark.parametrize(
    ("axiom", "family"),
    [
        ("gender", with_links(genders="mx")),
        ("gender", with_links(fathers=[(0, 3)], mothers=[(0, 1)], spouses=[(1, 3), (3, 1)])),
        ("one marriage", with_links(spouses=[(0, 3), (1, 3), (3, 0)])),
        ("one marriage", with_links(spouses=[(0, 0)])),
        ("opposite gender", with_links(spouses=[(0, 1), (1, 0)])),
        ("married parents", with_links(fathers=[(1, 0)])),
        ("married parents", with_links(fathers=[(1, 0)], mothers=[(1, 3)])),
        (
            "no loops",
            with_links(fathers=[(0, 0)], mothers=[(0, 3)], spouses=[(0, 3), (3, 0)]),
        ),
        (
            "no kin marriage",
            with_links(
                fathers=[(1, 0), (4, 0)],
                mothers=[(1, 3), (4, 3)],
                spouses=[(0, 3), (3, 0), (1, 4), (4, 1)],
            ),
        ),
    ],
)
def test_each_axiom_is_checked(axiom, family):
    assert axiom in broken_axioms(family)


def test_a_family_is_described_as_facts():
    family = a_family()
    names = tuple("ABCDEFGHIJ")
    lines = describe(family, names)
    assert len(lines) == len(COUPLES) + len(CHILDREN)
    assert lines[0] == "A (male) is married to B (female)"
    assert lines[-1] == "I (male) is a child of G and D" or "I (female)" in lines[-1]


def test_the_docs_state_every_axiom():
    docs = Path(__file__).parents[4] / "docs" / "kinship.md"
    text = " ".join(docs.read_text(encoding="utf-8").split())
    for axiom in AXIOMS:
        assert axiom.sentence in text
