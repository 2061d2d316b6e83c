"""The judge against all rankings of four people, random ones, and the rules."""

from functools import cache, reduce
from itertools import chain, combinations, permutations, product
from operator import and_

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith.kb.worlds.ordering import world
from relsmith.kb.worlds.ordering.judge import WORDS, judge
from relsmith.kb.worlds.verdict import Status
from relsmith.testing.profile import scaled

PEOPLE = "abcd"
PAIRS = list(permutations(range(len(PEOPLE)), 2))
ADJECTIVES = {
    "tall": ("taller", "shorter"),
    "old": ("older", "younger"),
    "fast": ("faster", "slower"),
    "strong": ("stronger", "weaker"),
}
HEIGHT = tuple(word for word in WORDS if "tall" in word or "shorter" in word)


def true(word, x, y):
    """Return whether y compares with x by this word; None in another dimension."""
    for adjective, (more, less) in ADJECTIVES.items():
        one, other = x[adjective], y[adjective]
        found = {
            f"{more} than": other > one,
            f"{less} than": other < one,
            f"as {adjective} as": other == one,
            f"not {more} than": not other > one,
            f"not {less} than": not other < one,
        }
        if word in found:
            return found[word]
    raise AssertionError(word)


@cache
def rankings():
    """Return by pair and word of height the rankings of four people in which it holds, as bits."""
    found = {
        tuple(sorted(set(measured)).index(one) for one in measured)
        for measured in product(range(4), repeat=4)
    }
    assert len(found) == 75
    shown = dict.fromkeys(product(PAIRS, HEIGHT), 0)
    for number, ranks in enumerate(sorted(found)):
        for (x, y), word in shown:
            sizes = [dict.fromkeys(ADJECTIVES, ranks[one]) for one in (x, y)]
            if true(word, *sizes):
                shown[(x, y), word] |= 1 << number
    return shown


def expected(held, query):
    """Return the strongest entailed words, and all possible ones."""
    shown = rankings()
    where = {word: held & shown[query, word] for word in HEIGHT}
    certain = [word for word in HEIGHT if where[word] == held]
    # A word is stronger than another if it holds in fewer rankings, whatever is stated.
    most = {
        word
        for word in certain
        if not any(
            shown[query, other] != shown[query, word]
            and shown[query, other] & ~shown[query, word] == 0
            for other in certain
        )
    }
    return most, {word for word in HEIGHT if where[word]}


def agrees(told, query):
    shown = rankings()
    held = reduce(and_, (shown[fact] for fact in told), (1 << 75) - 1)
    facts = [(PEOPLE[x], word, PEOPLE[y]) for (x, y), word in told]
    names = PEOPLE[query[0]], PEOPLE[query[1]]
    verdict = judge(facts, names)
    if not held:
        assert verdict.status is Status.IMPOSSIBLE
        assert all(judge(facts, names, word).status is Status.IMPOSSIBLE for word in WORDS)
        return
    most, possible = expected(held, query)
    if most:
        assert verdict.status is Status.ENTAILED
        assert verdict.answers == most
    else:
        assert verdict.status is Status.UNDETERMINED
        assert verdict.answers == set(WORDS)
    for word in HEIGHT:
        claimed = judge(facts, names, word)
        where = held & shown[query, word]
        if where == held:
            assert claimed.status is Status.ENTAILED
            assert claimed.answers == most
        else:
            status = Status.UNDETERMINED if where else Status.CONTRADICTED
            assert claimed.status is status
            assert claimed.answers == possible | (set(WORDS) - set(HEIGHT))


def test_agrees_with_all_rankings_on_every_story_of_three_facts_among_four_people():
    """Check one pair as query, because all stories are enumerated."""
    for pairs in chain.from_iterable(combinations(combinations(range(4), 2), n) for n in range(4)):
        for words in product(HEIGHT, repeat=len(pairs)):
            agrees(list(zip(pairs, words, strict=True)), (0, 1))


steps = st.tuples(st.sampled_from(PAIRS), st.sampled_from(HEIGHT))


