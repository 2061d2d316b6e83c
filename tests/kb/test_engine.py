from functools import cache
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith.errors import NotFound
from relsmith.kb.engine import Engine
from relsmith.kb.kinship import world as kinship
from relsmith.kb.kinship.family import related
from relsmith.kb.kinship.population import random_family
from relsmith.kb.proof import replay, tree
from relsmith.kb.rules import RuleTable
from relsmith.kb.spatial import world as spatial

ENGINES = {
    f"{world.name}-{ruleset}": Engine(RuleTable.of(world, ruleset))
    for world in (kinship(), spatial())
    for ruleset in world.rulesets
}
engines = st.sampled_from(sorted(ENGINES)).map(ENGINES.__getitem__)


@st.composite
def chains(draw, longest=6):
    engine = draw(engines)
    names = st.sampled_from(engine.rules.predicates)
    return engine, tuple(draw(st.lists(names, min_size=1, max_size=longest)))


@st.composite
def derivable(draw, longest=6):
    """A chain that derives something, made backwards from its head."""
    engine = draw(engines)
    chain = [draw(st.sampled_from(sorted(engine.rules.bodies)))]
    for _ in range(draw(st.integers(1, longest - 1))):
        open_places = [n for n, name in enumerate(chain) if name in engine.rules.bodies]
        if open_places:
            place = draw(st.sampled_from(open_places))
            chain[place : place + 1] = draw(st.sampled_from(engine.rules.bodies[chain[place]]))
    return engine, tuple(chain)


def true_facts(seed, size):
    family = random_family(Random(seed), size)
    return {
        (f"p{x}", name, f"p{y}")
        for x in range(size)
        for name, others in related(family, x).items()
        for y in others
    }


def bracketings(engine, chain):
    """Heads with their numbers of proofs, by trying all binary trees: slow and plain."""

    @cache
    def heads(part):
        if len(part) == 1:
            return {part[0]: 1}
        found = {}
        for k in range(1, len(part)):
            for first, m in heads(part[:k]).items():
                for second, n in heads(part[k:]).items():
                    for body, results in engine.rules.heads.items():
                        if body == (first, second):
                            for result in results:
                                found[result] = found.get(result, 0) + m * n
        return found

    return heads(chain)


@given(st.one_of(chains(), derivable()))
def test_a_chain_derives_what_some_bracketing_derives(case):
    engine, chain = case
    expected = bracketings(engine, chain)
    assert engine.derive(chain) == set(expected)
    assert engine.count(chain) == expected


@given(derivable())
def test_all_proofs_are_found_once_and_replay(case):
    engine, chain = case
    people = [f"p{n}" for n in range(len(chain) + 1)]
    facts = [(x, name, y) for (x, y), name in zip(pairwise(people), chain, strict=True)]
    assert engine.derive(chain)
    for head, number in engine.count(chain).items():
        proofs = list(engine.proofs(people, chain, head))
        goal = (people[0], head, people[-1])
        assert len(proofs) == number == len({repr(proof) for proof in proofs})
        for proof in proofs:
            assert len(proof) == len(chain) - 1
            assert not replay(proof, facts, engine.rules, goal)
            assert tree(proof, goal).count("given") == len(chain)


@given(derivable())
def test_closure_contains_what_chains_derive(case):
    engine, chain = case
    facts = [(str(n), name, str(n + 1)) for n, name in enumerate(chain)]
    closure = engine.closure(facts)
    for head in engine.derive(chain):
        goal = ("0", head, str(len(chain)))
        assert goal in closure
        proof = engine.prove(facts, goal)
        assert proof is not None
        assert not replay(proof, facts, engine.rules, goal)


def test_left_to_right_is_not_enough():
    engine = ENGINES["kinship-sound"]
    chain = ("sibling", "un", "inv-child", "inv-child")
    assert not engine.derive(chain[:2])
    assert engine.derive(("inv-child", "inv-child")) == {"inv-grand"}
    chain = ("SO", "sibling", "inv-child")
    assert not engine.derive(("sibling-in-law", "inv-child"))
    assert engine.derive(chain) == {"inv-in-law"}


facts_of_families = st.builds(true_facts, st.integers(0, 10**6), st.integers(5, 12))


@settings(max_examples=50, deadline=None)
@given(facts_of_families, st.randoms(use_true_random=False))
def test_closure_is_a_fixed_point_independent_of_order(truth, rng):
    engine = ENGINES["kinship-sound"]
    given_facts = rng.sample(sorted(truth), min(len(truth), 8))
    closure = set(engine.closure(given_facts))
    assert set(engine.closure(sorted(closure))) == closure
    rng.shuffle(given_facts)
    assert set(engine.closure(given_facts)) == closure
    assert all((y, engine.rules.inverses[name], x) in closure for x, name, y in closure)


@settings(max_examples=50, deadline=None)
@given(facts_of_families, st.randoms(use_true_random=False))
def test_what_sound_rules_derive_is_true(truth, rng):
    engine = ENGINES["kinship-sound"]
    given_facts = rng.sample(sorted(truth), min(len(truth), 8))
    for fact in engine.closure(given_facts):
        assert fact in truth
        proof = engine.prove(given_facts, fact)
        assert proof is not None
        assert not replay(proof, given_facts, engine.rules, fact)


def test_what_thesis_rules_derive_is_not_always_true():
    engine = ENGINES["kinship-thesis"]
    truth = true_facts(1, 25)
    assert set(engine.closure(truth)) - truth


def test_what_does_not_follow_has_no_proof():
    engine = ENGINES["kinship-sound"]
    assert engine.prove([("a", "child", "b")], ("a", "SO", "b")) is None
    assert engine.prove([("a", "child", "b")], ("a", "child", "b")) == []
    assert not list(engine.proofs(["a", "b", "c"], ["child", "child"], "SO"))


def test_an_empty_chain_derives_nothing_and_an_unknown_name_is_named():
    engine = ENGINES["kinship-sound"]
    assert not engine.derive([])
    assert not engine.count([])
    assert not list(engine.proofs(["a"], [], "SO"))
    with pytest.raises(NotFound, match="no predicate 'chlid'"):
        engine.derive(["child", "chlid"])
    with pytest.raises(NotFound, match="no predicate 'aunt'"):
        list(engine.proofs(["a", "b"], ["child"], "aunt"))


@pytest.mark.parametrize("name", sorted(ENGINES))
def test_nobody_becomes_their_own_relative(name):
    engine = ENGINES[name]
    facts = [("a", predicate, "b") for predicate in engine.rules.predicates]
    facts.append(("a", engine.rules.predicates[0], "a"))
    assert all(x != y for x, _, y in engine.closure(facts))
