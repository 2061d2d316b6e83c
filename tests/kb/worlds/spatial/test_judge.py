"""The judge against all placements on small grids, against random ones, and against the rules."""

from functools import cache, reduce
from itertools import chain, combinations, pairwise, permutations, product
from operator import and_

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith.kb.worlds.rules import RuleIndex
from relsmith.kb.worlds.spatial import world
from relsmith.kb.worlds.spatial.judge import WORDS, judge
from relsmith.kb.worlds.verdict import Status
from relsmith.testing.profile import scaled, thinned

THINGS = "abcd"
PAIRS = list(permutations(range(len(THINGS)), 2))


def direction(x, y):
    """Return the words for cell y as seen from cell x."""
    across = {-1: "left", 0: "", 1: "right"}[(y[0] > x[0]) - (y[0] < x[0])]
    up = {-1: "lower", 0: "", 1: "upper"}[(y[1] > x[1]) - (y[1] < x[1])]
    if across:
        return f"to the {up} {across} of".replace("  ", " ")
    return {"upper": "above", "lower": "below"}[up]


@cache
def small_grids():
    """For four things on a grid of four by four: by pair and word, the placements as bits."""
    cells = list(product(range(4), repeat=2))
    words = {(x, y): direction(x, y) for x, y in permutations(cells, 2)}
    found = dict.fromkeys(
        tuple(words[places[x], places[y]] for x, y in PAIRS)
        for places in permutations(cells, len(THINGS))
    )
    shown = dict.fromkeys(product(PAIRS, WORDS), 0)
    for number, held in enumerate(found):
        for pair, word in zip(PAIRS, held, strict=True):
            shown[pair, word] |= 1 << number
    return shown


def expected(possible, claimed):
    """Status and answers for the words that hold somewhere."""
    if not possible:
        return Status.IMPOSSIBLE
    if claimed not in (None, *possible):
        return Status.CONTRADICTED
    return Status.ENTAILED if len(possible) == 1 else Status.UNDETERMINED


def agrees(facts, query, possible, claimed):
    verdict = judge(facts, query, claimed)
    assert verdict.answers == possible, facts
    assert verdict.status is expected(possible, claimed), facts


claims = st.sampled_from([None, *WORDS])
steps = st.tuples(st.sampled_from(PAIRS), st.sampled_from(WORDS))


def test_agrees_with_all_placements_on_every_story_of_four_facts_among_four_things():
    """Any four columns in use may be numbered 0 to 3, so that the small grid shows all there is.

    Which two things are asked about does not matter, as all stories are tried.
    """
    shown = small_grids()
    answers = {word: shown[(0, 1), word] for word in WORDS}
    for pairs in chain.from_iterable(combinations(combinations(range(4), 2), n) for n in range(5)):
        for words in thinned(product(WORDS, repeat=len(pairs)), least=20):
            grids = reduce(and_, (shown[fact] for fact in zip(pairs, words, strict=True)), -1)
            facts = [(THINGS[x], w, THINGS[y]) for (x, y), w in zip(pairs, words, strict=True)]
            verdict = judge(facts, ("a", "b"))
            assert verdict.answers == {word for word in WORDS if grids & answers[word]}, facts


@settings(max_examples=scaled(500))
@given(st.lists(steps, max_size=9), st.sampled_from(PAIRS), claims)
def test_agrees_with_all_placements_of_four_things_for_any_facts(told, query, claimed):
    shown = small_grids()
    grids = reduce(and_, (shown[fact] for fact in told), -1)
    possible = {word for word in WORDS if grids & shown[query, word]}
    facts = [(THINGS[x], word, THINGS[y]) for (x, y), word in told]
    agrees(facts, (THINGS[query[0]], THINGS[query[1]]), possible, claimed)


LINES = list(product(range(5), repeat=5))  # columns, or rows, of five things


@settings(max_examples=scaled(200))
@given(st.data())
def test_agrees_with_all_placements_of_five_things_for_true_facts(data):
    cells = st.tuples(st.integers(0, 2), st.integers(0, 2))
    places = data.draw(st.lists(cells, min_size=5, max_size=5, unique=True))
    pairs = list(permutations(range(5), 2))
    told = data.draw(st.lists(st.sampled_from(pairs), min_size=3, max_size=7, unique=True))
    x, y = data.draw(st.sampled_from(pairs))

    def fitting(axis):
        """Return all columns or rows that satisfy the facts."""
        true = [place[axis] for place in places]
        return {
            line: (line[y] > line[x]) - (line[y] < line[x])
            for line in LINES
            if all(
                (line[one] < line[other], line[one] == line[other])
                == (true[one] < true[other], true[one] == true[other])
                for one, other in told
            )
        }

    columns, rows = fitting(0), fitting(1)
    possible = set()
    for across, up in product(range(-1, 2), repeat=2):
        wide = [line for line, sign in columns.items() if sign == across]
        high = [line for line, sign in rows.items() if sign == up]
        if any(len(set(zip(*both, strict=True))) == 5 for both in product(wide, high)):
            possible.add(direction((0, 0), (across, up)))
    facts = [(f"t{one}", direction(places[one], places[two]), f"t{two}") for one, two in told]
    assert direction(places[x], places[y]) in possible
    agrees(facts, (f"t{x}", f"t{y}"), possible, data.draw(claims))


