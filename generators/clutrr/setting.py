"""What stories need of a world beyond its rules and its sentences."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import cast

from ...kb.fact import Fact
from ...kb.semantics import find_semantics
from ...kb.verdict import Verdict
from ...kb.world import World, find_world
from ...registry import SETTINGS
from ...seed import Stream
from .people import Pool
from .scene import Scene

Judge = Callable[[Iterable[Fact], Mapping[str, str], tuple[str, str], str | None], Verdict]
"""Says of facts, genders by name, a query and perhaps a claimed word how they stand."""

SHIPPED = "shipped"
"""For names and sentences: our own."""

_SCALINGS = 400


@dataclass(frozen=True, eq=False)
class Setting:
    """Where the stories of a world are set: its scenes, names, questions and judge.

    `scene` makes one from a stream, a number of people, the most children of a couple and the
    chance of marrying; a world without couples does not mind the last two. `longest` says
    how many facts a chain may have in a scene of so many, `semantics` names the one that assumes
    as little as the judge does, `opening` is said before every story, and `legend` before bare
    facts: which way round they are to be read.
    """

    name: str
    scene: Callable[[Stream, int, int, float], Scene]
    longest: Callable[[int], int]
    pool: Callable[[], Pool]
    judge: Judge
    question: str
    yes_no: str
    plain: tuple[str, ...]
    legend: str
    semantics: str
    opening: str = ""

    @property
    def world(self) -> World:
        """The world of that name."""
        return find_world(self.name)

    @cached_property
    def words(self) -> tuple[tuple[str, str], ...]:
        """For each predicate the word for a woman and the word for a man, or twice the same."""
        return tuple(
            (predicate.word("female"), predicate.word("male"))
            if self.world.genders
            else (predicate.word(), predicate.word())
            for predicate in self.world.predicates.values()
        )

    def denials(self, among: frozenset[int]) -> tuple[tuple[float, ...], ...]:
        """For each predicate that holds, how often to ask for which other that then cannot hold.

        All of those that can hold are asked for equally often in the end, and none besides, so
        that a question gives no answer away.
        """
        return _denials(self, among)


@cache
def _denials(setting: Setting, among: frozenset[int]) -> tuple[tuple[float, ...], ...]:
    names, inverse = list(setting.world.predicates), setting.world.inverse
    scenes = find_semantics(setting.semantics).scenes
    table = [
        [
            float({at, to} <= among and not scenes((name, inverse(other) or ""), closed=True))
            for to, other in enumerate(names)
        ]
        for at, name in enumerate(names)
    ]
    # Sinkhorn's way: scale rows and columns in turn until both add up to one.
    for _ in range(_SCALINGS):
        table = [_scaled(list(column)) for column in zip(*table, strict=True)]
    return tuple(map(tuple, table))


def _scaled(row: list[float]) -> list[float]:
    total = sum(row)
    return [share / total for share in row] if total else row


@cache
def find_setting(name: str) -> Setting:
    """The setting registered under this name in the entry point group relsmith.settings."""
    return cast(Setting, SETTINGS.get(name))
