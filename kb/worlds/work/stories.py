"""What stories of the work world need: organisations, names, and the words around a story."""

from importlib.resources import files

import yaml

from ....seed import Stream
from ..scene import Scene
from ..stories import Pool, Stories
from .judge import judge
from .organisation import relation
from .staffing import largest_team, staff


def stories() -> Stories:
    """Stories of the work world are set in organisations; people are called as in families."""
    file = files("relsmith.kb.worlds.kinship") / "names.yaml"
    names = yaml.safe_load(file.read_text(encoding="utf-8"))
    return Stories(
        scene=_scene,
        longest=lambda people: largest_team(people) - 1,
        names=Pool(tuple(sorted(f"{names['female']} {names['male']}".split()))),
        judge=lambda facts, genders, query, claimed: judge(facts, query, claimed),
        question="What is {y} to {x} at work?",
        yes_no="Is {y} {x}'s {word}?",
        who="Who is {x}'s {word}? Name everyone of whom that follows, or say none.",
        plain=(
            "{y} is {x}'s {word}.",
            "{x}'s {word} is {y}.",
            "{x} has {a} {word} called {y}.",
            "{x}'s {word} goes by the name of {y}.",
            "The name of {x}'s {word} is {y}.",
            "{y} is {a} {word} of {x}.",
        ),
        legend="(A, r, B) says: B is A's r.",
        unique=frozenset(("direct manager", "skip-level manager", "principal")),
        family_names=tuple(names["family"].split()),
        # Each sentence is one that answers hinge on and nobody could know.
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
    posts = staff(stream, people)
    return Scene.where(lambda x, y: relation(posts, x, y), people, predicates)
