"""Of whom a kinship word follows, found once more by other means than the judge's.

The judge knows people, fathers and spouses. Here there are only couples: everyone may be taken to
be married (docs/judge.md), so that a person is a couple and a gender, and all that facts say is
that couples are the same: one's own, one's parents'. The axioms are the judge's, the code is not.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..fact import Fact

Term = tuple[str, str]
"""Somebody's couple, and a letter for each step up from it: m to his parents, w to hers."""


class Way(NamedTuple):
    """Two couples that are the same, and perhaps two that are not."""

    one: Term
    other: Term
    apart: tuple[Term, Term] | None = None


class Couples:
    """Couples that are the same by what is said so far, and those that must not be."""

    def __init__(self, people: Iterable[tuple[str, str]]) -> None:
        self.same: dict[str, str] = {}
        """Where a couple turned out to be another, that one."""
        self.up: dict[str, dict[str, str]] = {}
        self.apart: list[tuple[str, str]] = []
        self.made = 0
        named: dict[str, list[str]] = {}
        for person, gender in people:
            named.setdefault(gender, []).append(person)
            self.up[person] = {}
        # Nobody has two names: of one gender, two names are two couples.
        self.named = named

    def copy(self) -> "Couples":
        """An independent copy."""
        other = Couples(())
        other.same, other.named, other.made = dict(self.same), self.named, self.made
        other.up = {couple: dict(parents) for couple, parents in self.up.items()}
        other.apart = list(self.apart)
        return other

    def find(self, term: Term) -> str:
        """The couple that a term means, or nothing where it is not known."""
        name, letters = term
        couple = self._one(name)
        for letter in letters:
            if letter not in self.up[couple]:
                return ""
            couple = self._one(self.up[couple][letter])
        return couple

    def make(self, term: Term) -> str:
        """The same, with new couples where none are known."""
        name, letters = term
        couple = self._one(name)
        for letter in letters:
            if letter not in self.up[couple]:
                self.made += 1
                self.up[couple][letter] = f"\n{self.made}"  # nobody's name
                self.up[f"\n{self.made}"] = {}
            couple = self._one(self.up[couple][letter])
        return couple

    def add(self, way: Way) -> bool:
        """Make a way hold; False where it cannot."""
        self.join(self.make(way.one), self.make(way.other))
        if way.apart:
            self.apart.append((self.make(way.apart[0]), self.make(way.apart[1])))
        return self.possible()

    def holds(self, way: Way) -> bool:
        """Whether a way holds as things stand."""
        one = self.find(way.one)
        if not one or one != self.find(way.other):
            return False
        return not way.apart or self.find(way.apart[0]) != self.find(way.apart[1])

    def without(self, ways: list[Way]) -> "Couples | None":
        """The same where none of these ways hold, if that can be; only the apart can be one."""
        for way in ways:
            if self.holds(way):
                if not way.apart:
                    return None
                closer = self.copy()
                closer.join(closer.make(way.apart[0]), closer.make(way.apart[1]))
                return closer.without(ways) if closer.possible() else None
        return self

    def _one(self, couple: str) -> str:
        while couple in self.same:
            couple = self.same[couple]
        return couple

    def join(self, one: str, other: str) -> None:
        """Make two couples the same, and so the parents of both."""
        one, other = self._one(one), self._one(other)
        if one == other:
            return
        self.same[other] = one
        for letter, parents in self.up.pop(other).items():
            if letter in self.up[self._one(one)]:
                self.join(self.up[self._one(one)][letter], parents)
            else:
                self.up[self._one(one)][letter] = parents

    def possible(self) -> bool:
        """Whether there can be such a family."""
        for people in self.named.values():
            if len({self._one(person) for person in people}) < len(people):
                return False
        if any(self._one(one) == self._one(other) for one, other in self.apart):
            return False
        above: dict[str, set[str]] = {}
        for couple, parents in self.up.items():
            above[couple] = {self._one(elder) for elder in parents.values()}
            if len(above[couple]) < len(parents):
                return False  # brother and sister
        while above:
            top = [couple for couple, elders in above.items() if not elders & above.keys()]
            if not top:
                return False  # their own ancestors
            for couple in top:
                del above[couple]
        return True


