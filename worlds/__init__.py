"""All that the author of a world needs: the parts of a world, and its test `check_world`.

docs/worlds.md explains each part.
"""

from ..kb.worlds.fact import (
    BridgeEnd,
    Fact,
    check_input,
    known_gender,
    nearest_first,
    query_component,
)
from ..kb.worlds.lint import WorldFinding, lint
from ..kb.worlds.rules import RuleIndex
from ..kb.worlds.scene import Scene
from ..kb.worlds.semantics import (
    Semantics,
    Situation,
    chain_names,
    counterexample,
    entailed,
    walk_chain,
)
from ..kb.worlds.stories import Bridge, DatedSentences, NamePool, StorySpec
from ..kb.worlds.verdict import NO_RELATION, Status, Verdict
from ..kb.worlds.world import World, find_world, load_world, parse_world
from .check import check_world

__all__ = [
    "NO_RELATION",
    "Bridge",
    "BridgeEnd",
    "DatedSentences",
    "Fact",
    "NamePool",
    "RuleIndex",
    "Scene",
    "Semantics",
    "Situation",
    "Status",
    "StorySpec",
    "Verdict",
    "World",
    "WorldFinding",
    "chain_names",
    "check_input",
    "check_world",
    "counterexample",
    "entailed",
    "find_world",
    "known_gender",
    "lint",
    "load_world",
    "nearest_first",
    "parse_world",
    "query_component",
    "walk_chain",
]
