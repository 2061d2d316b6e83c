"""If a fifth of the frames is held out, both sides cover all clauses."""

from functools import cache
from itertools import product

import pytest
from renderings import clauses

from relsmith.kb.worlds.world import find_world
from relsmith.registry import WORLDS
from relsmith.templates.bank import find_bank
from relsmith.templates.stitcher import Stitcher, held_out
from relsmith.testing.profile import scaled, thinned

# Worlds with genders have frames for some clauses only.
NEUTRAL = [name for name in WORLDS.entries if not find_world(name).genders]
SMALL = ("ordering", "work")
LEAST = {"hold_out": 16, "only": 4}
"""Share of the frames of a clause that must remain; three quarters in a small bank."""


@cache
def chains_of(world: str) -> list[tuple[str, ...]]:
    """Return the clauses to cover: all of one fact, and longer ones where there are no genders."""
    bank = find_bank(world)
    chains = clauses(bank)
    single = [chain for chain in chains if len(chain) == 1]
    longer = [chain for chain in chains if len(chain) > 1 and not bank.world.genders]
    if len(find_world(world).predicates) > 50:  # which means hundreds of thousands of clauses
        longer = longer[:: max(1, len(longer) // 150)]
    return single + thinned(longer, least=150)


@pytest.mark.parametrize(
    ("world", "side"),
    thinned(product([*NEUTRAL, "kinship-extended"], LEAST), least=8),
)
def test_both_sides_cover_all_clauses_if_a_fifth_is_held_out(world: str, side: str) -> None:
    bank, chains = find_bank(world), chains_of(world)
    least = LEAST[side] * (3 if world in SMALL else 4) // 4
    for seed in range(scaled(5)):
        stitcher = Stitcher(bank, **{side: held_out(bank, 0.2, world, seed)})
        for chain in chains:
            for genders in product(bank.world.genders or (None,), repeat=len(chain) + 1):
                every = stitcher.matching_frames(chain, genders)
                frames = {frame.id for frame, _ in every if not frame.scene}
                assert len(frames) >= least, (seed, chain, genders)
