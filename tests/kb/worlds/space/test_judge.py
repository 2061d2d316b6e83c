"""The judge against all placements on small maps, against random ones, and against the rules."""

from functools import cache
from itertools import combinations, pairwise, permutations, product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from relsmith.errors import InvalidOption
from relsmith.kb.worlds.rules import RuleIndex
from relsmith.kb.worlds.space import world
from relsmith.kb.worlds.space.judge import BLOCK, MAP, OVERLAP, judge
from relsmith.kb.worlds.verdict import Status
from relsmith.kb.worlds.world import find_world
from relsmith.testing.profile import scaled

AMOUNTS = {1: "one step", 2: "two steps", 3: "three steps"}
WORDS = sorted(world().meanings)
RULES = RuleIndex.from_world(world(), "sound")


def said(x, y):
    """Return the words for square y as seen from square x."""
    north, east = y[0] - x[0], y[1] - x[1]
    up = f"{AMOUNTS.get(abs(north), 'more than three steps')} {'north' if north > 0 else 'south'}"
    along = f"{AMOUNTS.get(abs(east), 'more than three steps')} {'east' if east > 0 else 'west'}"
    if not north or not east:
        return f"{up if north else along} of"
    if abs(north) == abs(east) < 4:
        return f"{up}-{along.rsplit(maxsplit=1)[-1]} of"
    return f"{up} and {along} of"


def expected(possible, claimed):
    """The status for the words that hold somewhere."""
    if not possible:
        return Status.IMPOSSIBLE
    if claimed not in (None, *possible):
        return Status.CONTRADICTED
    return Status.ENTAILED if len(possible) == 1 else Status.UNDETERMINED


def agrees(facts, query, possible, claimed=None):
    verdict = judge(facts, query, claimed)
    assert verdict.answers == possible, facts
    assert verdict.status is expected(possible, claimed), facts


@cache
def outcomes(size):
    """For so many places all that can hold on one line between each two of them.

    Where a gap between two lines in use is more than four, four will do: all others are tried.
    """
    lines = set()
    for gaps in product(range(5), repeat=size - 1):
        places = [0]
        for gap in gaps:
            places.append(places[-1] + gap)
        for order in set(permutations(places)):
            lines.add(
                tuple(max(-4, min(4, order[y] - order[x])) for x, y in combinations(range(size), 2))
            )
    return sorted(lines)


PAIRS = list(combinations(range(4), 2))
OFFSETS = {said((0, 0), step): step for step in product(range(-4, 5), repeat=2) if any(step)}


@cache
def fitting(wanted):
    """Return the combinations with given steps between some pairs, by number."""
    return [line for line in outcomes(4) if all(line[n] == steps for n, steps in wanted)]


def possible_words(told, query):
    """Return the possible words between the query places, by all placements of four places."""
    rows, columns = (
        fitting(tuple((PAIRS.index(pair), OFFSETS[word][axis]) for pair, word in told))
        for axis in (0, 1)
    )
    # Which pairs of a line are level is all that matters to whether two places share a square.
    number = PAIRS.index(query)
    level = [
        {
            (line[number], frozenset(n for n, steps in enumerate(line) if not steps))
            for line in lines
        }
        for lines in (rows, columns)
    ]
    return {
        said((0, 0), (north, east))
        for (north, same_row), (east, same_column) in product(*level)
        if not same_row & same_column
    }


def test_agrees_with_all_placements_on_stories_of_two_facts_among_three_places():
    """All words for both facts, though not all for the lines across, which are alike."""
    some = [word for word in WORDS if "east" not in word or "north" not in word]
    assert len(some) > 40
    for first, second in product(some, some[::5]):
        told = [((0, 1), first), ((1, 2), second)]
        facts = [("abcd"[x], word, "abcd"[y]) for (x, y), word in told]
        agrees(facts, ("a", "c"), possible_words(told, (0, 2)))


