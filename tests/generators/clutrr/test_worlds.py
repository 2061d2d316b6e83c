"""Stories of every installed world: right with every option, and every planted fault found."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest
from stories import clutrr

from relsmith.generators.clutrr import Clutrr
from relsmith.kb.worlds.world import find_world
from relsmith.registry import WORLDS
from relsmith.testing.profile import profile, scaled, thinned
from relsmith.validation import findings, group_findings
from relsmith.worlds.planted_faults import check_fault, faults_of

T = TypeVar("T")

OPTIONS: list[dict[str, object]] = [
    {"k": "2..8", "noise": "all", "people": 70},
    {"k": "10", "style": "plain"},
    {"k": "4", "noise": "supporting,irrelevant", "noise_length": "2"},
    {"questions": 3, "k": "2..3"},
    {"siblings": "words,names,order,inverse"},
    {"siblings": "noise", "noise": "all"},
    {"answer": "yes-no", "unknown_share": 0.3, "conventions": "full"},
    {"answer": "who", "unknown_share": 0.3, "k": "2,3"},
    {"unknown_share": 0.5, "noise": "supporting", "choices": "5", "k": "2,3"},
    {"task": "memory", "choices": "all", "conventions": "brief"},
    {"task": "mixed", "style": "facts"},
    {"explain": True, "k": "2..5"},
    {"style": "facts", "direction": "forward", "side_facts": 0},
    {"style": "plain", "anonymize": True, "order": "shuffled"},
]
GENDERED: list[dict[str, object]] = [
    {"siblings": "gender,noise", "noise": "supporting"},
    {"gender": "given", "style": "plain"},
    {"words": 500, "noise": "all", "k": "2"},
    {"children": 2, "marriage": 0.5},
    {"people": 36, "k": "2"},
]


def options_of(name: str) -> list[dict[str, object]]:
    """Return options to test in a world: the common ones, and its own."""
    world = find_world(name)
    given = {"gender": "given"} if world.genders else {}
    options = [some | given if some.get("answer") == "who" else some for some in OPTIONS]
    if world.story_spec.dated:  # not for bare facts
        options = [some | {"style": "plain"} if "style" in some else some for some in options]
    if world.kinds:  # not shown by placeholders
        options = [some | {"anonymize": False} for some in options]
    if "same_gender" in world.story_spec.scene_options:
        options += [{"same_gender": 1}]
    return options + (GENDERED if world.genders else [])


def cases(tried: Callable[[str], Iterable[T]]) -> list[tuple[str, T]]:
    """Return every world with its options; in `quick` another twentieth for each."""
    step = 20 if profile() == "quick" else 1
    return [
        (world, value)
        for place, world in enumerate(WORLDS.entries)
        for value in list(tried(world))[place % step :: step]
    ]


@pytest.mark.parametrize(("world", "options"), cases(options_of), ids=str)
def test_every_row_is_right(world: str, options: dict[str, object]) -> None:
    generator = clutrr(world=world, **options)
    size = generator.group_size
    rows = list(generator.examples(max(scaled(12, least=6) // size, 1) * size))
    for row in rows:
        assert findings(generator, row) == [], row.input
    for first in range(0, len(rows), size):
        assert group_findings(generator, rows[first : first + size]) == []


@pytest.mark.parametrize(("world", "fault"), cases(faults_of))
def test_a_planted_fault_is_found(world: str, fault: str) -> None:
    check_fault(world, fault)


@pytest.mark.parametrize("world", thinned(WORLDS.entries, least=4))
def test_ceilings_are_measured(world: str) -> None:
    """Check several rows, as worlds may share words and a single row may fit both."""
    generator = clutrr("k=2..3", world=world)
    found = Clutrr.measures(generator.examples(60), generator.examples(60, seed=1))
    names = dict.fromkeys(name.partition(", k = ")[0] for name in found)
    assert list(names)[:3] == [
        "ceiling without the question",
        "end-facts baseline",
        "strongest shortcut",
    ]
    for k in (2, 3):
        programs = [f"{name}, k = {k} (%)" for name in list(names)[:3]]
        assert found[programs[-1]] == max(found[name] for name in programs)
    assert all(0 <= share <= 100 for share in found.values())
