"""Solver of extended families, by which rows are made: it searches families with or without a word.

The patterns are those of family.py. Facts are added one by one, and people are identified where
somebody would have too many parents or spouses. The judge shares neither patterns nor code with it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations

from ..fact import Fact, distances
from ..verdict import NO_RELATION, Status, Verdict
from ..world import find_world
from .family import EX, GOD, RELATIONS, UP, WED, Link, Pattern, PersonPair

_UNNAMED = "\n"
"""First letter of people without a name."""


def solve(
    facts: Iterable[Fact],
    genders: Mapping[str, str],
    query: tuple[str, str],
    claimed: str | None = None,
) -> Verdict:
    """Return the verdict on a claim; everyone's gender is given, and fits the words."""
    world = find_world("kinship-extended")
    predicates, meanings = world.predicates, world.meanings
    stated = [(x, meanings[word][0], y) for x, word, y in facts]
    search = _FamilySearch(stated, query)
    model = search.find()
    if model is None:
        return Verdict(Status.IMPOSSIBLE)
    words = {kind: entry.word(genders[query[1]]) for kind, entry in predicates.items()}
    held = {kind for kind in words if model.holds(kind, *query)}
    claims = [kind for kind in held if claimed in (None, words[kind])]
    entailed = [words[kind] for kind in claims if not search.find(without=[kind])]
    if entailed:
        return Verdict(Status.ENTAILED, frozenset(entailed))
    possible = {word for kind, word in words.items() if kind in held or search.find(kind)}
    if search.find(without=list(words)):
        possible.add(NO_RELATION)
    return Verdict.not_entailed(frozenset(possible), claimed)


class _FamilySearch:
    """The facts connected with a query: single links in a family, and others to be added to it."""

    def __init__(self, facts: list[Fact], query: tuple[str, str]) -> None:
        self.query, self.family, self.choices = query, _Family(), list[Fact]()
        near, far = (distances(facts, name) for name in query)
        steps = {name: near.get(name, 0) + far.get(name, 0) for name in {**near, **far}}
        connected = [fact for fact in facts if fact[0] in steps]
        for x, kind, y in sorted(connected, key=lambda fact: steps[fact[0]] + steps[fact[2]]):
            if len(RELATIONS[kind][0].links) == 1:
                self.family.add(RELATIONS[kind][0], x, y)
            else:
                self.choices.append((x, kind, y))

    def find(self, kind: str = "", without: Sequence[str] = ()) -> "_Family | None":
        """Return a family that satisfies the facts and `kind`, but none of `without`, if any."""
        x, y = self.query
        choices = [(x, kind, y), *self.choices] if kind else self.choices
        forbidden = [pattern for excluded in without for pattern in RELATIONS[excluded]]
        return self._search(self.family.copy(), choices, forbidden)

    def _search(
        self, family: "_Family", choices: list[Fact], forbidden: list[Pattern]
    ) -> "_Family | None":
        pairs = family.pairs_to_identify()
        if pairs is None or family.is_settled(forbidden, *self.query):
            return None
        while choices and family.is_settled(RELATIONS[choices[0][1]], *choices[0][::2]):
            choices = choices[1:]
        if not pairs and choices:
            (x, kind, y), *rest = choices
            trials = (family.with_pattern(pattern, x, y) for pattern in RELATIONS[kind])
            searches = (self._search(trial, rest, forbidden) for trial in trials)
            return next(filter(None, searches), None)
        if not pairs:
            for person in self.query:
                family.add_parents(person)
            matches = ((p, m) for p in forbidden for m in family.matches(p, *self.query))
            pattern, match = next(matches, (None, {}))
            if pattern is None:
                return family
            pairs = [(match[a], match[b]) for a, b in pattern.distinct]
            pairs = [pair for pair in pairs if not family.are_distinct(*pair)]
        people = sorted({person for pair in pairs for person in pair})
        alike = [{*pair} for pair in combinations(people, 2) if family.are_interchangeable(*pair)]
        for number, (a, b) in enumerate(pairs):
            # Swapping two people without a name makes no difference.
            if any({a, b} ^ {*other} in alike for other in pairs[:number]):
                continue
            trial = family.copy()
            trial.identify(a, b)
            found = self._search(trial, choices, forbidden)
            if found:
                return found
            family.distinct |= {(a, b), (b, a)}
        return None


