"""Which kinship words hold between two people in every family that satisfies a story's facts.

docs/judge.md argues why the search is complete.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product

from ...errors import InvalidOption
from ..verdict import NO_RELATION, Status, Verdict
from .chase import Chase, Way

Fact = tuple[str, str, str]

# Each relative y of x, in every way one can be: a link between someone one step from x (or x)
# and someone one step from y (or y). "child" reads: the second is a child of the first.
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


def _way(text: str) -> Way:
    link, ends = text.split(": ")
    (first, first_step), (second, second_step) = (
        ("xy".index(end.split()[-1]), end.split()[0] if " " in end else "self")
        for end in ends.split(", ")
    )
    return link, first, first_step, second, second_step


@cache
def _ways(by_marriage: bool) -> dict[str, tuple[Way, ...]]:
    table = {}
    for words, texts in _BY_BLOOD.items():
        more = _BY_MARRIAGE.get(words, []) if by_marriage else []
        for word in words:
            table[word] = tuple(_way(text) for text in texts + more)
    return table


def judge(
    facts: Iterable[Fact],
    genders: Mapping[str, str],
    query: tuple[str, str],
    claimed: str | None = None,
    *,
    uncles_by_marriage: bool = False,
) -> Verdict:
    """Say whether the facts entail that the query's second is the claimed word of its first.

    Without a claim, say whether they entail any word, and which.
    """
    question = Question(facts, genders, query, uncles_by_marriage=uncles_by_marriage)
    if claimed is None:
        if not question.possible_story():
            return Verdict(Status.IMPOSSIBLE)
        if certain := question.certain():
            return Verdict(Status.ENTAILED, certain)
        return Verdict(Status.UNDETERMINED, question.possible())
    _check_word(claimed)
    if question.allows(claimed):
        if question.denies(claimed):
            return Verdict(Status.UNDETERMINED, question.possible())
        return Verdict(Status.ENTAILED, frozenset({claimed}))
    if question.possible_story():
        return Verdict(Status.CONTRADICTED, question.possible())
    return Verdict(Status.IMPOSSIBLE)


class Question:
    """A story's facts and two of its people, ready to be asked what may and must hold."""

    def __init__(
        self,
        facts: Iterable[Fact],
        genders: Mapping[str, str],
        query: tuple[str, str],
        *,
        uncles_by_marriage: bool = False,
    ) -> None:
        facts = list(dict.fromkeys(facts))
        for _, word, _ in facts:
            _check_word(word)
        if query[0] == query[1]:
            raise InvalidOption(
                f"query asks how {query[0]!r} is related to themself; name two people"
            )
        self._ways = _ways(uncles_by_marriage)
        self._starts = list(self._begin(facts, genders, query))
        self._seen: set[str] = set()

    def possible_story(self) -> bool:
        """Whether any family satisfies the facts."""
        return bool(self._seen) or self._model(None, ()) is not None

    def allows(self, word: str) -> bool:
        """Whether the word holds in some family that satisfies the facts."""
        return word in self._seen or self._model(word, ()) is not None

    def denies(self, word: str) -> bool:
        """Whether the word fails in some family that satisfies the facts."""
        return self._model(None, (word,)) is not None

    def certain(self) -> frozenset[str]:
        """The words that hold in every family; all of them where there is no family."""
        first = self._model(None, ())
        held = WORDS if first is None else first
        return frozenset(word for word in held if not self.denies(word))

    def possible(self) -> frozenset[str]:
        """The words that hold in some family, and NO_RELATION where none may hold."""
        words = {word for word in WORDS if self.allows(word)}
        if self._model(None, WORDS) is not None:
            words.add(NO_RELATION)
        return frozenset(words)

    def _begin(self, facts, genders, query):
        sexes = _sexes(facts, genders, query)
        if sexes is None:
            return
        open_names = [name for name, male in sexes.items() if male is None]
        facts = _nearest_first(facts, query)
        for guess in product((True, False), repeat=len(open_names)):
            start, ids, choices = Chase(), {}, []
            known = sexes | dict(zip(open_names, guess, strict=True))
            for name, male in known.items():
                ids[name] = start.person(bool(male), named=True)
            for x, word, y in facts:
                pair, ways = (ids[x], ids[y]), self._ways[word]
                if len(ways) > 1:
                    choices.append((ways, pair))
                elif not start.add(ways[0], pair):
                    break
            else:
                pair = ids[query[0]], ids[query[1]]
                words = MALE_WORDS if known[query[1]] else FEMALE_WORDS
                yield start, choices, pair, words

    def _model(self, word, denied):
        for start, choices, pair, words in self._starts:
            if word is None:
                todo = choices
            elif word in words:
                todo = [(self._ways[word], pair), *choices]
            else:
                continue
            never = [(way, pair) for no in denied if no in words for way in self._ways[no]]
            found = _complete(start.copy(), todo, 0, never)
            if found is not None:
                held = [w for w in words if any(found.holds(way, pair) for way in self._ways[w])]
                self._seen.update(held)
                return held
        return None


def _complete(chase, choices, at, never):
    if not _without(chase, never):
        return None
    for index in range(at, len(choices)):
        ways, pair = choices[index]
        if any((ends := chase.holds(w, pair)) and (w[0] != "sibling" or chase.distinct(*ends)) for w in ways):
            continue
        for way in ways:
            trial = chase.copy()
            if trial.add(way, pair):
                found = _complete(trial, choices, index + 1, never)
                if found is not None:
                    return found
        return None
    return chase


def _without(chase, never):
    again = True
    while again:
        again = False
        for way, pair in never:
            ends = chase.holds(way, pair)
            if ends is not None:
                if way[0] != "sibling" or not chase.equate(*ends) or not chase.consistent():
                    return False
                again = True
    return True


def _sexes(facts, genders, query):
    sexes = {}
    for name, gender in genders.items():
        if gender not in ("male", "female"):
            raise InvalidOption(f"gender of {name!r} is {gender!r}; say 'male' or 'female'")
        sexes[name] = gender == "male"
    for name in query:
        sexes.setdefault(name, None)
    for x, word, y in facts:
        male = word in MALE_WORDS
        sexes.setdefault(x, None)
        if sexes.setdefault(y, male) is None:
            sexes[y] = male
        elif sexes[y] != male:
            return None
        if word in ("husband", "wife"):
            if sexes[x] is None:
                sexes[x] = not male
            elif sexes[x] == male:
                return None
    return sexes


def _nearest_first(facts, query):
    distance = {}
    for end in query:
        frontier, seen, far = {end}, {end}, 0
        while frontier:
            for name in frontier:
                distance[name] = distance.get(name, 0) + far
            frontier = {b for x, _, y in facts for a, b in ((x, y), (y, x)) if a in frontier} - seen
            seen |= frontier
            far += 1
    return sorted(facts, key=lambda f: distance.get(f[0], 99) + distance.get(f[2], 99))


def _check_word(word: str) -> None:
    if word not in WORDS:
        raise InvalidOption(f"no such kinship word: {word!r}; the words are {', '.join(WORDS)}")
