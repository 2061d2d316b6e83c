"""Backward chaining against brute force."""

from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith import Stream
from relsmith.errors import InvalidWorld
from relsmith.generators.clutrr.planning.chain import (
    Chainer,
    ChainSampling,
    PredicateCounts,
    RuleMatches,
    Subchain,
)
from relsmith.generators.clutrr.planning.feasibility import rules_of
from relsmith.kb.worlds.rules import RuleIndex
from relsmith.kb.worlds.scene import Scene, members
from relsmith.kb.worlds.world import find_world
from relsmith.testing.profile import scaled

RULES = {
    (world, rules): RuleIndex.from_world(find_world(world), rules)
    for world, rules in (
        ("kinship", "sound"),
        ("kinship", "thesis"),
        ("spatial", "sound"),
        ("space", "sound"),
        ("time", "sound"),
        ("ordering", "sound"),
        ("work", "sound"),
    )
}
keys = st.sampled_from(sorted(RULES))


def scene_of(world: str, seed: int, size: int) -> Scene:
    return find_world(world).scene(Stream("scene", seed), size, children=3, marriage=0.9)


def sampling_of(rules: RuleIndex, stream: Stream) -> ChainSampling:
    return ChainSampling(stream, PredicateCounts(rules))


def derivable(key: tuple[str, str], seed: int, length: int) -> tuple[int, ...]:
    """Return a clause with an answer, found along a chain of some scene."""
    scene, stream = scene_of(key[0], seed, 30), Stream("clause", seed)
    chainer = Chainer(RULES[key], scene)
    pairs = [pair for p in sorted(RULES[key].head_predicates) for pair in scene.pairs()[p]]
    while True:
        x, y = stream.choice(pairs)
        chain = chainer.sample_chain(
            x, y, length, 1 << x | 1 << y, sampling_of(chainer.rules, stream)
        )
        if chain:
            return chainer.clause(chain.people)


def provable(rules: RuleIndex, scene: Scene, people: tuple[int, ...]) -> bool:
    """Return whether the rules derive the relation of the ends from the path."""
    clause = tuple(scene.between[x][y] for x, y in pairwise(people))
    return -1 not in clause and scene.between[people[0]][people[-1]] in rules.count_proofs(clause)


@settings(max_examples=scaled(25, least=10))
@given(keys, st.integers(0, 999), st.integers(2, 3), st.integers())
def test_chains_are_those_that_brute_force_finds(key, seed, length, draw) -> None:
    rules, scene = RULES[key], scene_of(key[0], seed, 10)
    chainer, stream = Chainer(rules, scene), Stream(draw)
    everyone = range(len(scene.gender))
    for x, y in list(permutations(everyone, 2))[:: 7 if length == 3 else 3]:
        if scene.between[x][y] < 0:
            continue
        taken = 1 << x | 1 << y
        others = [p for p in everyone if p not in (x, y)]
        there = {
            (x, *middle, y)
            for middle in permutations(others, length - 1)
            if provable(rules, scene, (x, *middle, y))
        }
        for _ in range(3):
            chain = chainer.sample_chain(x, y, length, taken, sampling_of(rules, stream))
            # Random draws may get stuck although a chain exists, but never return a wrong one.
            if chain is not None:
                assert tuple(chain.people) in there
                for a, b, c in chain.steps:
                    between = (scene.between[a][b], scene.between[b][c], scene.between[a][c])
                    assert between in rules.compositions
            elif length == 2:
                assert there == set()
        if length == 2:
            assert set(members(chainer.intermediates(x, y))) == {people[1] for people in there}


@settings(max_examples=scaled(25, least=10))
@given(keys, st.integers(0, 999), st.integers(2, 3), st.data())
def test_people_along_a_clause_are_found_if_there_are_any(key, seed, length, data) -> None:
    scene = scene_of(key[0], seed, 10)
    chainer, size = Chainer(RULES[key], scene), len(RULES[key].predicates)
    clause = tuple(data.draw(st.lists(st.integers(0, size - 1), min_size=length, max_size=length)))
    there = {
        people
        for people in permutations(range(len(scene.gender)), length + 1)
        if all(scene.between[x][y] == p for (x, y), p in zip(pairwise(people), clause, strict=True))
    }
    found = chainer.sample_path(clause, Stream(seed))
    assert (tuple(found) in there) if found else not there


