"""Judge of the work world: the words that are entailed or possible between two people.
Why it misses no organisation is in docs/work.md. It shares no code with the rules or with
organisation.py.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from ....tables import load_tables
from ..fact import BridgeEnd, Fact, check_input, has_cycle, query_component, reachable
from ..verdict import NO_RELATION, Status, Verdict

_TABLES: dict[str, dict[str, Any]] = load_tables(__package__, "judge.yaml")
_INVERSES: dict[str, str] = _TABLES["inverses"]
WORDS = ("teammate", *_INVERSES, *_INVERSES.values())

_TEAM, _DEPUTY, _MENTOR = "team", "deputy", "mentor"
_ROLES: dict[str, str] = _TABLES["roles"]
_LEVELS: dict[str, int] = _TABLES["levels"]
_LEADER, _MEMBER = (
    BridgeEnd(frozenset(words["has"]), frozenset(words["is to"]))
    for words in (_TABLES["leader"], _TABLES["on team"])
)
_ON_TEAM = BridgeEnd(_LEADER.has | _MEMBER.has, _LEADER.is_to | _MEMBER.is_to)
_BRIDGES = {"direct report": (_ON_TEAM, _LEADER), "direct manager": (_LEADER, _ON_TEAM)}
"""A new report without another manager has no consequences within either organisation."""


def judge(facts: Iterable[Fact], query: tuple[str, str], claimed: str | None = None) -> Verdict:
    """Return whether the facts entail that the query's second is so related to its first.

    Without a claim, return whether the facts entail any word at all.
    """
    facts = list(dict.fromkeys(facts))
    check_input(facts, query, claimed, WORDS, ("relation", "people"))
    queried = query_component(
        facts, query, lambda unnamed, names: _is_consistent(unnamed), _BRIDGES
    )
    if queried is None:
        return Verdict(Status.IMPOSSIBLE)
    return Verdict.from_possible(_possible(queried, query), claimed)


@lru_cache(maxsize=2**14)
def _is_consistent(facts: tuple[Fact, ...]) -> bool:
    chart = _build_chart(facts)
    return chart is not None and any(True for _ in _solutions(chart))


def _possible(facts: list[Fact], query: tuple[str, str]) -> frozenset[str]:
    """Return the words that hold in some organisation, NO_RELATION too if none holds in some."""
    x, y = query
    chart = _build_chart(facts, query)
    if chart is None:
        return frozenset()
    possible = set()
    for word in WORDS:
        claim = chart.copy()
        if claim.add_fact(x, word, y) and any(True for _ in _solutions(claim)):
            possible.add(word)
    if not all(_is_related(solution, x, y) for solution in _solutions(chart.copy())):
        possible.add(NO_RELATION)
    return frozenset(possible)


def _build_chart(facts: Iterable[Fact], names: Iterable[str] = ()) -> "_Chart | None":
    """Return the chart of facts, or None if they contradict each other at once."""
    chart = _Chart()
    for name in names:
        chart.person(name)
    return chart if all(chart.add_fact(*fact) for fact in facts) else None


class _Chart:
    """People, named or not, and what is known of their posts.

    Two people are identical only if the facts say so. Each has a `manager` and a `role` under
    that manager, both known or neither. People who `leads` have people below, so they can only be
    on a team. `below` has pairs (low, high) that are an unknown number of levels apart.
    """

    def __init__(self) -> None:
        self.number: dict[str, int] = {}
        self.root: list[int] = []
        self.named: list[bool] = []
        self.leads: list[bool] = []
        self.role: list[str] = []
        self.manager: list[int] = []
        self.below: list[tuple[int, int]] = []

    def copy(self) -> "_Chart":
        """Return an independent copy."""
        other = _Chart()
        other.number = self.number.copy()
        other.root, other.named = self.root.copy(), self.named.copy()
        other.leads = self.leads.copy()
        other.role, other.manager = self.role.copy(), self.manager.copy()
        other.below = self.below.copy()
        return other

    def person(self, name: str) -> int:
        """Return the person of a name, adding a new one."""
        if name not in self.number:
            self.number[name] = self._new(named=True)
        return self.find(self.number[name])

    def _new(self, named: bool) -> int:
        self.root.append(len(self.root))
        self.named.append(named)
        self.leads.append(False)
        self.role.append("")
        self.manager.append(-1)
        return len(self.root) - 1

    def find(self, one: int) -> int:
        """Return the representative of all that are identical with this person."""
        while self.root[one] != one:
            one = self.root[one]
        return one

    def add_fact(self, x: str, word: str, y: str) -> bool:
        """Add a fact; False if that is impossible."""
        if word in _INVERSES:
            x, y, word = y, x, _INVERSES[word]
        one, other = self.person(x), self.person(y)
        if one == other:
            return False
        if word == "deputy":
            return self._set_post(other, _DEPUTY, one)
        for _ in range(_LEVELS.get(word, 1)):
            one = self._manager_in_role(one, _TEAM)
            if one < 0:
                return False
        other = self.find(other)
        if word in _ROLES:
            return self._set_post(other, _ROLES[word], one)
        if word != "distant manager":
            return self._set_post(one, _TEAM, other)
        self.below.append((one, other))
        return self._set_leads(other)

    def _manager_in_role(self, one: int, role: str) -> int:
        """Return the manager of a person in that role, or -1 if the role is impossible."""
        if not self.role[one]:
            return self._new_manager(one, role)
        return self.find(self.manager[one]) if self.role[one] == role else -1

    def _new_manager(self, one: int, role: str) -> int:
        manager = self._new(named=False)
        return manager if self._set_post(one, role, manager) else -1

    def _set_post(self, one: int, role: str, manager: int) -> bool:
        """Set the post of a person; False if that is impossible."""
        if one == manager or not self._set_leads(manager):
            return False
        if self.role[one]:
            return self.role[one] == role and self.merge(self.find(self.manager[one]), manager)
        if self.leads[one] and role != _TEAM:
            return False
        self.role[one], self.manager[one] = role, manager
        return True

    def _set_leads(self, one: int) -> bool:
        self.leads[one] = True
        return self.role[one] in ("", _TEAM)

    def merge(self, one: int, other: int) -> bool:
        """Identify two people who lead others, and so their managers; False if impossible."""
        if one == other:
            return True
        if self.named[one] and self.named[other]:
            return False
        self.root[other] = one
        self.named[one] = self.named[one] or self.named[other]
        role = self.role[other]
        return not role or self._set_post(one, role, self.find(self.manager[other]))

    def line(self, one: int) -> list[int]:
        """Return the known managers of a person, each the manager of the one before."""
        line: list[int] = []
        while self.role[one]:
            one = self.find(self.manager[one])
            if one in line:
                break  # a cycle, which makes the chart impossible
            line.append(one)
        return line

    def above(self) -> dict[int, list[int]]:
        """Return, by person, those known to be above, directly or further up."""
        above: dict[int, list[int]] = {}
        for one, role in enumerate(self.role):
            if role and self.root[one] == one:
                above[one] = [self.find(self.manager[one])]
        for low, high in self.below:
            above.setdefault(self.find(low), []).append(self.find(high))
        return above


def _solutions(chart: _Chart) -> Iterator[_Chart]:
    """Yield all charts in which the pairs of `below` are consistent with a tree.

    In these, nobody without a known manager has two people above, so that one or more unnamed
    people can be put between the two.
    """
    if has_cycle(chart.above()):
        return
    pending: dict[int, set[int]] = {}
    for place, (start, end) in enumerate(chart.below):
        low, high = chart.find(start), chart.find(end)
        line = chart.line(low)
        if high in line:
            continue
        if line:
            yield from _solutions_above(chart, place, high, line)
            return
        pending.setdefault(low, set()).add(high)
    for low, several in pending.items():
        if len(several) > 1:
            for nearest in sorted(several):
                choice = chart.copy()
                choice.below = [
                    (nearest, end)
                    if chart.find(start) == low and chart.find(end) != nearest
                    # The nearest itself, and all pairs of others, stay.
                    else (start, end)
                    for start, end in chart.below
                ]
                yield from _solutions(choice)
            return
    yield chart


def _solutions_above(chart: _Chart, place: int, high: int, line: list[int]) -> Iterator[_Chart]:
    """Yield solutions where `high` is an unnamed person of the line, or above its end."""
    for one in line:
        if not chart.named[one]:
            choice = chart.copy()
            if choice.merge(one, high):
                yield from _solutions(choice)
    choice = chart.copy()
    choice.below[place] = (line[-1], high)
    yield from _solutions(choice)


def _is_related(chart: _Chart, x: str, y: str) -> bool:
    """Return whether some word holds between two people in all extensions of the chart."""
    one, other = chart.person(x), chart.person(y)
    return (
        _is_above(chart, one, other)
        or _is_above(chart, other, one)
        or (
            bool(chart.role[one] and chart.role[other])
            and chart.find(chart.manager[one]) == chart.find(chart.manager[other])
            and _TEAM in (chart.role[one], chart.role[other])
        )
    )


def _is_above(chart: _Chart, low: int, high: int) -> bool:
    """Return whether some word holds for `high` as a person above `low`."""
    if chart.role[low] == _DEPUTY:
        return chart.find(chart.manager[low]) == high
    return chart.role[low] != _MENTOR and high in reachable(chart.above(), low)