@settings(max_examples=scaled(200))
@given(st.data())
def test_agrees_with_all_placements_of_four_places_for_true_facts(data):
    squares = st.tuples(st.integers(0, 8), st.integers(0, 2))
    places = data.draw(st.lists(squares, min_size=4, max_size=4, unique=True))
    pairs = data.draw(st.lists(st.sampled_from(PAIRS), min_size=1, max_size=5, unique=True))
    told = [((x, y), said(places[x], places[y])) for x, y in pairs]
    query = data.draw(st.sampled_from(PAIRS))
    facts = [("abcd"[x], word, "abcd"[y]) for (x, y), word in told]
    claimed = data.draw(st.sampled_from([None, *WORDS]))
    possible = possible_words(told, query)
    assert said(places[query[0]], places[query[1]]) in possible
    agrees(facts, ("abcd"[query[0]], "abcd"[query[1]]), possible, claimed)


@settings(max_examples=scaled(300))
@given(
    st.lists(st.tuples(st.sampled_from(PAIRS), st.sampled_from(WORDS)), max_size=5),
    st.sampled_from(PAIRS),
)
@example([((0, 1), "two steps north of"), ((0, 2), "two steps north of")], (0, 3))
def test_agrees_with_all_placements_of_four_places_for_any_facts(told, query):
    facts = [("abcd"[x], word, "abcd"[y]) for (x, y), word in told]
    agrees(facts, ("abcd"[query[0]], "abcd"[query[1]]), possible_words(told, query))


@settings(max_examples=scaled(150))
@given(st.data())
def test_truth_is_never_contradicted_nor_falsehood_entailed(data):
    size = data.draw(st.integers(2, 20))
    squares = st.tuples(st.integers(0, 9), st.integers(0, 9))
    places = data.draw(st.lists(squares, min_size=size, max_size=size, unique=True))
    pairs = st.lists(st.integers(0, size - 1), min_size=2, max_size=2, unique=True)
    told = data.draw(st.lists(pairs, max_size=30))
    x, y = data.draw(pairs)
    facts = [(str(one), said(places[one], places[two]), str(two)) for one, two in told]
    true = said(places[x], places[y])
    verdict = judge(facts, (str(x), str(y)))
    assert true in verdict.answers
    assert judge(facts, (str(x), str(y)), true).status is verdict.status
    assert verdict.status is not Status.IMPOSSIBLE


@settings(max_examples=scaled(300))
@given(st.lists(st.sampled_from(sorted(world().predicates)), min_size=2, max_size=8))
def test_what_rules_derive_from_a_chain_is_entailed(clause):
    """Two programs that share no code must agree; where all is counted, each gives an answer."""
    word = {name: entry.word() for name, entry in world().predicates.items()}
    links = zip(pairwise(range(len(clause) + 1)), clause, strict=True)
    facts = [(str(x), word[name], str(y)) for (x, y), name in links]
    derived = {word[head] for head in RULES.derive(clause)}
    verdict = judge(facts, ("0", str(len(clause))))
    if derived:
        assert verdict.status in (Status.ENTAILED, Status.IMPOSSIBLE)
        assert verdict.answers in (derived, set())
    if "+" not in "".join(clause) and verdict.status is not Status.IMPOSSIBLE:
        assert verdict.status is Status.ENTAILED


def asked(facts, query, claimed=None):
    """The verdict on facts like 'a n2 b, b n1e1 c': b is two steps north of a."""
    word = {name: entry.word() for name, entry in world().predicates.items()}
    told = [(x, word[name], y) for x, name, y in map(str.split, facts.split(", "))]
    return judge(told, tuple(query), claimed and word[claimed])


