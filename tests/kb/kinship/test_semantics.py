"""The proof that kinship rules are sound, checked against families made by other means."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith.kb.engine import Engine
from relsmith.kb.kinship import world
from relsmith.kb.kinship.family import AXIOMS, RELATIONS, related
from relsmith.kb.kinship.population import families, random_family
from relsmith.kb.kinship.semantics import FAMILY, FamilySemantics
from relsmith.kb.rules import RuleTable
from relsmith.kb.semantics import counterexample, entailed, entailed_rules

NAMES = tuple(RELATIONS)


def triples(family):
    """(r, s, what holds from x to y) for all distinct x, z, y with x r z s y."""
    people = range(len(family))
    holds = {}
    for x in people:
        for name, others in related(family, x).items():
            for y in others:
                holds.setdefault((x, y), set()).add(name)
    for (x, z), firsts in holds.items():
        for y in people:
            if y not in (x, z) and (z, y) in holds:
                outcome = frozenset(holds.get((x, y), ()))
                for first in firsts:
                    for second in holds[z, y]:
                        yield first, second, outcome


def test_situations_refute_just_what_all_small_families_refute():
    size = 7
    smallest = {}
    for family in families(size):
        for case in triples(family):
            smallest[case] = min(len(family), smallest.get(case, size))
    for first in NAMES:
        for second in NAMES:
            for head in NAMES:
                against = [
                    members
                    for (r, s, outcome), members in smallest.items()
                    if (r, s) == (first, second) and head not in outcome
                ]
                scene = counterexample(FAMILY, (first, second), head)
                expected = scene.size if scene and scene.size <= size else None
                assert min(against, default=None) == expected, (first, second, head)


def test_no_two_step_body_needs_more_than_ten_people():
    sizes = [scene.size for r in NAMES for s in NAMES for scene in FAMILY.situations((r, s))]
    assert max(sizes) == 10
    assert len(sizes) == 2032  # docs/kinship.md says so


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9), st.integers(8, 30))
def test_every_sound_rule_holds_in_every_random_family(seed, size):
    heads = {rule.body: rule.head for rule in world().ruleset("sound").rules}
    for first, second, outcome in triples(random_family(Random(seed), size)):
        if (first, second) in heads:
            assert heads[first, second] in outcome


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(NAMES), min_size=3, max_size=3))
def test_what_chains_derive_is_entailed(chain):
    derived = Engine(RuleTable.of(world())).derive(chain)
    possible = bool(FAMILY.situations(tuple(chain)))
    assert not possible or derived <= entailed(FAMILY, tuple(chain))


def test_chains_entail_more_than_two_step_rules_can_tell():
    chain = ("SO", "sibling-in-law", "SO")
    assert entailed(FAMILY, chain) == {"sibling-in-law"}
    assert not Engine(RuleTable.of(world())).derive(chain)


def test_random_families_refute_both_unsound_thesis_rules():
    cases = {case for seed in range(20) for case in triples(random_family(Random(seed), 20))}
    refuted = {
        str(rule)
        for rule in world().ruleset("thesis").rules
        for first, second, outcome in cases
        if rule.body == (first, second) and rule.head not in outcome
    }
    assert refuted == {"child . inv-un -> sibling", "child . inv-grand -> inv-child"}


def test_no_two_relations_hold_at_once():
    inverse = world().inverse
    for first in NAMES:
        for second in NAMES:
            both = FAMILY.situations((first, inverse(second)), closed=True)
            assert bool(both) == (first == second)


@pytest.mark.parametrize("name", ["no loops", "no kin marriage"])
def test_rules_do_not_hang_on_this_axiom(name):
    without = FamilySemantics(RELATIONS, tuple(axiom for axiom in AXIOMS if axiom.name != name))
    assert len(without.axioms) == len(AXIOMS) - 1
    assert set(entailed_rules(without, NAMES)) == set(entailed_rules(FAMILY, NAMES))


def test_without_a_ban_on_kin_marriage_relations_overlap():
    without = FamilySemantics(RELATIONS, AXIOMS[:-1])
    overlaps = [
        (first, second)
        for first, second in combinations(NAMES, 2)
        if without.situations((first, world().inverse(second)), closed=True)
    ]
    assert ("SO", "sibling") in overlaps
    assert len(overlaps) == 26  # docs/kinship.md says so