@settings(max_examples=scaled(30, least=10))
@given(keys, st.integers(0, 99), st.integers(3, 4), st.integers())
def test_an_instantiated_clause_holds_with_its_head_in_the_scene(key, seed, k, draw) -> None:
    """Check the rules of the thesis too, whose conclusions may be false."""
    rules, scene, stream = RULES[key], scene_of(key[0], seed, 30), Stream(draw)
    chainer = Chainer(rules, scene)
    clause = derivable(key, seed + 1, k)
    for head in rules.count_proofs(clause):
        found = chainer.instantiate(clause, head, stream)
        if found:
            people, steps = found.people, found.steps
            assert scene.between[people[0]][people[-1]] == head
            for x, z, y in steps:
                step = scene.between[x][z], scene.between[z][y], scene.between[x][y]
                assert step in rules.compositions


def test_detours_are_the_people_who_can_resolve_a_fact() -> None:
    scene = scene_of("kinship", 5, 20)
    chainer = Chainer(RULES["kinship", "sound"], scene)
    people = next(
        [x, z, y]
        for x, z, y in permutations(range(20), 3)
        if provable(chainer.rules, scene, (x, z, y))
    )
    expected = {
        p
        for p in set(range(len(scene.gender))) - set(people)
        for x, y in pairwise(people)
        if provable(chainer.rules, scene, (x, p, y))
    }
    taken = sum(1 << person for person in people)
    assert set(members(chainer.detours(people, taken))) == expected


@settings(max_examples=scaled(25, least=10))
@given(keys, st.integers(0, 999), st.integers(0))
def test_decompositions_and_extensions_list_all_rules_that_hold_in_order(key, seed, free) -> None:
    """Check both ways: trying rules, and looking up people, as in space."""
    rules, scene = RULES[key], scene_of(key[0], seed, 8)
    chainer, between = Chainer(rules, scene), scene.between
    everyone = range(len(scene.gender))

    def listed(matches: RuleMatches) -> list[tuple[int, int, list[int]]]:
        people = map(members, matches.people)
        return list(zip(matches.firsts, matches.seconds, people, strict=True))

    for x, y in permutations(everyone, 2):
        through, onward, backward = [], [], []
        for first, second, head in rules.compositions:
            z = [p for p in everyone if (between[x][p], between[p][y]) == (first, second)]
            if z and between[x][y] == head:
                through.append((first, second, z))
            if first == between[x][y]:
                z = [p for p in everyone if (between[y][p], between[x][p]) == (second, head)]
                onward.append((second, head, [p for p in z if free >> p & 1]))
            if second == between[x][y]:
                z = [p for p in everyone if (between[p][x], between[p][y]) == (first, head)]
                backward.append((first, head, [p for p in z if free >> p & 1]))
        if between[x][y] >= 0:
            subchain = Subchain(x, y, between[x][y], True, -1)
            assert listed(chainer.decompositions(x, y)) == through
            after, before = (chainer.extensions(subchain, way, free) for way in (True, False))
            assert listed(after) == [way for way in onward if way[2]]
            assert listed(before) == [way for way in backward if way[2]]


@given(keys, st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=9), max_size=30))
def test_predicate_counts_give_weights_for_frequency_and_rarity(key, stories) -> None:
    rules = RULES[key]
    counts, expected = PredicateCounts(rules), [1] * len(rules.predicates)
    for story in stories:
        stated = [n % len(expected) for n in story]
        counts.add(stated)
        for predicate in stated:
            expected[predicate] += 1
            expected[rules.inverse[predicate]] += 1
        shares = [count / max(expected) for count in expected]
        assert counts.rarity == [1 / (share * share) for share in shares]
        least = min(shares) * min(shares)
        assert counts.frequency == [
            least if n in counts.self_composed else share * share for n, share in enumerate(shares)
        ]


def test_a_body_with_two_heads_is_refused(monkeypatch) -> None:
    doubled = RuleIndex(("a", "b"), [("a", "a", "a"), ("a", "a", "b")], {"a": "b", "b": "a"})
    monkeypatch.setattr(RuleIndex, "from_world", lambda *_: doubled)
    with pytest.raises(InvalidWorld, match="a and a have two heads; stories need"):
        rules_of.__wrapped__("kinship", "sound")
