"""Story specifications of the extended kinship worlds."""

from dataclasses import replace

from ..kinship.stories import WHO
from ..kinship.stories import stories as kinship_stories
from ..questions import WhoQuestion
from ..stories import StorySpec, word_lists
from . import unstated
from .growth import grow, grow_unstated, max_chain_facts, max_facts
from .judge import judge


def stories() -> StorySpec:
    """Return the specification of stories about extended families."""
    return replace(
        kinship_stories(),
        scene=grow,
        max_facts=max_facts,
        max_chain_facts=max_chain_facts,
        judge=judge,
        questions=(WhoQuestion(WHO),),
        weak_semantics=None,
        # Without it, parents would be taken for a couple, and half-brothers for brothers.
        opening=(
            "In these families parents need not be married, some have children with several "
            "people, and nobody has two spouses at a time. Brothers and sisters have both parents "
            "in common, half-brothers and half-sisters just one; uncles, aunts and cousins are so "
            "by brothers and sisters, full or half, never by marriage."
        ),
        unique_words=frozenset(["husband", "wife"]),
        scene_options=("children", "marriage", "same_gender"),
    )


def stories_unstated() -> StorySpec:
    """Return the specification of stories in which some people have no stated gender."""
    stated, names = stories(), word_lists("kinship_extended", "names.yaml")
    return replace(
        stated,
        scene=grow_unstated,
        names=stated.names._replace(unstated=names["unstated"]),
        judge=unstated.judge,
        opening=(
            "In these families parents need not be married, some have children with several "
            "people, and nobody has two spouses at a time. Siblings, that is brothers and sisters, "
            "have both parents in common, half-siblings just one; uncles, aunts and cousins are so "
            "by siblings, full or half, never by marriage. Of some people the gender is not told: "
            "they are a pibling instead of an uncle or an aunt, a nibling instead of a nephew or "
            "a niece."
        ),
        unique_words=stated.unique_words | {"spouse"},
    )
