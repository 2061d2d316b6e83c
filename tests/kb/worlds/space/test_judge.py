"""The judge of the space worlds against all placements of few places."""

from functools import cache
from itertools import chain, combinations, permutations, product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from relsmith.errors import InvalidOption
from relsmith.kb.worlds.space.judge import DIRECTIONS, MAP, judge
from relsmith.kb.worlds.verdict import Status
from relsmith.kb.worlds.world import find_world
from relsmith.testing.profile import scaled, thinned

TYPES = {"spatial": DIRECTIONS, "space": MAP}
worlds = pytest.mark.parametrize("name", TYPES)


def far(name):
    return len(TYPES[name].numbers) + 1


def said(name, x, y):
    """Return the words for square y as seen from square x."""
    if name == "spatial":
        across = {-1: "left", 0: "", 1: "right"}[(y[0] > x[0]) - (y[0] < x[0])]
        up = {-1: "lower", 0: "", 1: "upper"}[(y[1] > x[1]) - (y[1] < x[1])]
        straight = {"upper": "above", "lower": "below"}
        return f"to the {up} {across} of".replace("  ", " ") if across else straight[up]
    spelt = "".join(
        letters[there < here] + (str(n) if (n := abs(there - here)) < far(name) else "+")
        for letters, here, there in zip(("ns", "ew"), x, y, strict=True)
        if here != there
    )
    return find_world(name).predicates[spelt].word()


@cache
def offsets(name):
    """Return the steps on each axis by word, up to the largest number with a word."""
    axes, reach = len(TYPES[name].directions), range(-far(name), far(name) + 1)
    every = [o for o in product(reach, repeat=axes) if any(o)]
    found = {said(name, (0,) * axes, offset): offset for offset in every}
    assert set(found) == set(find_world(name).meanings)
    return found


@cache
def lines(size, most):
    """Return all possible positions on one axis of each two of this many places.

    A gap longer than the largest counted one is represented by one step more than that.
    """
    found = set()
    for gaps in product(range(most + 1), repeat=size - 1):
        places = [sum(gaps[:n]) for n in range(size)]
        for order in set(permutations(places)):
            pairs = combinations(range(size), 2)
            found.add(tuple(max(-most, min(most, order[y] - order[x])) for x, y in pairs))
    return sorted(found)


@cache
def fitting(size, most, wanted):
    return [line for line in lines(size, most) if all(line[n] == steps for n, steps in wanted)]


def possible_words(name, size, told, query):
    """Return the possible words of a query, by all placements of this many places."""
    pairs, most = list(combinations(range(size), 2)), far(name)
    levels = []
    for axis in range(len(TYPES[name].directions)):
        wanted = tuple((pairs.index(pair), offsets(name)[word][axis]) for pair, word in told)
        # Whether two places share a square depends only on which pairs are level.
        levels.append(
            {
                (line[pairs.index(query)], frozenset(n for n, at in enumerate(line) if not at))
                for line in fitting(size, most, wanted)
            }
        )
    return {
        said(name, (0,) * len(ways), tuple(steps for steps, _ in ways))
        for ways in product(*levels)
        if not frozenset.intersection(*(level for _, level in ways))
    }


def agrees(name, size, told, query, claimed=None):
    possible = possible_words(name, size, told, query)
    facts = [("abcde"[x], word, "abcde"[y]) for (x, y), word in told]
    verdict = judge(facts, ("abcde"[query[0]], "abcde"[query[1]]), claimed, TYPES[name])
    assert verdict.answers == possible, facts
    if not possible:
        status = Status.IMPOSSIBLE
    elif claimed not in (None, *possible):
        status = Status.CONTRADICTED
    else:
        status = Status.ENTAILED if len(possible) == 1 else Status.UNDETERMINED
    assert verdict.status is status, facts


