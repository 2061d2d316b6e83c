"""The judge against all lines of time of four events, random ones, and the rules."""

from functools import cache, reduce
from itertools import chain, combinations, pairwise, permutations, product
from operator import and_

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith.kb.worlds.rules import RuleIndex
from relsmith.kb.worlds.time import world
from relsmith.kb.worlds.time.judge import WORDS, judge
from relsmith.kb.worlds.verdict import Status
from relsmith.testing.profile import scaled, thinned

EVENTS = "abcd"
PAIRS = list(permutations(range(len(EVENTS)), 2))


def how(x, y):
    """Return the words for event y as seen from x, by one comparison after the other."""
    if y[1] < x[0]:
        return "ended before the start of"
    if y[0] > x[1]:
        return "began after the end of"
    if y[1] == x[0]:
        return "ended exactly at the start of"
    if y[0] == x[1]:
        return "began exactly at the end of"
    if x == y:
        return "began and ended at the same time as"
    if y[0] == x[0]:
        return f"began at the same time as but ended {'earlier' if y[1] < x[1] else 'later'} than"
    if y[1] == x[1]:
        return f"began {'earlier' if y[0] < x[0] else 'later'} than but ended at the same time as"
    if y[0] < x[0]:
        inside = y[1] < x[1]
        return "began before and ended during" if inside else "began earlier and ended later than"
    inside = y[1] > x[1]
    return "began during and ended after" if inside else "began later and ended earlier than"


