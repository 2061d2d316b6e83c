"""Extended families: half and step relations, former spouses, cousins of all kinds."""

from dataclasses import replace
from functools import cache
from importlib.resources import files

from ....tables import load_tables
from ..kinship import stories as kinship_stories
from ..stories import Bridge, StorySpec
from ..world import World, load_world
from .growth import grow, max_chain_facts, max_facts
from .judge import judge as judge_facts
from .semantics import EXTENDED
from .solver import solve

_BANKS = files("relsmith.templates") / "en"


@cache
def world() -> World:
    """Return the extended kinship world, with stories about random families."""
    return load_world(
        files(__package__) / "kinship-extended.yaml",
        semantics=EXTENDED,
        stories=stories(),
        sentences=[_BANKS / "kinship" / "scenes", _BANKS / "kinship_extended"],
    )


def neutral_words() -> dict[str, str]:
    """Return the words without gender, such as sibling, by predicate."""
    words: dict[str, str] = load_tables(__package__, "neutral.yaml")
    return words


def stories() -> StorySpec:
    """Return the specification of stories about extended families."""
    kinship, tables = kinship_stories(), load_tables(__package__, "stories.yaml")
    single = frozenset(tables["single"])
    return replace(
        kinship,
        scene=grow,
        max_facts=max_facts,
        max_chain_facts=max_chain_facts,
        judge=judge_facts,
        solver=solve,
        weak_semantics=None,
        unique_words=frozenset(["husband", "wife"]),
        generations=tables["generations"],
        scene_options=("children", "marriage", "same_gender"),
        bridge=Bridge(("SO",), single, single),
    )
