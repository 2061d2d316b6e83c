"""Extended families: half and step relations, former spouses, cousins of all kinds."""

from dataclasses import replace
from functools import cache, partial
from importlib.resources import files

from ..kinship import stories as kinship_stories
from ..stories import Bridge, StorySpec, word_lists
from ..world import World, load_world
from .growth import grow, grow_unstated, max_chain_facts, max_facts
from .judge import judge as judge_facts
from .semantics import EXTENDED
from .solver import solve
from .unstated import judge as judge_unstated

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
        # The scenes speak of things as "they", which in the variant could mean a person.
        sentences=[_BANKS / "kinship" / "scenes", _BANKS / "kinship_extended"],
    )


@cache
def unstated() -> World:
    """Return the variant with unstated genders; no axiom refers to genders, so rules are shared."""
    stated, names = stories(), word_lists("kinship_extended", "names.yaml")
    return load_world(
        files(__package__) / "kinship-unstated.yaml",
        semantics=EXTENDED,
        rules={"sound": world().compositions()},
        stories=replace(
            stated,
            scene=grow_unstated,
            names=stated.names._replace(unstated=names["unstated"]),
            judge=judge_unstated,
            solver=partial(solve, "kinship-unstated"),
            unique_words=stated.unique_words | {"spouse"},
        ),
        sentences=_BANKS / "kinship_extended",
    )


def stories() -> StorySpec:
    """Return the specification of stories about extended families."""
    kinship = kinship_stories()
    return replace(
        kinship,
        scene=grow,
        max_facts=max_facts,
        max_chain_facts=max_chain_facts,
        judge=judge_facts,
        solver=partial(solve, "kinship-extended"),
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
