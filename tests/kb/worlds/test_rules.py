"""Rules: chains against all bracketings, lists of facts against chains."""

from functools import cache

import pytest
from closure import closure
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith import Stream
from relsmith.errors import NotFound
from relsmith.kb.worlds.kinship import world as kinship
from relsmith.kb.worlds.ordering import world as ordering
from relsmith.kb.worlds.rules import RuleIndex
from relsmith.kb.worlds.space import directions as spatial
from relsmith.kb.worlds.time import world as time
from relsmith.kb.worlds.work import world as work
from relsmith.testing.profile import scaled

RULES = {
    f"{world.name}-{ruleset}": RuleIndex.from_world(world, ruleset)
    for world in (kinship(), ordering(), spatial(), time(), work())
    for ruleset in world.rulesets
}
SOUND = RULES["kinship-sound"]
# A body with two heads, which no world of ours has.
RULES["ambiguous"] = RuleIndex(
    ("a", "b", "c"),
    [("a", "a", "b"), ("a", "a", "c"), ("b", "a", "a"), ("c", "b", "b"), ("b", "c", "b")],
    {"a": "a", "b": "c", "c": "b"},
)
keys = st.sampled_from(sorted(RULES)).map(RULES.__getitem__)


@st.composite
def chains(draw, longest=6):
    """Return any chain, or one with a conclusion, made backwards from its head."""
    rules = draw(keys)
    numbers = st.sampled_from(range(len(rules.predicates)))
    if draw(st.booleans()):
        return rules, tuple(draw(st.lists(numbers, min_size=1, max_size=longest)))
    chain = [draw(st.sampled_from(sorted(rules.head_predicates)))]
    for _ in range(draw(st.integers(1, longest - 1))):
        places = [n for n, predicate in enumerate(chain) if rules.bodies[predicate]]
        if places:
            place = draw(st.sampled_from(places))
            chain[place : place + 1] = draw(st.sampled_from(rules.bodies[chain[place]]))
    return rules, tuple(chain)


def names(rules, chain):
    return [rules.predicates[predicate] for predicate in chain]


def bracketings(rules, chain):
    """Return heads with their numbers of proofs, by trying all binary trees: slow and plain."""

    @cache
    def heads(part):
        if len(part) == 1:
            return {part[0]: 1}
        counts = {}
        for cut in range(1, len(part)):
            for first, m in heads(part[:cut]).items():
                for second, n in heads(part[cut:]).items():
                    for *body, head in rules.compositions:
                        if body == [first, second]:
                            counts[head] = counts.get(head, 0) + m * n
        return counts

    return heads(chain)


@settings(max_examples=scaled(300))
@given(chains(longest=8))
def test_chains_agree_with_all_bracketings(case):
    rules, chain = case
    expected = bracketings(rules, chain)
    assert rules.count_proofs(chain) == expected
    assert rules.derive(names(rules, chain)) == {rules.predicates[head] for head in expected}


@given(chains(), st.integers())
def test_a_chain_is_put_together_step_by_step(case, seed):
    """Check that each step joins two neighbouring parts by a rule, until the head is left."""
    rules, chain = case
    for head in rules.count_proofs(chain):
        stretches = {(n, n + 1): {predicate} for n, predicate in enumerate(chain)}
        for start, middle, end in reversed(rules.sample_proof(chain, head, Stream(seed))):
            first, second = stretches.pop((start, middle)), stretches.pop((middle, end))
            stretches[start, end] = {
                h for a, b, h in rules.compositions if a in first and b in second
            }
        ((ends, heads),) = stretches.items()
        assert ends == (0, len(chain)) and head in heads


@given(chains())
def test_closure_contains_the_conclusions_of_chains(case):
    rules, chain = case
    facts = [(str(n), name, str(n + 1)) for n, name in enumerate(names(rules, chain))]
    closed = closure(rules, facts)
    assert closed >= set(facts)
    for head in rules.derive(names(rules, chain)):
        assert ("0", head, str(len(chain))) in closed


def test_closure_uses_inverses():
    facts = [("Ann", "SO", "Bob"), ("Bob", "sibling", "Cid"), ("Dot", "child", "Cid")]
    closed = closure(SOUND, facts)
    assert ("Ann", "inv-in-law", "Dot") in closed and ("Dot", "in-law", "Ann") in closed
    assert ("Ann", "sibling", "Cid") not in closed


def test_left_to_right_is_not_enough():
    assert not SOUND.derive(("sibling-in-law", "inv-child"))
    assert SOUND.derive(("SO", "sibling", "inv-child")) == {"inv-in-law"}


def test_an_empty_chain_gives_nothing_and_an_unknown_name_is_named():
    assert not SOUND.derive([])
    assert not SOUND.count_proofs(())
    with pytest.raises(NotFound, match="no predicate 'chlid'"):
        SOUND.derive(["child", "chlid"])


def test_a_rule_of_another_set_does_not_count():
    body = ["child", "inv-grand"]
    assert RULES["kinship-thesis"].derive(body) == {"inv-child"}
    assert not SOUND.derive(body)


@pytest.mark.parametrize("name", sorted(RULES))
def test_nobody_becomes_their_own_relative(name):
    rules = RULES[name]
    facts = [("a", predicate, "b") for predicate in rules.predicates]
    facts.append(("a", rules.predicates[0], "a"))
    assert all(x != y for x, _, y in closure(rules, facts))
