"""The work world: managers, teammates, deputies and mentors in an organisation."""

from functools import cache
from importlib.resources import files

from ....seed import Stream
from ..questions import WhoQuestion
from ..scene import Scene
from ..stories import NamePool, StorySpec, word_lists
from ..world import World, load_world
from .judge import judge as judge_facts
from .organisation import ORGANISATION, relation
from .staffing import largest_team, sample_organisation


@cache
def world() -> World:
    """Return the work world, with stories about random organisations."""
    return load_world(
        files(__package__) / "work.yaml",
        semantics=ORGANISATION,
        stories=stories(),
        sentences=files("relsmith.templates") / "work",
    )


def stories() -> StorySpec:
    """Return the specification of stories about organisations."""
    names = word_lists("kinship", "names.yaml")
    return StorySpec(
        scene=_scene,
        max_facts=lambda people: largest_team(people) - 1,
        names=NamePool(tuple(sorted(names["female"] + names["male"]))),
        judge=judge_facts,
        question="What is {y} to {x} at work?",
        yes_no="Is {y} {x}'s {word}?",
        questions=(
            WhoQuestion("Who is {x}'s {word}? Name everyone of whom that follows, or say none."),
        ),
        plain=(
            "{y} is {x}'s {word}.",
            "{x}'s {word} is {y}.",
            "{x} has {a} {word} called {y}.",
            "{x}'s {word} goes by the name of {y}.",
            "The name of {x}'s {word} is {y}.",
            "{y} is {a} {word} of {x}.",
        ),
        legend="(A, r, B) says: B is A's r.",
        unique_words=frozenset(("direct manager", "skip-level manager", "principal")),
        family_names=names["family"],
        # Answers depend on each sentence, and readers could not know it.
        opening=(
            "Teammates are all who have the same direct manager, and nobody has two direct "
            "managers. Deputies and mentors are on no team and lead none, and nobody is both. A "
            "deputy has one principal; all deputies of a direct manager, and only they, are "
            "stand-in managers of the team. A mentor mentors all of one team, and nobody else. A "
            "skip-level manager is two levels up, a distant manager three or more. Nobody is two "
            "things to another."
        ),
    )


def _scene(stream: Stream, people: int, predicates: tuple[str, ...]) -> Scene:
    posts = sample_organisation(stream, people)
    return Scene.from_relation(lambda x, y: relation(posts, x, y), people, predicates)
