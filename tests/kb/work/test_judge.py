"""The judge against all small organisations, against random ones, and against the rules."""

from functools import cache, reduce
from itertools import chain, combinations, pairwise, permutations, product
from operator import and_

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith.errors import InvalidOption
from relsmith.kb.rules import Rules
from relsmith.kb.verdict import NO_RELATION, Status
from relsmith.kb.work import world
from relsmith.kb.work.judge import WORDS, judge

NAMES = "abc"
PAIRS = list(permutations(range(len(NAMES)), 2))
ANSWERS = (*WORDS, NO_RELATION)


def word(posts, x, y):
    """What y is to x, in words, where posts has (manager, role) of everybody, or None."""
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
    """All organisations of so many people with names and at most so many without.

    Whoever has no name leads somebody and is on a team or at the top: others make no difference.
    """

    def lawful(posts):
        for person, post in posts.items():
            seen = {person}
            while post:
                if post[0] in seen:
                    return False
                seen.add(post[0])
                post = posts.get(post[0])
                if post and post[1] != "team":
                    return False
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
def small():
    """For three people: by pair and word, the organisations as bits, each kind of them once.

    Four without a name suffice: two in each gap of a line of three, which makes them distant.
    """
    kinds = dict.fromkeys(
        tuple(word(posts, x, y) for x, y in PAIRS) for posts in organisations(3, 4)
    )
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


def test_agrees_with_all_organisations_on_every_story_of_three_people():
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
