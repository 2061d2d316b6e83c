"""Judge of the time worlds: the relations that are entailed or possible between two events.
Why it misses no line of time is in docs/time.md. It shares no code with the rules or with
intervals.py.
"""

from collections.abc import Iterable, Mapping
from itertools import combinations, pairwise
from typing import Any, NamedTuple

from ....tables import load_tables
from ..fact import Fact, check_input, has_cycle, reachable
from ..verdict import Verdict


class _Order(NamedTuple):
    """The order of the starts and ends of two events; equal numbers are simultaneous."""

    start: int
    end: int
    other_start: int
    other_end: int


def _orders(section: str) -> dict[str, _Order]:
    words = load_tables(__package__, "judge.yaml")[section]
    return {word: _Order(*order) for word, order in words.items()}


_MEANINGS = _orders("events")

WORDS = tuple(_MEANINGS)

_WITH_INSTANTS = _MEANINGS | _orders("instants")

POINTS = tuple(_WITH_INSTANTS)

Moment = tuple[str, bool]
"""The start of an event, or its end."""


def judge(facts: Iterable[Fact], query: tuple[str, str], claimed: str | None = None) -> Verdict:
    """Return whether the facts entail a claim about the second event seen from the first.

    Without a claim, return whether the facts entail any relation at all.
    """
    return _judge(facts, query, claimed, _MEANINGS, query)


def judge_points(
    facts: Iterable[Fact], query: tuple[str, str], claimed: str | None = None
) -> Verdict:
    """Judge facts with instants: words determine which things are events and which instants."""
    return _judge(facts, query, claimed, _WITH_INSTANTS)


def _judge(
    facts: Iterable[Fact],
    query: tuple[str, str],
    claimed: str | None,
    meanings: Mapping[str, _Order],
    events: Iterable[str] = (),
) -> Verdict:
    facts = list(facts)
    check_input(facts, query, claimed, meanings, ("relation of time", "events"))
    return Verdict.from_possible(_MomentOrder(facts, meanings, events).possible(*query), claimed)


def word_for(start: Any, end: Any, other_start: Any, other_end: Any) -> str:
    """Return the word for "the one ... the other" by the moments of two events, or ""."""
    moments = (start, end, other_start, other_end)
    for word, order in _MEANINGS.items():
        if all(
            (order[a] < order[b]) == (moments[a] < moments[b])
            and (order[a] == order[b]) == (moments[a] == moments[b])
            for a, b in combinations(range(4), 2)
        ):
            return word
    return ""


class _MomentOrder:
    """The partial order of moments that facts state: simultaneous ones, and later ones of each.

    Moments are simultaneous only if the facts say so. The given events have a duration; other
    things that no fact mentions may have one or not, as far as there are words for it.
    """

    def __init__(
        self, facts: Iterable[Fact], meanings: Mapping[str, _Order], events: Iterable[str] = ()
    ) -> None:
        self.meanings = meanings
        self.root: dict[Moment, Moment] = {}
        self.later: dict[Moment, set[Moment]] = {}
        steps: list[tuple[Moment, Moment]] = []
        for event in events:
            steps.append(((event, False), (event, True)))
        for x, word, y in facts:
            moments = ((y, False), (y, True), (x, False), (x, True))
            order = sorted(zip(meanings[word], moments, strict=True))
            for (number, moment), (next_number, following) in pairwise(order):
                if number == next_number:
                    self.root[self.find(following)] = self.find(moment)
                else:
                    steps.append((moment, following))
        for moment, following in steps:
            self.later.setdefault(self.find(moment), set()).add(self.find(following))

    def find(self, moment: Moment) -> Moment:
        """Return the representative of all moments that are simultaneous with this."""
        while self.root.get(moment, moment) != moment:
            moment = self.root[moment]
        return moment

    def possible(self, x: str, y: str) -> frozenset[str]:
        """Return the words for y and x that contradict no known order of two moments."""
        if has_cycle(self.later):
            return frozenset()
        moments = [self.find(moment) for moment in ((y, False), (y, True), (x, False), (x, True))]
        after = [reachable(self.later, moment) for moment in moments]
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
