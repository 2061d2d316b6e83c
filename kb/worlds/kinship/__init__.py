"""Families: who is whose child, spouse, sibling, grandparent, in-law, uncle or niece."""

from functools import cache
from importlib.resources import files

from ..stories import Bridge, NamePool, StorySpec, story_texts, word_lists
from ..world import World, load_world
from .couples import solve
from .family import RELATIONS
from .growth import grow
from .judge import judge as judge_facts
from .semantics import FAMILY, WEAK_FAMILY

_SINGLE = frozenset(("inv-child", "inv-grand", "sibling", "un", "inv-un"))
"""Predicates that may hold from somebody without a spouse, and imply none."""


@cache
def world() -> World:
    """Return the kinship world, with stories about random families."""
    return load_world(
        files(__package__) / "kinship.yaml",
        semantics=FAMILY,
        stories=stories(),
        sentences=files("relsmith.templates") / "en" / "kinship",
    )


def stories() -> StorySpec:
    """Return the specification of stories about families."""
    names = word_lists("kinship", "names.yaml")
    return StorySpec(
        **story_texts(__package__, "kinship"),
        scene=grow,
        max_facts=lambda people: people // 2 - 1,
        names=NamePool(names["female"], names["male"]),
        judge=judge_facts,
        solver=solve,
        unique_words=frozenset("father mother husband wife father-in-law mother-in-law".split()),
        family_names=names["family"],
        bridge=Bridge(("SO",), _SINGLE, _SINGLE),
        generations={
            predicate: paths[0].count("up") - paths[0].count("down")
            for predicate, paths in RELATIONS.items()
        },
        scene_options=("children", "marriage"),
        weak_semantics=WEAK_FAMILY,
    )