class _Family:
    """People by name or number, their links, and pairs that are distinct."""

    def __init__(self) -> None:
        self.links: dict[str, dict[str, set[str]]] = {kind: {} for kind in (UP, WED, EX, GOD)}
        """By kind, the parents, spouses, former spouses and godparents of each person."""
        self.distinct: set[PersonPair] = set()
        self.unnamed = 0

    def copy(self) -> "_Family":
        """Return an independent copy."""
        family = _Family()
        for kind, links in self.links.items():
            family.links[kind] = {person: {*others} for person, others in links.items()}
        family.distinct, family.unnamed = self.distinct.copy(), self.unnamed
        return family

    def with_pattern(self, pattern: Pattern, x: str, y: str) -> "_Family":
        """Return a copy in which a pattern holds."""
        family = self.copy()
        family.add(pattern, x, y)
        return family

    def add(self, pattern: Pattern, x: str, y: str) -> None:
        """Make a pattern hold between two people."""
        self.unnamed += 1
        called = {"x": x, "y": y}

        def name(person: str) -> str:
            return called.get(person) or f"{_UNNAMED}{person}{self.unnamed}"

        for kind, a, b in pattern.links:
            self._link(kind, name(a), name(b))
        for a, b in pattern.distinct:
            self.distinct |= {(name(a), name(b)), (name(b), name(a))}

    def _link(self, kind: str, a: str, b: str) -> None:
        self.links[kind].setdefault(a, set()).add(b)
        if kind in (WED, EX):
            self.links[kind].setdefault(b, set()).add(a)

    def add_parents(self, person: str) -> None:
        """Give a person two parents."""
        parents = self.links[UP].setdefault(person, set())
        while len(parents) < 2:
            self.unnamed += 1
            new = f"{_UNNAMED}{self.unnamed}"
            self.distinct |= {pair for old in parents for pair in ((new, old), (old, new))}
            parents.add(new)

    def identify(self, a: str, b: str) -> None:
        """Identify two people who are not distinct."""
        kept, merged = (b, a) if a[0] == _UNNAMED else (a, b)
        for links in self.links.values():
            if merged in links:
                links.setdefault(kept, set()).update(links.pop(merged))
            for others in links.values():
                if merged in others:
                    others.remove(merged)
                    others.add(kept)
        name = {merged: kept}
        self.distinct = {(name.get(a, a), name.get(b, b)) for a, b in self.distinct}

    def are_distinct(self, a: str, b: str) -> bool:
        """Return whether two people are known to be distinct."""
        return (a, b) in self.distinct or (a != b and _UNNAMED not in (a[0], b[0]))

    def are_interchangeable(self, a: str, b: str) -> bool:
        """Return whether swapping two people without a name leaves the family as it is."""
        if a[0] != _UNNAMED or b[0] != _UNNAMED:
            return False
        swapped = {a: b, b: a}

        def linked(person: str) -> set[tuple[str, str]]:
            found = {("!", other) for one, other in self.distinct if one == person}
            for kind, links in self.links.items():
                found |= {(kind, other) for other in links.get(person, ())}
                found |= {(f"-{kind}", one) for one, others in links.items() if person in others}
            return found

        return {(kind, swapped.get(other, other)) for kind, other in linked(a)} == linked(b)

    def pairs_to_identify(self) -> list[PersonPair] | None:
        """Return pairs of which one must be identical; None if the family is impossible."""
        kin: dict[str, set[str]] = {}
        for person in self.links[UP]:
            if not self._collect_ancestors(person, kin):
                return None
        for kind in (WED, EX):
            for person, others in self.links[kind].items():
                mine = kin.get(person, {person})
                if any(mine & kin.get(other, {other}) for other in others) or (
                    kind == EX and others & self.links[WED].get(person, set())
                ):
                    return None
        found: list[PersonPair] = []
        for kind, limit in ((UP, 2), (WED, 1)):
            for several in self.links[kind].values():
                if len(several) > limit or (
                    len(several) == 2
                    and set.intersection(*(kin.get(one, {one}) for one in several))
                ):
                    pairs = [
                        (a, b)
                        for a, b in combinations(sorted(several), 2)
                        if not self.are_distinct(a, b)
                        and a not in kin.get(b, ())
                        and b not in kin.get(a, ())
                    ]
                    if not pairs:
                        return None
                    if not found or len(pairs) == 1:
                        found = pairs
        return found

    def _collect_ancestors(self, person: str, kin: dict[str, set[str]]) -> bool:
        """Add everyone's self and ancestors; False if somebody is their own ancestor."""
        if person in kin:
            return bool(kin[person])
        kin[person] = set()  # until all parents are known
        ancestors = {person}
        for parent in self.links[UP].get(person, ()):
            if not self._collect_ancestors(parent, kin):
                return False
            ancestors |= kin[parent]
        kin[person] = ancestors
        return True

    def is_settled(self, patterns: Iterable[Pattern], x: str, y: str) -> bool:
        """Return whether a pattern holds however the family grows."""
        return any(
            all(self.are_distinct(match[a], match[b]) for a, b in pattern.distinct)
            for pattern in patterns
            for match in self.matches(pattern, x, y)
        )

    def holds(self, kind: str, x: str, y: str) -> bool:
        """Return whether a relation holds between two people."""
        return any(True for pattern in RELATIONS[kind] for _ in self.matches(pattern, x, y))

    def matches(self, pattern: Pattern, x: str, y: str) -> Iterator[dict[str, str]]:
        """Yield the people of each match of a pattern between two people."""
        links, distinct = _ordered(pattern), pattern.distinct
        pending = [(0, {"x": x, "y": y})]
        while pending:
            number, found = pending.pop()
            if number == len(links):
                if all(found[a] != found[b] for a, b in distinct):
                    yield found
                continue
            kind, a, b = links[number]
            if a in found:
                others = self.links[kind].get(found[a], set())
                others = others & {found[b]} if b in found else others
                pending += [(number + 1, found | {b: other}) for other in others]
            else:
                for one, others in self.links[kind].items():
                    if found[b] in others:
                        pending.append((number + 1, found | {a: one}))


@cache
def _ordered(pattern: Pattern) -> list[Link]:
    """Return the links of a pattern, each of which touches somebody known by then."""
    known, left, ordered = {"x", "y"}, list(pattern.links), list[Link]()
    while left:
        link = next(link for link in left if known & {*link[1:]})
        left.remove(link)
        ordered.append(link)
        known |= {*link[1:]}
    return ordered
