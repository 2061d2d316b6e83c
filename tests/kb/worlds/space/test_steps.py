"""The rules against an enumeration of their own, against the semantics, and in random maps."""

import re
from functools import cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.kb.worlds.semantics import counterexample, entailed
from relsmith.kb.worlds.space.steps import BLOCK, DIRECTIONS, MAP, OVERLAP
from relsmith.kb.worlds.world import find_world

GRIDS = {"spatial": DIRECTIONS, "space": MAP, "space-overlap": OVERLAP, "space-3d": BLOCK}
LETTERS = ("ns", "ew", "ud")
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
        ("space-overlap", 9 * 9, 4489),
        ("space-3d", 7 * 7 * 7 - 1, 58510),
    ],
)
def test_there_is_one_head_for_each_body(name, predicates, rules):
    assert len(rules_of(name)) == len(find_world(name).ruleset("sound").rules) == rules
    assert set(GRIDS[name].offsets) == set(find_world(name).predicates)
    assert len(GRIDS[name].offsets) == predicates


@pytest.mark.parametrize(
    ("name", "every"),
    [
        ("spatial", 1),
        ("space", 1),
        ("space-overlap", 1),
        ("space-3d", 17),
        pytest.param("space-3d", 1, marks=pytest.mark.slow),
    ],
)
def test_rules_are_all_that_two_steps_entail_and_no_more(name, every):
    rules, grid = rules_of(name), GRIDS[name]
    for body in list(product(grid.offsets, repeat=2))[::every]:
        assert entailed(grid, body) == frozenset({rules.get(body)} - {None})


def named(grid, *offset):
    """The name of a predicate, by means of its own."""
    parts = [
        (letters[steps < 0], abs(steps))
        for steps, letters in zip(offset, LETTERS, strict=False)
        if steps
    ]
    name = "".join(f"{letter}{n if n <= grid.max_counted else '+'}" for letter, n in parts)
    return name or ("same" if grid.shared else "")


@counted
def test_an_enumeration_of_all_maps_finds_the_same_rules(name):
    """Three places, the middle one anywhere: on a line, gaps of more than four are as good as four.

    So from the first place the others lie within eight rows and columns, and any lines will do. In
    a block, where less is counted, that is more than enough.
    """
    grid, reach = GRIDS[name], range(-8, 9)

    def line(steps):
        return "" if not steps else f"{'-' * (steps < 0)}{min(abs(steps), grid.max_counted + 1)}"

    totals = {}
    for first, second in product(reach, repeat=2):
        totals.setdefault((line(first), line(second)), set()).add(line(first + second))
    steps = {}
    for predicate in grid.offsets:
        said = dict(re.findall(r"([nsewud])([1-3+])", predicate))
        several = []
        for there, back in LETTERS[: grid.axes]:
            amount = (said.get(there) or said.get(back) or "").replace(
                "+", str(grid.max_counted + 1)
            )
            several.append("-" * (back in said) + amount)
        steps[predicate] = tuple(several)
    names = {several: predicate for predicate, several in steps.items()}
    found = {}
    for first, second in product(grid.offsets, repeat=2):
        outcomes = [totals[pair] for pair in zip(steps[first], steps[second], strict=True)]
        # Without a name is what two places may not be: in one square.
        possible = {names[ways] for ways in product(*outcomes) if ways in names}
        if len(possible) == 1:
            found[first, second] = possible.pop()
    assert found == rules_of(name)


@worlds
@given(st.data())
def test_every_rule_holds_on_every_map(name, data):
    grid = GRIDS[name]
    squares = st.tuples(*[st.integers(-9, 9)] * grid.axes)
    x, z, y = data.draw(st.lists(squares, min_size=3, max_size=3, unique=not grid.shared))
    body = grid.relation(x, z), grid.relation(z, y)
    outcome = grid.relation(x, y)
    assert rules_of(name).get(body, outcome) == outcome
    assert any(outcome in scene.relations for scene in grid.situations(body))


@worlds
@given(st.data())
def test_one_predicate_holds_between_two_squares_and_its_inverse_back(name, data):
    grid = GRIDS[name]
    squares = st.tuples(*[st.integers(-4, 4)] * grid.axes)
    x, y = data.draw(squares), data.draw(squares)
    there, back = grid.relation(x, y), grid.relation(y, x)
    if name != "spatial":
        assert (there or "") == named(grid, *(b - a for a, b in zip(x, y, strict=True)))
    if x == y:
        assert there == ("same" if grid.shared else None)
    if there:
        assert find_world(name).inverse(there) == back


def test_opposite_steps_cancel():
    assert RULES["n3", "s1"] == "n2"
    assert RULES["n3e1", "s3"] == "e1"
    assert ("n2", "s2") not in RULES, "the two would be one place"
    assert not MAP.situations(("n2", "s2"))
    assert rules_of("space-overlap")["n2", "s2"] == "same"
    assert rules_of("space-overlap")["same", "n2"] == "n2"
    assert rules_of("space-3d")["n1u2", "e2d2"] == "n1e2"


def test_what_looks_right_and_is_not():
    """More than three steps and one back: that may be three."""
    scene = counterexample(MAP, ("n+", "s1"), "n+")
    assert scene is not None
    assert scene.facts == ("X is at (0, 0)", "Z is at (4, 0)", "Y is at (3, 0)")
    assert ("n+", "s1") not in RULES
    outcomes = {name for s in MAP.situations(("n+e1", "s+w1")) for name in s.relations}
    assert outcomes == {"n1", "n2", "n3", "n+", "s1", "s2", "s3", "s+"}
    scene = counterexample(DIRECTIONS, ("left", "above"), "left")
    assert scene is not None
    assert scene.facts == ("X is at (0, 0)", "Z is at (-1, 0)", "Y is at (-1, 1)")
    scene = counterexample(BLOCK, ("u+", "d1"), "u+")
    assert scene is not None
    assert scene.facts == ("X is at (0, 0, 0)", "Z is at (0, 0, 3)", "Y is at (0, 0, 2)")


def test_two_steps_do_not_tell_all_that_three_entail():
    """More than three, one back, more than three: seven at least, but no two of these are sure."""
    chain = ("n+", "s1", "n+")
    assert {s.relations for s in MAP.situations(chain)} == {frozenset({"n+"})}
    assert ("n+", "s1") not in RULES
    assert ("s1", "n+") not in RULES
