"""Extended families: half and step relations, former spouses, cousins of all kinds."""

from functools import cache
from importlib.resources import files

from ..world import World, load_world
from .semantics import EXTENDED
from .stories import stories, stories_unstated


@cache
def world() -> World:
    """Return the extended kinship world, with stories about random families."""
    return load_world(
        files(__package__) / "kinship-extended.yaml",
        semantics=EXTENDED,
        stories=stories(),
        sentences=files("relsmith.templates") / "kinship_extended",
    )


@cache
def unstated() -> World:
    """Return the variant with unstated genders; no axiom refers to genders, so rules are shared."""
    return load_world(
        files(__package__) / "kinship-unstated.yaml",
        semantics=EXTENDED,
        rules={"sound": world().compositions()},
        stories=stories_unstated(),
        sentences=files("relsmith.templates") / "kinship_extended",
    )
