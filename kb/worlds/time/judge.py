"""Which relation of time holds between two events wherever a story's facts hold.

Why it misses no line of time is in docs/time.md. It shares no code with the rules or with
intervals.py.
"""

from collections.abc import Iterable, Mapping
from itertools import combinations, pairwise
from typing import Any, NamedTuple

from ....errors import InvalidOption
from ..fact import Fact
from ..verdict import Status, Verdict


class _Order(NamedTuple):
    """In which order two events begin and end; what has the same number happens at once."""

    start: int
    end: int
    other_start: int
    other_end: int


# Of "the one ... the other": the one's start and end, then the other's.
_MEANINGS = {
    "ended before the start of": _Order(1, 2, 3, 4),
    "began after the end of": _Order(3, 4, 1, 2),
    "ended exactly at the start of": _Order(1, 2, 2, 3),
    "began exactly at the end of": _Order(2, 3, 1, 2),
    "began before and ended during": _Order(1, 3, 2, 4),
    "began during and ended after": _Order(2, 4, 1, 3),
    "began at the same time as but ended earlier than": _Order(1, 2, 1, 3),
    "began at the same time as but ended later than": _Order(1, 3, 1, 2),
    "began later and ended earlier than": _Order(2, 3, 1, 4),
    "began earlier and ended later than": _Order(1, 4, 2, 3),
    "began later than but ended at the same time as": _Order(2, 3, 1, 3),
    "began earlier than but ended at the same time as": _Order(1, 3, 2, 3),
    "began and ended at the same time as": _Order(1, 2, 1, 2),
}

WORDS = tuple(_MEANINGS)

# An instant starts and ends at once.
_INSTANTS = {
    "came earlier than": _Order(1, 1, 2, 2),
    "came later than": _Order(2, 2, 1, 1),
    "came at the same moment as": _Order(1, 1, 1, 1),
    "came before the start of": _Order(1, 1, 2, 3),
    "came exactly at the start of": _Order(1, 1, 1, 2),
    "came after the start but before the end of": _Order(2, 2, 1, 3),
    "came exactly at the end of": _Order(2, 2, 1, 2),
    "came after the end of": _Order(3, 3, 1, 2),
    "began after the moment of": _Order(2, 3, 1, 1),
    "began exactly at the moment of": _Order(1, 2, 1, 1),
    "began before and ended after the moment of": _Order(1, 3, 2, 2),
    "ended exactly at the moment of": _Order(1, 2, 2, 2),
    "ended before the moment of": _Order(1, 2, 3, 3),
}

POINTS = (*WORDS, *_INSTANTS)

_WITH_INSTANTS = _MEANINGS | _INSTANTS

Moment = tuple[str, bool]
"""The start of an event, or its end."""


def judge(facts: Iterable[Fact], query: tuple[str, str], claimed: str | None = None) -> Verdict:
    """Say whether the facts entail that the query's second lies so to its first.

    Without a claim, say whether the facts entail any relation at all.
    """
    return _judged(_Line(facts, _MEANINGS, query), query, claimed)


def judge_points(
    facts: Iterable[Fact], query: tuple[str, str], claimed: str | None = None
) -> Verdict:
    """The same where there are instants: what a word is said of lasts, or is over at once."""
    return _judged(_Line(facts, _WITH_INSTANTS), query, claimed)


def _judged(line: "_Line", query: tuple[str, str], claimed: str | None) -> Verdict:
    if claimed is not None:
        line.check(claimed)
    x, y = query
    if x == y:
        raise InvalidOption(f"query asks of {x!r} twice; name two events")
    possible = line.possible(x, y)
    if not possible:
        return Verdict(Status.IMPOSSIBLE)
    if claimed is not None and claimed not in possible:
        return Verdict(Status.CONTRADICTED, possible)
    return Verdict(Status.ENTAILED if len(possible) == 1 else Status.UNDETERMINED, possible)


def word_for(start: Any, end: Any, other_start: Any, other_end: Any) -> str:
    """The word for "the one ... the other" of two events whose moments are known."""
    moments = (start, end, other_start, other_end)
    for word, order in _MEANINGS.items():
        if all(
            (order[a] < order[b]) == (moments[a] < moments[b])
            and (order[a] == order[b]) == (moments[a] == moments[b])
            for a, b in combinations(range(4), 2)
        ):
            return word
    return ""


class _Line:
    """What facts say of the order of moments: which are one, and which come after each.

    Moments are one only where the facts say so. The events are known to last; all else of which
    nothing is told may last or not, as far as there are words for it.
    """

    def __init__(
        self, facts: Iterable[Fact], meanings: Mapping[str, _Order], events: Iterable[str] = ()
    ) -> None:
        self.meanings = meanings
        self.one: dict[Moment, Moment] = {}
        self.later: dict[Moment, set[Moment]] = {}
        steps: list[tuple[Moment, Moment]] = []
        for event in events:
            steps.append(((event, False), (event, True)))
        for x, word, y in facts:
            self.check(word)
            moments = ((y, False), (y, True), (x, False), (x, True))
            order = sorted(zip(meanings[word], moments, strict=True))
            for (number, moment), (next_number, following) in pairwise(order):
                if number == next_number:
                    self.one[self.find(following)] = self.find(moment)
                else:
                    steps.append((moment, following))
        for moment, following in steps:
            self.later.setdefault(self.find(moment), set()).add(self.find(following))

    def find(self, moment: Moment) -> Moment:
        """The moment that stands for all that are one with this."""
        while self.one.get(moment, moment) != moment:
            moment = self.one[moment]
        return moment

    def after(self, moment: Moment) -> set[Moment]:
        """All moments known to come after one."""
        seen: set[Moment] = set()
        ahead = [moment]
        while ahead:
            for following in self.later.get(ahead.pop(), ()):
                if following not in seen:
                    seen.add(following)
                    ahead.append(following)
        return seen

    def circular(self) -> bool:
        """Whether some moment would come after itself."""
        waiting = dict.fromkeys(self.later, 0)
        for ones in self.later.values():
            for moment in ones:
                waiting[moment] = waiting.get(moment, 0) + 1
        ahead = [moment for moment, before in waiting.items() if not before]
        for moment in ahead:  # it grows meanwhile
            for following in self.later.get(moment, ()):
                waiting[following] -= 1
                if not waiting[following]:
                    ahead.append(following)
        return len(ahead) < len(waiting)

    def possible(self, x: str, y: str) -> frozenset[str]:
        """The words that may hold of y and x: those that put no two moments the wrong way round."""
        if self.circular():
            return frozenset()
        moments = [self.find(moment) for moment in ((y, False), (y, True), (x, False), (x, True))]
        after = [self.after(moment) for moment in moments]
        # For two of the four: -1 where the first is known to be earlier, 1 later, 0 the same.
        known: list[tuple[int, int, int]] = []
        for one, other in combinations(range(4), 2):
            if moments[one] == moments[other]:
                known.append((one, other, 0))
            elif moments[other] in after[one]:
                known.append((one, other, -1))
            elif moments[one] in after[other]:
                known.append((one, other, 1))
        return frozenset(
            word
            for word, order in self.meanings.items()
            if all(
                (order[one] > order[other]) - (order[one] < order[other]) == sign
                for one, other, sign in known
            )
        )

    def check(self, word: str) -> None:
        """Refuse a word that is none."""
        if word not in self.meanings:
            words = ", ".join(self.meanings)
            raise InvalidOption(f"no relation of time {word!r}; the words are {words}")