def ways(fact: Fact, genders: Mapping[str, str]) -> list[Way]:
    """How y can be such a relative of x; in no way where the word is for another gender."""
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
    # Spouses of siblings, and their siblings: unless they are the two themselves.
    other = None if genders[x] == genders[y] else (own[x], own[y])
    return [
        [Way(born[y], own[x])],
        [Way(born[x], own[y])],
        [Way(own[x], own[y])] if genders[x] != genders[y] else [],
        [Way(born[x], born[y])],
        [Way(elder, own[x]) for elder in elders[y]],
        [Way(elder, own[y]) for elder in elders[x]],
        [Way(wed[y], own[x])],
        [Way(wed[x], own[y])],
        [Way(wed[x], born[y], other), Way(born[x], wed[y], other)],
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
    elder: Term, child: str, other: str, born: dict[str, Term], own: dict[str, Term]
) -> Way:
    """That somebody is a sibling of a parent of a child, and not the parent."""
    same_gender = elder[1][-1] == born[other][1]
    return Way(elder, born[other], (own[other], born[child]) if same_gender else None)


def everyone(facts: list[Fact], genders: Mapping[str, str], x: str, word: str) -> list[str]:
    """All of whom the word holds, as relatives of x, in every family in which the facts hold."""
    story = _Story(facts, genders, x)
    people = sorted(story.steps.keys() - {x}) if story.family() else []
    return [name for name in people if story.certain(word, name)]


def certain(facts: list[Fact], genders: Mapping[str, str], query: tuple[str, str]) -> list[str]:
    """Every word that holds between two in every family in which the facts hold."""
    x, y = query
    story = _Story(facts, genders, x)
    family = story.family()
    if family is None or y not in story.steps:
        return []
    words = [word for words in _WORDS for word in words.split()]
    return [
        word
        for word in words
        if any(family.holds(way) for way in ways((x, word, y), genders)) and story.certain(word, y)
    ]


class _Story:
    """Facts that have to do with somebody: what they force, and what they leave undecided."""

    def __init__(self, facts: list[Fact], genders: Mapping[str, str], x: str) -> None:
        self.facts, self.genders, self.x = facts, genders, x
        self.steps = _steps(facts, x)
        self.start = Couples((name, genders[name]) for name in sorted(self.steps))
        self.undecided: list[tuple[Fact, list[Way]]] = []
        for fact in facts:
            possible = ways(fact, genders) if fact[0] in self.steps else None
            if possible and len(possible) == 1:
                possible = None if self.start.add(possible[0]) else []
            if possible is not None:
                self.undecided.append((fact, possible))

    def family(self) -> Couples | None:
        """A family in which the facts hold."""
        return _family(self.start, [possible for _, possible in self.undecided], [])

    def certain(self, word: str, y: str) -> bool:
        """Whether a word holds in every family, if there is one."""
        claimed = ways((self.x, word, y), self.genders)
        if not claimed:
            return False
        # What lies between the two is decided first: what does not matter then rarely is at all.
        back = _steps(self.facts, y)
        near = sorted(
            self.undecided,
            key=lambda fact: sum(self.steps[name] + back[name] for name in fact[0][::2]),
        )
        return _family(self.start, [possible for _, possible in near], claimed) is None


def _family(couples: Couples, facts: list[list[Way]], barred: list[Way]) -> Couples | None:
    """A family in which the facts hold and nothing barred does."""
    rid = couples.without(barred)
    if rid is None:
        return None
    for number, fact in enumerate(facts):
        if any(couples.holds(way) and not way.apart for way in fact):
            continue
        for way in fact:
            trial = couples.copy()
            if trial.add(way):
                family = _family(trial, facts[number + 1 :], barred)
                if family is not None:
                    return family
        return None
    return rid


def _steps(facts: list[Fact], x: str) -> dict[str, int]:
    """How many facts lead from somebody to others."""
    steps, ahead = {x: 0}, [x]
    for person in ahead:  # it grows meanwhile
        for a, _, b in facts:
            other = b if a == person else a if b == person else person
            if other not in steps:
                steps[other] = steps[person] + 1
                ahead.append(other)
    return steps
