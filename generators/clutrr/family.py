"""The families that stories are taken from: grown at random, completed by what relations mean."""

from functools import cache

from ...kb.kinship import world
from ...kb.kinship.family import RELATIONS
from ...kb.kinship.judge import judge
from ...seed import Stream
from .people import people as names
from .scene import Scene, members
from .setting import Setting
from .telling import FAMILY


@cache
def setting() -> Setting:
    """Kinship stories are set in families."""
    return Setting(
        name="kinship",
        scene=grow,
        longest=lambda people: people // 2 - 1,
        pool=names,
        judge=judge,
        question="How is {y} related to {x}?",
        yes_no="Is {y} {x}'s {word}?",
        plain=FAMILY,
        legend="(A, r, B) says: B is A's r.",
        semantics="family-least",
    )


def grow(stream: Stream, people: int, children: int, marriage: float) -> Scene:
    """A family of about so many people: founders, then generations that marry and have children.

    Nobody marries kin, so no two relations ever hold between the same two people.
    """
    male: list[bool] = []
    up: list[int] = []
    down: list[int] = []
    wed: list[int] = []
    clan: list[int] = []

    def person(is_male: bool, clans: int, parents: int = 0) -> int:
        male.append(is_male)
        up.append(parents)
        down.append(0)
        wed.append(0)
        clan.append(clans)
        return len(male) - 1

    def marry(one: int, other: int) -> None:
        wed[one], wed[other] = 1 << other, 1 << one
        brood = 0
        both = clan[one] | clan[other]
        for _ in range(1 + stream.below(children)):
            if len(male) >= people:
                break
            child = person(stream.random() < 0.5, both, 1 << one | 1 << other)
            brood |= 1 << child
            single.append(child)
        down[one] = down[other] = brood

    single: list[int] = []
    for founder in range(2):
        couple = person(True, 1 << founder), person(False, 1 << founder)
        marry(*couple)
    newcomers = 2
    unmarried: list[int] = []
    while len(male) < people:
        if not single:
            # Too few married for a family of that size: ask the others again.
            single, unmarried = unmarried, []
        one = single.pop(0)
        if stream.random() >= marriage:
            unmarried.append(one)
            continue
        matches = [p for p in single if male[p] != male[one] and not clan[p] & clan[one]]
        if matches and stream.random() < 0.5:
            other = stream.choice(matches)
            single.remove(other)
        else:
            other = person(not male[one], 1 << newcomers)
            newcomers += 1
        marry(one, other)
    return _complete(male, up, down, wed)


def _complete(male: list[bool], up: list[int], down: list[int], wed: list[int]) -> Scene:
    side = []
    for person, parents in enumerate(up):
        brood = down[members(parents)[0]] if parents else 0
        side.append(brood & ~(1 << person))
    steps = {"up": up, "down": down, "side": side, "wed": wed}
    related = []
    paths = [RELATIONS[predicate] for predicate in world().predicates]
    for person in range(len(male)):
        row = []
        for ways in paths:
            found = 0
            for path in ways:
                reached = 1 << person
                for step in path:
                    links, beyond = steps[step], 0
                    for place in members(reached):
                        beyond |= links[place]
                    reached = beyond
                found |= reached
            row.append(found)
        related.append(tuple(row))
    return Scene.of(male, related)
