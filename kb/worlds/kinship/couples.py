"""Solver of kinship, by which rows are made, independent of judge.py.

The judge represents people, fathers and spouses. This module represents couples only: everyone may
be assumed to be married (docs/judge.md), so a person is a couple and a gender, and facts only say
that couples are identical: a person's own, or a person's parents. The axioms are the judge's, the
code is not.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..fact import Fact, distances
from ..verdict import NO_RELATION, Status, Verdict

CoupleTerm = tuple[str, str]
"""A person's couple, and a letter for each step up from it: m to his parents, w to hers."""


class Constraint(NamedTuple):
    """Two couples that are identical, and maybe two that are distinct."""

    one: CoupleTerm
    other: CoupleTerm
    distinct: tuple[CoupleTerm, CoupleTerm] | None = None


class Couples:
    """Couples merged by the constraints so far, and pairs that must be distinct."""

    def __init__(self, people: Iterable[tuple[str, str]]) -> None:
        self.root: dict[str, str] = {}
        """Union-find parent of each merged couple."""
        self.up: dict[str, dict[str, str]] = {}
        self.distinct: list[tuple[str, str]] = []
        self.created = 0
        named: dict[str, list[str]] = {}
        for person, gender in people:
            named.setdefault(gender, []).append(person)
            self.up[person] = {}
        # Nobody has two names: two names of one gender are two couples.
        self.named = named

    def copy(self) -> "Couples":
        """Return an independent copy."""
        other = Couples(())
        other.root, other.named, other.created = dict(self.root), self.named, self.created
        other.up = {couple: dict(parents) for couple, parents in self.up.items()}
        other.distinct = list(self.distinct)
        return other

    def find(self, term: CoupleTerm) -> str:
        """Return the couple of a term, or "" if it is unknown."""
        name, letters = term
        couple = self._root(name)
        for letter in letters:
            if letter not in self.up[couple]:
                return ""
            couple = self._root(self.up[couple][letter])
        return couple

    def ensure(self, term: CoupleTerm) -> str:
        """Return the couple of a term, adding unknown couples."""
        name, letters = term
        couple = self._root(name)
        for letter in letters:
            if letter not in self.up[couple]:
                self.created += 1
                self.up[couple][letter] = f"\n{self.created}"  # nobody's name
                self.up[f"\n{self.created}"] = {}
            couple = self._root(self.up[couple][letter])
        return couple

    def add(self, constraint: Constraint) -> bool:
        """Add a constraint; False if that is impossible."""
        self.join(self.ensure(constraint.one), self.ensure(constraint.other))
        if constraint.distinct:
            one, other = constraint.distinct
            self.distinct.append((self.ensure(one), self.ensure(other)))
        return self.is_possible()

    def holds(self, constraint: Constraint) -> bool:
        """Return whether a constraint holds as far as is known."""
        couple = self.find(constraint.one)
        if not couple or couple != self.find(constraint.other):
            return False
        return not constraint.distinct or len(set(map(self.find, constraint.distinct))) == 2

    def without(self, constraints: list[Constraint]) -> "Couples | None":
        """Return couples for which none of these constraints hold, None if impossible.

        Only a constraint on distinct couples can be broken, by merging the two.
        """
        for constraint in constraints:
            if self.holds(constraint):
                if not constraint.distinct:
                    return None
                merged = self.copy()
                merged.join(*map(merged.ensure, constraint.distinct))
                return merged.without(constraints) if merged.is_possible() else None
        return self

    def _root(self, couple: str) -> str:
        while couple in self.root:
            couple = self.root[couple]
        return couple

    def join(self, one: str, other: str) -> None:
        """Merge two couples, and so their parents."""
        one, other = self._root(one), self._root(other)
        if one == other:
            return
        self.root[other] = one
        for letter, parents in self.up.pop(other).items():
            if letter in self.up[self._root(one)]:
                self.join(self.up[self._root(one)][letter], parents)
            else:
                self.up[self._root(one)][letter] = parents

    def is_possible(self) -> bool:
        """Return whether some family has these couples."""
        for people in self.named.values():
            if len({self._root(person) for person in people}) < len(people):
                return False
        if any(self._root(one) == self._root(other) for one, other in self.distinct):
            return False
        above: dict[str, set[str]] = {}
        for couple, parents in self.up.items():
            above[couple] = {self._root(elder) for elder in parents.values()}
            if len(above[couple]) < len(parents):
                return False  # a couple of brother and sister
        while above:
            top = [couple for couple, elders in above.items() if not elders & above.keys()]
            if not top:
                return False  # their own ancestors
            for couple in top:
                del above[couple]
        return True


