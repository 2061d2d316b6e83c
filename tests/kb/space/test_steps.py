"""The rules against an enumeration of their own, against the semantics, and in random maps."""

import re
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from relsmith.kb.lint import lint
from relsmith.kb.semantics import counterexample, entailed
from relsmith.kb.space import world
from relsmith.kb.space.steps import MAP, OFFSETS, relation

squares = st.tuples(st.integers(-9, 9), st.integers(-9, 9))
RULES = {rule.body: rule.head for rule in world().ruleset("sound").rules}


def test_there_is_one_head_for_each_body():
    assert len(RULES) == len(world().ruleset("sound").rules) == 4280
    assert set(OFFSETS) == set(world().predicates)
    assert len(OFFSETS) == 9 * 9 - 1


def test_rules_are_all_that_two_steps_entail_and_no_more():
    for body in product(OFFSETS, repeat=2):
        assert (
            entailed(MAP, body) == {RULES[body]} - {None}
            if body in RULES
            else (not entailed(MAP, body))
        )


def named(north, east):
    """The name of a predicate, by means of its own."""
    parts = [
        (letter, abs(steps))
        for steps, letter in ((north, "ns"[north < 0]), (east, "ew"[east < 0]))
        if steps
    ]
    return "".join(f"{letter}{steps if steps < 4 else '+'}" for letter, steps in parts)


def test_an_enumeration_of_all_maps_finds_the_same_rules():
    """Three places, the middle one anywhere: on a line, gaps of more than four are as good as four.

    So from the first place the others lie within eight rows and columns, and any two lines will do.
    """
    reach = range(-8, 9)
    outcomes = {}
    for first, second in product(reach, repeat=2):
        outcomes.setdefault((named(first, 0), named(second, 0)), set()).add(first + second)
    lines = {body: {named(total, 0) for total in totals} for body, totals in outcomes.items()}
    steps = {name: tuple(re.findall(r"([nsew])([1-3+])", name)) for name in OFFSETS}

    def line(name, letters):
        """What a name says of one line, as if that ran north."""
        for letter, amount in steps[name]:
            if letter in letters:
                return "ns"[letters.index(letter)] + amount
        return ""

    found = {}
    for first, second in product(OFFSETS, repeat=2):
        rows = lines[line(first, "ns"), line(second, "ns")]
        columns = lines[line(first, "ew"), line(second, "ew")]
        both = {
            row + column.replace("n", "e").replace("s", "w")
            for row, column in product(rows, columns)
        } - {""}
        if len(both) == 1:
            found[first, second] = both.pop()
    assert found == RULES


@given(st.lists(squares, min_size=3, max_size=3, unique=True))
def test_every_rule_holds_on_every_map(places):
    x, z, y = places
    body = relation(x, z), relation(z, y)
    outcome = relation(x, y)
    assert RULES.get(body, outcome) == outcome
    assert any(outcome in scene.relations for scene in MAP.situations(body))


@given(squares, squares)
def test_one_predicate_holds_between_two_squares_and_its_inverse_back(x, y):
    if x == y:
        assert relation(x, y) is None
    else:
        there, back = relation(x, y), relation(y, x)
        assert world().inverse(there) == back
        assert named(y[0] - x[0], y[1] - x[1]) == there


def test_opposite_steps_cancel():
    assert RULES["n3", "s1"] == "n2"
    assert RULES["n3e1", "s3"] == "e1"
    assert ("n2", "s2") not in RULES, "the two would be one place"
    assert not MAP.situations(("n2", "s2"))


def test_what_looks_right_and_is_not():
    """More than three steps and one back: that may be three."""
    scene = counterexample(MAP, ("n+", "s1"), "n+")
    assert scene is not None
    assert scene.facts == ("X is at (0, 0)", "Z is at (4, 0)", "Y is at (3, 0)")
    assert ("n+", "s1") not in RULES
    outcomes = {name for s in MAP.situations(("n+e1", "s+w1")) for name in s.relations}
    assert outcomes == {"n1", "n2", "n3", "n+", "s1", "s2", "s3", "s+"}


def test_two_steps_do_not_tell_all_that_three_entail():
    """More than three, one back, more than three: seven at least, but no two of these are sure."""
    chain = ("n+", "s1", "n+")
    assert {s.relations for s in MAP.situations(chain)} == {frozenset({"n+"})}
    assert ("n+", "s1") not in RULES
    assert ("s1", "n+") not in RULES


def test_the_linter_finds_nothing():
    assert lint(world()) == []
