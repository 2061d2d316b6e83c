"""Open stories: told as they are, a scene has them with different answers."""

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith import Stream
from relsmith.generators.clutrr.embedding import is_open
from relsmith.generators.clutrr.noise import walk
from relsmith.generators.clutrr.plot import Path, Plot, clause_of
from relsmith.kb.scene import Scene
from relsmith.kb.world import find_world


def plot_of(scene: Scene, chain: list[int], noise: list[int]) -> Plot:
    """The chain, and a path that starts at its end."""
    place = {person: at for at, person in enumerate([*chain, *noise[1:]])}
    k = len(chain) - 1
    people = [*chain, *noise[1:]]
    told = list(clause_of(scene, chain)) + list(clause_of(scene, noise))
    facts = [(place[x], p, place[y]) for x, p, y in zip(people, told, people[1:], strict=False)]
    paths = [Path(None, list(range(k + 1)), 0, k - 1), Path("irrelevant", [], k, len(facts) - 1)]
    return Plot(k, [scene.male[p] for p in people], facts, paths, [], [], 0, 0)


def by_force(scene: Scene, plot: Plot) -> bool:
    """Try everybody of the scene for everybody of the plot."""
    found = set()
    for people in permutations(range(len(scene.male)), len(plot.male)):
        fits = all(scene.between[people[x]][people[y]] == p for x, p, y in plot.facts)
        if fits and all(
            scene.male[p] == is_male for p, is_male in zip(people, plot.male, strict=True)
        ):
            found.add(scene.between[people[0]][people[plot.k]])
    return len(found) > 1


@settings(deadline=None, max_examples=120)
@given(st.sampled_from(["kinship", "spatial"]), st.integers(0, 999))
def test_as_brute_force_has_it(world, seed) -> None:
    scene = find_world(world).scene(Stream("open", seed), 10, children=3, marriage=0.9)
    stream = Stream("walk", seed)
    start = stream.below(10)
    chain = walk(scene, start, 1 << start, 2, stream)
    noise = chain and walk(scene, chain[-1], sum(1 << p for p in chain), 1, stream)
    if noise:
        plot = plot_of(scene, chain, noise)
        assert is_open(scene, plot) == by_force(scene, plot)


def test_noise_that_fits_in_many_ways_does_not_hide_an_open_answer() -> None:
    """It did: all ways that were looked at differed in the noise alone."""
    scene = find_world("spatial").scene(Stream("many"), 40)
    names = list(find_world("spatial").predicates)
    right, left = names.index("upper-right"), names.index("lower-left")
    chains = ([x, z, y] for x, z in scene.pairs(right) for y in scene.pairs(left) if y[0] == z)
    chain = next([x, z, y[1]] for x, z, y in chains if y[1] != x)
    stream = Stream("noise")
    noise = walk(scene, chain[-1], sum(1 << p for p in chain), 6, stream)
    assert is_open(scene, plot_of(scene, chain, noise))
