"""Which words hold between two people in every extended family that satisfies a story's facts.

The axioms, and why the search misses no family, are in docs/kinship-extended.md.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations
from typing import Final

from ....errors import InvalidOption
from ..fact import Fact
from ..verdict import NO_RELATION, Status, Verdict
from .home import NOBODY, Home

# All ways for y to be such a relative of x. "a>b": b is a parent of a; "a=b": they are married;
# "a~b": they were; "a&b": they have the same two parents; "a!b": they are not the same.
_WAYS: Final = {
    ("son", "daughter"): ["y>x"],
    ("father", "mother"): ["x>y"],
    ("grandson", "granddaughter"): ["y>a a>x"],
    ("grandfather", "grandmother"): ["x>a a>y"],
    ("great-grandson", "great-granddaughter"): ["y>a a>b b>x"],
    ("great-grandfather", "great-grandmother"): ["x>a a>b b>y"],
    ("husband", "wife"): ["x=y"],
    ("ex-husband", "ex-wife"): ["x~y"],
    ("brother", "sister"): ["x&y"],
    ("half-brother", "half-sister"): ["x>a x>b y>a y>c b!c a!b a!c"],
    ("stepson", "stepdaughter"): ["y>a a=x y>b a!b b!x"],
    ("stepfather", "stepmother"): ["x>a a=y x>b a!b b!y"],
    ("stepbrother", "stepsister"): ["x>a x>b y>c y>d a=c a!b c!d a!d b!c b!d"],
    ("son-in-law", "daughter-in-law"): ["a>x a=y"],
    ("father-in-law", "mother-in-law"): ["a=x a>y"],
    ("brother-in-law", "sister-in-law"): ["a=x a>b y>b a!y", "a=y a>b x>b a!x"],
    ("nephew", "niece"): ["y>a a>b x>b a!x"],
    ("uncle", "aunt"): ["x>a a>b y>b a!y"],
    ("great-nephew", "great-niece"): ["y>a a>b b>c x>c b!x"],
    ("great-uncle", "great-aunt"): ["x>a a>b b>c y>c b!y"],
    ("first cousin",): ["x>a y>b a>c b>c a!b"],
    ("first cousin once removed",): ["x>a y>b b>c a>d c>d a!c", "y>a x>b b>c a>d c>d a!c"],
    ("first cousin twice removed",): [
        "x>a y>b b>c c>d a>e d>e a!d",
        "y>a x>b b>c c>d a>e d>e a!d",
    ],
    ("second cousin",): ["x>a a>b y>c c>d b>e d>e b!d"],
    ("second cousin once removed",): [
        "x>a a>b y>c c>d d>e b>f e>f b!e",
        "y>a a>b x>c c>d d>e b>f e>f b!e",
    ],
    ("second cousin twice removed",): [
        "x>a a>b y>c c>d d>e e>f b>g f>g b!f",
        "y>a a>b x>c c>d d>e e>f b>g f>g b!f",
    ],
    ("godson", "goddaughter"): [""],
    ("godfather", "godmother"): [""],
}

WORDS: Final = tuple(word for words in _WAYS for word in words)
_KIND: Final = {word: words[0] for words in _WAYS for word in words}
"""By a word the first for the same relation, which stands for it whatever the gender."""
_OF: Final = {
    word: gender
    for words in _WAYS
    if len(words) == 2
    for word, gender in zip(words, ("male", "female"), strict=True)
}
"""The gender that a word says."""
_TOLD_ONLY: Final = frozenset(["godson", "godfather"])
"""What holds only where it is told: nothing follows from it, and it follows from nothing."""


class _Way:
    """Links between x, y and others by number, x being 0 and y 1."""

    __slots__ = ("apart", "links", "size")

    def __init__(self, text: str) -> None:
        letters = "xy" + "".join(sorted(set(text) & set("abcdefg")))
        self.size = len(letters)
        parts = [(letters.index(p[0]), p[1], letters.index(p[2])) for p in text.split()]
        self.apart = [(a, b) for a, sign, b in parts if sign == "!"]
        self.links = _ordered([part for part in parts if part[1] != "!"])


def _ordered(links: list[tuple[int, str, int]]) -> list[tuple[int, str, int]]:
    """The links so that each begins with somebody who is known by then."""
    known, left, ordered = {0, 1}, list(links), []
    while left:
        link = next(one for one in left if one[0] in known or one[2] in known)
        left.remove(link)
        known |= {link[0], link[2]}
        ordered.append(link)
    return ordered


@cache
def _ways(kind: str) -> tuple[_Way, ...]:
    return tuple(_Way(text) for words, texts in _WAYS.items() if words[0] == kind for text in texts)


def judge(
    facts: Iterable[Fact],
    genders: Mapping[str, str],
    query: tuple[str, str],
    claimed: str | None = None,
) -> Verdict:
    """Say whether the facts entail that the query's second is so related to its first.

    Without a claim, say whether the facts entail any word at all.
    """
    facts = list(dict.fromkeys(facts))
    _check(facts, query, claimed)
    gender = _genders(facts, genders)
    if gender is None or any(x == y for x, _, y in facts):
        return Verdict(Status.IMPOSSIBLE)
    asked, *others = _parts(facts, query)
    if not all(_is_possible(_renamed(part)) for part in others):
        return Verdict(Status.IMPOSSIBLE)
    question = _Question(asked, query)
    # Of one whose gender is not known, a word that says it is never certain.
    its = gender.get(query[1])
    fits = [word for word in WORDS if its is None or _OF.get(word, its) == its]
    if claimed is not None and its is None and claimed in _OF:
        certain: list[str] = []
    elif claimed is not None:
        certain = [claimed] if claimed in fits and question.entails(_KIND[claimed]) else []
    else:
        sure = question.certain()
        certain = [word for word in fits if _KIND[word] in sure and (its or word not in _OF)]
    if certain:
        return Verdict(Status.ENTAILED, frozenset(certain))
    possible = {word for word in fits if question.family(_KIND[word])}
    if question.family(without=list(dict.fromkeys(_KIND.values()))):
        possible.add(NO_RELATION)
    if not possible:
        return Verdict(Status.IMPOSSIBLE)
    status = Status.CONTRADICTED if claimed and claimed not in possible else Status.UNDETERMINED
    return Verdict(status, frozenset(possible))


def _genders(facts: list[Fact], given: Mapping[str, str]) -> dict[str, str] | None:
    """Everybody's gender as far as it is given or words say it; None where they disagree."""
    for name, gender in given.items():
        if gender not in ("male", "female"):
            raise InvalidOption(f"gender of {name!r} is {gender!r}; say 'male' or 'female'")
    known = dict(given)
    for _, word, y in facts:
        if word in _OF and known.setdefault(y, _OF[word]) != _OF[word]:
            return None
    return known


