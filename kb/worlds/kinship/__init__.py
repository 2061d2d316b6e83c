"""Families: who is whose child, spouse, sibling, grandparent, in-law, uncle or niece."""

from functools import cache
from importlib.resources import files

from ..questions import WhoQuestion
from ..stories import NamePool, StorySpec, word_lists
from ..world import World, load_world
from .couples import all_matching
from .growth import grow
from .judge import judge as judge_facts
from .semantics import FAMILY, WEAK_FAMILY


@cache
def world() -> World:
    """Return the kinship world, with stories about random families."""
    return load_world(
        files(__package__) / "kinship.yaml",
        semantics=FAMILY,
        stories=stories(),
        sentences=files("relsmith.templates") / "kinship",
    )


WHO = "Who is {x}'s {word}? Name everyone of whom that follows, or say none."


def stories() -> StorySpec:
    """Return the specification of stories about families."""
    names = word_lists("kinship", "names.yaml")
    return StorySpec(
        scene=grow,
        max_facts=lambda people: people // 2 - 1,
        names=NamePool(names["female"], names["male"]),
        judge=judge_facts,
        question="How is {y} related to {x}?",
        yes_no="Is {y} {x}'s {word}?",
        questions=(WhoQuestion(WHO, all_matching),),
        plain=(
            "{y} is {x}'s {word}.",
            "{x}'s {word} is {y}.",
            "{x} has {a} {word} called {y}.",
            "{x}'s {word} goes by the name of {y}.",
            "The name of {x}'s {word} is {y}.",
            "{y} is {a} {word} of {x}.",
        ),
        legend="(A, r, B) says: B is A's r.",
        unique_words=frozenset("father mother husband wife father-in-law mother-in-law".split()),
        family_names=names["family"],
        scene_options=("children", "marriage"),
        weak_semantics=WEAK_FAMILY,
    )
