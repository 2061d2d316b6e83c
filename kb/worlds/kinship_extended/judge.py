"""Judge of the extended kinship world: words that are entailed or possible between two people.
The axioms, and why the search misses no family, are in docs/kinship-extended.md.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations
from typing import Final

from ....tables import load_tables
from ..fact import BridgeEnd, Fact, check_input, known_gender, nearest_first, query_component
from ..verdict import NO_RELATION, Status, Verdict
from .partial_family import NOBODY, PartialFamily

_PATTERN_TEXTS: Final[dict[tuple[str, ...], list[str]]] = {
    tuple(words.split(", ")): texts
    for words, texts in load_tables(__package__, "judge.yaml").items()
}
WORDS: Final = tuple(word for words in _PATTERN_TEXTS for word in words)
_KIND: Final = {word: words[0] for words in _PATTERN_TEXTS for word in words}
"""Relation of a word, named by its first word, which is the same for all genders."""
_GENDER_OF: Final = {
    word: gender
    for words in _PATTERN_TEXTS
    if len(words) == 2
    for word, gender in zip(words, ("male", "female"), strict=True)
}
"""Gender that a word implies."""
_STATED_ONLY: Final = frozenset(["godson", "godfather"])
"""Relations that hold only where stated: nothing entails them, and they entail nothing."""

_BESIDE: Final = (
    *("brother", "half-brother", "stepbrother", "uncle", "nephew", "great-uncle", "great-nephew"),
    *("first cousin", "first cousin once removed", "first cousin twice removed", "second cousin"),
    *("second cousin once removed", "second cousin twice removed", "godfather", "godson"),
)
_ABOVE: Final = ("father", "grandfather", "great-grandfather", "stepfather")
_BELOW: Final = ("son", "grandson", "great-grandson", "stepson")
_SINGLE: Final = BridgeEnd(
    has=frozenset(word for word, kind in _KIND.items() if kind in _ABOVE + _BESIDE),
    is_to=frozenset(word for word, kind in _KIND.items() if kind in _BELOW + _BESIDE),
)
"""Words whose patterns need no spouse or child of this person."""
_BRIDGES: Final = {"husband": (_SINGLE, _SINGLE), "wife": (_SINGLE, _SINGLE)}
"""A wedding of two people without other in-laws has no consequences within their families."""


class _Pattern:
    """Links between x (0), y (1) and others by number."""

    __slots__ = ("distinct", "links", "size")

    def __init__(self, text: str) -> None:
        letters = "xy" + "".join(sorted(set(text) & set("abcdefg")))
        self.size = len(letters)
        parts = [(letters.index(p[0]), p[1], letters.index(p[2])) for p in text.split()]
        self.distinct = [(a, b) for a, sign, b in parts if sign == "!"]
        left = [part for part in parts if part[1] != "!"]
        self.links: list[tuple[int, str, int]] = []
        """Sorted so that each link touches somebody who is known by then."""
        known = {0, 1}
        while left:
            link = next(one for one in left if one[0] in known or one[2] in known)
            left.remove(link)
            known |= {link[0], link[2]}
            self.links.append(link)


@cache
def _patterns(kind: str) -> tuple[_Pattern, ...]:
    return tuple(
        _Pattern(text)
        for words, texts in _PATTERN_TEXTS.items()
        if words[0] == kind
        for text in texts
    )


def judge(
    facts: Iterable[Fact],
    genders: Mapping[str, str],
    query: tuple[str, str],
    claimed: str | None = None,
) -> Verdict:
    """Return whether the facts entail that the query's second is so related to its first.

    Without a claim, return whether the facts entail any word at all.
    """
    facts = list(dict.fromkeys(facts))
    check_input(facts, query, claimed, _KIND, ("kinship word", "people"))
    gender = _genders(facts, genders)
    if gender is None or any(x == y for x, _, y in facts):
        return Verdict(Status.IMPOSSIBLE)
    queried = query_component(
        facts,
        query,
        lambda unnamed, names: _is_possible(tuple((x, _KIND[word], y) for x, word, y in unnamed)),
        _BRIDGES,
    )
    if queried is None:
        return Verdict(Status.IMPOSSIBLE)
    search = _FamilySearch(queried, query)
    # A word that implies a gender is never entailed of a person whose gender is unknown.
    its = gender.get(query[1])
    fits = [word for word in WORDS if its is None or _GENDER_OF.get(word, its) == its]
    if claimed is not None and its is None and claimed in _GENDER_OF:
        entailed: list[str] = []
    elif claimed is not None:
        entailed = [claimed] if claimed in fits and search.entails(_KIND[claimed]) else []
    else:
        kinds = search.entailed()
        entailed = [w for w in fits if _KIND[w] in kinds and (its or w not in _GENDER_OF)]
    if entailed:
        return Verdict(Status.ENTAILED, frozenset(entailed))
    possible = {word for word in fits if search.family(_KIND[word])}
    if search.family(without=list(dict.fromkeys(_KIND.values()))):
        possible.add(NO_RELATION)
    return Verdict.not_entailed(frozenset(possible), claimed)


def _genders(facts: list[Fact], given: Mapping[str, str]) -> dict[str, str] | None:
    """Return the genders that are given or implied by words; None if these disagree."""
    known = {name: known_gender(name, given) for name in given}
    for _, word, y in facts:
        if word in _GENDER_OF and known.setdefault(y, _GENDER_OF[word]) != _GENDER_OF[word]:
            return None
    return known


@lru_cache(maxsize=2**14)
def _is_possible(facts: tuple[Fact, ...]) -> bool:
    """Return whether some family of "0", "1", … satisfies the facts."""
    return _FamilySearch(list(facts), ("0", "1")).model is not None


_Choice = tuple[str, int, int]
"""A relation between two people that the search has yet to establish."""


class _FamilySearch:
    """Search for families that satisfy facts, and relations between the two query people."""

    def __init__(self, facts: list[Fact], query: tuple[str, str]) -> None:
        names = dict.fromkeys([*query, *(name for x, _, y in facts for name in (x, y))])
        number = {name: n for n, name in enumerate(names)}
        self.stated = {_KIND[word] for x, word, y in facts if (x, y) == query}
        for x, word, y in facts:
            if (y, x) == query and _KIND[word] in _INVERSE:
                self.stated.add(_INVERSE[_KIND[word]])
        start = PartialFamily()
        for name in range(len(number)):
            start.add_person(name)
        self.choices: list[_Choice] = []
        possible = True
        for x, word, y in nearest_first(facts, query):
            patterns = _patterns(_KIND[word])
            if len(patterns) == 1 and patterns[0].size == 2:
                possible = possible and _apply(start, patterns[0], number[x], number[y])
            else:
                self.choices.append((_KIND[word], number[x], number[y]))
        self.start = start if possible and start.is_consistent() else None
        self.model = self.family()
        """A family that satisfies the facts, if any."""

    def entails(self, kind: str) -> bool:
        """Return whether a relation holds in all families; False if there is no family."""
        if self.model is None:
            return False
        if kind in _STATED_ONLY:
            return kind in self.stated
        return self.family(without=[kind]) is None

    def entailed(self) -> frozenset[str]:
        """Return the relations that hold in all families; none if there is no family."""
        if self.model is None:
            return frozenset()
        family = self.model.copy()
        _add_parents(family)

        def holds(kind: str) -> bool:
            if kind in _STATED_ONLY:
                return kind in self.stated
            return any(True for pattern in _patterns(kind) for _ in _matches(family, pattern, 0, 1))

        # Entailed relations hold in this family, too.
        held = [kind for kind in dict.fromkeys(_KIND.values()) if holds(kind)]
        return frozenset([kind for kind in held if self.entails(kind)])

    def family(self, kind: str = "", without: Sequence[str] = ()) -> PartialFamily | None:
        """Return a family that satisfies the facts and `kind`, but none of `without`, if any."""
        if self.start is None or not self.stated.isdisjoint(_STATED_ONLY.intersection(without)):
            return None
        choices = [(kind, 0, 1), *self.choices] if kind else self.choices
        forbidden = [excluded for excluded in without if excluded not in _STATED_ONLY]
        return _search(self.start.copy(), choices, forbidden)


_INVERSE: Final = {"godson": "godfather", "godfather": "godson"}


def _search(
    family: PartialFamily, choices: Sequence[_Choice], forbidden: Sequence[str]
) -> PartialFamily | None:
    """Grow a consistent family until all choices hold and nothing forbidden; None if impossible."""
    if any(_is_settled(family, kind, 0, 1) for kind in forbidden):
        return None
    left = list(choices)
    excess = family.excess_parents()
    while left and not excess and _is_settled(family, *left[0]):
        left.pop(0)
    if excess:
        trials = _identify_any(family, combinations(excess, 2))
    elif left:
        trials = _apply_any(family, *left.pop(0))
    else:
        pairs = _pairs_to_identify(family, forbidden)
        if pairs is None:
            return family
        trials = _identify_any(family, pairs)
    for trial in trials:
        found = _search(trial, left, forbidden)
        if found is not None:
            return found
    return None


def _identify_any(
    family: PartialFamily, pairs: Iterable[tuple[int, int]]
) -> Iterator[PartialFamily]:
    """Yield the family with one of the pairs identified, for each pair that can be."""
    for one, other in pairs:
        if not family.are_distinct(one, other):
            trial = family.copy()
            if trial.equate(one, other) and trial.is_consistent():
                yield trial


def _apply_any(family: PartialFamily, kind: str, x: int, y: int) -> Iterator[PartialFamily]:
    """Yield the family with a relation added, for each pattern that is possible."""
    for pattern in _patterns(kind):
        trial = family.copy()
        if _apply(trial, pattern, x, y) and trial.is_consistent():
            yield trial


def _pairs_to_identify(
    family: PartialFamily, forbidden: Sequence[str]
) -> list[tuple[int, int]] | None:
    """Return pairs of which one must be identical, lest a forbidden relation hold.

    None if no forbidden relation holds.
    """
    if forbidden:
        _add_parents(family)
    for kind in forbidden:
        for pattern in _patterns(kind):
            for found in _matches(family, pattern, 0, 1):
                return [(found[a], found[b]) for a, b in pattern.distinct]
    return None


def _add_parents(family: PartialFamily) -> None:
    """Give the two query people two parents each, as relations refer to both parents."""
    family.ensure_two_parents(0)
    family.ensure_two_parents(1)


def _apply(family: PartialFamily, pattern: _Pattern, x: int, y: int) -> bool:
    """Make a relation hold by one pattern; False if identities rule that out."""
    people = [x, y, *(family.add_person() for _ in range(pattern.size - 2))]
    for a, sign, b in pattern.links:
        one, other = people[a], people[b]
        if sign == ">":
            family.add_parent(one, other)
        elif sign == "=":
            if not family.marry(one, other):
                return False
        elif sign == "&":
            family.make_siblings(one, other)
        else:
            family.ex_spouses.append((one, other))
    for a, b in pattern.distinct:
        family.distinct.append((people[a], people[b]))
    return True


def _is_settled(family: PartialFamily, kind: str, x: int, y: int) -> bool:
    """Return whether a relation holds however the family grows."""
    for pattern in _patterns(kind):
        for found in _matches(family, pattern, x, y):
            if all(family.are_distinct(found[a], found[b]) for a, b in pattern.distinct):
                return True
    return False


def _matches(family: PartialFamily, pattern: _Pattern, x: int, y: int) -> Iterator[list[int]]:
    """Yield the people of each match of a pattern between two people, as far as is known."""
    people = [NOBODY] * pattern.size
    people[0], people[1] = family.find(x), family.find(y)
    return _extend_match(family, pattern, 0, people)


def _extend_match(
    family: PartialFamily, pattern: _Pattern, number: int, people: list[int]
) -> Iterator[list[int]]:
    if number == len(pattern.links):
        if all(people[a] != people[b] for a, b in pattern.distinct):
            yield people
        return
    a, sign, b = pattern.links[number]
    known = people[a] != NOBODY
    for person in _linked(family, sign, people[a] if known else people[b], onward=known):
        place = b if known else a
        if people[place] == NOBODY:
            yield from _extend_match(
                family, pattern, number + 1, [*people[:place], person, *people[place + 1 :]]
            )
        elif people[place] == person:
            yield from _extend_match(family, pattern, number + 1, people)


def _linked(family: PartialFamily, sign: str, person: int, *, onward: bool) -> list[int]:
    """Return everyone who has this link with a person."""
    if sign == ">":
        return family.parents_of(person) if onward else family.children_of(person)
    if sign == "=":
        spouse = family.spouse(person)
        return [] if spouse == NOBODY else [spouse]
    if sign == "&":
        return family.siblings(person)
    former = [(family.find(a), family.find(b)) for a, b in family.ex_spouses]
    return [b for a, b in former if a == person] + [a for a, b in former if b == person]
