"""Facts between two people or things, and the graph that facts form."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

from ...errors import InvalidOption

K = TypeVar("K", bound=Hashable)

Fact = tuple[str, str, str]
"""(x, r, y): y is the r of x; r is a predicate, or in facts read from a text its word."""


_MAX_LISTED: Final = 80


class BridgeEnd(NamedTuple):
    """Words of the facts that may be stated of a person at the end of a bridge, besides it."""

    has: frozenset[str]
    """Words of facts (person, word, y)."""
    is_to: frozenset[str]
    """Words of facts (x, word, person)."""


def check_input(
    facts: Sequence[Fact],
    query: tuple[str, str],
    claimed: str | None,
    words: Collection[str],
    nouns: tuple[str, str],
) -> None:
    """Raise InvalidOption for a query of one name, or an unknown word in facts or claim.

    `nouns` are those for a word and for the members of the world, such as ("direction", "things").
    """
    if query[0] == query[1]:
        raise InvalidOption(f"query asks of {query[0]!r} twice; name two {nouns[1]}")
    used = [word for _, word, _ in facts]
    if claimed is not None:
        used.append(claimed)
    for word in used:
        if word not in words:
            known = ", ".join(words) if len(words) < _MAX_LISTED else f"like {next(iter(words))!r}"
            raise InvalidOption(f"no {nouns[0]} {word!r}; the words are {known}")


def known_gender(name: str, genders: Mapping[str, str]) -> str:
    """Return the given gender of a person, or "" if none is given."""
    gender = genders.get(name)
    if gender not in ("male", "female", None):
        raise InvalidOption(f"gender of {name!r} is {gender!r}; say 'male' or 'female'")
    return gender or ""


def components(facts: Sequence[Fact], query: tuple[str, str]) -> list[list[Fact]]:
    """Split facts into connected components; the query's comes first and may be empty."""
    neighbors: dict[str, list[str]] = {}
    for x, _, y in facts:
        neighbors.setdefault(x, []).append(y)
        neighbors.setdefault(y, []).append(x)
    component: dict[str, int] = {}
    split: list[list[Fact]] = []
    starts = [[*query]]
    for x, _, _ in facts:
        starts.append([x])
    for names in starts:
        if names[0] in component:
            continue
        for name in names:
            component[name] = len(split)
        for name in names:  # grows during the loop
            for neighbor in neighbors.get(name, ()):
                if neighbor not in component:
                    component[neighbor] = len(split)
                    names.append(neighbor)
        split.append([])
    for fact in facts:
        split[component[fact[0]]].append(fact)
    return split


def query_component(
    facts: Sequence[Fact],
    query: tuple[str, str],
    is_possible: Callable[[tuple[Fact, ...], list[str]], bool],
    bridges: Mapping[str, tuple[BridgeEnd, BridgeEnd]] | None = None,
) -> list[Fact] | None:
    """Return the facts connected with the query; None if other facts are impossible.

    `is_possible` gets the facts of a component without names, in which names make no difference,
    and the names. `bridges` has, by word, what else may be stated of x and y of a fact
    (x, word, y) that is judged once with each of the two components that it alone connects.
    """
    if bridges:
        facts = _split_at_bridges(facts, query, bridges)
    queried, *others = components(facts, query)
    for component in others:
        unnamed, names = anonymized(component)
        if not is_possible(unnamed, names):
            return None
    return queried


def _split_at_bridges(
    facts: Sequence[Fact], query: tuple[str, str], ends: Mapping[str, tuple[BridgeEnd, BridgeEnd]]
) -> list[Fact]:
    """Return the facts, with two copies of each that alone connects two components.

    In each copy, a new person without other facts stands for the other component. Facts that
    separate the two people of the query, or are about one of them, are kept as they are.
    """
    facts_of: dict[str, list[Fact]] = {query[0]: [], query[1]: []}
    for fact in facts:
        for name in (fact[0], fact[2]):
            facts_of.setdefault(name, []).append(fact)
    bridges: set[Fact] = set()
    for fact in _cut_edges(facts_of):
        x, word, y = fact
        if word in ends and x not in query and y not in query:
            x_end, y_end = ends[word]
            if _fits(x, x_end, facts_of[x], fact) and _fits(y, y_end, facts_of[y], fact):
                bridges.add(fact)
    bridges.difference_update(_path(query, facts_of))
    split: list[Fact] = []
    for number, fact in enumerate(dict.fromkeys(facts)):  # a fact stated twice is one bridge
        if fact in bridges:
            x, word, y = fact
            # Two new people: a common one would connect the components again.
            split += [(x, word, f"\n{number}y"), (f"\n{number}x", word, y)]
        else:
            split.append(fact)
    return split


def _fits(name: str, end: BridgeEnd, facts: list[Fact], bridge: Fact) -> bool:
    for fact in facts:
        if fact[1] not in (end.has if fact[0] == name else end.is_to) and fact != bridge:
            return False
    return True


