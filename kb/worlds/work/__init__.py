"""The work world: managers, teammates, deputies and mentors in an organisation."""

from functools import cache
from importlib.resources import files

from ..world import World, load_world
from .organisation import ORGANISATION
from .stories import stories


@cache
def world() -> World:
    """Return the work world, with stories about random organisations."""
    return load_world(
        files(__package__) / "work.yaml",
        semantics=ORGANISATION,
        stories=stories(),
        sentences=files("relsmith.templates") / "work",
    )