def _parts(facts: list[Fact], query: tuple[str, str]) -> list[list[Fact]]:
    """The facts in parts that name nobody in common; the query's part comes first."""
    group = {name: name for x, _, y in facts for name in (x, y)} | {name: name for name in query}

    def find(name: str) -> str:
        while group[name] != name:
            group[name] = group[group[name]]
            name = group[name]
        return name

    group[find(query[1])] = find(query[0])
    for x, _, y in facts:
        group[find(y)] = find(x)
    parts: dict[str, list[Fact]] = {find(query[0]): []}
    for fact in facts:
        parts.setdefault(find(fact[0]), []).append(fact)
    return list(parts.values())


def _renamed(facts: list[Fact]) -> tuple[tuple[int, str, int], ...]:
    """The same facts of people who are called 0, 1, …, whatever their gender."""
    number: dict[str, int] = {}
    renamed = []
    for x, word, y in facts:
        for name in (x, y):
            number.setdefault(name, len(number))
        renamed.append((number[x], _KIND[word], number[y]))
    return tuple(renamed)


@lru_cache(maxsize=2**14)
def _is_possible(facts: tuple[tuple[int, str, int], ...]) -> bool:
    """Whether there is a family of 0, 1, … of whom these facts hold."""
    told = [(str(x), kind, str(y)) for x, kind, y in facts]
    return _Question(told, ("0", "1")).any is not None


