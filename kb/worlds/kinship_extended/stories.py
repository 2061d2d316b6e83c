"""What stories of extended families need: families, names, and the words around a story."""

from dataclasses import replace
from importlib.resources import files

import yaml

from ..kinship.stories import stories as kinship_stories
from ..stories import Stories
from . import unstated
from .growth import grow, grow_unstated, longest, longest_chain
from .judge import judge


def stories() -> Stories:
    """Stories of extended families, with the names of the kinship world."""
    kinship = kinship_stories()
    return Stories(
        scene=grow,
        longest=longest,
        longest_chain=longest_chain,
        names=kinship.names,
        judge=judge,
        question="How is {y} related to {x}?",
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
        # Without it, one would take parents for a couple, and half-brothers for brothers.
        opening=(
            "In these families parents need not be married, some have children with several "
            "people, and nobody has two spouses at a time. Brothers and sisters have both parents "
            "in common, half-brothers and half-sisters just one; uncles, aunts and cousins are so "
            "by brothers and sisters, full or half, never by marriage."
        ),
        unique=frozenset(["husband", "wife"]),
        family_names=kinship.family_names,
        heeds=("children", "marriage", "same_gender"),
    )


def stories_unstated() -> Stories:
    """The same, in which some people's gender is not stated and their names tell none."""
    stated = stories()
    names = yaml.safe_load((files(__package__) / "names.yaml").read_text(encoding="utf-8"))
    return replace(
        stated,
        scene=grow_unstated,
        names=stated.names._replace(unstated=tuple(names["unstated"].split())),
        judge=unstated.judge,
        opening=(
            "In these families parents need not be married, some have children with several "
            "people, and nobody has two spouses at a time. Siblings, that is brothers and sisters, "
            "have both parents in common, half-siblings just one; uncles, aunts and cousins are so "
            "by siblings, full or half, never by marriage. Of some people the gender is not told: "
            "they are a pibling instead of an uncle or an aunt, a nibling instead of a nephew or "
            "a niece."
        ),
        unique=stated.unique | {"spouse"},
    )
