"""Which kinship words hold between two people in every family that satisfies a story's facts.

The axioms, and why the search misses no family, are in docs/judge.md.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import NamedTuple

from ...errors import InvalidOption
from ..fact import Fact
from ..verdict import NO_RELATION, Status, Verdict
from .chase import Chase, Way

# All ways for y to be such a relative of x; "child: a, b" reads: b is a child of a.
_BY_BLOOD = {
    ("son", "daughter"): ["child: x, y"],
    ("father", "mother"): ["child: y, x"],
    ("husband", "wife"): ["spouse: x, y"],
    ("brother", "sister"): ["sibling: x, y"],
    ("grandson", "granddaughter"): ["child: x, father y", "child: x, mother y"],
    ("grandfather", "grandmother"): ["child: y, father x", "child: y, mother x"],
    ("son-in-law", "daughter-in-law"): ["child: x, spouse y"],
    ("father-in-law", "mother-in-law"): ["child: y, spouse x"],
    ("brother-in-law", "sister-in-law"): ["sibling: spouse x, y", "sibling: x, spouse y"],
    ("uncle", "aunt"): ["sibling: father x, y", "sibling: mother x, y"],
    ("nephew", "niece"): ["sibling: x, father y", "sibling: x, mother y"],
}
_BY_MARRIAGE = {
    ("uncle", "aunt"): ["sibling: father x, spouse y", "sibling: mother x, spouse y"],
    ("nephew", "niece"): ["sibling: spouse x, father y", "sibling: spouse x, mother y"],
}

MALE_WORDS = tuple(male for male, _ in _BY_BLOOD)
FEMALE_WORDS = tuple(female for _, female in _BY_BLOOD)
WORDS = MALE_WORDS + FEMALE_WORDS


@dataclass(frozen=True)
class Axioms:
    """What may differ between families; the defaults assume least of marriages."""

    uncles_by_marriage: bool = False
    kin_marriage: bool = True  # siblings never marry; ancestors cannot, being married


AXIOMS = Axioms()


def judge(
    facts: Iterable[Fact],
    genders: Mapping[str, str],
    query: tuple[str, str],
    claimed: str | None = None,
    axioms: Axioms = AXIOMS,
) -> Verdict:
    """Say whether the facts entail that the query's second is so related to its first.

    Without a claim, say whether the facts entail any word at all.
    """
    question = Question(facts, genders, query, axioms)
    if claimed is None:
        certain = question.certain()
    else:
        _check_word(claimed)
        if question.family(claimed) is None:
            possible = question.possible()
            return Verdict(Status.CONTRADICTED if possible else Status.IMPOSSIBLE, possible)
        certain = frozenset() if question.family(without=[claimed]) else frozenset([claimed])
    if certain:
        return Verdict(Status.ENTAILED, certain)
    possible = question.possible()
    return Verdict(Status.UNDETERMINED if possible else Status.IMPOSSIBLE, possible)


class _Choice(NamedTuple):
    """A fact that holds in one of several ways."""

    ways: tuple[Way, ...]
    pair: tuple[int, int]


class _Start(NamedTuple):
    """What the facts force, what they leave open, and the words the query's answer may be."""

    chase: Chase
    choices: list[_Choice]
    pair: tuple[int, int]
    words: tuple[str, ...]


