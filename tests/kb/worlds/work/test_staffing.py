"""Organisations with stories of every answer and length."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith import Stream
from relsmith.errors import InvalidOption
from relsmith.kb.worlds.work import world
from relsmith.kb.worlds.work.organisation import managers, relation
from relsmith.kb.worlds.work.staffing import largest_team, sample_organisation
from relsmith.testing.profile import scaled


@given(st.integers(), st.integers(8, 150))
def test_every_organisation_keeps_the_axioms(seed, people):
    posts = sample_organisation(Stream("staff", seed), people)
    assert len(posts) == people
    assert sample_organisation(Stream("staff", seed), people) == posts
    for person, post in enumerate(posts):
        if post:
            above = posts[post.manager]
            assert above is None or above.role == "team"
            assert person != post.manager and person not in managers(posts, post.manager)
    teams = Counter(post.manager for post in posts if post and post.role == "team")
    assert max(teams.values()) >= largest_team(people)


def test_each_relation_occurs_in_the_smallest_organisation():
    for seed in range(50):
        posts = sample_organisation(Stream("small", seed), 10)
        held = {relation(posts, x, y) for x, y in permutations(range(10), 2)}
        assert set(world().predicates) <= held


def test_person_numbers_are_independent_of_the_post():
    first = 0
    for seed in range(600):
        posts = sample_organisation(Stream("number", seed), 60)
        big = Counter(post.manager for post in posts if post and post.role == "team")
        [(manager, _)] = big.most_common(1)
        first += posts[0] is not None and posts[0] == (manager, "team")
    assert 150 < first < 260


def longest_chains(posts):
    """Return for each predicate the length of chain into which rules can expand one fact.

    A lower bound: people are put between two others one by one, the first that fits.
    """
    rules = {}
    for rule in world().ruleset("sound").rules:
        rules.setdefault(rule.head, set()).add(rule.body)
    people = range(len(posts))
    held = {pair: relation(posts, *pair) for pair in permutations(people, 2)}
    most = Counter()
    for (x, y), name in held.items():
        path = [x, y]
        place = 0
        while place < len(path) - 1 and name:
            a, b = path[place : place + 2]
            fitting = (
                z
                for z in people
                if z not in path and (held[a, z], held[z, b]) in rules.get(held[a, b], ())
            )
            # Teammates first, as they are the most frequent.
            z = min(fitting, key=lambda z: held[a, z] != "teammate" != held[z, b], default=None)
            if z is None:
                place += 1
            else:
                path.insert(place + 1, z)
        if name:
            most[name] = max(most[name], len(path) - 1)
    return most


@pytest.mark.slow
@settings(max_examples=scaled(3))
@given(st.integers())
def test_sixty_people_have_chains_of_the_supported_length_for_every_answer(seed):
    chains = longest_chains(sample_organisation(Stream("chains", seed), 60))
    assert set(chains) == set(world().predicates)
    assert min(chains.values()) >= world().story_spec.max_facts(60) == 19


def test_too_few_people_are_refused():
    with pytest.raises(InvalidOption, match="cannot staff an organisation by 7"):
        sample_organisation(Stream("none"), 7)