def _cut_edges(facts_of: Mapping[str, list[Fact]]) -> list[Fact]:
    """Return the facts that are on no cycle, by depth-first search.

    References: R. Tarjan, A note on finding the bridges of a graph, Information Processing
    Letters 2(6), 1974.
    """
    place: dict[str, int] = {}
    lowest: dict[str, int] = {}
    """By name, the first place reached from there or beyond, except by the fact that led there."""
    cut: list[Fact] = []
    for start in facts_of:
        if start in place:
            continue
        place[start] = lowest[start] = len(place)
        path = [start]
        led: list[Fact | None] = [None]
        ahead = [list(facts_of[start])]
        while path:
            name = path[-1]
            if ahead[-1]:
                fact = ahead[-1].pop()
                other = fact[2] if fact[0] == name else fact[0]
                if other not in place:
                    place[other] = lowest[other] = len(place)
                    path.append(other)
                    led.append(fact)
                    ahead.append(list(facts_of[other]))
                elif fact != led[-1]:
                    lowest[name] = min(lowest[name], place[other])
                continue
            path.pop()
            ahead.pop()
            last = led.pop()
            if last is None:
                break
            lowest[path[-1]] = min(lowest[path[-1]], lowest[name])
            if lowest[name] == place[name]:
                cut.append(last)
    return cut


def _path(query: tuple[str, str], facts_of: Mapping[str, list[Fact]]) -> list[Fact]:
    """Return the facts on a shortest path between the two people of a query, if any."""
    x, name = query
    before: dict[str, Fact] = {}
    reached = [x]
    for person in reached:  # grows during the loop
        for fact in facts_of[person] if name not in before else ():
            other = fact[2] if fact[0] == person else fact[0]
            if other not in before and other != x:
                before[other] = fact
                reached.append(other)
    path: list[Fact] = []
    while name in before:
        fact = before[name]
        name = fact[2] if fact[0] == name else fact[0]
        path.append(fact)
    return path


def anonymized(facts: Sequence[Fact]) -> tuple[tuple[Fact, ...], list[str]]:
    """Rename people to "0", "1", … in order of mention; return the facts and the names."""
    number: dict[str, str] = {}
    renamed: list[Fact] = []
    for x, word, y in facts:
        for name in (x, y):
            if name not in number:
                number[name] = str(len(number))
        renamed.append((number[x], word, number[y]))
    return tuple(renamed), list(number)


def nearest_first(facts: Sequence[Fact], query: tuple[str, str]) -> list[Fact]:
    """Sort facts by their distance to the two people of the query.

    A search that branches on these facts first rarely branches on facts that do not matter.
    """
    neighbors: dict[str, list[str]] = {query[0]: [], query[1]: []}
    for x, _, y in facts:
        neighbors.setdefault(x, []).append(y)
        neighbors.setdefault(y, []).append(x)
    distance = dict.fromkeys(neighbors, 0)
    for start in query:
        steps = {start: 0}
        reached = [start]
        for name in reached:  # grows during the loop
            for neighbor in neighbors[name]:
                if neighbor not in steps:
                    steps[neighbor] = steps[name] + 1
                    reached.append(neighbor)
        for name in neighbors:
            distance[name] += steps.get(name, len(neighbors))
    return sorted(facts, key=lambda fact: distance[fact[0]] + distance[fact[2]])


def distances(facts: Sequence[Fact], start: str) -> dict[str, int]:
    """Return the number of facts between a person and everyone connected."""
    neighbors: dict[str, list[str]] = {start: []}
    for x, _, y in facts:
        neighbors.setdefault(x, []).append(y)
        neighbors.setdefault(y, []).append(x)
    steps, reached = {start: 0}, [start]
    for person in reached:  # grows during the loop
        for other in neighbors[person]:
            if other not in steps:
                steps[other] = steps[person] + 1
                reached.append(other)
    return steps


def reachable(edges: Mapping[K, Collection[K]], start: K) -> set[K]:
    """Return everything that edges lead to from a start. For judges."""
    reached: set[K] = set()
    pending = [start]
    while pending:
        for end in edges.get(pending.pop(), ()):
            if end not in reached:
                reached.add(end)
                pending.append(end)
    return reached


def has_cycle(edges: Mapping[K, Collection[K]]) -> bool:
    """Return whether edges lead from something back to itself. For judges."""
    waiting = dict.fromkeys(edges, 0)
    for ends in edges.values():
        for end in ends:
            waiting[end] = waiting.get(end, 0) + 1
    free = [one for one, before in waiting.items() if not before]
    for one in free:  # grows during the loop
        for end in edges.get(one, ()):
            waiting[end] -= 1
            if not waiting[end]:
                free.append(end)
    return len(free) < len(waiting)
