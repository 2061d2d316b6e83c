"""Every world passes `check_world`, which finds a defect in any part of a world."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from relsmith import Stream
from relsmith.generators.clutrr import Clutrr
from relsmith.kb.worlds import world as world_module
from relsmith.kb.worlds.scene import Scene
from relsmith.kb.worlds.verdict import Status, Verdict
from relsmith.kb.worlds.world import World, find_world
from relsmith.registry import WORLDS
from relsmith.worlds import check, check_world

SLOW = "kinship-extended time-dates time-points".split()
"""Worlds that take seconds, or share their code with another world."""


@pytest.mark.parametrize(
    "world",
    [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in WORLDS.entries],
)
def test_every_world_passes_check_world(world: str) -> None:
    """Faults are planted in rows of each world by tests/generators/clutrr/test_worlds.py."""
    check_world(world, stories=False)


@pytest.mark.parametrize("world", WORLDS.entries)
def test_names_are_many_and_plain(world: str) -> None:
    pools = find_world(world).story_spec.names
    names = [name for pool in pools for name in pool]
    assert len(names) >= 200
    assert all(name.isalpha() for name in names)
    assert all(len({name[0].isupper() for name in pool}) <= 1 for pool in pools)
    common = {name for name in names if name.islower()}
    assert not {f"{name}s" for name in common} & common
    for pool in pools:
        assert not common or list(pool) == sorted(pool)


@pytest.mark.parametrize(
    ("world", "options"),
    [
        ("ordering", {"k": "2..6", "noise": "all"}),
        ("ordering", {"k": "15"}),
        ("time", {"k": "18"}),
        ("work", {"k": "2..10", "noise": "all"}),
    ],
)
def test_every_answer_occurs_at_every_length(world: str, options: dict[str, object]) -> None:
    generator = Clutrr.configure({"world": world, **options})
    assert generator.notes() == []
    assert not any("never" in caveat for caveat in generator.caveats())


def _judge(change: Callable[[Verdict], Verdict]) -> Callable[[World], World]:
    """Return a defect of the judge."""

    def wrong(world: World) -> World:
        right = world.story_spec.judge
        world.stories = replace(world.story_spec, judge=lambda *args: change(right(*args)))
        return world

    return wrong


def _scene(world: World) -> World:
    """Return scenes with a fact in one direction that is missing in the other."""
    right = world.story_spec.scene

    def wrong(stream: Stream, size: int, predicates: tuple[str, ...]) -> Scene:
        scene = right(stream, size, predicates)
        return replace(scene, between=(scene.between[0], *scene.between[2:], scene.between[1]))

    world.stories = replace(world.story_spec, scene=wrong)
    return world


def _ignorant_solver(world: World) -> World:
    right = world.story_spec.solver
    world.stories = replace(
        world.story_spec,
        solver=lambda *args: replace(right(*args), status=Status.UNDETERMINED),
    )
    return world


def _names(*names: str) -> Callable[[World], World]:
    def wrong(world: World) -> World:
        pool = world.story_spec.names._replace(female=(*world.story_spec.names.female, *names))
        world.stories = replace(world.story_spec, names=pool)
        return world

    return wrong


def _rule(world: World) -> World:
    first, second, *_ = world.predicates
    world._rules["sound"] = [(first, second, first)]
    return world


def _inverse(world: World) -> World:
    name = next(iter(world.predicates))
    wrong = world.predicates[name].model_copy(update={"inverse": None, "symmetric": True})
    world.predicates = {**world.predicates, name: wrong}
    return world


def _accept_anything(world: World) -> World:
    world.stories = replace(
        world.story_spec, judge=lambda facts, query, claimed=None: Verdict(Status.UNDETERMINED)
    )
    return world


DEFECTS: dict[str, tuple[str, Callable[[World], World], str]] = {
    "a false rule": ("spatial", _rule, "unsound"),
    "a false inverse": ("spatial", _inverse, "false inverse"),
    "a judge that checks nothing": ("spatial", _accept_anything, "the judge accepts"),
    "a judge that knows too little": (
        "time",
        _judge(lambda verdict: replace(verdict, status=Status.UNDETERMINED)),
        "rules derive",
    ),
    "a judge that finds everything possible": (
        "work",
        _judge(lambda verdict: replace(verdict, answers=verdict.answers | {"teammate"})),
        "by",
    ),
    "a judge that contradicts the truth": (
        "work",
        _judge(
            lambda verdict: (
                replace(verdict, status=Status.CONTRADICTED)
                if verdict.status is Status.UNDETERMINED
                else verdict
            )
        ),
        "Status.CONTRADICTED",
    ),
    "an uneven scene": ("spatial", _scene, "in a scene"),
    "a solver that knows too little": ("ordering", _ignorant_solver, "the solver's verdict"),
    "a name twice": ("spatial", _names("lamp"), "listed twice"),
    "a name that is a word": ("spatial", _names("row"), "words of sentences"),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_noticed(defect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, plant, said = DEFECTS[defect]
    wrong = plant(_fresh(name))
    monkeypatch.setattr(check, "find_world", lambda _: wrong)
    with pytest.raises(AssertionError, match=said):
        check_world(name, stories=False)


def _fresh(name: str) -> World:
    """Return a copy of a world that may be changed."""
    right = find_world(name)
    world = object.__new__(World)
    world.__dict__ |= {key: value for key, value in right.__dict__.items() if key not in _CACHED}
    world._rules = {ruleset: list(rules) for ruleset, rules in right._added_rules.items()}
    return world


_CACHED = {
    name for name, value in vars(World).items() if isinstance(value, world_module.cached_property)
}