_Choice = tuple[str, int, int]
"""A relation between two people that is still to be brought about."""


class _Question:
    """Facts that have to do with two people, ready to be asked what may and what must hold."""

    def __init__(self, facts: list[Fact], query: tuple[str, str]) -> None:
        names = dict.fromkeys([*query, *(name for x, _, y in facts for name in (x, y))])
        number = {name: n for n, name in enumerate(names)}
        told = [(_KIND[word], number[x], number[y]) for x, word, y in facts]
        self.said = {kind for kind, x, y in told if (x, y) == (0, 1)}
        self.said |= {_TURNED[kind] for kind, x, y in told if (x, y) == (1, 0) and kind in _TURNED}
        start = Home()
        for name in range(len(number)):
            start.person(name)
        self.choices: list[_Choice] = []
        possible = True
        for kind, x, y in _nearest_first(told, len(number)):
            ways = _ways(kind)
            if len(ways) == 1 and ways[0].size == 2:
                possible = possible and _apply(start, ways[0], x, y)
            else:
                self.choices.append((kind, x, y))
        self.start = start if possible and start.consistent() else None
        self.any = self.family()
        """A family in which the facts hold, if there is one."""

    def entails(self, kind: str) -> bool:
        """Whether a relation holds in every family in which the facts hold, if there is one."""
        if self.any is None:
            return False
        if kind in _TOLD_ONLY:
            return kind in self.said
        return self.family(without=[kind]) is None

    def certain(self) -> frozenset[str]:
        """All relations that hold in every family in which the facts hold, if there is one."""
        if self.any is None:
            return frozenset()
        family = self.any.copy()
        _complete(family)
        # What is certain holds in this family, too.
        held = [
            kind
            for kind in dict.fromkeys(_KIND.values())
            if (kind in self.said if kind in _TOLD_ONLY else _holds(family, kind))
        ]
        return frozenset([kind for kind in held if self.entails(kind)])

    def family(self, kind: str = "", without: Sequence[str] = ()) -> Home | None:
        """A family in which the facts and the relation hold, but none of those without."""
        if self.start is None or not self.said.isdisjoint(_TOLD_ONLY.intersection(without)):
            return None
        choices = [(kind, 0, 1), *self.choices] if kind else self.choices
        barred = [no for no in without if no not in _TOLD_ONLY]
        return _search(self.start.copy(), choices, barred)


_TURNED: Final = {"godson": "godfather", "godfather": "godson"}


def _search(home: Home, choices: Sequence[_Choice], barred: Sequence[str]) -> Home | None:
    """A family with all choices made and nothing barred, grown from a consistent one."""
    if any(_is_firm(home, kind, 0, 1) for kind in barred):
        return None
    left = list(choices)
    crowd = home.crowd()
    while left and not crowd and _is_firm(home, *left[0]):
        left.pop(0)
    if crowd:
        trials = _as_one(home, combinations(crowd, 2))
    elif left:
        trials = _in_all_ways(home, *left.pop(0))
    else:
        doubtful = _doubtful(home, barred)
        if doubtful is None:
            return home
        trials = _as_one(home, doubtful)
    for trial in trials:
        family = _search(trial, left, barred)
        if family is not None:
            return family
    return None


def _as_one(home: Home, pairs: Iterable[tuple[int, int]]) -> Iterator[Home]:
    """The family where two of some people turn out to be one, for each two that can."""
    for one, other in pairs:
        if not home.firm(one, other):
            trial = home.copy()
            if trial.equate(one, other) and trial.consistent():
                yield trial


def _in_all_ways(home: Home, kind: str, x: int, y: int) -> Iterator[Home]:
    """The family with a relation brought about, in each way that it can be."""
    for way in _ways(kind):
        trial = home.copy()
        if _apply(trial, way, x, y) and trial.consistent():
            yield trial


