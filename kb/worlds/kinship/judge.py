"""Judge of the kinship world: the words that are entailed or possible between two people.

The axioms, and why the search misses no family, are in docs/judge.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import product
from typing import Any, Final

from ....tables import load_tables
from ..fact import BridgeEnd, Fact, check_input, known_gender, nearest_first, query_component
from ..verdict import NO_RELATION, Status, Verdict
from .chase import SIBLING, UNKNOWN, Chase, LinkPattern


def _by_words(section: dict[str, list[str]]) -> dict[tuple[str, ...], list[str]]:
    return {tuple(words.split(", ")): patterns for words, patterns in section.items()}


_TABLES: Final[dict[str, Any]] = load_tables(__package__, "judge.yaml")
_BY_BLOOD: Final = _by_words(_TABLES["by blood"])
_BY_MARRIAGE: Final = _by_words(_TABLES["by marriage"])

MALE_WORDS = tuple(male for male, _ in _BY_BLOOD)
FEMALE_WORDS = tuple(female for _, female in _BY_BLOOD)
WORDS = MALE_WORDS + FEMALE_WORDS

_KNOWN: Final = dict.fromkeys(WORDS)
_NOUNS: Final = ("kinship word", "people")
_OF_MEN: Final = frozenset(MALE_WORDS)
_FEMALE: Final = 1
_MALE: Final = 2
_GENDERS: Final = [[], [False], [True], [True, False]]
"""Values of `male`, by the bitmask of admitted genders."""

_SINGLE: Final = BridgeEnd(*[frozenset(words) for words in _TABLES["single"].values()])
_BRIDGES: Final = {"husband": (_SINGLE, _SINGLE), "wife": (_SINGLE, _SINGLE)}
"""A wedding of two people without other in-laws has no consequences within their families."""

_LINKS: Final = ("child", "sibling", "spouse")
_STEPS: Final = ("self", "father", "mother", "spouse")
"""Names of the constants of chase.py, by number."""


def judge(
    facts: Iterable[Fact],
    genders: Mapping[str, str],
    query: tuple[str, str],
    claimed: str | None = None,
    uncles_by_marriage: bool = False,
) -> Verdict:
    """Return whether the facts entail that the query's second is so related to its first.

    Without a claim, return whether the facts entail any word at all. `uncles_by_marriage` makes
    the spouses of uncles and aunts by blood aunts and uncles, too.
    """
    facts = list(facts)
    check_input(facts, query, claimed, _KNOWN, _NOUNS)

    def is_possible(unnamed: tuple[Fact, ...], names: list[str]) -> bool:
        stated = tuple([known_gender(name, genders) for name in names])
        return _is_possible(unnamed, stated, uncles_by_marriage)

    bridges = None if uncles_by_marriage else _BRIDGES
    queried = query_component(facts, query, is_possible, bridges)
    if queried is None:
        return Verdict(Status.IMPOSSIBLE)
    search = FamilySearch(queried, genders, query, uncles_by_marriage)
    if claimed is None:
        entailed = search.entailed()
    elif search.family(claimed) is None or search.family(without=[claimed]):
        entailed = frozenset()
    else:
        entailed = frozenset([claimed])
    if entailed:
        return Verdict(Status.ENTAILED, entailed)
    return Verdict.not_entailed(search.possible(), claimed)


@lru_cache(maxsize=2**14)
def _is_possible(
    facts: tuple[Fact, ...], genders: tuple[str, ...], uncles_by_marriage: bool
) -> bool:
    """Return whether some family of "0", "1", … satisfies the facts."""
    known = {str(n): gender for n, gender in enumerate(genders) if gender}
    return FamilySearch(facts, known, ("0", "1"), uncles_by_marriage).family() is not None


class _Choice:
    """A fact that holds by one of several patterns."""

    __slots__ = ("first", "patterns", "second")

    def __init__(self, patterns: list[LinkPattern], first: int, second: int) -> None:
        self.patterns, self.first, self.second = patterns, first, second


class _SearchState:
    """The family that the facts force, the open choices, and the candidate answers."""

    __slots__ = ("chase", "choices", "words")

    def __init__(self, chase: Chase, choices: list[_Choice], words: tuple[str, ...]) -> None:
        self.chase, self.choices, self.words = chase, choices, words


class FamilySearch:
    """Search for families that satisfy facts, and words between the two people of a query."""

    def __init__(
        self,
        facts: Iterable[Fact],
        genders: Mapping[str, str],
        query: tuple[str, str],
        uncles_by_marriage: bool = False,
    ) -> None:
        facts = list(dict.fromkeys(facts))
        check_input(facts, query, None, _KNOWN, _NOUNS)
        names = [*query]
        for x, _, y in facts:
            names.append(x)
            names.append(y)
        self.people = list(dict.fromkeys(names))
        """Everyone by number; the first two are the query's."""
        self._number = {name: n for n, name in enumerate(self.people)}
        self._patterns = _patterns(uncles_by_marriage)
        facts = nearest_first(facts, query)
        self._starts: list[_SearchState] = []
        for males in product(*_males(facts, self.people, genders)):
            self._add_start(facts, males)

    def entailed(self) -> frozenset[str]:
        """Return the words that hold in all families; none if there is no family."""
        family = self.family()
        if family is None:
            return frozenset()
        words = [word for word in WORDS if self._holds(word, family)]
        return frozenset([word for word in words if self.family(without=[word]) is None])

    def possible(self) -> frozenset[str]:
        """Return the words that hold in some family, NO_RELATION too if none holds in some."""
        family = self.family()
        if family is None:
            return frozenset()
        possible = {word for word in WORDS if self._holds(word, family) or self.family(word)}
        if self.family(without=WORDS):
            possible.add(NO_RELATION)
        return frozenset(possible)

    def family(self, word: str | None = None, without: Sequence[str] = ()) -> Chase | None:
        """Return a family that satisfies the facts and `word`, but none of `without`, if any."""
        for start in self._starts:
            choices = start.choices
            if word is not None:
                if word not in start.words:
                    continue
                choices = [_Choice(self._patterns[word], 0, 1), *choices]
            forbidden: list[LinkPattern] = []
            for excluded in without:
                if excluded in start.words:
                    forbidden += self._patterns[excluded]
            chase = start.chase.copy()
            if not _avoid(chase, forbidden):
                continue
            family = _complete(chase, choices, 0, forbidden)
            if family is not None:
                return family
        return None

    def _holds(self, word: str, family: Chase) -> bool:
        if (word in _OF_MEN) != family.male[1]:
            return False
        patterns = self._patterns[word]
        return any(family.linked_pair(pattern, 0, 1)[0] != UNKNOWN for pattern in patterns)

    def _add_start(self, facts: list[Fact], males: Sequence[bool]) -> None:
        """Start a search with these genders, unless they are impossible."""
        chase = Chase()
        choices: list[_Choice] = []
        for name, male in enumerate(males):
            chase.add_person(male, name)
        for x, word, y in facts:
            patterns, first, second = self._patterns[word], self._number[x], self._number[y]
            if first == second:
                return
            if len(patterns) > 1:
                choices.append(_Choice(patterns, first, second))
            elif not chase.add_link(patterns[0], first, second):
                return
        if chase.is_consistent():
            words = MALE_WORDS if males[1] else FEMALE_WORDS
            self._starts.append(_SearchState(chase, choices, words))


