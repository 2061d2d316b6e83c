"""The rules of ordering are all that rankings entail, by program, by hand and by real numbers."""

from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.kb.worlds.ordering import world
from relsmith.kb.worlds.ordering.ranks import (
    COMPARISONS,
    DIMENSIONS,
    RANKS,
    all_rankings,
)
from relsmith.kb.worlds.semantics import counterexample, entailed
from relsmith.testing.profile import thinned

RULES = {rule.body: rule.head for rule in world().ruleset("sound").rules}
SIGNS = {
    name: (dimension, sign)
    for dimension, (more, less, same) in DIMENSIONS.items()
    for name, sign in (
        *((more, ">"), (less, "<"), (same, "=")),
        *((f"not-{more}", "<="), (f"not-{less}", "=>")),
    )
}
"""Signs of comparison of y with x, by predicate."""

# The point algebra without "different from", by hand: the strongest conclusion of two steps; where
# nothing is written, all are possible. Rows are the first step, columns the second.
TABLE = """
     <   <=  =   =>  >
<    <   <   <   .   .
<=   <   <=  <=  .   .
=    <   <=  =   =>  >
=>   .   .   =>  =>  >
>    .   .   >   >   >
"""


def strongest_entailed(chain):
    """Return the predicates that a chain entails, without those that others of them entail."""
    heads = entailed(RANKS, chain)
    return frozenset(
        name
        for name in heads
        if not any(name != other and name in entailed(RANKS, (other,)) for other in heads)
    )


def table():
    (_, *rows) = [line.split() for line in TABLE.strip().splitlines()]
    columns = ["<", "<=", "=", "=>", ">"]
    return {
        (first, second): sign
        for first, *signs in rows
        for second, sign in zip(columns, signs, strict=True)
        if sign != "."
    }


def test_the_rules_are_those_that_the_program_finds():
    found = {}
    for body in product(COMPARISONS, repeat=2):
        heads = strongest_entailed(body)
        assert len(heads) < 2
        found.update((body, head) for head in heads)
    assert found == RULES
    assert len(RULES) == 4 * 17


def test_the_rules_are_those_of_the_point_algebra_written_by_hand():
    names = {sign: name for name, sign in SIGNS.items()}
    by_hand = {
        (names[dimension, first], names[dimension, second]): names[dimension, head]
        for dimension in DIMENSIONS
        for (first, second), head in table().items()
    }
    assert by_hand == RULES


def holds(name, x, y):
    """Return whether y compares with x in this way by their numbers in each dimension."""
    dimension, signs = SIGNS[name]
    one, other = x[dimension], y[dimension]
    return ("<" if other < one else ">" if other > one else "=") in signs


@pytest.mark.parametrize("first", COMPARISONS)
def test_each_conceivable_rule_holds_or_fails_among_three_people_as_it_should(first):
    alike = [name for name in COMPARISONS if SIGNS[name][0] == SIGNS[first][0]]
    others = [name for name in COMPARISONS if name not in alike]
    for second in (*alike, *thinned(others, least=3)):
        check_rules((first, second))


def check_rules(body):
    """Try all ways to give three people one of three numbers, in the dimensions of the body."""
    several = sorted({SIGNS[name][0] for name in body})
    kept = None
    for numbers in product(product(range(3), repeat=3), repeat=len(several)):
        x, z, y = (dict(zip(several, [some[n] for some in numbers], strict=True)) for n in range(3))
        if holds(body[0], x, z) and holds(body[1], z, y):
            true = {name for name in SIGNS if SIGNS[name][0] in several and holds(name, x, y)}
            kept = true if kept is None else kept & true
    assert entailed(RANKS, body) == kept, body
    for head in COMPARISONS:
        assert (counterexample(RANKS, body, head) is None) == (head in kept), (body, head)


@given(
    st.lists(
        st.fixed_dictionaries({name: st.integers(0, 5) for name in DIMENSIONS}),
        min_size=3,
        max_size=7,
    )
)
def test_every_rule_holds_among_people_with_any_numbers(people):
    for x, z, y in permutations(people, 3):
        for (first, second), head in RULES.items():
            if holds(first, x, z) and holds(second, z, y):
                assert holds(head, x, y)


@pytest.mark.parametrize("people", [1, 2, 3, 4, 5])
def test_the_number_of_rankings_is_the_published_one(people):
    """Compare with sequence A000670 of the OEIS, ordered Bell numbers."""
    assert len(all_rankings(people)) == (1, 1, 3, 13, 75, 541)[people]


@pytest.mark.parametrize(
    ("body", "head"),
    [
        # All of these look like rules, but are not.
        ("taller shorter", "as-tall"),
        ("not-taller not-shorter", "as-tall"),
        ("not-taller taller", "taller"),
        ("not-taller not-taller", "shorter"),
        ("taller older", "taller"),
        ("taller stronger", "stronger"),
        ("as-tall as-old", "as-old"),
    ],
)
def test_plausible_but_false_rules(body, head):
    first, second = body.split()
    assert not strongest_entailed((first, second)) & {head}
    scene = counterexample(RANKS, (first, second), head)
    assert scene is not None
    assert scene.size == 3
    assert len(scene.facts) == len(DIMENSIONS)


def test_a_situation_is_described_from_the_lowest_rank():
    scene = counterexample(RANKS, ("taller", "shorter"), "as-tall")
    assert scene.facts[0] in ("height: X < Y < Z", "height: Y < X < Z")
