"""Which kinship words hold between two people in every family that satisfies a story's facts.

The axioms, and why the search misses no family, are in docs/judge.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import Final

from ....errors import InvalidOption
from ..fact import Fact
from ..verdict import NO_RELATION, Status, Verdict
from .chase import SIBLING, UNKNOWN, Chase, Way

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

_KNOWN: Final = frozenset(WORDS)
_OF_MEN: Final = frozenset(MALE_WORDS)
_FEMALE: Final = 1
_MALE: Final = 2
_GENDERS: Final = [[], [False], [True], [True, False]]
"""Whether male, by the genders that are admitted."""

_LINKS: Final = ("child", "sibling", "spouse")
_STEPS: Final = ("self", "father", "mother", "spouse")
"""By the numbers that a family in part knows them by."""

_Link = tuple[int, str, int]
"""A fact about people by number."""


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
    facts = list(facts)
    _check(facts, query)
    if claimed is not None:
        _check_word(claimed)
    asked, *others = _parts(facts, query)
    # What has nothing to do with the query can only be impossible; names make no difference.
    for part in others:
        told, males = _renamed(part, genders)
        if not _is_possible(told, males, axioms):
            return Verdict(Status.IMPOSSIBLE)
    question = Question(asked, genders, query, axioms)
    if claimed is None:
        certain = question.certain()
    elif question.family(claimed) is None:
        possible = question.possible()
        return Verdict(Status.CONTRADICTED if possible else Status.IMPOSSIBLE, possible)
    else:
        certain = frozenset() if question.family(without=[claimed]) else frozenset([claimed])
    if certain:
        return Verdict(Status.ENTAILED, certain)
    possible = question.possible()
    return Verdict(Status.UNDETERMINED if possible else Status.IMPOSSIBLE, possible)


def _parts(facts: list[Fact], query: tuple[str, str]) -> list[list[Fact]]:
    """The facts in parts that name nobody in common; the query's part comes first."""
    part: dict[str, int] = dict.fromkeys(query, 0)
    parts: list[list[Fact]] = [[]]
    members: list[list[str]] = [list(query)]
    for fact in facts:
        x, _, y = fact
        one, other = part.get(x, -1), part.get(y, -1)
        if one < 0 and other < 0:
            one = other = part[x] = part[y] = len(parts)
            parts.append([])
            members.append([x, y])
        elif one < 0 or other < 0:
            new = x if one < 0 else y
            one = other = part[new] = max(one, other)
            members[one].append(new)
        if one != other:
            # The smaller joins the larger, so that nobody moves often; none leaves the query's.
            kept, gone = one, other
            if gone == 0 or (kept != 0 and len(members[gone]) > len(members[kept])):
                kept, gone = gone, kept
            for name in members[gone]:
                part[name] = kept
            members[kept] += members[gone]
            parts[kept] += parts[gone]
            parts[gone], members[gone] = [], []
            one = kept
        parts[one].append(fact)
    return [some for n, some in enumerate(parts) if some or n == 0]


def _renamed(
    facts: list[Fact], genders: Mapping[str, str]
) -> tuple[tuple[Fact, ...], tuple[str, ...]]:
    """The same facts of people who are called 0, 1, ..., and their genders."""
    number: dict[str, str] = {}
    renamed: list[Fact] = []
    for x, word, y in facts:
        for name in (x, y):
            if name not in number:
                number[name] = str(len(number))
        renamed.append((number[x], word, number[y]))
    return tuple(renamed), tuple([_gender(name, genders) for name in number])


@lru_cache(maxsize=2**14)
def _is_possible(facts: tuple[Fact, ...], genders: tuple[str, ...], axioms: Axioms) -> bool:
    """Whether there is a family of 0, 1, ..., of whom these facts hold."""
    known = {str(n): gender for n, gender in enumerate(genders) if gender}
    return Question(facts, known, ("0", "1"), axioms).family() is not None


class _Choice:
    """A fact that holds in one of several ways."""

    __slots__ = ("first", "second", "ways")

    def __init__(self, ways: list[Way], first: int, second: int) -> None:
        self.ways, self.first, self.second = ways, first, second


class _Start:
    """What the facts force, what they leave open, and the words the query's answer may be."""

    __slots__ = ("chase", "choices", "words")

    def __init__(self, chase: Chase, choices: list[_Choice], words: tuple[str, ...]) -> None:
        self.chase, self.choices, self.words = chase, choices, words


