"""Undetermined stories match a scene with different answers."""

from itertools import pairwise, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith import Stream
from relsmith.generators.clutrr.planning.chain import ANY, random_path
from relsmith.generators.clutrr.planning.matching import is_undetermined
from relsmith.kb.worlds.scene import Scene
from relsmith.kb.worlds.world import find_world
from relsmith.testing.profile import scaled


def facts_of(scene: Scene, chain: list[int], noise: list[int]) -> tuple[list, list, list]:
    """Return genders, the facts of the chain, and those of a path that starts at its end."""
    people = [*chain, *noise[1:]]
    clause = [scene.between[x][y] for x, y in pairwise(people)]
    facts = [(n, predicate, n + 1) for n, predicate in enumerate(clause)]
    return [scene.gender[p] for p in people], facts[: len(chain) - 1], facts[len(chain) - 1 :]


def brute_force(scene: Scene, male: list, chain: list, noise: list) -> bool:
    """Return the answers over all assignments of scene people to story people."""
    relations = set()
    for people in permutations(range(len(scene.gender)), len(male)):
        fits = all(scene.between[people[x]][people[y]] == p for x, p, y in chain + noise)
        if fits and all(
            scene.gender[p] == is_male for p, is_male in zip(people, male, strict=True)
        ):
            relations.add(scene.between[people[0]][people[len(chain)]])
    return len(relations) > 1


@settings(max_examples=scaled(120))
@given(st.sampled_from(["kinship", "ordering", "spatial", "time", "work"]), st.integers(0, 999))
def test_matching_agrees_with_brute_force(world, seed) -> None:
    scene = find_world(world).scene(Stream("open", seed), 10, children=3, marriage=0.9)
    stream = Stream("walk", seed)
    start = stream.below(10)
    chain = random_path(scene, start, 1 << start, [ANY] * 2, stream)
    noise = chain and random_path(scene, chain[-1], sum(1 << p for p in chain), [ANY], stream)
    if noise:
        facts = facts_of(scene, chain, noise)
        assert is_undetermined(scene, *facts) == brute_force(scene, *facts)


def test_noise_that_matches_in_many_ways_does_not_hide_an_undetermined_answer() -> None:
    """Regression: all tested matches differed in the noise only."""
    scene = find_world("spatial").scene(Stream("many"), 40)
    names = list(find_world("spatial").predicates)
    right, left = names.index("upper-right"), names.index("lower-left")
    pairs = scene.pairs()
    chains = ([x, z, y] for x, z in pairs[right] for y in pairs[left] if y[0] == z)
    chain = next([x, z, y[1]] for x, z, y in chains if y[1] != x)
    stream = Stream("noise")
    noise = random_path(scene, chain[-1], sum(1 << p for p in chain), [ANY] * 6, stream)
    assert is_undetermined(scene, *facts_of(scene, chain, noise))
