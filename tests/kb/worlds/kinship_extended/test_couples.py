"""Couples of one gender: their share, and no effect on the rules."""

from itertools import product

import pytest

from relsmith import Stream
from relsmith.kb.worlds.kinship_extended import semantics, world
from relsmith.kb.worlds.kinship_extended.family import EX, WED, ExtendedFamily, broken_axioms
from relsmith.kb.worlds.semantics import entailed

WORLD = world()


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_the_share_of_same_gender_couples_is_kept(share):
    for number in range(4):
        stream = Stream("couples", number)
        scene = WORLD.scene(stream, 100, children=4, marriage=0.85, same_gender=share)
        place = {name: n for n, name in enumerate(WORLD.predicates)}
        same = {scene.gender[a] == scene.gender[b] for a, b in scene.pairs()[place["SO"]]}
        assert same == {share == 1}


def _of_two_genders(family) -> bool:
    """Return whether all couples could be of two genders."""
    couples = [(a, b) for kind, a, b in family.links if kind in (WED, EX)]
    couples += [tuple(two) for person in family.people if len(two := family.parents(person)) == 2]
    gender: dict[str, bool] = {}
    for start in family.people:
        ahead = [] if start in gender else [start]
        gender.setdefault(start, True)
        while ahead:
            person = ahead.pop()
            for a, b in (*couples, *[(b, a) for a, b in couples]):
                if a == person and b not in gender:
                    gender[b] = not gender[a]
                    ahead.append(b)
    return all(gender[a] != gender[b] for a, b in couples)


@pytest.mark.slow
def test_mixed_gender_couples_would_add_no_rule(monkeypatch):
    """Check the axiom, which only forbids: a minimal family that breaks it extends no valid one."""

    def broken(family):
        return broken_axioms(family) + ["two genders"] * (not _of_two_genders(family))

    triangle = ExtendedFamily(frozenset([(WED, "A", "B"), (EX, "B", "C"), (EX, "C", "A")]))
    assert not broken_axioms(triangle)
    assert broken(triangle) == ["two genders"]
    monkeypatch.setattr(semantics, "broken_axioms", broken)
    strict = semantics.ExtendedSemantics()
    assert {
        (*body, head)
        for body in product(WORLD.predicates, repeat=2)
        for head in entailed(strict, body)
    } == {(*rule.body, rule.head) for rule in WORLD.ruleset().rules}
