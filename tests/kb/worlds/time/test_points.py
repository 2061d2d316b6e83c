"""Instants and events: rules, judge and solver of who questions, against all models."""

from itertools import combinations_with_replacement, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith import Stream
from relsmith.errors import InvalidOption
from relsmith.generators.clutrr import Clutrr
from relsmith.kb.worlds.semantics import counterexample, entailed
from relsmith.kb.worlds.time import with_points, world
from relsmith.kb.worlds.time.intervals import POINTS, relation
from relsmith.kb.worlds.time.programme import coinciding_events, sample_intervals_and_points

WORLD = with_points()
WORD = {name: entry.word() for name, entry in WORLD.predicates.items()}
THINGS = "abc"
PAIRS = list(permutations(range(len(THINGS)), 2))


SPANS = list(combinations_with_replacement(range(6), 2))
"""Return all orders of at most six starts and ends, those of three things."""


def test_rules_are_all_that_two_steps_entail_by_another_enumeration():
    found = {}
    for x, z, y in product(SPANS, repeat=3):
        found.setdefault((relation(x, z), relation(z, y)), set()).add(relation(x, y))
    assert (len(found), sum(map(len, found.values()))) == (388, 818)
    rules = {rule.body: {rule.head} for rule in WORLD.ruleset("sound").rules}
    assert rules == {body: heads for body, heads in found.items() if len(heads) == 1}
    assert len(rules) == 252


def test_rules_are_all_that_the_program_finds_and_those_of_time_are_among_them():
    rules = {(rule.body, rule.head) for rule in WORLD.ruleset("sound").rules}
    bodies = product(WORLD.predicates, repeat=2)
    assert rules == {(body, head) for body in bodies for head in entailed(POINTS, body)}
    assert {(rule.body, rule.head) for rule in world().ruleset("sound").rules} <= rules


moments = st.tuples(st.integers(-9, 9), st.integers(0, 6)).map(lambda at: (at[0], sum(at)))


@given(moments, moments, moments)
def test_every_sound_rule_holds_in_every_line_of_time(x, z, y):
    heads = {rule.body: rule.head for rule in WORLD.ruleset("sound").rules}
    body, outcome = (relation(x, z), relation(z, y)), relation(x, y)
    assert heads.get(body, outcome) == outcome
    assert any(outcome in scene.relations for scene in POINTS.situations(body))


@given(moments, moments)
def test_there_is_one_relation_between_two_things_its_inverse_back_and_for_their_kinds(x, y):
    there, back = relation(x, y), relation(y, x)
    assert WORLD.inverse(there) == back
    kinds = tuple("instant" if start == end else "event" for start, end in (x, y))
    assert WORLD.predicates[there].between == kinds
    assert WORLD.predicates[back].between == kinds[::-1]


@pytest.mark.parametrize(
    ("body", "looks", "instead"),
    [
        (
            ("opens", "begins-after"),
            "after",
            {"after", "met-by", "overlapped-by", "finishes", "during"},
        ),
        (("amid", "around"), "equals", 9),
        (("opened-by", "closes"), "later", {"later"}),
        (("ahead", "earlier"), "ahead", {"ahead"}),
        (("opens", "opened-by"), "equals", {"starts", "started-by", "equals"}),
        (("around", "amid"), "at-once", {"earlier", "later", "at-once"}),
        (("closes", "opened-by"), "met-by", {"met-by"}),
        (("ahead", "opened-by"), "before", 5),
    ],
)
def test_plausible_rules_false_and_true(body, looks, instead):
    left = {name for scene in POINTS.situations(body) for name in scene.relations}
    if isinstance(instead, int):
        assert len(left) == instead
    else:
        assert left == instead
    assert (counterexample(POINTS, body, looks) is None) == (left == {looks})


@given(st.integers(), st.integers(1, 150))
def test_programmes_have_coinciding_events_and_instants(seed, size):
    places = sample_intervals_and_points(Stream("arrange", seed), size)
    assert len(places) == size
    lasting = [span for span in places if span[0] < span[1]]
    assert max(map(lasting.count, lasting)) >= coinciding_events(size)
    assert size - len(lasting) >= (size - coinciding_events(size)) // 2


def test_zero_events_are_refused():
    with pytest.raises(InvalidOption, match="cannot arrange 0 events"):
        sample_intervals_and_points(Stream("none"), 0)


@pytest.mark.parametrize("k", [2, 6, 18])
def test_each_relation_is_an_answer(k):
    generator = Clutrr.configure({"world": "time-points", "k": str(k), "style": "facts"})
    assert not generator.notes(), "no answer is missing"
    assert {row.target for row in generator.examples(256)} == set(WORLD.meanings)


def test_names_of_instants_are_many_and_events_are_those_of_time():
    events, instants = WORLD.story_spec.names.female, WORLD.story_spec.names.male
    assert events == world().story_spec.names.female
    assert len(instants) >= 80