@settings(max_examples=scaled(800))
@given(st.booleans(), st.data())
def test_agrees_with_all_rankings(real, data):
    """Check facts drawn freely, and facts true of four people, which are consistent."""
    if real:
        ranks = data.draw(st.lists(st.integers(0, 3), min_size=4, max_size=4))
        told = []
        for x, y in data.draw(st.lists(st.sampled_from(PAIRS), min_size=2, max_size=7)):
            sizes = [dict.fromkeys(ADJECTIVES, ranks[one]) for one in (x, y)]
            words = [word for word in HEIGHT if true(word, *sizes)]
            told.append(((x, y), data.draw(st.sampled_from(words))))
    else:
        told = data.draw(st.lists(steps, max_size=9))
    agrees(told, data.draw(st.sampled_from(PAIRS)))


@settings(max_examples=scaled(300))
@given(st.data())
def test_truth_is_never_contradicted_nor_falsehood_entailed(data):
    size = data.draw(st.integers(2, 30))
    measured = st.fixed_dictionaries({name: st.integers(0, 6) for name in ADJECTIVES})
    people = data.draw(st.lists(measured, min_size=size, max_size=size))
    two = st.lists(st.integers(0, size - 1), min_size=2, max_size=2, unique=True)
    told = data.draw(st.lists(two, max_size=40))
    x, y = data.draw(two)
    facts = []
    for one, other in told:
        words = [word for word in WORDS if true(word, people[one], people[other])]
        facts.append((str(one), data.draw(st.sampled_from(words)), str(other)))
    for word in WORDS:
        status = judge(facts, (str(x), str(y)), word).status
        assert status is not Status.IMPOSSIBLE
        if true(word, people[x], people[y]):
            assert status is not Status.CONTRADICTED
        else:
            assert status is not Status.ENTAILED
    verdict = judge(facts, (str(x), str(y)))
    assert (verdict.status is Status.ENTAILED) == (
        Status.ENTAILED in {judge(facts, (str(x), str(y)), word).status for word in WORDS}
    )


def asked(facts, query, claimed=None):
    """Return the verdict on facts such as 'a taller b, b as-tall c': b is taller than a."""
    word = {name: entry.word() for name, entry in world().predicates.items()}
    told = [(x, word[name], y) for x, name, y in map(str.split, facts.split(", "))]
    return judge(told, tuple(query), claimed and word[claimed])


@pytest.mark.parametrize(
    ("facts", "answers"),
    [
        ("a taller b, b taller c", {"taller than"}),
        ("a not-shorter b, b taller c", {"taller than"}),
        ("a not-shorter b, b as-tall c", {"not shorter than"}),
        ("b shorter a, c not-taller b", {"taller than"}),
        ("a as-old b, b as-old c", {"as old as"}),
        # Neither path is enough alone: together they leave one height.
        ("a not-taller b, b not-taller c, a not-shorter c", {"as tall as"}),
        # Two dimensions, each with an answer.
        ("a taller b, b taller c, a weaker c", {"taller than", "weaker than"}),
    ],
)
def test_by_example(facts, answers):
    verdict = asked(facts, "ac")
    assert verdict.status is Status.ENTAILED
    assert verdict.answers == answers


@pytest.mark.parametrize(
    "facts",
    ["a taller b, b shorter c", "a taller b, b older c", "a not-taller b, b not-shorter c"],
)
def test_nothing_follows(facts):
    assert asked(facts, "ac").status is Status.UNDETERMINED


@pytest.mark.parametrize(
    "facts",
    [
        "a taller b, b taller a",
        "a taller a",
        "a as-tall b, b as-tall c, c taller a",
        "a not-shorter b, b not-shorter c, c taller a",
    ],
)
def test_impossible(facts):
    for claimed in (None, "older"):
        verdict = asked(facts, "ab", claimed)
        assert verdict.status is Status.IMPOSSIBLE
        assert not verdict.answers
        assert asked(f"{facts}, u older v", "uv", claimed).status is Status.IMPOSSIBLE


def test_a_claim_is_entailed_contradicted_or_undetermined():
    """Check that weaker words than the answer are entailed too; stronger ones are undetermined."""
    facts = "a not-taller b, b as-tall c"
    assert asked(facts, "ac", "not-taller").status is Status.ENTAILED
    assert asked(facts, "ac", "shorter").status is Status.UNDETERMINED
    assert asked(facts, "ac", "as-tall").status is Status.UNDETERMINED
    assert asked(facts, "ac", "not-shorter").status is Status.UNDETERMINED
    assert asked(facts, "ac", "taller").status is Status.CONTRADICTED
    assert asked(facts, "ac", "older").status is Status.UNDETERMINED
    assert asked("a shorter c", "ac", "not-taller").status is Status.ENTAILED
