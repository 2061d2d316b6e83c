"""Backward chaining against brute force, and the count of proofs against the engine's."""

from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith import Stream
from relsmith.errors import InvalidWorld
from relsmith.generators.clutrr.chain import Chainer, Rules
from relsmith.generators.clutrr.plot import clause_of
from relsmith.kb.engine import Engine
from relsmith.kb.rules import RuleTable
from relsmith.kb.scene import Scene, members
from relsmith.kb.world import find_world

TABLES = {
    (world, rules): RuleTable.of(find_world(world), rules)
    for world, rules in (("kinship", "sound"), ("kinship", "thesis"), ("spatial", "sound"))
}
RULES = {key: Rules(table) for key, table in TABLES.items()}
ENGINES = {key: Engine(table) for key, table in TABLES.items()}
keys = st.sampled_from(sorted(TABLES))


def scene_of(world: str, seed: int, size: int) -> Scene:
    return find_world(world).scene(Stream("scene", seed), size, children=3, marriage=0.9)


def derivable(key: tuple[str, str], seed: int, length: int) -> tuple[int, ...]:
    """A clause that leads somewhere, found along a chain of some scene."""
    scene, stream = scene_of(key[0], seed, 30), Stream("clause", seed)
    chainer = Chainer(RULES[key], scene)
    pairs = [pair for p in sorted(RULES[key].concluded) for pair in scene.pairs(p)]
    while True:
        x, y = stream.choice(pairs)
        found = chainer.derive(x, y, length, 1 << x | 1 << y, stream)
        if found:
            return clause_of(scene, found.people)


@st.composite
def clauses(draw, longest=7):
    key, length = draw(keys), draw(st.integers(1, longest))
    if draw(st.booleans()):
        return key, derivable(key, draw(st.integers(0, 99)), length)
    size = len(TABLES[key].predicates)
    return key, tuple(draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=length)))


@settings(deadline=None, max_examples=150)
@given(clauses())
def test_there_are_as_many_proofs_as_the_engine_counts(found) -> None:
    key, clause = found
    names = TABLES[key].predicates
    counted = ENGINES[key].count([names[number] for number in clause])
    assert {names[p]: n for p, n in RULES[key].proofs(clause).items()} == counted


@settings(deadline=None, max_examples=60)
@given(clauses(longest=6), st.integers())
def test_a_chain_is_put_together_step_by_step(found, seed) -> None:
    """Each step joins two neighbouring stretches by a rule, until one is left: the head."""
    key, clause = found
    rules = RULES[key]
    for head in rules.proofs(clause):
        stretches = {(n, n + 1): predicate for n, predicate in enumerate(clause)}
        for start, middle, end in reversed(rules.proof(clause, head, Stream(seed))):
            first, second = stretches.pop((start, middle)), stretches.pop((middle, end))
            (made,) = [h for a, b, h in rules.heads if (a, b) == (first, second)]
            stretches[start, end] = made
        assert stretches == {(0, len(clause)): head}


def provable(rules: Rules, scene: Scene, people: tuple[int, ...]) -> bool:
    """Whether what holds along them gives what holds between the ends."""
    clause = tuple(scene.between[x][y] for x, y in pairwise(people))
    return -1 not in clause and scene.between[people[0]][people[-1]] in rules.proofs(clause)


@settings(deadline=None, max_examples=25)
@given(keys, st.integers(0, 999), st.integers(2, 3), st.integers())
def test_chains_are_those_that_brute_force_finds(key, seed, length, draw) -> None:
    rules, scene = RULES[key], scene_of(key[0], seed, 10)
    chainer, stream = Chainer(rules, scene), Stream(draw)
    everyone = range(len(scene.male))
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
            found = chainer.derive(x, y, length, taken, stream)
            # Drawing at random may get stuck where there is a way, but never invents one.
            if found is not None:
                assert tuple(found.people) in there
                for a, b, c in found.steps:
                    between = (scene.between[a][b], scene.between[b][c], scene.between[a][c])
                    assert between in rules.heads
            elif length == 2:
                assert there == set()
        if length == 2:
            assert set(members(chainer.ways(x, y)[0])) == {people[1] for people in there}


@settings(deadline=None, max_examples=25)
@given(keys, st.integers(0, 999), st.integers(2, 3), st.data())
def test_people_along_a_clause_are_found_if_there_are_any(key, seed, length, data) -> None:
    scene = scene_of(key[0], seed, 10)
    chainer, size = Chainer(RULES[key], scene), len(TABLES[key].predicates)
    clause = tuple(data.draw(st.lists(st.integers(0, size - 1), min_size=length, max_size=length)))
    there = {
        people
        for people in permutations(range(len(scene.male)), length + 1)
        if all(scene.between[x][y] == p for (x, y), p in zip(pairwise(people), clause, strict=True))
    }
    found = chainer.path(clause, Stream(seed))
    assert (tuple(found) in there) if found else not there


@settings(deadline=None, max_examples=30)
@given(keys, st.integers(0, 99), st.integers(3, 4), st.integers())
def test_a_clause_that_is_followed_holds_with_its_head_in_the_scene(key, seed, k, draw) -> None:
    """Also by the rules of the thesis, where what follows by rule may not be so."""
    rules, scene, stream = RULES[key], scene_of(key[0], seed, 30), Stream(draw)
    chainer = Chainer(rules, scene)
    clause = derivable(key, seed + 1, k)
    for head in rules.proofs(clause):
        found = chainer.follow(clause, head, stream)
        if found:
            assert scene.between[found.people[0]][found.people[-1]] == head
            for x, z, y in found.steps:
                step = scene.between[x][z], scene.between[z][y], scene.between[x][y]
                assert step in rules.heads


def test_detours_are_those_through_whom_a_fact_could_go() -> None:
    scene = scene_of("kinship", 5, 20)
    chainer = Chainer(RULES["kinship", "sound"], scene)
    people = next(
        [x, z, y]
        for x, z, y in permutations(range(20), 3)
        if provable(chainer.rules, scene, (x, z, y))
    )
    expected = {
        p
        for p in set(range(len(scene.male))) - set(people)
        for x, y in pairwise(people)
        if provable(chainer.rules, scene, (x, p, y))
    }
    taken = sum(1 << person for person in people)
    assert set(members(chainer.detours(people, taken))) == expected


def test_a_body_with_two_heads_is_refused() -> None:
    table = TABLES["kinship", "sound"]
    first, second = table.bodies["grand"][0]
    bodies = {**table.bodies, "un": (*table.bodies["un"], (first, second))}
    doubled = RuleTable(**{**vars(table), "bodies": bodies})
    with pytest.raises(InvalidWorld, match="have two heads"):
        Rules(doubled)
