"""Whether a story fits a scene in more ways than one: then its answer is open."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from ...kb.scene import Scene, members

Link = tuple[int, int, int]
"""A fact by number, (x, predicate, y): y is that to x."""

_MOST = 3000
"""So many ways to place a chain are looked at; there may be millions."""


def is_open(
    scene: Scene, male: Sequence[bool], chain: Sequence[Link], noise: Sequence[Link]
) -> bool:
    """Whether all that is told can be true of people whose ends are related in different ways.

    Two ways are proof enough. That none was found proves nothing.
    """
    relations: set[int] = set()
    for people in islice(_ways(scene, male, chain, {}), _MOST):
        relation = scene.between[people[0]][people[len(chain)]]
        if relation not in relations and any(True for _ in _ways(scene, male, noise, people)):
            relations.add(relation)
            if len(relations) > 1:
                return True
    return False


def _ways(
    scene: Scene, male: Sequence[bool], facts: Sequence[Link], given: Mapping[int, int]
) -> Iterator[dict[int, int]]:
    """Every way to take people of the scene for those of some facts, where some are given."""
    everyone = (1 << len(scene.male)) - 1
    men = sum(1 << person for person, is_male in enumerate(scene.male) if is_male)
    of_gender = (everyone & ~men, men)
    people = dict(given)

    def place(who: int, among: int, fitted: int, taken: int) -> Iterator[dict[int, int]]:
        for person in members(among & of_gender[male[who]] & ~taken):
            people[who] = person
            yield from fit(fitted, taken | 1 << person)
            del people[who]

    def fit(fitted: int, taken: int) -> Iterator[dict[int, int]]:
        if fitted == len(facts):
            yield people
            return
        x, predicate, y = facts[fitted]
        if x not in people:
            yield from place(x, everyone, fitted, taken)
        elif y not in people:
            yield from place(y, scene.related[people[x]][predicate], fitted + 1, taken)
        elif scene.between[people[x]][people[y]] == predicate:
            yield from fit(fitted + 1, taken)

    yield from fit(0, sum(1 << person for person in given.values()))
