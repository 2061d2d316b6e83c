"""Allen's relations and their composition agree with the published table."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.kb.worlds.semantics import counterexample, entailed
from relsmith.kb.worlds.time import world
from relsmith.kb.worlds.time.intervals import INTERVALS, RELATIONS, relation

NAMES = dict(
    pair.split(":")
    for pair in (
        "b:before bi:after m:meets mi:met-by o:overlaps oi:overlapped-by s:starts si:started-by "
        "d:during di:contains f:finishes fi:finished-by e:equals"
    ).split()
)

# Allen, Maintaining knowledge about temporal intervals (1983), Figure 4: relations of A to C if
# A is that of the row to B, and B that of the column to C. He leaves `equals` out, as it changes
# nothing. Sets that come often have a letter; the columns are in his order, for each row.
SETS = {
    "ALL": set(NAMES),
    "B": {"b", "m", "o", "s", "d"},  # began before the other's end, and ended before that
    "A": {"bi", "mi", "oi", "f", "d"},
    "P": {"b", "m", "o", "fi", "di"},
    "Q": {"bi", "mi", "oi", "si", "di"},
    "X": {"o", "oi", "s", "si", "d", "di", "f", "fi", "e"},  # they share some time
}
COLUMNS = "b bi d di o oi m mi s si f fi".split()
TABLE = """
b   b ALL B b b B b B b b B b
bi  ALL bi A bi A bi A bi A bi bi bi
d   b bi d ALL B A b bi d A d B
di  P Q X di o,di,fi oi,di,si o,di,fi oi,di,si o,di,fi di oi,di,si di
o   b Q o,d,s P b,o,m X b oi,di,si o o,di,fi o,d,s b,o,m
oi  P bi oi,d,f Q X bi,oi,mi o,di,fi bi oi,d,f bi,oi,mi oi oi,di,si
m   b Q o,d,s b b o,d,s b f,fi,e m m o,d,s b
mi  P bi oi,d,f bi oi,d,f bi s,si,e bi oi,d,f bi mi mi
s   b bi d P b,o,m oi,d,f b mi s s,si,e d b,o,m
si  P bi oi,d,f di o,di,fi oi o,di,fi mi s,si,e si oi di
f   b bi d Q o,d,s bi,oi,mi m bi d bi,oi,mi f f,fi,e
fi  b Q o,d,s di o oi,di,si m oi,di,si o di f,fi,e fi
"""


def published():
    """Return the 169 entries, by the relations of A to B and of B to C."""
    entries = {}
    for line in TABLE.strip().splitlines():
        row, *cells = line.split()
        for column, cell in zip(COLUMNS, cells, strict=True):
            entries[row, column] = SETS.get(cell) or set(cell.split(","))
    for name in NAMES:
        entries[name, "e"] = entries["e", name] = {name}
    return {
        (NAMES[first], NAMES[second]): {NAMES[name] for name in names}
        for (first, second), names in entries.items()
    }


PUBLISHED = published()


@pytest.mark.parametrize(("first", "second"), list(product(NAMES.values(), repeat=2)))
def test_every_entry_of_allens_table_is_what_the_program_finds(first, second):
    """Convert: (x, r, y) has y first, so the facts run from C over B to A."""
    situations = INTERVALS.situations((second, first))
    assert {name for scene in situations for name in scene.relations} == PUBLISHED[first, second]
    assert all(len(scene.relations) == 1 for scene in situations)


def test_the_table_has_169_entries_of_409_relations():
    assert len(PUBLISHED) == 169
    assert sum(map(len, PUBLISHED.values())) == 409


def test_rules_are_the_entries_of_one_relation():
    rules = {(rule.body, rule.head) for rule in world().ruleset("sound").rules}
    single = {
        ((second, first), *names) for (first, second), names in PUBLISHED.items() if len(names) == 1
    }
    assert rules == single


def test_rules_are_all_that_two_steps_entail_by_counting_from_real_numbers():
    """Enumerate all ways to put three intervals on a line of six numbers, as sets."""
    spans = [frozenset(range(a, b)) for a in range(6) for b in range(a + 1, 6)]

    def word(y, x):
        """Return the relation of y to x by the unit steps of both."""
        if max(y) < min(x):
            return "meets" if max(y) + 1 == min(x) else "before"
        if max(x) < min(y):
            return {"meets": "met-by", "before": "after"}[word(x, y)]
        same = (min(x) == min(y)), (max(x) == max(y))
        if y == x:
            return "equals"
        if y < x:
            return {(1, 0): "starts", (0, 1): "finishes", (0, 0): "during"}[same]
        if x < y:
            return {(1, 0): "started-by", (0, 1): "finished-by", (0, 0): "contains"}[same]
        return "overlaps" if min(y) < min(x) else "overlapped-by"

    found = {}
    for x, z, y in product(spans, repeat=3):
        found.setdefault((word(z, x), word(y, z)), set()).add(word(y, x))
    assert len(found) == 169
    rules = {rule.body: {rule.head} for rule in world().ruleset("sound").rules}
    assert rules == {body: heads for body, heads in found.items() if len(heads) == 1}


intervals = st.tuples(st.integers(-20, 20), st.integers(1, 20)).map(lambda at: (at[0], sum(at)))


@given(intervals, intervals, intervals)
def test_every_sound_rule_holds_in_every_line_of_time(x, z, y):
    heads = {rule.body: rule.head for rule in world().ruleset("sound").rules}
    body, outcome = (relation(x, z), relation(z, y)), relation(x, y)
    assert heads.get(body, outcome) == outcome
    assert any(outcome in scene.relations for scene in INTERVALS.situations(body))


@given(intervals, intervals)
def test_there_is_one_relation_between_two_events_and_its_inverse_back(x, y):
    there, back = relation(x, y), relation(y, x)
    assert world().inverse(there) == back
    assert (there == "equals") == (x == y)


def test_no_two_relations_hold_at_once():
    for first, second in product(RELATIONS.values(), repeat=2):
        both = INTERVALS.situations((first, world().inverse(second)), closed=True)
        assert bool(both) == (first == second)


@pytest.mark.parametrize(
    ("body", "looks", "instead"),
    [
        # The page has the other order: first the relation of y to z, then that of z to x.
        (("overlaps", "overlaps"), "before", {"before", "meets", "overlaps"}),
        (("during", "before"), "before", {"before", "meets", "overlaps", "starts", "during"}),
        (("started-by", "starts"), "equals", {"starts", "started-by", "equals"}),
        (("met-by", "meets"), "equals", {"finishes", "finished-by", "equals"}),
        (("during", "overlaps"), "during", {"overlaps", "starts", "during"}),
    ],
)
def test_plausible_but_false_rules(body, looks, instead):
    scene = counterexample(INTERVALS, body, looks)
    assert scene is not None
    assert looks not in scene.relations
    assert {name for s in INTERVALS.situations(body) for name in s.relations} == instead
    assert not entailed(INTERVALS, body)