def constraints(fact: Fact, genders: Mapping[str, str]) -> list[Constraint]:
    """Return the alternative constraints of a fact, none if the word is for another gender."""
    x, word, y = fact
    males, females = _WORDS[0].split(), _WORDS[1].split()
    male = genders[y] == "male"
    if word not in (males if male else females):
        return []
    kind = (males if male else females).index(word)
    up = {name: "m" if genders[name] == "male" else "w" for name in (x, y)}
    beside = {"m": "w", "w": "m"}
    born, wed = {n: (n, up[n]) for n in (x, y)}, {n: (n, beside[up[n]]) for n in (x, y)}
    own = {n: (n, "") for n in (x, y)}
    elders = {n: [(n, up[n] + letter) for letter in "mw"] for n in (x, y)}
    # A spouse's sibling and a sibling's spouse, unless x and y are themselves a couple.
    other = None if genders[x] == genders[y] else (own[x], own[y])
    return [
        [Constraint(born[y], own[x])],
        [Constraint(born[x], own[y])],
        [Constraint(own[x], own[y])] if genders[x] != genders[y] else [],
        [Constraint(born[x], born[y])],
        [Constraint(elder, own[x]) for elder in elders[y]],
        [Constraint(elder, own[y]) for elder in elders[x]],
        [Constraint(wed[y], own[x])],
        [Constraint(wed[x], own[y])],
        [Constraint(wed[x], born[y], other), Constraint(born[x], wed[y], other)],
        [_sibling_of(elder, x, y, born, own) for elder in elders[x]],
        [_sibling_of(elder, y, x, born, own) for elder in elders[y]],
    ][kind]


_WORDS = (
    "son father husband brother grandson grandfather son-in-law father-in-law brother-in-law "
    "uncle nephew",
    "daughter mother wife sister granddaughter grandmother daughter-in-law mother-in-law "
    "sister-in-law aunt niece",
)


def _sibling_of(
    elder: CoupleTerm,
    child: str,
    other: str,
    born: dict[str, CoupleTerm],
    own: dict[str, CoupleTerm],
) -> Constraint:
    """Return the constraint that `other` is a sibling of a parent of a child, not the parent."""
    same_gender = elder[1][-1] == born[other][1]
    return Constraint(elder, born[other], (own[other], born[child]) if same_gender else None)


def solve(
    facts: Iterable[Fact],
    genders: Mapping[str, str],
    query: tuple[str, str],
    claimed: str | None = None,
) -> Verdict:
    """Return the verdict on a claim, or on all words, where everyone's gender is known."""
    search = _CoupleSearch(list(facts), genders, query)
    family = search.family()
    if family is None:
        return Verdict(Status.IMPOSSIBLE)
    words = _WORDS[genders[query[1]] != "male"].split()
    entailed = [word for word in words if claimed in (None, word) and search.entails(word, family)]
    if entailed:
        return Verdict(Status.ENTAILED, frozenset(entailed))
    possible = {word for word in words if search.family(word)}
    if search.family(without=words):
        possible.add(NO_RELATION)
    return Verdict.not_entailed(frozenset(possible), claimed)


class _CoupleSearch:
    """The facts connected with a query: the couples that they force, and the open choices."""

    def __init__(
        self, facts: list[Fact], genders: Mapping[str, str], query: tuple[str, str]
    ) -> None:
        near, far = (distances(facts, name) for name in query)
        people = {name: near.get(name, 0) + far.get(name, 0) for name in sorted({*near, *far})}
        self.start = Couples((name, genders[name]) for name in people)
        self.choices: list[list[Constraint]] = []
        # Facts between the two are decided first; then facts that do not matter rarely are.
        connected = [fact for fact in facts if fact[0] in people]
        for fact in sorted(connected, key=lambda fact: people[fact[0]] + people[fact[2]]):
            possible = constraints(fact, genders)
            if len(possible) != 1:
                self.choices.append(possible)
            elif not self.start.add(possible[0]):
                self.choices.append([])
        x, y = query
        words = _WORDS[genders[y] != "male"].split()
        self.claims = {word: constraints((x, word, y), genders) for word in words}

    def family(self, word: str = "", without: Iterable[str] = ()) -> Couples | None:
        """Return a family that satisfies the facts and `word`, but none of `without`, if any."""
        choices = [self.claims[word], *self.choices] if word else self.choices
        return _family(self.start, choices, [c for w in without for c in self.claims[w]])

    def entails(self, word: str, family: Couples) -> bool:
        """Return whether a word, which then holds in a given family, holds in all."""
        holds = any(family.holds(constraint) for constraint in self.claims[word])
        return holds and self.family(without=[word]) is None


def _family(
    couples: Couples, facts: list[list[Constraint]], forbidden: list[Constraint]
) -> Couples | None:
    """Return a family in which the facts hold and nothing forbidden does, if any."""
    allowed = couples.without(forbidden)
    if allowed is None:
        return None
    for number, fact in enumerate(facts):
        if any(couples.holds(constraint) and not constraint.distinct for constraint in fact):
            continue
        for constraint in fact:
            trial = couples.copy()
            if trial.add(constraint):
                family = _family(trial, facts[number + 1 :], forbidden)
                if family is not None:
                    return family
        return None
    return allowed