@worlds
def test_agrees_with_all_placements_on_stories_of_two_facts_among_three_places(name):
    every = list(product(sorted(offsets(name)), repeat=2))
    for first, second in every[:: 1 + len(every) // 600]:
        agrees(name, 3, [((0, 1), first), ((1, 2), second)], (0, 2))


def test_agrees_with_all_placements_on_every_story_of_four_directions_among_four_things():
    """Check one pair as query, because all stories are enumerated."""
    pairs = list(combinations(range(4), 2))
    for told in chain.from_iterable(combinations(pairs, n) for n in range(5)):
        for words in thinned(product(offsets("spatial"), repeat=len(told)), least=20):
            agrees("spatial", 4, list(zip(told, words, strict=True)), (0, 1))


@settings(max_examples=scaled(500))
@given(st.sampled_from(list(TYPES)), st.booleans(), st.data())
def test_agrees_with_all_placements_of_some_places(name, true, data):
    """Check facts drawn freely, and facts true of some places, which are consistent."""
    size = 5 if name == "spatial" else 4
    pairs = st.sampled_from(list(combinations(range(size), 2)))
    words = sorted(offsets(name))
    if true:
        square = st.tuples(*[st.integers(0, 2 + far(name) // 2)] * len(TYPES[name].directions))
        places = data.draw(st.lists(square, min_size=size, max_size=size, unique=True))
        drawn = data.draw(st.lists(pairs, min_size=1, max_size=7, unique=True))
        told = [((x, y), said(name, places[x], places[y])) for x, y in drawn]
    else:
        told = data.draw(st.lists(st.tuples(pairs, st.sampled_from(words)), max_size=6))
    agrees(name, size, told, data.draw(pairs), data.draw(st.sampled_from([None, *words])))


@settings(max_examples=scaled(150))
@given(st.sampled_from(list(TYPES)), st.data())
@example("space", None)
def test_truth_is_never_contradicted_nor_falsehood_entailed(name, data):
    if data is None:
        return agrees(
            "space", 4, [((0, 1), "two steps north of"), ((0, 2), "two steps north of")], (0, 3)
        )
    size = data.draw(st.integers(2, 16))
    square = st.tuples(*[st.integers(0, 7)] * len(TYPES[name].directions))
    places = data.draw(st.lists(square, min_size=size, max_size=size, unique=True))
    pairs = st.lists(st.integers(0, size - 1), min_size=2, max_size=2, unique=True)
    told = data.draw(st.lists(pairs, max_size=25))
    x, y = data.draw(pairs)
    facts = [(str(one), said(name, places[one], places[two]), str(two)) for one, two in told]
    true = said(name, places[x], places[y])
    verdict = judge(facts, (str(x), str(y)), None, TYPES[name])
    assert true in verdict.answers
    assert judge(facts, (str(x), str(y)), true, TYPES[name]).status is verdict.status
    return None


def asked(name, facts, query, claimed=None):
    """Return the verdict on facts such as 'a n2 b, b n1e1 c': b is two steps north of a."""
    word = {predicate: entry.word() for predicate, entry in find_world(name).predicates.items()}
    told = [(x, word[predicate], y) for x, predicate, y in map(str.split, facts.split(", "))]
    return judge(told, tuple(query), claimed and word[claimed], TYPES[name])


@pytest.mark.parametrize(
    ("name", "facts", "answer"),
    [
        ("spatial", "a left b, b left c", "to the left of"),
        ("spatial", "b lower-left a, c below b", "to the upper right of"),
        # One path gives the column and the other the row, so that no chain of rules gives both.
        (
            "spatial",
            "a upper-left p, p lower-left c, a upper-left q, q upper-right c",
            "to the upper left of",
        ),
        ("space", "a n1 b, b n1 c", "two steps north of"),
        ("space", "a n3 b, b s1e2 c", "two steps north-east of"),
        ("space", "b s2w2 a, c s3 b", "more than three steps north and two steps east of"),
        # No two of these entail anything, all three do.
        ("space", "a n+ b, b s1 p, p n+ c", "more than three steps north of"),
        ("space", "a n1e+ p, p n1w2 c, a n+e3 q, q s+w1 c", "two steps north-east of"),
        # Between bounds from both sides only one row is left.
        (
            "space",
            "a n+ c, d s+ c, a n3 p, p n3 q, q n2 d, c e1 e",
            "more than three steps north of",
        ),
    ],
)
def test_entailed(name, facts, answer):
    verdict = asked(name, facts, "ac")
    assert verdict.status is Status.ENTAILED
    assert verdict.answers == {answer}


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("spatial", "a left b, b left a"),
        ("spatial", "a left a"),
        # p and q would share a cell.
        ("spatial", "a above p, a above q, b left p, b left q"),
        # A cycle of columns through things in one column.
        ("spatial", "a left b, b above p, p left q, q below a"),
        ("space", "a n1 b, b n1 c, c n1 a"),
        ("space", "a n3 p, a n1 b, b n2 q"),
        # Fewer than eight steps have no room for more than three twice.
        ("space", "a n+ b, b n+ c, a n3 p, p n3 q, q n1 c"),
        # Two rows are left for p, and both its squares are taken.
        ("space", "a n3 r, r n3 s, s n3 d, a n+ p, d s+ p, r n1 q, r n2 t"),
    ],
)
def test_impossible(name, facts):
    for claimed in (None, next(iter(find_world(name).predicates))):
        verdict = asked(name, facts, "ab", claimed)
        assert verdict.status is Status.IMPOSSIBLE
        assert not verdict.answers


def test_no_two_places_share_a_square():
    """Of two rows that are left for p, another place is in one."""
    facts = "a n3 r, r n3 s, s n3 d, a n+ p, d s+ p, r n1 q"
    assert asked("space", facts, "rp").answers == {"two steps north of"}
    assert asked("space", facts, "rp", "n1").status is Status.CONTRADICTED
    both = {"one step north of", "two steps north of"}
    assert asked("space", facts.removesuffix(", r n1 q"), "rp").answers == both
    # If c were above a, a and q would share a cell: both left of r, both below c.
    verdict = asked("spatial", "a right r, q right r, q above c", "ac")
    assert verdict.answers == {"to the upper left of", "to the upper right of"}


@worlds
def test_unmentioned_places_may_lie_anywhere(name):
    first = next(iter(find_world(name).predicates))
    assert asked(name, f"a {first} b", "xy").answers == set(offsets(name))


@pytest.mark.parametrize(
    "word",
    [
        "north of",
        "two steps north and two steps east of",
        "more than three steps north-east of",
        "in the same square as",
    ],
)
def test_words_of_other_worlds_are_refused(word):
    with pytest.raises(InvalidOption, match=f"no steps '{word}'"):
        judge([("a", word, "b")], ("a", "b"))
