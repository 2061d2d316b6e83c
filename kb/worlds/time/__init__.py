"""The time worlds: events, and Allen's thirteen relations between them."""

from dataclasses import replace
from functools import cache
from importlib.resources import files

from ....seed import Stream
from ....tables import load_tables
from ..scene import Scene
from ..stories import DatedSentences, NamePool, StorySpec, story_texts, word_lists
from ..world import World, load_world
from .dated_parser import parse_dated
from .dated_writer import dated_words, render_dated
from .intervals import INTERVALS, POINTS, relation
from .judge import judge as judge_facts
from .judge import judge_points
from .programme import coinciding_events, sample_intervals, sample_intervals_and_points
from .solver import solve, solve_points


@cache
def world() -> World:
    """Return the time world, with stories about random events."""
    return load_world(
        files(__package__) / "time.yaml",
        semantics=INTERVALS,
        stories=stories(),
        sentences=files("relsmith.templates") / "en" / "time",
    )


@cache
def with_points() -> World:
    """Return the world with instants beside events."""
    banks, instants = (
        files("relsmith.templates") / "en",
        word_lists("time", "instants.yaml")["instants"],
    )
    return load_world(
        files(__package__) / "time-points.yaml",
        semantics=POINTS,
        stories=replace(
            stories(),
            scene=_scene_points,
            names=NamePool(_events(), instants),
            name_groups=tuple(group.union(instants) for group in _groups()),
            judge=judge_points,
            solver=solve_points,
            who=story_texts(__package__, "time", "time-points")["who"],
        ),
        sentences=[banks / "time", banks / "time_points"],
    )


@cache
def with_dates() -> World:
    """Return the world in which clock times or dates state some facts."""
    file = load_tables(__package__, "time.yaml")
    shared = ("predicates", "aliases", "others", "rulesets")
    return load_world(
        files(__package__) / "time-dates.yaml",
        semantics=INTERVALS,
        sections={name: file[name] for name in shared},
        stories=replace(stories(), dated=DatedSentences(render_dated, parse_dated, dated_words())),
        sentences=files("relsmith.templates") / "en" / "time",
    )


def stories() -> StorySpec:
    """Return the specification of stories about events."""
    return StorySpec(
        **story_texts(__package__, "time"),
        scene=_scene,
        max_facts=lambda events: coinciding_events(events) - 2,
        names=NamePool(_events()),
        name_groups=_groups(),
        judge=judge_facts,
        solver=solve,
    )


def _events() -> tuple[str, ...]:
    listed = word_lists("time", "events.yaml")
    return tuple(sorted(listed["hours"] + listed["days"]))


def _groups() -> tuple[frozenset[str], ...]:
    return tuple(map(frozenset, word_lists("time", "events.yaml").values()))


def _scene(stream: Stream, events: int, predicates: tuple[str, ...]) -> Scene:
    spans = sample_intervals(stream, events)
    return Scene.from_relation(lambda x, y: relation(spans[x], spans[y]), events, predicates)


def _scene_points(stream: Stream, size: int, predicates: tuple[str, ...]) -> Scene:
    spans = sample_intervals_and_points(stream, size)
    scene = Scene.from_relation(lambda x, y: relation(spans[x], spans[y]), size, predicates)
    return replace(scene, gender=tuple(int(start == end) for start, end in spans))
