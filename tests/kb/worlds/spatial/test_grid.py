from hypothesis import given
from hypothesis import strategies as st

from relsmith.kb.worlds.semantics import counterexample
from relsmith.kb.worlds.spatial import world
from relsmith.kb.worlds.spatial.grid import DIRECTIONS, GRID, directions

cells = st.tuples(st.integers(-50, 50), st.integers(-50, 50))


@given(st.lists(cells, min_size=3, max_size=3, unique=True))
def test_every_sound_rule_holds_on_every_grid(places):
    x, z, y = places
    heads = {rule.body: rule.head for rule in world().ruleset("sound").rules}
    [first], [second], [outcome] = directions(x, z), directions(z, y), directions(x, y)
    assert heads.get((first, second), outcome) == outcome
    assert any(outcome in scene.relations for scene in GRID.situations((first, second)))


@given(cells, cells)
def test_there_is_one_direction_between_two_cells_and_its_inverse_back(x, y):
    if x == y:
        assert not directions(x, y)
    else:
        [there], [back] = directions(x, y), directions(y, x)
        assert world().inverse(there) == back


def test_opposite_steps_lead_anywhere_on_the_line():
    outcomes = {direction for s in GRID.situations(("left", "right")) for direction in s.relations}
    assert outcomes == {"left", "right"}
    scene = counterexample(GRID, ("left", "above"), "left")
    assert scene is not None
    assert scene.facts == ("X is at (0, 0)", "Z is at (-1, 0)", "Y is at (-1, 1)")


def test_no_two_directions_hold_at_once():
    for first in DIRECTIONS:
        for second in DIRECTIONS:
            both = GRID.situations((first, world().inverse(second)), closed=True)
            assert bool(both) == (first == second)
