"""Random families that stories are sampled from, with all their relations."""

from ....seed import Stream
from ..scene import Scene, members
from .family import RELATIONS


def grow(
    stream: Stream, people: int, predicates: tuple[str, ...], children: int, marriage: float
) -> Scene:
    """Sample a family of about `people` people: founders, then generations of couples.

    A couple has at most `children` children, and anybody marries with probability `marriage`.
    Nobody marries kin, so at most one relation holds between two people.
    """
    male: list[bool] = []
    up: list[int] = []
    down: list[int] = []
    wed: list[int] = []
    clan: list[int] = []

    def add_person(is_male: bool, clans: int, parents: int = 0) -> int:
        male.append(is_male)
        up.append(parents)
        down.append(0)
        wed.append(0)
        clan.append(clans)
        return len(male) - 1

    def marry(suitor: int, spouse: int) -> None:
        wed[suitor], wed[spouse] = 1 << spouse, 1 << suitor
        siblings = 0
        clans = clan[suitor] | clan[spouse]
        for _ in range(1 + stream.below(children)):
            if len(male) >= people:
                break
            child = add_person(stream.random() < 0.5, clans, 1 << suitor | 1 << spouse)
            siblings |= 1 << child
            single.append(child)
        down[suitor] = down[spouse] = siblings

    single: list[int] = []
    for founder in range(2):
        couple = add_person(True, 1 << founder), add_person(False, 1 << founder)
        marry(*couple)
    newcomers = 2
    unmarried: list[int] = []
    while len(male) < people:
        if not single:
            # Too few married for a family of that size: try the unmarried again.
            single, unmarried = unmarried, []
        suitor = single.pop(0)
        if stream.random() >= marriage:
            unmarried.append(suitor)
            continue
        matches = [p for p in single if male[p] != male[suitor] and not clan[p] & clan[suitor]]
        if matches and stream.random() < 0.5:
            spouse = stream.choice(matches)
            single.remove(spouse)
        else:
            spouse = add_person(not male[suitor], 1 << newcomers)
            newcomers += 1
        marry(suitor, spouse)
    return _scene(predicates, male, up, down, wed)


def _scene(
    predicates: tuple[str, ...],
    male: list[bool],
    up: list[int],
    down: list[int],
    wed: list[int],
) -> Scene:
    """Derive all relations from parents, children and spouses."""
    side = []
    for person, parents in enumerate(up):
        sibling_group = down[members(parents)[0]] if parents else 0
        side.append(sibling_group & ~(1 << person))
    steps = {"up": up, "down": down, "side": side, "wed": wed}
    related = []
    paths = [RELATIONS[predicate] for predicate in predicates]
    for person in range(len(male)):
        row = []
        for alternatives in paths:
            relatives = 0
            for path in alternatives:
                reached = 1 << person
                for step in path:
                    links, beyond = steps[step], 0
                    for place in members(reached):
                        beyond |= links[place]
                    reached = beyond
                relatives |= reached
            row.append(relatives)
        related.append(tuple(row))
    return Scene.from_related(male, related)
