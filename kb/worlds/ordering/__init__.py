"""The ordering world: people compared by height, age, speed and strength."""

from functools import cache
from importlib.resources import files

from ....seed import Stream
from ..questions import RankQuestion, WhoQuestion
from ..scene import Scene
from ..stories import NamePool, StorySpec, word_lists
from ..world import World, load_world
from .closure import all_matching, all_ranked
from .judge import judge as judge_facts
from .lineup import relation, sample_lineup, tied_people
from .ranks import RANKS


@cache
def world() -> World:
    """Return the ordering world, with stories about random people."""
    return load_world(
        files(__package__) / "ordering.yaml",
        semantics=RANKS,
        stories=stories(),
        sentences=files("relsmith.templates") / "ordering",
    )


_SUPERLATIVES = {
    "taller": "tallest",
    "shorter": "shortest",
    "older": "oldest",
    "younger": "youngest",
    "faster": "fastest",
    "slower": "slowest",
    "stronger": "strongest",
    "weaker": "weakest",
}


def stories() -> StorySpec:
    """Return the specification of stories that compare people."""
    names = word_lists("kinship", "names.yaml")
    return StorySpec(
        scene=_scene,
        max_facts=tied_people,
        max_chain_facts=lambda people: tied_people(people) - 2,
        names=NamePool(tuple(sorted(names["female"] + names["male"]))),
        judge=judge_facts,
        # The relation word fits the gap as it is.
        question='Which words fill the gap and say as much as is certain: "{y} is ... {x}"?',
        yes_no="Is it true that {y} is {word} {x}?",
        questions=(
            WhoQuestion(
                "Who else is {word} {x}? Name everyone of whom that follows, or say none.",
                all_matching,
            ),
            RankQuestion(
                "Of {people}, who is the {asked}, with {ahead} of them {more}? Name everyone of "
                "whom that is certain, or say none.",
                _SUPERLATIVES,
                all_ranked,
            ),
        ),
        plain=(
            "{y} is {word} {x}.",
            "{y}, for one, is {word} {x}.",
            "{y} is, as it happens, {word} {x}.",
        ),
        legend="(A, r, B) says: B is r A.",
        family_names=names["family"],
        opening=(
            'To be "as tall as" somebody is to be exactly as tall; to be "not taller than" '
            "somebody is to be shorter or exactly as tall. The same goes for age, speed and "
            "strength, which have nothing to do with height or with each other."
        ),
    )


def _scene(stream: Stream, people: int, predicates: tuple[str, ...]) -> Scene:
    lineup = sample_lineup(stream, people)
    return Scene.from_relation(lambda x, y: relation(lineup, x, y), people, predicates)
