"""Whether a story fits a scene in more ways than one: then its answer is open."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from ...kb.scene import Scene, members

Link = tuple[int, int, int]
"""A fact by number, (x, predicate, y): y is that to x."""

_MOST = 3000
"""So many ways to place a chain are looked at; there may be millions."""
_STEPS = 2000
"""So many steps are taken to find a place for the rest."""


def is_open(
    scene: Scene, male: Sequence[bool], chain: Sequence[Link], noise: Sequence[Link]
) -> bool:
    """Whether all that is told can be true of people whose ends are related in different ways.

    Two ways are proof enough. That none was found proves nothing.
    """
    relations: set[int] = set()
    parts = _parts(noise, len(chain))
    for people in islice(_ways(scene, male, chain, {}), _MOST):
        relation = scene.between[people[0]][people[len(chain)]]
        # Each part by itself first: what fails alone would be tried with all ways of the others.
        if relation not in relations and all(
            _fits(scene, male, facts, people) for facts in (*parts, noise)
        ):
            relations.add(relation)
            if len(relations) > 1:
                return True
    return False


class _TooManyError(Exception):
    """There are too many ways to look at."""


def _fits(
    scene: Scene, male: Sequence[bool], facts: Sequence[Link], people: Mapping[int, int]
) -> bool:
    """Whether a way was found soon to take people of the scene for those of some facts."""
    try:
        return any(True for _ in _ways(scene, male, facts, people))
    except _TooManyError:
        return False


def _parts(noise: Sequence[Link], last: int) -> list[list[Link]]:
    """The facts in parts that share nobody but those of the chain, who have numbers up to the last.

    A single part is not worth while.
    """
    parts: list[tuple[set[int], list[Link]]] = []
    for fact in noise:
        people = {fact[0], fact[2]} - set(range(last + 1))
        facts = [fact]
        for others in [part for part in parts if part[0] & people]:
            parts.remove(others)
            people, facts = people | others[0], [*others[1], *facts]
        parts.append((people, facts))
    return [facts for _, facts in parts] if len(parts) > 1 else []


def _ways(
    scene: Scene, male: Sequence[bool], facts: Sequence[Link], given: Mapping[int, int]
) -> Iterator[dict[int, int]]:
    """Every way to take people of the scene for those of some facts, where some are given."""
    everyone = (1 << len(scene.male)) - 1
    men = sum(1 << person for person, is_male in enumerate(scene.male) if is_male)
    of_gender = (everyone & ~men, men)
    people = dict(given)
    left = _STEPS if given else -1

    def place(who: int, among: int, fitted: int, taken: int) -> Iterator[dict[int, int]]:
        for person in members(among & of_gender[male[who]] & ~taken):
            people[who] = person
            yield from fit(fitted, taken | 1 << person)
            del people[who]

    def fit(fitted: int, taken: int) -> Iterator[dict[int, int]]:
        nonlocal left
        left -= 1
        if left == 0:
            raise _TooManyError
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
