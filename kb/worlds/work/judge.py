"""Which word holds between two people in every organisation that satisfies a story's facts.

Why it misses no organisation is in docs/work.md. It shares no code with the rules or with
organisation.py.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from ....errors import InvalidOption
from ..fact import Fact
from ..verdict import NO_RELATION, Status, Verdict

_INVERSES = {
    "direct report": "direct manager",
    "skip-level report": "skip-level manager",
    "distant report": "distant manager",
    "principal": "deputy",
    "stand-in report": "stand-in manager",
    "mentee": "mentor",
}
WORDS = ("teammate", *_INVERSES, *_INVERSES.values())

_TEAM, _DEPUTY, _MENTOR = "team", "deputy", "mentor"
_BESIDE = {"teammate": _TEAM, "stand-in manager": _DEPUTY, "mentor": _MENTOR}
"""The role under x's direct manager that each of these has."""
_LEVELS = {"direct manager": 0, "skip-level manager": 1, "distant manager": 2}
"""How many stand between x and each of these at least."""


def judge(facts: Iterable[Fact], query: tuple[str, str], claimed: str | None = None) -> Verdict:
    """Say whether the facts entail that the query's second is so related to its first.

    Without a claim, say whether the facts entail any word at all.
    """
    if query[0] == query[1]:
        raise InvalidOption(f"query asks of {query[0]!r} twice; name two people")
    told = list(facts)
    for word in [word for _, word, _ in told] + ([claimed] if claimed is not None else []):
        if word not in WORDS:
            raise InvalidOption(f"no relation {word!r}; the words are {', '.join(WORDS)}")
    asked, others = _parts(told, query)
    possible = _possible(asked, query) if all(_consistent(part) for part in others) else None
    if not possible:
        return Verdict(Status.IMPOSSIBLE)
    if claimed is not None and claimed not in possible:
        return Verdict(Status.CONTRADICTED, possible)
    certain = len(possible) == 1 and NO_RELATION not in possible
    return Verdict(Status.ENTAILED if certain else Status.UNDETERMINED, possible)


def _parts(facts: list[Fact], query: tuple[str, str]) -> tuple[list[Fact], list[tuple[Fact, ...]]]:
    """The facts that names connect to the query, and the rest in parts, people called 0, 1, …"""
    of: dict[str, list[Fact]] = {}
    for fact in facts:
        of.setdefault(fact[0], []).append(fact)
        of.setdefault(fact[2], []).append(fact)
    asked = _connected(of, list(query))
    others: list[tuple[Fact, ...]] = []
    while of:
        part = _connected(of, [next(iter(of))])
        number: dict[str, str] = {}
        for x, _, y in part:
            for name in (x, y):
                number.setdefault(name, str(len(number)))
        others.append(tuple([(number[x], word, number[y]) for x, word, y in part]))
    return asked, others


def _connected(of: dict[str, list[Fact]], names: list[str]) -> list[Fact]:
    """Take everything out that is told of these people, or of others whom it names."""
    part: dict[Fact, None] = {}
    while names:
        for fact in of.pop(names.pop(), ()):
            part[fact] = None
            names += [fact[0], fact[2]]
    return list(part)


@lru_cache(maxsize=2**14)
def _consistent(facts: tuple[Fact, ...]) -> bool:
    chart = _charted(facts)
    return chart is not None and any(True for _ in _solved(chart))


def _possible(facts: list[Fact], query: tuple[str, str]) -> frozenset[str]:
    """The words that hold in some organisation, and NO_RELATION if none holds in some."""
    x, y = query
    chart = _charted(facts, query)
    if chart is None:
        return frozenset()
    possible = set()
    for word in WORDS:
        claim = chart.copy()
        if claim.states(x, word, y) and any(True for _ in _solved(claim)):
            possible.add(word)
    if not all(_related(solution, x, y) for solution in _solved(chart.copy())):
        possible.add(NO_RELATION)
    return frozenset(possible)


def _charted(facts: Iterable[Fact], names: Iterable[str] = ()) -> "_Chart | None":
    """What the facts say, or None where they contradict each other at once."""
    chart = _Chart()
    for name in names:
        chart.person(name)
    return chart if all(chart.states(*fact) for fact in facts) else None


