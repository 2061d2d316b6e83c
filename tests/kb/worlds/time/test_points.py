"""Instants beside events: rules, judge and what solves who questions, against all models."""

from functools import cache, reduce
from itertools import combinations_with_replacement, pairwise, permutations, product
from operator import and_

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith import Stream
from relsmith.errors import InvalidOption
from relsmith.generators.clutrr import Clutrr
from relsmith.kb.worlds.rules import RuleIndex
from relsmith.kb.worlds.semantics import counterexample, entailed
from relsmith.kb.worlds.time import with_points, world
from relsmith.kb.worlds.time.closure import all_matching, possible_words_with_points
from relsmith.kb.worlds.time.judge import POINTS as WORDS
from relsmith.kb.worlds.time.judge import judge, judge_points
from relsmith.kb.worlds.time.points import POINTS, relation
from relsmith.kb.worlds.time.programme import coinciding_events, sample_intervals_and_points
from relsmith.kb.worlds.verdict import Status
from relsmith.templates.bank import find_bank
from relsmith.templates.language import words_of
from relsmith.templates.statistics import vocabulary
from relsmith.testing.profile import scaled

WORLD = with_points()
WORD = {name: entry.word() for name, entry in WORLD.predicates.items()}
THINGS = "abc"
PAIRS = list(permutations(range(len(THINGS)), 2))


def how(x, y):
    """Return the words for y as seen from x, by one comparison after the other."""
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


SPANS = list(combinations_with_replacement(range(6), 2))
"""Of three things no more than six starts and ends differ, and only their order counts."""


