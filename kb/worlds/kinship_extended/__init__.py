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

_SINGLE = frozenset(
    (
        *("inv-child", "inv-grand", "inv-great-grand", "inv-step-child", "inv-godchild"),
        *("godchild", "sibling", "half-sibling", "step-sibling"),
        *("un", "inv-un", "great-un", "inv-great-un"),
        *("cousin", "cousin-once-removed", "cousin-twice-removed", "second-cousin"),
        *("second-cousin-once-removed", "second-cousin-twice-removed"),
    )
)
"""Predicates that may hold from somebody without spouses or children, and imply none."""

_BELOW = {
    **{"child": 1, "step-child": 1, "in-law": 1, "un": 1},
    **{"grand": 2, "great-un": 2, "great-grand": 3},
}
"""By predicate from x to y, how many generations y is below x."""


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
    kinship = kinship_stories()
    return replace(
        kinship,
        scene=grow,
        max_facts=max_facts,
        max_chain_facts=max_chain_facts,
        judge=judge_facts,
        solver=solve,
        weak_semantics=None,
        unique_words=frozenset(["husband", "wife"]),
        generations={
            **dict.fromkeys(("SO", "sibling", "half-sibling", "step-sibling", "sibling-in-law"), 0),
            **dict.fromkeys(("ex-SO", "cousin", "second-cousin"), 0),
            **{predicate: -below for predicate, below in _BELOW.items()},
            **{f"inv-{predicate}": below for predicate, below in _BELOW.items()},
        },
        scene_options=("children", "marriage", "same_gender"),
        bridge=Bridge(("SO",), _SINGLE, _SINGLE),
    )
