"""The rules against an independent enumeration, the semantics, and random maps."""

import re
from functools import cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.kb.worlds.semantics import counterexample, entailed
from relsmith.kb.worlds.space.steps import DIRECTIONS, MAP
from relsmith.kb.worlds.world import find_world

GRIDS = {"spatial": DIRECTIONS, "space": MAP}
LETTERS = ("ns", "ew")
worlds = pytest.mark.parametrize("name", GRIDS)
counted = pytest.mark.parametrize("name", [name for name in GRIDS if name != "spatial"])


@cache
def rules_of(name):
    return {rule.body: rule.head for rule in find_world(name).ruleset("sound").rules}


RULES = rules_of("space")


@pytest.mark.parametrize(
    ("name", "predicates", "rules"),
    [
        ("spatial", 3 * 3 - 1, 32),
        ("space", 9 * 9 - 1, 4280),
    ],
)
def test_there_is_one_head_for_each_body(name, predicates, rules):
    assert len(rules_of(name)) == len(find_world(name).ruleset("sound").rules) == rules
    assert set(GRIDS[name].offsets) == set(find_world(name).predicates)
    assert len(GRIDS[name].offsets) == predicates


@worlds
def test_rules_are_all_that_two_steps_entail_and_no_more(name):
    rules, grid = rules_of(name), GRIDS[name]
    for body in product(grid.offsets, repeat=2):
        assert entailed(grid, body) == frozenset({rules.get(body)} - {None})


def named(grid, *offset):
    """Return the name of a predicate, by separate code."""
    parts = [
        (letters[steps < 0], abs(steps))
        for steps, letters in zip(offset, LETTERS, strict=True)
        if steps
    ]
    name = "".join(f"{letter}{n if n <= grid.max_counted else '+'}" for letter, n in parts)
    return name


@counted
def test_an_enumeration_of_all_maps_finds_the_same_rules(name):
    """Enumerate three places, the middle one anywhere: gaps above four are equivalent to four.

    Seen from the first place, the others lie within eight rows and columns.
    """
    grid, reach = GRIDS[name], range(-8, 9)

    def line(steps):
        return "" if not steps else f"{'-' * (steps < 0)}{min(abs(steps), grid.max_counted + 1)}"

    totals = {}
    for first, second in product(reach, repeat=2):
        totals.setdefault((line(first), line(second)), set()).add(line(first + second))
    steps = {}
    for predicate in grid.offsets:
        said = dict(re.findall(r"([nsew])([1-3+])", predicate))
        several = []
        for there, back in LETTERS:
            amount = (said.get(there) or said.get(back) or "").replace(
                "+", str(grid.max_counted + 1)
            )
            several.append("-" * (back in said) + amount)
        steps[predicate] = tuple(several)
    names = {several: predicate for predicate, several in steps.items()}
    found = {}
    for first, second in product(grid.offsets, repeat=2):
        outcomes = [totals[pair] for pair in zip(steps[first], steps[second], strict=True)]
        # Without a name is only the impossible: two places in one square.
        possible = {names[ways] for ways in product(*outcomes) if ways in names}
        if len(possible) == 1:
            found[first, second] = possible.pop()
    assert found == rules_of(name)


@worlds
@given(st.data())
def test_every_rule_holds_on_every_map(name, data):
    grid = GRIDS[name]
    squares = st.tuples(*[st.integers(-9, 9)] * 2)
    x, z, y = data.draw(st.lists(squares, min_size=3, max_size=3, unique=True))
    body = grid.relation(x, z), grid.relation(z, y)
    outcome = grid.relation(x, y)
    assert rules_of(name).get(body, outcome) == outcome
    assert any(outcome in scene.relations for scene in grid.situations(body))


@worlds
@given(st.data())
def test_one_predicate_holds_between_two_squares_and_its_inverse_back(name, data):
    grid = GRIDS[name]
    squares = st.tuples(*[st.integers(-4, 4)] * 2)
    x, y = data.draw(squares), data.draw(squares)
    there, back = grid.relation(x, y), grid.relation(y, x)
    if name != "spatial":
        assert (there or "") == named(grid, *(b - a for a, b in zip(x, y, strict=True)))
    if x == y:
        assert there is None
    if there:
        assert find_world(name).inverse(there) == back


def test_opposite_steps_cancel():
    assert RULES["n3", "s1"] == "n2"
    assert RULES["n3e1", "s3"] == "e1"
    assert ("n2", "s2") not in RULES, "the two would be one place"
    assert not MAP.situations(("n2", "s2"))


def test_plausible_but_false_rules():
    """More than three steps and one back may be three."""
    scene = counterexample(MAP, ("n+", "s1"), "n+")
    assert scene is not None
    assert scene.facts == ("X is at (0, 0)", "Z is at (4, 0)", "Y is at (3, 0)")
    assert ("n+", "s1") not in RULES
    outcomes = {name for s in MAP.situations(("n+e1", "s+w1")) for name in s.relations}
    assert outcomes == {"n1", "n2", "n3", "n+", "s1", "s2", "s3", "s+"}
    scene = counterexample(DIRECTIONS, ("left", "above"), "left")
    assert scene is not None
    assert scene.facts == ("X is at (0, 0)", "Z is at (-1, 0)", "Y is at (-1, 1)")


def test_three_steps_entail_more_than_two_step_rules():
    """More than three, one back, more than three: at least seven, but by no two steps."""
    chain = ("n+", "s1", "n+")
    assert {s.relations for s in MAP.situations(chain)} == {frozenset({"n+"})}
    assert ("n+", "s1") not in RULES
    assert ("s1", "n+") not in RULES
