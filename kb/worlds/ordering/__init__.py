"""The ordering world: people compared by height, age, speed and strength."""

from functools import cache
from importlib.resources import files

from ....seed import Stream
from ..scene import Scene
from ..stories import Bridge, NamePool, StorySpec, story_texts, word_lists
from ..world import World, load_world
from .judge import judge as judge_facts
from .lineup import relation, sample_lineup, tied_people
from .ranks import COMPARISONS, RANKS
from .solver import solve


@cache
def world() -> World:
    """Return the ordering world, with stories about random people."""
    names = word_lists("kinship", "names.yaml")
    stories = StorySpec(
        **story_texts(__package__, "ordering"),
        scene=_scene,
        max_facts=tied_people,
        max_chain_facts=lambda people: tied_people(people) - 2,
        names=NamePool(tuple(sorted(names["female"] + names["male"]))),
        judge=judge_facts,
        solver=solve,
        family_names=names["family"],
        bridge=Bridge(tuple(COMPARISONS), RANKS.predicates, RANKS.predicates),
    )
    return load_world(
        files(__package__) / "ordering.yaml",
        semantics=RANKS,
        stories=stories,
        sentences=files("relsmith.templates") / "en" / "ordering",
    )


def _scene(stream: Stream, people: int, predicates: tuple[str, ...]) -> Scene:
    lineup = sample_lineup(stream, people)
    return Scene.from_relation(lambda x, y: relation(lineup, x, y), people, predicates)
