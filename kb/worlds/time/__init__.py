"""The time worlds: events, and Allen's thirteen relations between them."""

from functools import cache
from importlib.resources import files

import yaml

from ..world import World, load_world
from .intervals import INTERVALS
from .points import POINTS
from .stories import stories, stories_dates, stories_points


@cache
def world() -> World:
    """Return the time world, with stories about random events."""
    return load_world(
        files(__package__) / "time.yaml",
        semantics=INTERVALS,
        stories=stories(),
        sentences=files("relsmith.templates") / "time",
    )


@cache
def with_points() -> World:
    """Return the world with instants beside events."""
    banks = files("relsmith.templates")
    return load_world(
        files(__package__) / "time-points.yaml",
        semantics=POINTS,
        stories=stories_points(),
        sentences=[banks / "time", banks / "time_points"],
    )


@cache
def with_dates() -> World:
    """Return the world in which clock times or dates state some facts."""
    file = yaml.safe_load((files(__package__) / "time.yaml").read_text(encoding="utf-8"))
    shared = ("predicates", "aliases", "others", "conventions", "rulesets")
    return load_world(
        files(__package__) / "time-dates.yaml",
        semantics=INTERVALS,
        sections={name: file[name] for name in shared},
        stories=stories_dates(),
        sentences=files("relsmith.templates") / "time",
    )