def _doubtful(home: Home, barred: Sequence[str]) -> list[tuple[int, int]] | None:
    """Of whom some two must be one, lest something barred holds; None where nothing does."""
    if barred:
        _complete(home)
    for kind in barred:
        for way in _ways(kind):
            for found in _matches(home, way, 0, 1):
                return [(found[a], found[b]) for a, b in way.apart]
    return None


def _complete(home: Home) -> None:
    """Give the two people two parents each: what a relation says of parents, it says of both."""
    home.complete(0)
    home.complete(1)


def _holds(home: Home, kind: str) -> bool:
    """Whether a relation holds between the two people, as things stand."""
    return any(True for way in _ways(kind) for _ in _matches(home, way, 0, 1))


def _apply(home: Home, way: _Way, x: int, y: int) -> bool:
    """Make a relation hold in one way; False where that cannot be, as far as equalities tell."""
    people = [x, y, *(home.person() for _ in range(way.size - 2))]
    for a, sign, b in way.links:
        one, other = people[a], people[b]
        if sign == ">":
            home.bear(one, other)
        elif sign == "=":
            if not home.marry(one, other):
                return False
        elif sign == "&":
            home.relate(one, other)
        else:
            home.ex.append((one, other))
    for a, b in way.apart:
        home.apart.append((people[a], people[b]))
    return True


def _is_firm(home: Home, kind: str, x: int, y: int) -> bool:
    """Whether a relation holds, and does so however the family grows."""
    for way in _ways(kind):
        for found in _matches(home, way, x, y):
            if all(home.firm(found[a], found[b]) for a, b in way.apart):
                return True
    return False


def _matches(home: Home, way: _Way, x: int, y: int) -> Iterator[list[int]]:
    """Everybody by number through whom a relation holds in one way, as things stand."""
    people = [NOBODY] * way.size
    people[0], people[1] = home.find(x), home.find(y)
    return _extended(home, way, 0, people)


def _extended(home: Home, way: _Way, number: int, people: list[int]) -> Iterator[list[int]]:
    if number == len(way.links):
        if all(people[a] != people[b] for a, b in way.apart):
            yield people
        return
    a, sign, b = way.links[number]
    known = people[a] != NOBODY
    for person in _linked(home, sign, people[a] if known else people[b], onward=known):
        place = b if known else a
        if people[place] == NOBODY:
            yield from _extended(
                home, way, number + 1, [*people[:place], person, *people[place + 1 :]]
            )
        elif people[place] == person:
            yield from _extended(home, way, number + 1, people)


def _linked(home: Home, sign: str, person: int, *, onward: bool) -> list[int]:
    """Everyone who is so linked to somebody."""
    if sign == ">":
        return home.above(person) if onward else home.below(person)
    if sign == "=":
        spouse = home.spouse(person)
        return [] if spouse == NOBODY else [spouse]
    if sign == "&":
        return home.siblings(person)
    former = [(home.find(a), home.find(b)) for a, b in home.ex]
    return [b for a, b in former if a == person] + [a for a, b in former if b == person]


def _nearest_first(facts: list[_Choice], people: int) -> list[_Choice]:
    """The facts between the two people first, so that idle ones are not split upon in vain."""
    nearby: list[list[int]] = [[] for _ in range(people)]
    for _, x, y in facts:
        nearby[x].append(y)
        nearby[y].append(x)
    distance = [0] * people
    for start in (0, 1):
        steps = {start: 0}
        reached = [start]
        for person in reached:  # it grows meanwhile
            for near in nearby[person]:
                if near not in steps:
                    steps[near] = steps[person] + 1
                    reached.append(near)
        for person in range(people):
            distance[person] += steps.get(person, people)
    return sorted(facts, key=lambda fact: distance[fact[1]] + distance[fact[2]])


def _check(facts: list[Fact], query: tuple[str, str], claimed: str | None) -> None:
    if query[0] == query[1]:
        raise InvalidOption(f"query asks of {query[0]!r} twice; name two people")
    for word in [*(word for _, word, _ in facts), *([claimed] if claimed is not None else [])]:
        if word not in _KIND:
            raise InvalidOption(f"no kinship word {word!r}; the words are {', '.join(WORDS)}")