@cache
def lines():
    """For three things: by pair and word, the ways in which they can lie, as bits."""
    shown = {}
    ways = list(product(SPANS, repeat=3))
    for number, places in enumerate(ways):
        for x, y in PAIRS:
            key = (x, y), how(places[x], places[y])
            shown.setdefault(key, bytearray(len(ways) // 8 + 1))[number // 8] |= 1 << number % 8
    return {key: int.from_bytes(mask, "little") for key, mask in shown.items()}


def test_the_judge_of_what_is_found_agrees_on_what_words_mean():
    for x, y in product(SPANS, repeat=2):
        assert WORD[relation(x, y)] == how(x, y)


def test_rules_are_all_that_two_steps_entail_by_another_enumeration():
    found = {}
    for x, z, y in product(SPANS, repeat=3):
        found.setdefault((how(x, z), how(z, y)), set()).add(how(x, y))
    assert (len(found), sum(map(len, found.values()))) == (388, 818)
    rules = {
        tuple(WORD[name] for name in rule.body): {WORD[rule.head]}
        for rule in WORLD.ruleset("sound").rules
    }
    assert rules == {body: heads for body, heads in found.items() if len(heads) == 1}
    assert len(rules) == 252


def test_rules_are_all_that_the_program_finds_and_those_of_time_are_among_them():
    rules = {(rule.body, rule.head) for rule in WORLD.ruleset("sound").rules}
    bodies = product(WORLD.predicates, repeat=2)
    assert rules == {(body, head) for body in bodies for head in entailed(POINTS, body)}
    assert {(rule.body, rule.head) for rule in world().ruleset("sound").rules} <= rules


moments = st.tuples(st.integers(-9, 9), st.integers(0, 6)).map(lambda at: (at[0], sum(at)))


@given(moments, moments, moments)
def test_every_sound_rule_holds_in_every_line_of_time(x, z, y):
    heads = {rule.body: rule.head for rule in WORLD.ruleset("sound").rules}
    body, outcome = (relation(x, z), relation(z, y)), relation(x, y)
    assert heads.get(body, outcome) == outcome
    assert any(outcome in scene.relations for scene in POINTS.situations(body))


@given(moments, moments)
def test_there_is_one_relation_between_two_things_its_inverse_back_and_for_their_kinds(x, y):
    there, back = relation(x, y), relation(y, x)
    assert WORLD.inverse(there) == back
    kinds = tuple("instant" if start == end else "event" for start, end in (x, y))
    assert WORLD.predicates[there].between == kinds
    assert WORLD.predicates[back].between == kinds[::-1]


@pytest.mark.parametrize(
    ("body", "looks", "instead"),
    [
        (
            ("opens", "begins-after"),
            "after",
            {"after", "met-by", "overlapped-by", "finishes", "during"},
        ),
        (("amid", "around"), "equals", 9),
        (("opened-by", "closes"), "later", {"later"}),
        (("ahead", "earlier"), "ahead", {"ahead"}),
        (("opens", "opened-by"), "equals", {"starts", "started-by", "equals"}),
        (("around", "amid"), "at-once", {"earlier", "later", "at-once"}),
        (("closes", "opened-by"), "met-by", {"met-by"}),
        (("ahead", "opened-by"), "before", 5),
    ],
)
def test_rules_that_look_right_and_some_that_are(body, looks, instead):
    left = {name for scene in POINTS.situations(body) for name in scene.relations}
    if isinstance(instead, int):
        assert len(left) == instead
    else:
        assert left == instead
    assert (counterexample(POINTS, body, looks) is None) == (left == {looks})


claims = st.sampled_from([None, *WORDS])
steps = st.tuples(st.sampled_from(PAIRS), st.sampled_from(WORDS))


def told(facts):
    return [(THINGS[x], word, THINGS[y]) for (x, y), word in facts]


def test_judge_agrees_with_all_lines_of_time_on_every_story_of_two_facts():
    shown = lines()
    for words in product(WORDS, repeat=2):
        facts = list(zip([(0, 2), (2, 1)], words, strict=True))
        held = reduce(and_, (shown[fact] for fact in facts), -1)
        possible = {word for word in WORDS if held & shown[(0, 1), word]}
        assert judge_points(told(facts), ("a", "b")).answers == possible, facts


@settings(max_examples=scaled(400))
@given(st.lists(steps, max_size=5), st.sampled_from(PAIRS), claims)
def test_judge_and_closure_agree_with_all_lines_of_time_for_any_facts(facts, query, claimed):
    shown = lines()
    held = reduce(and_, (shown[fact] for fact in facts), -1)
    possible = {word for word in WORDS if held & shown[query, word]}
    names = THINGS[query[0]], THINGS[query[1]]
    verdict = judge_points(told(facts), names, claimed)
    assert verdict.answers == possible
    if possible and claimed:
        expected = {True: Status.UNDETERMINED, False: Status.CONTRADICTED}[claimed in possible]
        assert verdict.status is (Status.ENTAILED if possible == {claimed} else expected)
    assert possible_words_with_points(told(facts), {}, names) == sorted(possible)


spans = st.lists(moments, min_size=3, max_size=8)


@given(st.data())
def test_of_real_things_judge_and_closure_say_the_same_and_never_what_is_false(data):
    places = data.draw(spans)
    pairs = st.lists(st.integers(0, len(places) - 1), min_size=2, max_size=2, unique=True)
    facts = [
        (f"t{x}", how(places[x], places[y]), f"t{y}")
        for x, y in data.draw(st.lists(pairs, min_size=1, max_size=12))
    ]
    names = sorted({name for x, _, y in facts for name in (x, y)})
    for x, y in permutations(names, 2):
        verdict = judge_points(facts, (x, y))
        assert how(places[int(x[1:])], places[int(y[1:])]) in verdict.answers
        assert possible_words_with_points(facts, {}, (x, y)) == sorted(verdict.answers)
        for word in verdict.answers:
            assert (y in all_matching(facts, {}, x, word)) == (verdict.status is Status.ENTAILED)


@settings(max_examples=scaled(300))
@given(st.data())
def test_what_rules_derive_from_a_chain_is_entailed(data):
    size = data.draw(st.integers(2, 10))
    places = data.draw(st.lists(moments, min_size=size + 1, max_size=size + 1))
    clause = [relation(x, y) for x, y in pairwise(places)]
    derived = {WORD[head] for head in RuleIndex.from_world(WORLD).derive(clause)}
    facts = [(str(n), WORD[name], str(n + 1)) for n, name in enumerate(clause)]
    verdict = judge_points(facts, ("0", str(size)))
    assert not derived or verdict.answers == derived
    if size == 2:
        assert bool(derived) == (verdict.status is Status.ENTAILED)


def test_where_all_last_it_is_the_judge_of_time():
    for words in product(judge_words := sorted(world().meanings), repeat=2):
        facts = list(zip("ab", words, "bc", strict=True))
        assert judge_points(facts, ("a", "c")).answers == judge(facts, ("a", "c")).answers
    assert set(judge_words) < set(WORDS) == set(WORLD.meanings)


def test_what_lasts_is_no_instant():
    facts = [("a", "came earlier than", "b"), ("b", "ended before the start of", "c")]
    assert judge_points(facts, ("a", "c")).status is Status.IMPOSSIBLE
    assert possible_words_with_points(facts, {}, ("a", "c")) == []
    assert judge_points(facts[:1], ("a", "x")).answers == {
        word for word in WORDS if WORLD.predicates[WORLD.meanings[word][0]].between[0] == "instant"
    }


def test_complaints():
    with pytest.raises(InvalidOption, match="no relation of time 'amid'"):
        judge_points([("a", "amid", "b")], ("a", "b"))
    with pytest.raises(InvalidOption, match="no relation of time 'came earlier than'"):
        judge([("a", "came earlier than", "b")], ("a", "b"))


@given(st.integers(), st.integers(1, 150))
def test_programmes_have_coinciding_events_and_instants(seed, size):
    places = sample_intervals_and_points(Stream("arrange", seed), size)
    assert len(places) == size
    lasting = [span for span in places if span[0] < span[1]]
    assert max(map(lasting.count, lasting)) >= coinciding_events(size)
    assert size - len(lasting) >= (size - coinciding_events(size)) // 2


def test_nothing_cannot_be_arranged():
    with pytest.raises(InvalidOption, match="cannot arrange 0 events"):
        sample_intervals_and_points(Stream("none"), 0)


@pytest.mark.parametrize("k", [2, 6, 18])
def test_each_relation_is_an_answer(k):
    generator = Clutrr.configure({"world": "time-points", "k": str(k), "style": "facts"})
    assert not generator.notes(), "no answer is missing"
    assert {row.target for row in generator.examples(256)} == set(WORLD.meanings)


def test_names_of_instants_are_many_distinct_and_no_word_of_a_story():
    stories, bank = WORLD.story_spec, find_bank("time-points")
    events, instants = stories.names.female, stories.names.male
    assert events == world().story_spec.names.female
    assert len(instants) >= 80
    assert list(instants) == sorted(set(instants))
    assert not {name + "s" for name in instants} & {*instants, *events}
    assert not set(instants) & set(events)
    said = vocabulary(bank) | bank.vocabulary
    said |= set(words_of(" ".join([stories.opening, stories.question, stories.who])))
    said |= {word for entry in WORLD.predicates.values() for word in words_of(entry.word())}
    assert not said & {*instants, *events}
