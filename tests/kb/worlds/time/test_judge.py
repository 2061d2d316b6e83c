"""The judges of the time worlds, and their solvers, against all timelines."""

from functools import cache, reduce
from itertools import (
    chain,
    combinations,
    combinations_with_replacement,
    pairwise,
    permutations,
    product,
)
from operator import and_
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith.errors import InvalidOption
from relsmith.kb.worlds.rules import RuleIndex
from relsmith.kb.worlds.time.intervals import relation
from relsmith.kb.worlds.time.judge import POINTS, WORDS, judge, judge_points
from relsmith.kb.worlds.time.solver import solve, solve_points
from relsmith.kb.worlds.verdict import Status, Verdict
from relsmith.kb.worlds.world import find_world
from relsmith.testing.profile import scaled, thinned


def how(x, y):
    """Return the words for y seen from x, by one comparison after the other."""
    (start, end), (other_start, other_end) = y, x
    if start == end and other_start == other_end:
        if start == other_start:
            return "came at the same moment as"
        return "came earlier than" if start < other_start else "came later than"
    if start == end:
        if start in x:
            return f"came exactly at the {'start' if start == other_start else 'end'} of"
        if other_start < start < other_end:
            return "came after the start but before the end of"
        return "came before the start of" if start < other_start else "came after the end of"
    if other_start == other_end:
        if other_start in y:
            said = "began" if other_start == start else "ended"
            return f"{said} exactly at the moment of"
        if start < other_start < end:
            return "began before and ended after the moment of"
        return "ended before the moment of" if end < other_start else "began after the moment of"
    if end < other_start or start > other_end:
        return "ended before the start of" if end < other_start else "began after the end of"
    if end == other_start or start == other_end:
        before = end == other_start
        return "ended exactly at the start of" if before else "began exactly at the end of"
    if x == y:
        return "began and ended at the same time as"
    if start == other_start:
        more = "earlier" if end < other_end else "later"
        return f"began at the same time as but ended {more} than"
    if end == other_end:
        more = "earlier" if start < other_start else "later"
        return f"began {more} than but ended at the same time as"
    if start < other_start:
        inside = end < other_end
        return "began before and ended during" if inside else "began earlier and ended later than"
    inside = end > other_end
    return "began during and ended after" if inside else "began later and ended earlier than"


class Case(NamedTuple):
    """A judge, its solver, and all spans of a few things, of which only the order counts."""

    judge: object
    solve: object
    words: tuple
    things: str
    spans: list


CASES = {
    "time": Case(*(judge, solve, WORDS, "abcd"), list(combinations(range(8), 2))),
    "time-points": Case(
        *(judge_points, solve_points, POINTS, "abc"),
        list(combinations_with_replacement(range(6), 2)),
    ),
}
cases = pytest.mark.parametrize("name", CASES)