class Question:
    """A story's facts and two of its people, ready to be asked what may and what must hold."""

    def __init__(
        self,
        facts: Iterable[Fact],
        genders: Mapping[str, str],
        query: tuple[str, str],
        axioms: Axioms = AXIOMS,
    ) -> None:
        if query[0] == query[1]:
            raise InvalidOption(f"query asks of {query[0]!r} twice; name two people")
        facts = list(dict.fromkeys(facts))
        for _, word, _ in facts:
            _check_word(word)
        self._axioms = axioms
        self._ways = _ways(axioms.uncles_by_marriage)
        self._seen: set[str] = set()
        self._starts = list(self._begin(facts, genders, query))

    def certain(self) -> frozenset[str]:
        """The words that hold in every family that satisfies the facts, if there is one."""
        if self.family() is None:
            return frozenset()
        return frozenset(word for word in [*self._seen] if self.family(without=[word]) is None)

    def possible(self) -> frozenset[str]:
        """The words that hold in some such family; NO_RELATION too if none holds in some."""
        possible = {word for word in WORDS if word in self._seen or self.family(word)}
        if self.family(without=WORDS):
            possible.add(NO_RELATION)
        return frozenset(possible)

    def family(self, word: str | None = None, without: Sequence[str] = ()) -> Chase | None:
        """A family that satisfies the facts and the word, but none of the words without."""
        for start in self._starts:
            choices = start.choices
            if word is not None:
                if word not in start.words:
                    continue
                choices = [_Choice(self._ways[word], start.pair), *choices]
            barred = [way for no in without if no in start.words for way in self._ways[no]]
            chase = start.chase.copy()
            if not _avoid(chase, start.pair, barred):
                continue
            family = _complete(chase, choices, start.pair, barred)
            if family is not None:
                self._note(family, start)
                return family
        return None

    def _note(self, family: Chase, start: _Start) -> None:
        for word in start.words:
            if word not in self._seen and any(
                family.ends(way, start.pair) for way in self._ways[word]
            ):
                self._seen.add(word)

    def _begin(
        self, facts: list[Fact], genders: Mapping[str, str], query: tuple[str, str]
    ) -> Iterator[_Start]:
        for males in _males(facts, genders, query):
            chase, choices = Chase(self._axioms.kin_marriage), []
            people = {name: chase.person(male, name) for name, male in males.items()}
            for x, word, y in _nearest_first(facts, query):
                choice = _Choice(self._ways[word], (people[x], people[y]))
                if x == y:
                    break
                if len(choice.ways) > 1:
                    choices.append(choice)
                elif not chase.add(choice.ways[0], choice.pair):
                    break
            else:
                if chase.consistent():
                    pair = people[query[0]], people[query[1]]
                    words = MALE_WORDS if males[query[1]] else FEMALE_WORDS
                    yield _Start(chase, choices, pair, words)


def _complete(
    chase: Chase, choices: Sequence[_Choice], pair: tuple[int, int], barred: list[Way]
) -> Chase | None:
    for index, (ways, people) in enumerate(choices):
        if any(chase.settled(way, people) for way in ways):
            continue
        for way in ways:
            trial = chase.copy()
            if trial.add(way, people) and trial.consistent() and _avoid(trial, pair, barred):
                family = _complete(trial, choices[index + 1 :], pair, barred)
                if family is not None:
                    return family
        return None
    return chase


def _avoid(chase: Chase, pair: tuple[int, int], barred: list[Way]) -> bool:
    """Undo barred links where the family can; only siblings can, by turning out to be one."""
    again = True
    while again:
        again = False
        for way in barred:
            ends = chase.ends(way, pair)
            if ends is not None:
                if way.link != "sibling" or not chase.equate(*ends) or not chase.consistent():
                    return False
                again = True
    return True


@cache
def _ways(uncles_by_marriage: bool) -> dict[str, tuple[Way, ...]]:
    table = {}
    for words, texts in _BY_BLOOD.items():
        more = _BY_MARRIAGE.get(words, []) if uncles_by_marriage else []
        for word in words:
            table[word] = tuple(_way(text) for text in texts + more)
    return table


def _way(text: str) -> Way:
    link, ends = text.split(": ")
    first, second = (end.split() if " " in end else ["self", end] for end in ends.split(", "))
    return Way(link, "xy".index(first[1]), first[0], "xy".index(second[1]), second[0])


def _males(
    facts: list[Fact], genders: Mapping[str, str], query: tuple[str, str]
) -> Iterator[dict[str, bool]]:
    """Every assignment of genders that the words and the given genders admit."""
    names = [*query, *(name for x, _, y in facts for name in (x, y))]
    males = {name: {True, False} for name in names}
    for name, gender in genders.items():
        if gender not in ("male", "female"):
            raise InvalidOption(f"gender of {name!r} is {gender!r}; say 'male' or 'female'")
        if name in males:
            males[name] = {gender == "male"}
    for x, word, y in facts:
        males[y] &= {word in MALE_WORDS}
        if word in ("husband", "wife"):
            males[x] &= {word == "wife"}
    for guess in product(*males.values()):
        yield dict(zip(males, guess, strict=True))


def _nearest_first(facts: list[Fact], query: tuple[str, str]) -> list[Fact]:
    """The facts between the two people first, so that idle ones are not split upon in vain."""
    nearby: dict[str, set[str]] = {name: set() for name in query}
    for x, _, y in facts:
        nearby.setdefault(x, set()).add(y)
        nearby.setdefault(y, set()).add(x)
    distance = dict.fromkeys(nearby, 0)
    for person in query:
        reached, edge = {person}, {person}
        while edge:
            edge = {name for near in edge for name in nearby[near]} - reached
            reached |= edge
            for name in nearby.keys() - reached:
                distance[name] += 1
    return sorted(facts, key=lambda fact: distance[fact[0]] + distance[fact[2]])


def _check_word(word: str) -> None:
    if word not in WORDS:
        raise InvalidOption(f"no kinship word {word!r}; the words are {', '.join(WORDS)}")