@cache
def lines():
    """For four events: by pair and word, the ways in which they can begin and end, as bits.

    There are 23917, as has been counted elsewhere (sequence A055203 of the OEIS).
    """
    spans = list(combinations(range(8), 2))
    between = {(x, y): how(x, y) for x, y in product(spans, repeat=2)}
    found = {}
    for places in product(spans, repeat=4):
        moments = {moment for span in places for moment in span}
        if max(moments) < len(moments):  # no moment is left out
            found[tuple(between[places[x], places[y]] for x, y in PAIRS)] = None
    assert len(found) == 23917
    shown = dict.fromkeys(product(PAIRS, WORDS), 0)
    masks = {key: bytearray(len(found) // 8 + 1) for key in shown}
    for number, held in enumerate(found):
        for pair, word in zip(PAIRS, held, strict=True):
            masks[pair, word][number // 8] |= 1 << number % 8
    return {key: int.from_bytes(mask, "little") for key, mask in masks.items()}


def expected(possible, claimed):
    """The status for the words that hold somewhere."""
    if not possible:
        return Status.IMPOSSIBLE
    if claimed not in (None, *possible):
        return Status.CONTRADICTED
    return Status.ENTAILED if len(possible) == 1 else Status.UNDETERMINED


@pytest.mark.slow
def test_agrees_with_all_lines_of_time_on_every_story_of_three_facts_among_four_events():
    """Which two events are asked about does not matter, as all stories are tried."""
    shown = lines()
    answers = {word: shown[(0, 1), word] for word in WORDS}
    for pairs in chain.from_iterable(combinations(combinations(range(4), 2), n) for n in range(4)):
        for words in thinned(product(WORDS, repeat=len(pairs)), least=20):
            held = reduce(and_, (shown[fact] for fact in zip(pairs, words, strict=True)), -1)
            facts = [(EVENTS[x], w, EVENTS[y]) for (x, y), w in zip(pairs, words, strict=True)]
            verdict = judge(facts, ("a", "b"))
            assert verdict.answers == {word for word in WORDS if held & answers[word]}, facts


claims = st.sampled_from([None, *WORDS])
steps = st.tuples(st.sampled_from(PAIRS), st.sampled_from(WORDS))


@settings(max_examples=scaled(500))
@given(st.lists(steps, max_size=9), st.sampled_from(PAIRS), claims)
def test_agrees_with_all_lines_of_time_for_any_facts(told, query, claimed):
    shown = lines()
    held = reduce(and_, (shown[fact] for fact in told), -1)
    possible = {word for word in WORDS if held & shown[query, word]}
    facts = [(EVENTS[x], word, EVENTS[y]) for (x, y), word in told]
    verdict = judge(facts, (EVENTS[query[0]], EVENTS[query[1]]), claimed)
    assert verdict.answers == possible
    assert verdict.status is expected(possible, claimed)


@settings(max_examples=scaled(300))
@given(st.data())
def test_agrees_with_all_lines_of_time_for_true_facts(data):
    """Many facts about four real events do not contradict each other."""
    moments = st.lists(st.integers(0, 7), min_size=2, max_size=2, unique=True).map(sorted)
    spans = data.draw(st.lists(moments, min_size=4, max_size=4))
    pairs = data.draw(st.lists(st.sampled_from(PAIRS), min_size=2, max_size=5, unique=True))
    x, y = data.draw(st.sampled_from(PAIRS))
    told = [((one, other), how(spans[one], spans[other])) for one, other in pairs]
    shown = lines()
    held = reduce(and_, (shown[fact] for fact in told), -1)
    verdict = judge([(EVENTS[a], w, EVENTS[b]) for (a, b), w in told], (EVENTS[x], EVENTS[y]))
    assert verdict.answers == {word for word in WORDS if held & shown[(x, y), word]}
    assert how(spans[x], spans[y]) in verdict.answers


@settings(max_examples=scaled(300))
@given(st.data())
def test_truth_is_never_contradicted_nor_falsehood_entailed(data):
    size = data.draw(st.integers(2, 30))
    moments = st.lists(st.integers(0, 12), min_size=2, max_size=2, unique=True).map(sorted)
    spans = data.draw(st.lists(moments, min_size=size, max_size=size))
    pairs = st.lists(st.integers(0, size - 1), min_size=2, max_size=2, unique=True)
    told = data.draw(st.lists(pairs, max_size=40))
    x, y = data.draw(pairs)
    facts = [(str(one), how(spans[one], spans[two]), str(two)) for one, two in told]
    true = how(spans[x], spans[y])
    verdict = judge(facts, (str(x), str(y)))
    assert true in verdict.answers
    assert judge(facts, (str(x), str(y)), true).status is verdict.status
    assert verdict.status is not Status.IMPOSSIBLE


def story(clause):
    """Return the facts of a chain of predicates, from event 0 on."""
    word = {name: entry.word() for name, entry in world().predicates.items()}
    links = zip(pairwise(range(len(clause) + 1)), clause, strict=True)
    return [(str(x), word[name], str(y)) for (x, y), name in links]


@settings(max_examples=scaled(500))
@given(st.lists(st.sampled_from(sorted(world().predicates)), min_size=2, max_size=10))
def test_what_rules_derive_from_a_chain_is_entailed(clause):
    """Two programs that share no code must agree."""
    heads = RuleIndex.from_world(world(), "sound").derive(clause)
    derived = {world().predicates[head].word() for head in heads}
    verdict = judge(story(clause), ("0", str(len(clause))))
    assert not derived or verdict.answers == derived
    if len(clause) == 2:
        assert bool(derived) == (verdict.status is Status.ENTAILED)


def test_three_steps_may_entail_what_rules_of_two_do_not():
    """The first two steps leave three relations open, and with each the third has one outcome."""
    clause = ("met-by", "meets", "met-by")
    assert not RuleIndex.from_world(world(), "sound").derive(clause)
    verdict = judge(story(clause), ("0", "3"))
    assert verdict.answers == {"began exactly at the end of"}


def test_words_are_those_of_the_world():
    assert set(WORDS) == set(world().meanings)


def asked(facts, query, claimed=None):
    """The verdict on facts like 'a before b, b meets c': b ended before the start of a."""
    word = {name: entry.word() for name, entry in world().predicates.items()}
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
        # A circle that goes through moments that are one.
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
    """Were c during a, its start would be after that of a, and so after the end of b."""
    assert asked("a meets b, b during c", "ac").answers == {"ended before the start of"}
    assert asked("a meets b, b during c", "ac", "during").status is Status.CONTRADICTED


def test_a_claim_is_entailed_contradicted_or_undetermined():
    assert asked("a before b, b during c", "ac", "before").status is Status.ENTAILED
    assert asked("a before b, b during c", "ac", "meets").status is Status.CONTRADICTED
    assert asked("a during b, b before c", "ac", "meets").status is Status.UNDETERMINED
