"""Families: who is whose child, spouse, sibling, grandparent, in-law, uncle or niece."""

from functools import cache
from importlib.resources import files

from ..world import World, load_world
from .semantics import FAMILY
from .stories import stories


@cache
def world() -> World:
    """Return the kinship world, with stories about random families."""
    return load_world(
        files(__package__) / "kinship.yaml",
        semantics=FAMILY,
        stories=stories(),
        sentences=files("relsmith.templates") / "kinship",
    )