@cache
def models(name):
    """Return by pair and word the possible orders of starts and ends, as bits.

    There are 23917 for four events, sequence A055203 of the OEIS.
    """
    case = CASES[name]
    pairs = list(permutations(range(len(case.things)), 2))
    between = {(x, y): how(x, y) for x, y in product(case.spans, repeat=2)}
    found = {}
    for places in product(case.spans, repeat=len(case.things)):
        moments = {moment for span in places for moment in span}
        if max(moments) < len(moments):  # no moment is left out
            found[tuple(between[places[x], places[y]] for x, y in pairs)] = None
    assert name != "time" or len(found) == 23917
    masks = {key: bytearray(len(found) // 8 + 1) for key in product(pairs, case.words)}
    for number, held in enumerate(found):
        for pair, word in zip(pairs, held, strict=True):
            masks[pair, word][number // 8] |= 1 << number % 8
    return {key: int.from_bytes(mask, "little") for key, mask in masks.items()}


def agrees(name, told, query, claimed=None):
    """Compare judge and solver with all models in which the facts hold."""
    case, shown = CASES[name], models(name)
    held = reduce(and_, (shown[fact] for fact in told), -1)
    possible = {word for word in case.words if held & shown[query, word]}
    facts = [(case.things[x], word, case.things[y]) for (x, y), word in told]
    names = case.things[query[0]], case.things[query[1]]
    verdict = case.judge(facts, names, claimed)
    assert verdict.answers == possible, facts
    if not possible:
        status = Status.IMPOSSIBLE
    elif claimed not in (None, *possible):
        status = Status.CONTRADICTED
    else:
        status = Status.ENTAILED if len(possible) == 1 else Status.UNDETERMINED
    assert verdict.status is status, facts
    assert case.solve(facts, names, claimed) == verdict


def test_relations_are_what_the_words_say():
    world = find_world("time-points")
    for x, y in product(CASES["time-points"].spans, repeat=2):
        assert world.predicates[relation(x, y)].word() == how(x, y)


@cases
def test_agrees_with_all_lines_of_time_on_stories_of_two_facts(name):
    for words in product(CASES[name].words, repeat=2):
        agrees(name, list(zip([(0, 2), (2, 1)], words, strict=True)), (0, 1))


@pytest.mark.slow
def test_agrees_with_all_lines_of_time_on_every_story_of_three_facts_among_four_events():
    """Check one pair as query, because all stories are enumerated."""
    for pairs in chain.from_iterable(combinations(combinations(range(4), 2), n) for n in range(4)):
        for words in thinned(product(WORDS, repeat=len(pairs)), least=20):
            agrees("time", list(zip(pairs, words, strict=True)), (0, 1))


@settings(max_examples=scaled(600))
@given(st.sampled_from(list(CASES)), st.booleans(), st.data())
def test_agrees_with_all_lines_of_time(name, true, data):
    """Check facts drawn freely, and facts true of some things, which are consistent."""
    case = CASES[name]
    pairs = st.sampled_from(list(permutations(range(len(case.things)), 2)))
    words = st.sampled_from(case.words)
    if true:
        places = [data.draw(st.sampled_from(case.spans)) for _ in case.things]
        drawn = data.draw(st.lists(pairs, min_size=2, max_size=5, unique=True))
        told = [((x, y), how(places[x], places[y])) for x, y in drawn]
    else:
        told = data.draw(st.lists(st.tuples(pairs, words), max_size=9))
    agrees(name, told, data.draw(pairs), data.draw(st.one_of(st.none(), words)))


spans = st.tuples(st.integers(-9, 9), st.integers(0, 6)).map(lambda at: (at[0], sum(at)))


@settings(max_examples=scaled(300))
@given(st.sampled_from(list(CASES)), st.data())
def test_truth_is_never_contradicted_nor_falsehood_entailed(name, data):
    size, case = data.draw(st.integers(2, 12)), CASES[name]
    lasting = spans if name == "time-points" else spans.filter(lambda span: span[0] < span[1])
    places = data.draw(st.lists(lasting, min_size=size, max_size=size))
    pairs = st.lists(st.integers(0, size - 1), min_size=2, max_size=2, unique=True)
    told = data.draw(st.lists(pairs, max_size=25))
    x, y = data.draw(pairs)
    facts = [(str(one), how(places[one], places[two]), str(two)) for one, two in told]
    true = how(places[x], places[y])
    verdict = case.judge(facts, (str(x), str(y)))
    assert true in verdict.answers
    assert case.judge(facts, (str(x), str(y)), true).status is verdict.status
    assert case.solve(facts, (str(x), str(y))) == verdict


def story(clause):
    """Return the facts of a chain of predicates, from event 0 on."""
    word = {name: entry.word() for name, entry in find_world("time").predicates.items()}
    links = zip(pairwise(range(len(clause) + 1)), clause, strict=True)
    return [(str(x), word[name], str(y)) for (x, y), name in links]


def test_three_steps_may_entail_what_rules_of_two_do_not():
    """The first two steps leave three relations open, and with each the third has one outcome."""
    clause = ("met-by", "meets", "met-by")
    assert not RuleIndex.from_world(find_world("time"), "sound").derive(clause)
    verdict = judge(story(clause), ("0", "3"))
    assert verdict.answers == {"began exactly at the end of"}


def asked(facts, query, claimed=None):
    """Return the verdict on facts such as 'a before b, b meets c' (b ended before a started)."""
    word = {name: entry.word() for name, entry in find_world("time").predicates.items()}
    told = [(x, word[name], y) for x, name, y in map(str.split, facts.split(", "))]
    return judge(told, tuple(query), claimed and word[claimed])


@pytest.mark.parametrize(
    ("facts", "answer"),
    [
        ("a before b, b before c", "ended before the start of"),
        ("a meets b, b starts c", "ended before the start of"),
        ("a meets b, b finishes c", "ended exactly at the start of"),
        ("b met-by a, c finished-by b", "ended exactly at the start of"),
        # One path gives the starts and the other the ends, so that no chain of rules gives both.
        (
            "a starts p, c starts p, a finishes q, c finishes q",
            "began and ended at the same time as",
        ),
    ],
)
def test_by_example(facts, answer):
    verdict = asked(facts, "ac")
    assert verdict.status is Status.ENTAILED
    assert verdict.answers == {answer}


@pytest.mark.parametrize(
    "facts",
    [
        "a before b, b before a",
        "a before a",
        "a equals b, b equals c, c meets a",
        "a before b, b before c, c during a",
        # A cycle through simultaneous moments.
        "a meets b, b meets c, c started-by a",
    ],
)
def test_impossible(facts):
    for claimed in (None, "before"):
        verdict = asked(facts, "ab", claimed)
        assert verdict.status is Status.IMPOSSIBLE
        assert not verdict.answers


def test_unmentioned_events_may_have_any_relation():
    assert asked("a before b", "xy").answers == set(WORDS)


def test_an_event_that_ends_as_another_starts_does_not_lie_in_it():
    """If c were during a, it would start after the start of a, and so after the end of b."""
    assert asked("a meets b, b during c", "ac").answers == {"ended before the start of"}
    assert asked("a meets b, b during c", "ac", "during").status is Status.CONTRADICTED


def test_a_claim_is_entailed_contradicted_or_undetermined():
    assert asked("a before b, b during c", "ac", "before").status is Status.ENTAILED
    assert asked("a before b, b during c", "ac", "meets").status is Status.CONTRADICTED
    assert asked("a during b, b before c", "ac", "meets").status is Status.UNDETERMINED


def test_an_event_is_not_an_instant():
    world = find_world("time-points")
    facts = [("a", "came earlier than", "b"), ("b", "ended before the start of", "c")]
    assert judge_points(facts, ("a", "c")).status is Status.IMPOSSIBLE
    assert solve_points(facts, ("a", "c")).status is Status.IMPOSSIBLE
    assert judge_points(facts[:1], ("a", "x")).answers == {
        word for word in POINTS if world.predicates[world.meanings[word][0]].between[0] == "instant"
    }


def test_complaints():
    with pytest.raises(InvalidOption, match="no relation of time 'amid'"):
        judge_points([("a", "amid", "b")], ("a", "b"))
    with pytest.raises(InvalidOption, match="no relation of time 'came earlier than'"):
        judge([("a", "came earlier than", "b")], ("a", "b"))


@pytest.mark.parametrize("solver", [judge, solve])
def test_start_and_end_may_follow_by_two_paths(solver):
    """No rule of two steps finds the ball: one path gives its start, another its end."""
    facts = [
        ("fair", "began at the same time as but ended earlier than", "hike"),
        ("ball", "began at the same time as but ended earlier than", "hike"),
        ("fair", "began later than but ended at the same time as", "race"),
        ("ball", "began later than but ended at the same time as", "race"),
        ("ball", "ended before the start of", "act"),
    ]
    right = {"began and ended at the same time as"}
    assert solver(facts, ("fair", "ball")) == Verdict(Status.ENTAILED, frozenset(right))