@pytest.mark.parametrize(
    ("facts", "answer"),
    [
        ("a n1 b, b n1 c", "two steps north of"),
        ("a n3 b, b s1e2 c", "two steps north-east of"),
        ("b s2w2 a, c s3 b", "more than three steps north and two steps east of"),
        ("a n3e1 b, b s3 c", "one step east of"),
        # No two of these give anything, all three do.
        ("a n+ b, b s1 p, p n+ c", "more than three steps north of"),
        # One way gives the rows and the other the columns.
        ("a n1e+ p, p n1w2 c, a n+e3 q, q s+w1 c", "two steps north-east of"),
        # Between bounds from both sides there is room for one row only.
        ("a n+ c, d s+ c, a n3 p, p n3 q, q n2 d, c e1 e", "more than three steps north of"),
    ],
)
def test_by_example(facts, answer):
    verdict = asked(facts, "ac")
    assert verdict.status is Status.ENTAILED
    assert verdict.answers == {answer}


@pytest.mark.parametrize(
    "facts",
    [
        "a n1 b, b n1 a",
        "a n1 a",
        "a n1 b, b n1 c, c n1 a",
        # p and q would share a square.
        "a n2 p, a n2 q",
        "a n3 p, a n1 b, b n2 q",
        # Less than eight steps have no room for more than three twice.
        "a n+ b, b n+ c, a n3 p, p n3 q, q n1 c",
        # Two rows are left for p, and both its squares are taken.
        "a n3 r, r n3 s, s n3 d, a n+ p, d s+ p, r n1 q, r n2 t",
    ],
)
def test_impossible(facts):
    for claimed in (None, "n1"):
        verdict = asked(facts, "ab", claimed)
        assert verdict.status is Status.IMPOSSIBLE
        assert not verdict.answers


def test_no_two_places_in_one_square():
    """Of two rows that are left for p, another place is in one."""
    facts = "a n3 r, r n3 s, s n3 d, a n+ p, d s+ p, r n1 q"
    assert asked(facts, "rp").answers == {"two steps north of"}
    assert asked(facts, "rp", "n1").status is Status.CONTRADICTED
    assert asked(facts.removesuffix(", r n1 q"), "rp").answers == {
        "one step north of",
        "two steps north of",
    }


def test_unmentioned_places_may_lie_anywhere():
    assert asked("a n1 b", "xy").answers == set(WORDS)


def test_a_claim_is_entailed_contradicted_or_undetermined():
    assert asked("a n1 b, b e1 c", "ac", "n1e1").status is Status.ENTAILED
    assert asked("a n1 b, b e1 c", "ac", "n1").status is Status.CONTRADICTED
    assert asked("a n+ b, b s1 c", "ac", "n3").status is Status.UNDETERMINED


@pytest.mark.parametrize(
    "word",
    ["north of", "two steps north and two steps east of", "more than three steps north-east of"],
)
def test_what_is_said_otherwise_is_refused(word):
    with pytest.raises(InvalidOption, match=f"no steps '{word}'"):
        judge([("a", word, "b")], ("a", "b"))


KINDS = {"space": MAP, "space-overlap": OVERLAP, "space-3d": BLOCK}


def in_words(name, x, y):
    """Return the words of the predicate from x to y."""
    most = 2 if name == "space-3d" else 3
    spelt = "".join(
        letters[there < here] + (str(n) if (n := abs(there - here)) <= most else "+")
        for letters, here, there in zip(("ns", "ew", "ud"), x, y, strict=False)
        if here != there
    )
    return find_world(name).predicates[spelt or "same"].word()


