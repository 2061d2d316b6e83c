"""Judge, semantics and rules against all small organisations, random ones, and each other."""

from functools import cache, reduce
from itertools import chain, combinations, permutations, product
from operator import and_

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith.kb.worlds.semantics import counterexample, entailed
from relsmith.kb.worlds.verdict import NO_RELATION, Status
from relsmith.kb.worlds.work import world
from relsmith.kb.worlds.work.judge import WORDS, judge
from relsmith.kb.worlds.work.organisation import ORGANISATION, Post, relation
from relsmith.testing.profile import scaled

WORD = {name: entry.word() for name, entry in world().predicates.items()}
NAMES = "abc"
PAIRS = list(permutations(range(len(NAMES)), 2))
ANSWERS = (*WORDS, NO_RELATION)


def word(posts, x, y):
    """Return the word of y for x; posts has (manager, role) by person, or None."""
    for low, high, kind in ((x, y, "manager"), (y, x, "report")):
        levels, at = 0, low
        while posts[at] and posts[at][1] == "team":
            levels, at = levels + 1, posts[at][0]
            if at == high:
                return f"{('direct', 'skip-level', 'distant')[min(levels, 3) - 1]} {kind}"
    mine, theirs = posts[x], posts[y]
    if mine == (y, "deputy"):
        return "principal"
    if theirs == (x, "deputy"):
        return "deputy"
    if not mine or not theirs or mine[0] != theirs[0]:
        return NO_RELATION
    return {
        "team team": "teammate",
        "team deputy": "stand-in manager",
        "deputy team": "stand-in report",
        "team mentor": "mentor",
        "mentor team": "mentee",
    }.get(f"{mine[1]} {theirs[1]}", NO_RELATION)


def organisations(named, most):
    """Yield all organisations of this many named people and at most this many unnamed ones.

    Unnamed people lead somebody and are on a team or at the top: others make no difference.
    """

    def lawful(posts):
        for person in posts:
            seen, at = {person}, person
            while posts.get(at):
                at = posts[at][0]
                if at in seen or (posts.get(at) and posts[at][1] != "team"):
                    return False
                seen.add(at)
        return True

    def grown(posts, people):
        if len(posts) == people:
            yield tuple(posts[person] for person in range(people))
            return
        person = len(posts)
        yield from grown(posts | {person: None}, people)
        for manager in range(min(people + 1, most + named)):
            for role in ("team", "deputy", "mentor") if person < named else ("team",):
                more = posts | {person: (manager, role)}
                if lawful(more):
                    yield from grown(more, max(people, manager + 1))

    yield from grown({}, named)


@cache
def sizes():
    """Return for three people the possible relations of each two, and the fewest people they need.

    Four unnamed people suffice: two in each gap of a line of three make them distant.
    """
    fewest = {}
    for posts in organisations(3, 4):
        held = tuple(word(posts, x, y) for x, y in PAIRS)
        fewest[held] = min(len(posts), fewest.get(held, 99))
    return fewest


@cache
def small():
    """Return by pair and word the kinds of organisation in which it holds, as bits."""
    kinds = sizes()
    shown = dict.fromkeys(product(PAIRS, ANSWERS), 0)
    for number, held in enumerate(kinds):
        for pair, said in zip(PAIRS, held, strict=True):
            shown[pair, said] |= 1 << number
    return shown


def expected(possible, claimed):
    if not possible:
        return Status.IMPOSSIBLE
    if claimed not in (None, *possible):
        return Status.CONTRADICTED
    certain = len(possible) == 1 and NO_RELATION not in possible
    return Status.ENTAILED if certain else Status.UNDETERMINED


def test_agrees_with_all_organisations_on_every_three_person_story():
    shown = small()
    answers = {said: shown[(0, 1), said] for said in ANSWERS}
    for pairs in chain.from_iterable(combinations(combinations(range(3), 2), n) for n in range(4)):
        for words in product(WORDS, repeat=len(pairs)):
            kinds = reduce(and_, (shown[fact] for fact in zip(pairs, words, strict=True)), -1)
            facts = [(NAMES[x], w, NAMES[y]) for (x, y), w in zip(pairs, words, strict=True)]
            possible = {said for said in ANSWERS if kinds & answers[said]}
            verdict = judge(facts, ("a", "b"))
            assert verdict.answers == possible, facts
            assert verdict.status is expected(possible, None), facts


@st.composite
def staffed(draw, most=20):
    """Return a valid organisation of this many people, of many levels or few."""
    posts = [None]
    deep = draw(st.booleans())
    for _ in range(draw(st.integers(2, most - 1))):
        managers = [n for n, post in enumerate(posts) if not post or post.role == "team"]
        managers = managers[-2:] if deep else managers
        role = draw(st.sampled_from(["team", "team", "team", "deputy", "mentor"]))
        top = draw(st.integers(0, 9)) == 0
        posts.append(None if top else Post(draw(st.sampled_from(managers)), role))
    return tuple(posts)


def two(people):
    return st.lists(st.integers(0, people - 1), min_size=2, max_size=2, unique=True)


@settings(max_examples=scaled(300))
@given(st.data())
def test_truth_is_never_contradicted_nor_falsehood_entailed(data):
    posts = data.draw(staffed())
    told = data.draw(st.lists(two(len(posts)), max_size=25))
    x, y = data.draw(two(len(posts)))
    said = [(str(one), word(posts, one, other), str(other)) for one, other in told]
    facts = [fact for fact in said if fact[1] != NO_RELATION]
    true = word(posts, x, y)
    verdict = judge(facts, (str(x), str(y)))
    assert true in verdict.answers
    assert (verdict.status is Status.ENTAILED) == (len(verdict.answers) == 1 and true in WORDS)
    if true in WORDS:
        assert judge(facts, (str(x), str(y)), true).status is verdict.status
    for answer in WORDS:
        if answer not in verdict.answers:
            claimed = judge(facts, (str(x), str(y)), answer)
            assert claimed.status is Status.CONTRADICTED
            assert judge([*facts, (str(x), answer, str(y))], (str(x), str(y))).answers == set()


