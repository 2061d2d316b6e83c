"""What stories of the world of ordering need: people to compare, and the words around a story."""

from importlib.resources import files

import yaml

from ....seed import Stream
from ..scene import Scene
from ..stories import Pool, Stories
from .closure import everyone, ranked
from .judge import judge
from .lineup import alike, line_up, relation


def stories() -> Stories:
    """Stories of ordering compare people, who are called as in families."""
    file = files("relsmith.kb.worlds.kinship") / "names.yaml"
    names = yaml.safe_load(file.read_text(encoding="utf-8"))
    return Stories(
        scene=_scene,
        longest=alike,
        longest_chain=lambda people: alike(people) - 2,
        names=Pool(tuple(sorted(f"{names['female']} {names['male']}".split()))),
        judge=lambda facts, genders, query, claimed: judge(facts, query, claimed),
        everyone=everyone,
        # The relation word fits the gap as it is.
        question='Which words fill the gap and say as much as is certain: "{y} is ... {x}"?',
        yes_no="Is it true that {y} is {word} {x}?",
        who="Who else is {word} {x}? Name everyone of whom that follows, or say none.",
        rank=(
            "Of {people}, who is the {asked}, with {ahead} of them {more}? Name everyone of whom "
            "that is certain, or say none."
        ),
        ranked=ranked,
        plain=(
            "{y} is {word} {x}.",
            "{y}, for one, is {word} {x}.",
            "{y} is, as it happens, {word} {x}.",
        ),
        legend="(A, r, B) says: B is r A.",
        family_names=tuple(names["family"].split()),
        opening=(
            'To be "as tall as" somebody is to be exactly as tall; to be "not taller than" '
            "somebody is to be shorter or exactly as tall. The same goes for age, speed and "
            "strength, which have nothing to do with height or with each other."
        ),
    )


def _scene(stream: Stream, people: int, predicates: tuple[str, ...]) -> Scene:
    lineup = line_up(stream, people)
    return Scene.where(lambda x, y: relation(lineup, x, y), people, predicates)