@pytest.mark.parametrize("name", ["space-overlap", "space-3d"])
def test_agrees_with_all_placements_of_three_places(name):
    """Each further place is put wherever it may be: gaps beyond what is counted are all alike."""
    world_, kind = find_world(name), KINDS[name]
    lines, far = len(kind.directions), len(kind.numbers) + 1
    words = sorted(world_.meanings)
    reach = range(-far, far + 1)
    offsets = [o for o in product(reach, repeat=lines) if kind.shared or any(o)]
    placed = {in_words(name, (0,) * lines, offset): offset for offset in offsets}
    assert set(placed) == set(words)

    def amounts(steps):
        if abs(steps) < far:
            return [steps]
        return range(far, 2 * far + 1) if steps > 0 else range(-2 * far, 1 - far)

    for n in range(0, len(words) ** 2, 13 if lines == 2 else 1009):
        first, second = words[n // len(words)], words[n % len(words)]
        sums = [
            {a + b for a, b in product(amounts(one), amounts(two))}
            for one, two in zip(placed[first], placed[second], strict=True)
        ]
        sums = [{max(-far, min(far, total)) for total in line} for line in sums]
        ends = [total for total in product(*sums) if kind.shared or any(total)]
        possible = {in_words(name, (0,) * lines, total) for total in ends}
        verdict = judge([("a", first, "b"), ("b", second, "c")], ("a", "c"), None, kind)
        assert verdict.answers == possible, (first, second)
        assert verdict.status is expected(possible, None)


@pytest.mark.parametrize("name", ["space-overlap", "space-3d"])
@settings(max_examples=scaled(60, least=10))
@given(st.data())
def test_truth_is_never_contradicted_where_places_overlap_or_rise(name, data):
    kind = KINDS[name]
    size = data.draw(st.integers(2, 12))
    squares = st.tuples(*[st.integers(0, 5)] * len(kind.directions))
    places = data.draw(st.lists(squares, min_size=size, max_size=size, unique=not kind.shared))
    pairs = st.lists(st.integers(0, size - 1), min_size=2, max_size=2, unique=True)
    told = data.draw(st.lists(pairs, max_size=20))
    x, y = data.draw(pairs)
    facts = [(str(one), in_words(name, places[one], places[two]), str(two)) for one, two in told]
    true = in_words(name, places[x], places[y])
    verdict = judge(facts, (str(x), str(y)), None, kind)
    assert true in verdict.answers
    assert judge(facts, (str(x), str(y)), true, kind).status is verdict.status


@pytest.mark.parametrize("name", ["space-overlap", "space-3d"])
@settings(max_examples=scaled(150))
@given(st.data())
def test_what_rules_derive_is_entailed_where_places_overlap_or_rise(name, data):
    world_, kind = find_world(name), KINDS[name]
    clause = data.draw(st.lists(st.sampled_from(sorted(world_.predicates)), min_size=2, max_size=6))
    word = {predicate: entry.word() for predicate, entry in world_.predicates.items()}
    facts = [(str(n), word[predicate], str(n + 1)) for n, predicate in enumerate(clause)]
    heads = rules_of(name).derive(clause)
    derived = {word[head] for head in heads}
    verdict = judge(facts, ("0", str(len(clause))), None, kind)
    if derived:
        assert verdict.answers in (derived, set())
    assert not kind.shared or verdict.status is not Status.IMPOSSIBLE


@cache
def rules_of(name):
    return RuleIndex.from_world(find_world(name), "sound")


def test_two_places_of_a_map_may_share_a_square_and_those_of_another_not():
    facts = [("a", "two steps north of", "b"), ("a", "two steps north of", "c")]
    assert judge(facts, ("b", "c"), None, OVERLAP).answers == {"in the same square as"}
    assert judge(facts, ("b", "c")).status is Status.IMPOSSIBLE
    with pytest.raises(InvalidOption, match="no steps 'in the same square as'"):
        judge([("a", "in the same square as", "b")], ("a", "b"))


def test_steps_up_and_down_cancel():
    facts = [("a", "one step north and two steps up from", "b"), ("b", "two steps below", "c")]
    assert judge(facts, ("a", "c"), None, BLOCK).answers == {"one step north of"}
    facts[1] = ("b", "one step below", "c")
    assert judge(facts, ("a", "c"), "one step north of", BLOCK).status is Status.CONTRADICTED
    facts[1] = ("b", "more than two steps below", "c")
    verdict = judge(facts, ("a", "c"), None, BLOCK)
    assert verdict.answers == {
        "one step north and one step down from",
        "one step north and two steps down from",
        "one step north and more than two steps down from",
    }
