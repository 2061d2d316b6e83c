"""If a fifth of the frames is held out, both sides cover all clauses."""

from itertools import product

import pytest

from relsmith.kb.worlds.world import find_world
from relsmith.registry import WORLDS
from relsmith.templates.bank import find_bank
from relsmith.templates.statistics import clauses
from relsmith.templates.stitcher import Stitcher, held_out
from relsmith.testing.profile import scaled

# Those with genders have frames for some of them only.
NEUTRAL = [name for name in WORLDS.entries if not find_world(name).genders]
SMALL = ("ordering", "space-3d", "work")
LEAST = {"hold_out": 16, "only": 4}
"""So many frames are left for every clause, and three quarters of it in a small bank."""


@pytest.mark.parametrize("world", [*NEUTRAL, "kinship-extended", "kinship-unstated"])
@pytest.mark.parametrize("side", LEAST)
def test_both_sides_cover_all_clauses_if_a_fifth_is_held_out(world: str, side: str) -> None:
    bank = find_bank(world)
    chains = clauses(bank)
    if bank.world.genders:
        chains = [chain for chain in chains if len(chain) == 1]
    elif len(find_world(world).predicates) > 50:  # and so clauses by the hundred thousand
        chains = chains[:: max(1, len(chains) // 150)]
    least = LEAST[side] * (3 if world in SMALL else 4) // 4
    for seed in range(scaled(5)):
        stitcher = Stitcher(bank, **{side: held_out(bank, 0.2, world, seed)})
        for chain in chains:
            for genders in product(bank.world.genders or (None,), repeat=len(chain) + 1):
                frames = {frame.id for frame, _ in stitcher.matching_frames(chain, genders)}
                assert len(frames) >= least, (seed, chain, genders)