class _Chart:
    """People, named or not, and what is known of the post of each.

    Two of them are one only where the facts say so. Each has a `manager` and a `role` under that
    one, both known or neither; `leads` says that there must be people below, so that the role can
    be no other than on a team. `below` has pairs of which the second stands above the first, we
    do not know how far.
    """

    def __init__(self) -> None:
        self.number: dict[str, int] = {}
        self.same: list[int] = []
        self.named: list[bool] = []
        self.leads: list[bool] = []
        self.role: list[str] = []
        self.manager: list[int] = []
        self.below: list[tuple[int, int]] = []

    def copy(self) -> "_Chart":
        """The same, to go on with in another way."""
        other = _Chart()
        other.number = self.number.copy()
        other.same, other.named, other.leads = (
            self.same.copy(),
            self.named.copy(),
            self.leads.copy(),
        )
        other.role, other.manager = self.role.copy(), self.manager.copy()
        other.below = self.below.copy()
        return other

    def person(self, name: str) -> int:
        """The person of a name."""
        if name not in self.number:
            self.number[name] = self._new(named=True)
        return self.find(self.number[name])

    def _new(self, named: bool) -> int:
        self.same.append(len(self.same))
        self.named.append(named)
        self.leads.append(False)
        self.role.append("")
        self.manager.append(-1)
        return len(self.same) - 1

    def find(self, one: int) -> int:
        """Who it is, of all that have turned out to be one."""
        while self.same[one] != one:
            one = self.same[one]
        return one

    def states(self, x: str, word: str, y: str) -> bool:
        """Note that y is that to x; False if this cannot be."""
        if word in _INVERSES:
            x, y, word = y, x, _INVERSES[word]
        one, other = self.person(x), self.person(y)
        if one == other:
            return False
        if word == "deputy":
            return self._has(other, _DEPUTY, one)
        for _ in range(_LEVELS.get(word, 1)):
            one = self._above(one, _TEAM)
            if one < 0:
                return False
        other = self.find(other)
        if word in _BESIDE:
            return self._has(other, _BESIDE[word], one)
        if word != "distant manager":
            return self._has(one, _TEAM, other)
        self.below.append((one, other))
        return self._lead(other)

    def _above(self, one: int, role: str) -> int:
        """The manager of somebody's post of that role, or -1 if that cannot be."""
        if not self.role[one]:
            return self._new_above(one, role)
        return self.find(self.manager[one]) if self.role[one] == role else -1

    def _new_above(self, one: int, role: str) -> int:
        manager = self._new(named=False)
        return manager if self._has(one, role, manager) else -1

    def _has(self, one: int, role: str, manager: int) -> bool:
        """Note somebody's post."""
        if one == manager or not self._lead(manager):
            return False
        if self.role[one]:
            return self.role[one] == role and self.merge(self.find(self.manager[one]), manager)
        if self.leads[one] and role != _TEAM:
            return False
        self.role[one], self.manager[one] = role, manager
        return True

    def _lead(self, one: int) -> bool:
        self.leads[one] = True
        return self.role[one] in ("", _TEAM)

    def merge(self, one: int, other: int) -> bool:
        """Note that two who lead others are one, and so are their managers."""
        if one == other:
            return True
        if self.named[one] and self.named[other]:
            return False
        self.same[other] = one
        self.named[one] = self.named[one] or self.named[other]
        role = self.role[other]
        return not role or self._has(one, role, self.find(self.manager[other]))

    def line(self, one: int) -> list[int]:
        """Everybody who is known to be above, each the manager of the one before."""
        line: list[int] = []
        while self.role[one]:
            one = self.find(self.manager[one])
            if one in line:
                break  # they stand in a circle, which `circular` finds
            line.append(one)
        return line

    def above(self) -> dict[int, list[int]]:
        """Those who are known to stand above each, next in line or further up."""
        above: dict[int, list[int]] = {}
        for one, role in enumerate(self.role):
            if role and self.same[one] == one:
                above[one] = [self.find(self.manager[one])]
        for low, high in self.below:
            above.setdefault(self.find(low), []).append(self.find(high))
        return above

    def reached(self, start: int) -> set[int]:
        """Everybody who stands above, as far as is known."""
        above, reached, ahead = self.above(), set[int](), [start]
        while ahead:
            for high in above.get(ahead.pop(), ()):
                if high not in reached:
                    reached.add(high)
                    ahead.append(high)
        return reached

    def circular(self) -> bool:
        """Whether somebody would be above themselves: then not all can be taken off from below."""
        above = self.above()
        times: dict[int, int] = {}
        for several in above.values():
            for high in several:
                times[high] = times.get(high, 0) + 1
        lowest = [one for one in above if one not in times]
        for one in lowest:  # it grows meanwhile
            for high in above.get(one, ()):
                times[high] -= 1
                if not times[high]:
                    lowest.append(high)
        return any(times.values())


def _solved(chart: _Chart) -> Iterator[_Chart]:
    """All ways to put those who are somewhere above others into lines.

    In the end nobody without a known manager has two above, so that one or more unnamed people
    can be put between the two.
    """
    if chart.circular():
        return
    pending: dict[int, set[int]] = {}
    for place, (start, end) in enumerate(chart.below):
        low, high = chart.find(start), chart.find(end)
        line = chart.line(low)
        if high in line:
            continue
        if line:
            yield from _raised(chart, place, high, line)
            return
        pending.setdefault(low, set()).add(high)
    for low, several in pending.items():
        if len(several) > 1:
            for nearest in sorted(several):
                choice = chart.copy()
                choice.below = [
                    (nearest, end)
                    if chart.find(start) == low and chart.find(end) != nearest
                    # The nearest itself, and all that is said of others, stays.
                    else (start, end)
                    for start, end in chart.below
                ]
                yield from _solved(choice)
            return
    yield chart


def _raised(chart: _Chart, place: int, high: int, line: list[int]) -> Iterator[_Chart]:
    """One who is above a line is somebody in it who has no name, or is above its end."""
    for one in line:
        if not chart.named[one]:
            choice = chart.copy()
            if choice.merge(one, high):
                yield from _solved(choice)
    choice = chart.copy()
    choice.below[place] = (line[-1], high)
    yield from _solved(choice)


def _related(chart: _Chart, x: str, y: str) -> bool:
    """Whether some word holds between two in all organisations of which this is a part."""
    one, other = chart.person(x), chart.person(y)
    return (
        _over(chart, one, other)
        or _over(chart, other, one)
        or (
            bool(chart.role[one] and chart.role[other])
            and chart.find(chart.manager[one]) == chart.find(chart.manager[other])
            and _TEAM in (chart.role[one], chart.role[other])
        )
    )


def _over(chart: _Chart, low: int, high: int) -> bool:
    """Whether one has a word as somebody above the other."""
    if chart.role[low] == _DEPUTY:
        return chart.find(chart.manager[low]) == high
    return chart.role[low] != _MENTOR and high in chart.reached(low)
