"""An organisation: who is whose manager, teammate, deputy or mentor."""

from functools import cache
from importlib.resources import files

from ..world import World, load_world
from .organisation import ORGANISATION
from .stories import stories


@cache
def world() -> World:
    """The work world of work.yaml, with stories about people in organisations made at random."""
    return load_world(
        files(__package__) / "work.yaml",
        semantics=ORGANISATION,
        stories=stories(),
        sentences=files("relsmith.templates") / "work",
    )