def _complete(
    chase: Chase, choices: list[_Choice], done: int, forbidden: list[LinkPattern]
) -> Chase | None:
    """Choose a pattern for each choice from `done` on; None if no family satisfies them."""
    for number in range(done, len(choices)):
        choice = choices[number]
        settled = False
        for pattern in choice.patterns:
            if chase.is_settled(pattern, choice.first, choice.second):
                settled = True
                break
        if settled:
            continue
        for pattern in choice.patterns:
            trial = chase.copy()
            if (
                trial.add_link(pattern, choice.first, choice.second)
                and trial.is_consistent()
                and _avoid(trial, forbidden)
            ):
                family = _complete(trial, choices, number + 1, forbidden)
                if family is not None:
                    return family
        return None
    return chase


def _avoid(chase: Chase, forbidden: list[LinkPattern]) -> bool:
    """Undo forbidden links; False if impossible.

    Only sibling links can be undone, by identifying the two siblings.
    """
    changed = True
    while changed:
        changed = False
        for pattern in forbidden:
            person, relative = chase.linked_pair(pattern, 0, 1)
            if person != UNKNOWN:
                if pattern.link != SIBLING or not chase.equate(person, relative):
                    return False
                if not chase.is_consistent():
                    return False
                changed = True
    return True


@cache
def _patterns(uncles_by_marriage: bool) -> dict[str, list[LinkPattern]]:
    table = {}
    for words, texts in _BY_BLOOD.items():
        more = _BY_MARRIAGE.get(words, []) if uncles_by_marriage else []
        for word in words:
            table[word] = [_parse_pattern(text) for text in texts + more]
    return table


def _parse_pattern(text: str) -> LinkPattern:
    link, ends = text.split(": ")
    first, second = [end.split() if " " in end else ["self", end] for end in ends.split(", ")]
    return LinkPattern(
        _LINKS.index(link),
        "xy".index(first[1]),
        _STEPS.index(first[0]),
        "xy".index(second[1]),
        _STEPS.index(second[0]),
    )


def _males(facts: list[Fact], people: list[str], genders: Mapping[str, str]) -> list[list[bool]]:
    """Return the values of `male` that the words and given genders admit, by person."""
    admitted = dict.fromkeys(people, _FEMALE | _MALE)
    for name in people:
        gender = known_gender(name, genders)
        if gender:
            admitted[name] = _MALE if gender == "male" else _FEMALE
    for x, word, y in facts:
        admitted[y] &= _MALE if word in _OF_MEN else _FEMALE
        if word == "husband":
            admitted[x] &= _FEMALE
        elif word == "wife":
            admitted[x] &= _MALE
    return [_GENDERS[mask] for mask in admitted.values()]