@settings(max_examples=scaled(300))
@given(staffed())
def test_the_semantics_matches_the_definitions_and_every_rule_holds(posts):
    heads = {rule.body: rule.head for rule in world().ruleset("sound").rules}
    people = range(len(posts))
    held = {pair: relation(posts, *pair) for pair in permutations(people, 2)}
    for (x, y), name in held.items():
        assert WORD.get(name, NO_RELATION) == word(posts, x, y)
        assert held[y, x] == (world().inverse(name) if name else None)
    for x, z, y in permutations(people, 3):
        body = held[x, z], held[z, y]
        assert heads.get(body, held[x, y]) == held[x, y]


@pytest.mark.parametrize("body", product(WORD, repeat=2), ids=" ".join)
def test_rules_and_counterexamples_are_those_of_all_small_organisations(body):
    """Check every conceivable rule: the same verdict, and the same size of its counterexample."""
    x, z, y = 0, 1, 2
    wanted = {(x, z): WORD[body[0]], (z, y): WORD[body[1]]}
    outcomes = {}
    for held, size in sizes().items():
        holds = dict(zip(PAIRS, held, strict=True))
        if wanted.items() <= holds.items():
            outcomes[holds[x, y]] = min(size, outcomes.get(holds[x, y], 99))
    assert bool(outcomes) == bool(ORGANISATION.situations(body))
    certain = {name for name in WORD if set(outcomes) == {WORD[name]}}
    assert entailed(ORGANISATION, body) == certain
    for head, said in WORD.items():
        refuting = [size for outcome, size in outcomes.items() if outcome != said]
        scene = counterexample(ORGANISATION, body, head)
        assert (scene.size if scene else None) == min(refuting, default=None)


def asked(facts, query, claimed=None):
    """Return the verdict on facts such as 'a manager b, b deputy c': b is a's direct manager."""
    told = [(x, WORD[name], y) for x, name, y in map(str.split, facts.split(", "))]
    return judge(told, tuple(query), claimed and WORD[claimed])


@pytest.mark.parametrize(
    ("facts", "answer"),
    [
        ("a manager b, b manager c", "skip-level manager"),
        ("a report b, b skip-manager c", "direct manager"),
        ("a mentor b, b mentee c", "teammate"),
        ("a report b, b stand-in-manager c", "deputy"),
    ],
)
def test_by_example(facts, answer):
    verdict = asked(facts, "ac")
    assert verdict.status is Status.ENTAILED
    assert verdict.answers == {answer}


def test_all_managers_of_a_person_form_one_line():
    """Check an answer of no rule chain: both lines only meet in somebody below."""
    verdict = asked("x skip-manager a, x distant-manager c", "ac")
    assert verdict.answers == {"direct manager", "skip-level manager", "distant manager"}
    verdict = asked("x skip-manager a, x distant-manager c, a manager b, x distant-manager b", "bc")
    assert verdict.answers == {"direct manager", "skip-level manager", "distant manager"}


def test_a_distant_manager_may_be_an_unnamed_person_of_the_line():
    """Between c and f there is one person; b is above c, but below f."""
    facts = "a skip-manager c, c skip-manager f, a distant-manager b, b manager f"
    assert asked(facts, "cb").answers == {"direct manager"}
    assert asked(facts, "af").answers == {"distant manager"}


@pytest.mark.parametrize(
    ("facts", "answers"),
    [
        # All of these look like rules, but are not.
        ("a skip-manager b, b report c", {"direct manager", NO_RELATION}),
        ("a manager b, b teammate c", {NO_RELATION}),
        ("a manager b, b stand-in-manager c", {NO_RELATION}),
        ("a principal b, b manager c", {NO_RELATION}),
        ("a report b, b distant-manager c", {"skip-level manager", "distant manager"}),
        ("a mentee b, b manager c", {NO_RELATION}),
        ("a stand-in-report b, b mentor c", {NO_RELATION}),
    ],
)
def test_plausible_but_false_rules(facts, answers):
    verdict = asked(facts, "ac")
    assert verdict.status is Status.UNDETERMINED
    assert verdict.answers == answers


@pytest.mark.parametrize(
    "facts",
    [
        "a manager b, b manager a",
        "a manager a",
        "a manager b, a manager c",
        "a deputy b, b report c",
        "a deputy b, a report b",
        "a mentor b, b mentor c",
        "a mentor b, b manager c",
        "a mentor b, c mentor b, a manager p, c manager q",
        "a teammate b, b manager a",
        "a distant-manager b, b report a",
        "a distant-manager b, b teammate a",
        "a distant-manager b, a distant-manager c, b teammate c",
        "a distant-manager b, b distant-manager c, c skip-manager a",
    ],
)
def test_impossible(facts):
    for claimed in (None, "manager"):
        verdict = asked(facts, "ab", claimed)
        assert verdict.status is Status.IMPOSSIBLE
        assert not verdict.answers
        verdict = asked(f"{facts}, u teammate v", "uv", claimed)
        assert verdict.status is Status.IMPOSSIBLE


def test_unmentioned_people_may_have_any_relation():
    assert asked("a manager b", "xy").answers == set(ANSWERS)