class Question:
    """A story's facts and two of its people, ready to be asked what may and what must hold."""

    def __init__(
        self,
        facts: Iterable[Fact],
        genders: Mapping[str, str],
        query: tuple[str, str],
        axioms: Axioms = AXIOMS,
    ) -> None:
        facts = list(dict.fromkeys(facts))
        _check(facts, query)
        names = [*query]
        for x, _, y in facts:
            names.append(x)
            names.append(y)
        self.people = list(dict.fromkeys(names))
        """Everyone by number; the query is about the first two."""
        number = {name: n for n, name in enumerate(self.people)}
        self._ways = _ways(axioms.uncles_by_marriage)
        told = [(number[x], word, number[y]) for x, word, y in facts]
        told = _nearest_first(told, len(number))
        self._starts: list[_Start] = []
        for males in product(*_males(told, self.people, genders)):
            self._begin(told, males, axioms.kin_marriage)

    def certain(self) -> frozenset[str]:
        """The words that hold in every family that satisfies the facts, if there is one."""
        family = self.family()
        if family is None:
            return frozenset()
        words = [word for word in WORDS if self._holds(word, family)]
        return frozenset([word for word in words if self.family(without=[word]) is None])

    def possible(self) -> frozenset[str]:
        """The words that hold in some such family; NO_RELATION too if none holds in some."""
        family = self.family()
        if family is None:
            return frozenset()
        possible = {word for word in WORDS if self._holds(word, family) or self.family(word)}
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
                choices = [_Choice(self._ways[word], 0, 1), *choices]
            barred: list[Way] = []
            for no in without:
                if no in start.words:
                    barred += self._ways[no]
            chase = start.chase.copy()
            if not _avoid(chase, barred):
                continue
            family = _complete(chase, choices, 0, barred)
            if family is not None:
                return family
        return None

    def _holds(self, word: str, family: Chase) -> bool:
        if (word in _OF_MEN) != family.male[1]:
            return False
        return any(family.ends(way, 0, 1)[0] != UNKNOWN for way in self._ways[word])

    def _begin(self, facts: list[_Link], males: Sequence[bool], kin_marriage: bool) -> None:
        """Take up what these genders leave of the facts, unless they leave no family."""
        chase = Chase(kin_marriage)
        choices: list[_Choice] = []
        for name, male in enumerate(males):
            chase.person(male, name)
        for x, word, y in facts:
            ways = self._ways[word]
            if x == y:
                return
            if len(ways) > 1:
                choices.append(_Choice(ways, x, y))
            elif not chase.add(ways[0], x, y):
                return
        if chase.consistent():
            words = MALE_WORDS if males[1] else FEMALE_WORDS
            self._starts.append(_Start(chase, choices, words))


def _complete(chase: Chase, choices: list[_Choice], done: int, barred: list[Way]) -> Chase | None:
    """The family with a way chosen for each of the choices that are not done, if there is one."""
    for number in range(done, len(choices)):
        choice = choices[number]
        settled = False
        for way in choice.ways:
            if chase.settled(way, choice.first, choice.second):
                settled = True
                break
        if settled:
            continue
        for way in choice.ways:
            trial = chase.copy()
            if (
                trial.add(way, choice.first, choice.second)
                and trial.consistent()
                and _avoid(trial, barred)
            ):
                family = _complete(trial, choices, number + 1, barred)
                if family is not None:
                    return family
        return None
    return chase


def _avoid(chase: Chase, barred: list[Way]) -> bool:
    """Undo barred links where the family can; only siblings can, by turning out to be one."""
    again = True
    while again:
        again = False
        for way in barred:
            person, relative = chase.ends(way, 0, 1)
            if person != UNKNOWN:
                if way.link != SIBLING or not chase.equate(person, relative):
                    return False
                if not chase.consistent():
                    return False
                again = True
    return True


@cache
def _ways(uncles_by_marriage: bool) -> dict[str, list[Way]]:
    table = {}
    for words, texts in _BY_BLOOD.items():
        more = _BY_MARRIAGE.get(words, []) if uncles_by_marriage else []
        for word in words:
            table[word] = [_way(text) for text in texts + more]
    return table


def _way(text: str) -> Way:
    link, ends = text.split(": ")
    first, second = [end.split() if " " in end else ["self", end] for end in ends.split(", ")]
    return Way(
        _LINKS.index(link),
        "xy".index(first[1]),
        _STEPS.index(first[0]),
        "xy".index(second[1]),
        _STEPS.index(second[0]),
    )


def _males(facts: list[_Link], people: list[str], genders: Mapping[str, str]) -> list[list[bool]]:
    """For each of the people, whether male: what the words and the given genders admit of both."""
    admitted = [_FEMALE | _MALE] * len(people)
    for number, name in enumerate(people):
        gender = _gender(name, genders)
        if gender:
            admitted[number] = _MALE if gender == "male" else _FEMALE
    for x, word, y in facts:
        admitted[y] &= _MALE if word in _OF_MEN else _FEMALE
        if word == "husband":
            admitted[x] &= _FEMALE
        elif word == "wife":
            admitted[x] &= _MALE
    return [_GENDERS[some] for some in admitted]


def _nearest_first(facts: list[_Link], people: int) -> list[_Link]:
    """The facts between the two people first, so that idle ones are not split upon in vain."""
    nearby: list[list[int]] = [[] for _ in range(people)]
    for x, _, y in facts:
        nearby[x].append(y)
        nearby[y].append(x)
    distance = [0] * people
    for start in (0, 1):
        steps = [-1] * people
        steps[start] = 0
        reached = [start]
        for person in reached:  # it grows meanwhile
            for near in nearby[person]:
                if steps[near] < 0:
                    steps[near] = steps[person] + 1
                    reached.append(near)
        for person in range(people):
            distance[person] += steps[person] if steps[person] >= 0 else people
    return sorted(facts, key=lambda fact: distance[fact[0]] + distance[fact[2]])


def _gender(name: str, genders: Mapping[str, str]) -> str:
    """Somebody's gender, or nothing."""
    gender = genders.get(name)
    if gender not in ("male", "female", None):
        raise InvalidOption(f"gender of {name!r} is {gender!r}; say 'male' or 'female'")
    return gender or ""


def _check(facts: list[Fact], query: tuple[str, str]) -> None:
    if query[0] == query[1]:
        raise InvalidOption(f"query asks of {query[0]!r} twice; name two people")
    for _, word, _ in facts:
        _check_word(word)


def _check_word(word: str) -> None:
    if word not in _KNOWN:
        raise InvalidOption(f"no kinship word {word!r}; the words are {', '.join(WORDS)}")
