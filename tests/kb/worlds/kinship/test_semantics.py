"""The proof that kinship rules are sound, checked against independently made families."""

from collections.abc import Iterator
from itertools import combinations, permutations, product
from random import Random

import pytest
from closure import closure
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith.kb.worlds.kinship import world
from relsmith.kb.worlds.kinship.family import (
    AXIOMS,
    FEMALE,
    MALE,
    RELATIONS,
    Family,
    broken_axioms,
    related,
)
from relsmith.kb.worlds.kinship.semantics import FAMILY, FamilySemantics
from relsmith.kb.worlds.rules import RuleIndex
from relsmith.kb.worlds.semantics import counterexample, entailed
from relsmith.testing.profile import scaled, thinned

NAMES = tuple(RELATIONS)

_FOUNDER = (-1, -1)


def families(size: int) -> Iterator[Family]:
    """Every family of at most this many people, up to renumbering.

    Numbers are given so that founders come first, then the children of each couple, couples
    ordered by their later-numbered member (then the earlier), and among founders and among
    siblings men first. Any family can be numbered so: number the founders, and then again
    and again the children of that couple, of those with both members numbered, whose later
    member came first; couples that complete later have a later member. So only families in
    this order are built. A family with several such numberings still comes up several times.
    """
    yield from _grown(Family(), (*_FOUNDER, False), size)


def _grown(family: Family, last: tuple[int, int, bool], size: int) -> Iterator[Family]:
    yield family
    person = len(family)
    if person == size:
        return
    origins = [_FOUNDER, *((max(couple), min(couple)) for couple in family.couples())]
    for origin in sorted(origins):
        for gender in (MALE, FEMALE):
            order = (*origin, gender == FEMALE)
            if order < last:
                continue
            born = family.with_person(gender)
            if origin != _FOUNDER:
                born = _with_child(born, origin, person)
            for wed in (born, *(born.with_marriage(person, s) for s in _singles(family))):
                if not broken_axioms(wed):
                    yield from _grown(wed, order, size)


def random_family(rng: Random, size: int) -> Family:
    """Return a random family of this many people, of one or more lines joined by marriages."""
    family = Family()
    while len(family) < size:
        grown = _GROWTHS[rng.randrange(len(_GROWTHS))](rng, family)
        if len(grown) <= size and not broken_axioms(grown):
            family = grown
    return family


def _founder(rng: Random, family: Family) -> Family:
    return family.with_person(rng.choice((MALE, FEMALE)))


def _newcomer(rng: Random, family: Family) -> Family:
    singles = _singles(family)
    if not singles:
        return family
    single = rng.choice(singles)
    gender = FEMALE if family.genders[single] == MALE else MALE
    return family.with_person(gender).with_marriage(single, len(family))


def _match(rng: Random, family: Family) -> Family:
    singles = _singles(family)
    return family.with_marriage(*rng.sample(singles, 2)) if len(singles) > 1 else family


def _birth(rng: Random, family: Family) -> Family:
    couples = list(family.couples())
    if not couples:
        return family
    born = family.with_person(rng.choice((MALE, FEMALE)))
    return _with_child(born, rng.choice(couples), len(family))


def _parents(rng: Random, family: Family) -> Family:
    orphans = [person for person in range(len(family)) if not family.parents(person)]
    if not orphans:
        return family
    father, mother = len(family), len(family) + 1
    wed = family.with_person(MALE).with_person(FEMALE).with_marriage(father, mother)
    return wed.with_parents(rng.choice(orphans), father, mother)


# Births and marriages are more likely, so that families are connected.
_GROWTHS = (_founder, _newcomer, _newcomer, _match, _birth, _birth, _birth, _parents)


def _singles(family: Family) -> list[int]:
    return [person for person in range(len(family)) if family.spouses[person] is None]


def _with_child(family: Family, couple: tuple[int, int], child: int) -> Family:
    one, other = couple
    men_first = family.genders[one] == MALE
    return family.with_parents(child, *((one, other) if men_first else (other, one)))


def canonical(family: Family):
    """Return a key that is the same for families that differ in numbering only."""

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
    """Yield all families of a size by trying all links: slow and plain."""
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


@settings(max_examples=scaled(50, least=10))
@given(st.integers(), st.integers(0, 30))
def test_random_families_keep_the_axioms_and_depend_on_the_rng_only(seed, size):
    family = random_family(Random(seed), size)
    assert len(family) == size
    assert not broken_axioms(family)
    assert family == random_family(Random(seed), size)


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


@pytest.mark.slow
def test_situations_refute_exactly_what_small_families_refute():
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


@settings(max_examples=scaled(150))
@given(st.integers(0, 10**9), st.integers(8, 30))
def test_every_sound_rule_holds_in_every_random_family(seed, size):
    heads = {rule.body: rule.head for rule in world().ruleset("sound").rules}
    for first, second, outcome in triples(random_family(Random(seed), size)):
        if (first, second) in heads:
            assert heads[first, second] in outcome


@settings(max_examples=scaled(30, least=10))
@given(st.lists(st.sampled_from(NAMES), min_size=3, max_size=3))
def test_conclusions_of_chains_are_entailed(chain):
    derived = RuleIndex.from_world(world()).derive(chain)
    possible = bool(FAMILY.situations(tuple(chain)))
    assert not possible or derived <= entailed(FAMILY, tuple(chain))


def test_chains_entail_more_than_two_step_rules_can_tell():
    chain = ("SO", "sibling-in-law", "SO")
    assert entailed(FAMILY, chain) == {"sibling-in-law"}
    assert not RuleIndex.from_world(world()).derive(chain)


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
def test_rules_do_not_depend_on_this_axiom(name):
    without = FamilySemantics(RELATIONS, tuple(axiom for axiom in AXIOMS if axiom.name != name))
    assert len(without.axioms) == len(AXIOMS) - 1
    for body in thinned(product(NAMES, repeat=2), least=40):
        assert entailed(without, body) == entailed(FAMILY, body)


def test_without_a_ban_on_kin_marriage_relations_overlap():
    without = FamilySemantics(RELATIONS, AXIOMS[:-1])
    overlaps = [
        (first, second)
        for first, second in combinations(NAMES, 2)
        if without.situations((first, world().inverse(second)), closed=True)
    ]
    assert ("SO", "sibling") in overlaps
    assert len(overlaps) == 26  # docs/kinship.md says so


def true_facts(seed, size):
    family = random_family(Random(seed), size)
    return {
        (f"p{x}", name, f"p{y}")
        for x in range(size)
        for name, others in related(family, x).items()
        for y in others
    }


facts_of_families = st.builds(true_facts, st.integers(0, 10**6), st.integers(5, 12))


@settings(max_examples=scaled(50, least=10))
@given(facts_of_families, st.randoms(use_true_random=False))
def test_conclusions_of_sound_rules_are_true_in_any_order(truth, rng):
    rules = RuleIndex.from_world(world(), "sound")
    told = rng.sample(sorted(truth), min(len(truth), 8))
    closed = closure(rules, told)
    assert closed <= truth
    assert closure(rules, sorted(closed)) == closed
    rng.shuffle(told)
    assert closure(rules, told) == closed
    assert all((y, world().inverse(name), x) in closed for x, name, y in closed)


def test_conclusions_of_thesis_rules_may_be_false():
    truth = true_facts(1, 25)
    assert closure(RuleIndex.from_world(world(), "thesis"), truth) - truth
