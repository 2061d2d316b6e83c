"""The work world: managers, teammates, deputies and mentors in an organisation."""

from functools import cache
from importlib.resources import files

from ....seed import Stream
from ..scene import Scene
from ..stories import Bridge, NamePool, StorySpec, story_texts, word_lists
from ..world import World, load_world
from .judge import judge as judge_facts
from .organisation import ORGANISATION, relation
from .solver import solve
from .staffing import largest_team, sample_organisation

_LEADER = frozenset(("report", "skip-report", "distant-report", "deputy"))
"""Predicates that hold from people without a manager who are neither deputies nor mentors."""
_ON_TEAM = frozenset(
    ("manager", "skip-manager", "distant-manager", "teammate", "stand-in-manager", "mentor")
)


@cache
def world() -> World:
    """Return the work world, with stories about random organisations."""
    names = word_lists("kinship", "names.yaml")
    stories = StorySpec(
        **story_texts(__package__, "work"),
        scene=_scene,
        max_facts=lambda people: largest_team(people) - 1,
        names=NamePool(tuple(sorted(names["female"] + names["male"]))),
        judge=judge_facts,
        solver=solve,
        unique_words=frozenset(("direct manager", "skip-level manager", "principal")),
        family_names=names["family"],
        bridge=Bridge(("report",), _LEADER | _ON_TEAM, _LEADER),
    )
    return load_world(
        files(__package__) / "work.yaml",
        semantics=ORGANISATION,
        stories=stories,
        sentences=files("relsmith.templates") / "en" / "work",
    )


def _scene(stream: Stream, people: int, predicates: tuple[str, ...]) -> Scene:
    posts = sample_organisation(stream, people)
    return Scene.from_relation(lambda x, y: relation(posts, x, y), people, predicates)