@settings(max_examples=scaled(300))
@given(st.data())
def test_truth_is_never_contradicted_nor_falsehood_entailed(data):
    size = data.draw(st.integers(2, 30))
    cells = st.tuples(st.integers(0, 6), st.integers(0, 6))
    places = data.draw(st.lists(cells, min_size=size, max_size=size, unique=True))
    pairs = st.lists(st.integers(0, size - 1), min_size=2, max_size=2, unique=True)
    told = data.draw(st.lists(pairs, max_size=40))
    x, y = data.draw(pairs)
    facts = [(str(one), direction(places[one], places[two]), str(two)) for one, two in told]
    true = direction(places[x], places[y])
    verdict = judge(facts, (str(x), str(y)))
    assert true in verdict.answers
    assert judge(facts, (str(x), str(y)), true).status is verdict.status
    assert verdict.status is not Status.IMPOSSIBLE


@settings(max_examples=scaled(500))
@given(st.lists(st.sampled_from(sorted(world().predicates)), min_size=2, max_size=10))
def test_rules_derive_what_a_chain_entails_and_nothing_else(clause):
    """Two programs that share no code must agree."""
    word = {name: entry.word() for name, entry in world().predicates.items()}
    links = zip(pairwise(range(len(clause) + 1)), clause, strict=True)
    facts = [(str(x), word[name], str(y)) for (x, y), name in links]
    derived = {word[head] for head in RuleIndex.from_world(world(), "sound").derive(clause)}
    verdict = judge(facts, ("0", str(len(clause))))
    assert derived <= verdict.answers
    assert bool(derived) == (verdict.status is Status.ENTAILED)


def test_words_are_those_of_the_world():
    assert set(WORDS) == set(world().meanings)


def asked(facts, query, claimed=None):
    """The verdict on facts like 'a left b, b upper-left c': b is left of a."""
    word = {name: entry.word() for name, entry in world().predicates.items()}
    told = [(x, word[name], y) for x, name, y in map(str.split, facts.split(", "))]
    return judge(told, tuple(query), claimed and word[claimed])


@pytest.mark.parametrize(
    ("facts", "answer"),
    [
        ("a left b, b left c", "to the left of"),
        ("a left b, b above c", "to the upper left of"),
        ("b lower-left a, c below b", "to the upper right of"),
        # One path gives the column and the other the row, so that no chain of rules gives both.
        ("a upper-left p, p lower-left c, a upper-left q, q upper-right c", "to the upper left of"),
    ],
)
def test_by_example(facts, answer):
    verdict = asked(facts, "ac")
    assert verdict.status is Status.ENTAILED
    assert verdict.answers == {answer}


@pytest.mark.parametrize(
    "facts",
    [
        "a left b, b left a",
        "a left a",
        "a left b, b left c, c above a",
        # p and q would share a cell.
        "a above p, a above q, b left p, b left q",
        # A circle of columns that goes through things in one column.
        "a left b, b above p, p left q, q below a",
    ],
)
def test_impossible(facts):
    for claimed in (None, "left"):
        verdict = asked(facts, "ab", claimed)
        assert verdict.status is Status.IMPOSSIBLE
        assert not verdict.answers


def test_no_two_things_in_one_cell():
    """Were c above a, then a and q were in one cell: both left of r, both below c."""
    verdict = asked("a right r, q right r, q above c", "ac")
    assert verdict.answers == {"to the upper left of", "to the upper right of"}
    assert asked("a right r, q right r, q above c", "ac", "above").status is Status.CONTRADICTED


def test_unmentioned_things_may_lie_anywhere():
    assert asked("a left b", "xy").answers == set(WORDS)


def test_a_claim_is_entailed_contradicted_or_undetermined():
    assert asked("a left b, b above c", "ac", "upper-left").status is Status.ENTAILED
    assert asked("a left b, b above c", "ac", "left").status is Status.CONTRADICTED
    assert asked("a left b, b upper-right c", "ac", "above").status is Status.UNDETERMINED
