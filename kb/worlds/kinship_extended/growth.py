"""Random extended families that stories are sampled from."""

from typing import Final

from ....seed import Stream
from ..scene import Scene, members

_GENERATIONS: Final = 5
"""Enough for second cousins of all kinds."""
_MIN_PEOPLE: Final = 36
"""Smaller families lack too many relations."""
_FORMER_PARTNER_SHARE: Final = 0.3
"""Share of people who had children with another partner before."""
_DIVORCED_SHARE: Final = 0.7
"""Share of former partners who were married."""
_DIVORCED_ANCESTOR_SHARE: Final = 0.25
"""Share of divorced couples among those from whom cousins descend."""
_UNMARRIED_SHARE: Final = 0.1
"""Share of couples who have children and are not married."""
_PEOPLE_PER_GODPARENT: Final = 3


class _FamilyBuilder:
    """Parents, children, spouses and former spouses by person, as sets of people."""

    def __init__(self, stream: Stream, people: int, children: int, same_gender: float) -> None:
        self.stream, self.people, self.children = stream, people, children
        self.same_gender = same_gender
        self.male: list[bool] = []
        self.up: list[int] = []
        self.down: list[int] = []
        self.wed: list[int] = []
        self.ex: list[int] = []
        self.generation: list[int] = []
        self.group: list[int] = []
        """Number of the group connected by blood or couples; people of two groups may marry."""
        self.single: list[int] = []

    def add_person(self, male: bool, generation: int, group: int) -> int:
        """Add a person without relatives."""
        self.male.append(male)
        self.up.append(0)
        self.down.append(0)
        self.wed.append(0)
        self.ex.append(0)
        self.generation.append(generation)
        self.group.append(group)
        return len(self.male) - 1

    def add_partner(self, person: int) -> int:
        """Add a partner for a person."""
        same = self.stream.random() < self.same_gender
        male = self.male[person] if same else not self.male[person]
        return self.add_person(male, self.generation[person], self.group[person])

    def couple(self, a: int, b: int, *, lasts: bool, children: int = 0) -> None:
        """Make a couple with children; they are married or not, divorced or not unless it `lasts`.

        With a number of children given, they are or were married.
        """
        kept, merged = self.group[a], self.group[b]
        for person, group in enumerate(self.group):
            if group == merged:
                self.group[person] = kept
        if lasts:
            if children or self.stream.random() >= _UNMARRIED_SHARE:
                self.wed[a], self.wed[b] = 1 << b, 1 << a
        elif children or self.stream.random() < _DIVORCED_SHARE:
            self.ex[a] |= 1 << b
            self.ex[b] |= 1 << a
        generation = max(self.generation[a], self.generation[b]) + 1
        most = self.children if lasts else max(self.children // 2, 1)
        for _ in range(children or 1 + self.stream.below(most)):
            if len(self.male) >= self.people:
                return
            child = self.add_person(self.stream.random() < 0.5, generation, kept)
            self.up[child] = 1 << a | 1 << b
            self.down[a] |= 1 << child
            self.down[b] |= 1 << child
            self.single.append(child)

    def find_partner(
        self, person: int, sibling_group: int = 0, min_children: int = 0, *, lasts: bool = True
    ) -> None:
        """Find a partner for a person; both may have had a former partner.

        With `sibling_group`, the former couple has that many children and both had former
        partners. With `min_children`, nobody has had a former partner.
        """
        stream = self.stream
        if min_children:
            self.single.remove(person)
            number = min_children + stream.below(2)
            self.couple(person, self.add_partner(person), lasts=lasts, children=number)
            return
        if sibling_group or stream.random() < _FORMER_PARTNER_SHARE:
            self.couple(person, self.add_partner(person), lasts=False, children=sibling_group)
        same = stream.random() < self.same_gender
        matches = [
            other
            for other in self.single
            if self.group[other] != self.group[person]
            and (self.male[other] == self.male[person]) == same
        ]
        if matches and stream.random() < 0.5:
            spouse = stream.choice(matches)
            self.single.remove(spouse)
        else:
            spouse = self.add_partner(person)
        if sibling_group or stream.random() < _FORMER_PARTNER_SHARE:
            self.couple(spouse, self.add_partner(spouse), lasts=False)
        self.couple(person, spouse, lasts=True, children=2 if sibling_group else 0)


def max_facts(people: int) -> int:
    """Return the maximum number of facts of a story by family size, noise included."""
    return (people - 32) // 2


def max_chain_facts(people: int) -> int:
    """Return the maximum length of a chain by family size.

    Siblings follow only from siblings, and children only from those and a few others: so there is
    one sibling group of that size and two more, with all kinds of relatives around it.
    """
    return people // 6


def grow(
    stream: Stream,
    people: int,
    predicates: tuple[str, ...],
    children: int,
    marriage: float,
    same_gender: float,
) -> Scene:
    """Sample a family of about `people` people in generations.

    Most couples have at most `children` children, and a share `same_gender` of couples are of one
    gender. Anybody has a partner with probability `marriage`, and some have a former one. Couples
    join groups that are not otherwise connected, so at most one relation holds between two people.
    """
    people = max(people, _MIN_PEOPLE)
    family = _FamilyBuilder(stream, people, children, same_gender)
    founder = family.add_person(True, 0, 0)
    family.couple(founder, family.add_partner(founder), lasts=True, children=2)
    # One line has the large sibling group; two others make its cousins and second cousins.
    first, second = members(family.down[founder])
    family.find_partner(first, min_children=2)
    parent, other = members(family.down[first])[:2]
    family.single.remove(parent)
    family.find_partner(parent, max_chain_facts(people) + 2)
    family.find_partner(members(family.down[parent])[0], min_children=2)
    for start in (second, other):
        person = start
        while family.generation[person] < _GENERATIONS and len(family.male) < people:
            family.find_partner(
                person, min_children=2, lasts=stream.random() >= _DIVORCED_ANCESTOR_SHARE
            )
            person = (members(family.down[person]) or [person])[0]
    newcomer = family.add_person(True, 0, 1)
    family.couple(newcomer, family.add_partner(newcomer), lasts=True)
    unpartnered: list[int] = []
    while len(family.male) < people:
        if not family.single:
            # Too few have partners for a family of that size: try the others again.
            family.single, unpartnered = unpartnered, []
        person = family.single.pop(0)
        if stream.random() < marriage:
            family.find_partner(person)
        else:
            unpartnered.append(person)
    related = _relatives(family)
    _add_godparents(family, related)
    rows = [tuple([row.get(name, 0) for name in predicates]) for row in related]
    return Scene.from_related(family.male, rows)


def _linked(links: list[int], people: int) -> int:
    """Return everyone one link away from some of these people."""
    reached = 0
    for person in members(people):
        reached |= links[person]
    return reached


def _relatives(family: _FamilyBuilder) -> list[dict[str, int]]:
    up, down, wed = family.up, family.down, family.wed
    half_or_full = [_linked(down, up[person]) & ~(1 << person) for person in range(len(up))]
    full = [
        sum([1 << other for other in members(half_or_full[person]) if up[other] == up[person]])
        for person in range(len(up))
    ]
    related: list[dict[str, int]] = []
    for person in range(len(up)):
        above, below = [1 << person], [1 << person]
        for _ in range(4):
            above.append(_linked(up, above[-1]))
            below.append(_linked(down, below[-1]))
        # beside[i][j]: j steps below the half or full siblings of those i steps above.
        beside = [[_linked(half_or_full, elders)] for elders in above]
        for line in beside:
            for _ in range(4):
                line.append(_linked(down, line[-1]))
        step_parents = _linked(wed, up[person]) & ~up[person]
        related.append(
            {
                "child": below[1],
                "inv-child": above[1],
                "grand": below[2],
                "inv-grand": above[2],
                "great-grand": below[3],
                "inv-great-grand": above[3],
                "SO": wed[person],
                "ex-SO": family.ex[person],
                "sibling": full[person],
                "half-sibling": half_or_full[person] & ~full[person],
                "step-child": _linked(down, wed[person]) & ~down[person],
                "inv-step-child": step_parents,
                "step-sibling": _linked(down, step_parents) & ~half_or_full[person],
                "in-law": _linked(wed, down[person]),
                "inv-in-law": _linked(up, wed[person]),
                "sibling-in-law": _linked(half_or_full, wed[person])
                | _linked(wed, half_or_full[person]),
                "un": beside[0][1],
                "inv-un": beside[1][0],
                "great-un": beside[0][2],
                "inv-great-un": beside[2][0],
                "cousin": beside[1][1],
                "cousin-once-removed": beside[1][2] | beside[2][1],
                "cousin-twice-removed": beside[1][3] | beside[3][1],
                "second-cousin": beside[2][2],
                "second-cousin-once-removed": beside[2][3] | beside[3][2],
                "second-cousin-twice-removed": beside[2][4] | beside[4][2],
            }
        )
    return related


def _add_godparents(family: _FamilyBuilder, related: list[dict[str, int]]) -> None:
    """Add godparents of an earlier generation who are not otherwise related."""
    stream, size = family.stream, len(related)
    for _ in range(size // _PEOPLE_PER_GODPARENT):
        child = stream.below(size)
        kin = 1 << child
        for relatives in related[child].values():
            kin |= relatives
        elders = [
            person
            for person in range(size)
            if not kin >> person & 1 and family.generation[person] < family.generation[child]
        ]
        if elders:
            elder = stream.choice(elders)
            for person, name, other in (
                (child, "inv-godchild", elder),
                (elder, "godchild", child),
            ):
                related[person][name] = related[person].get(name, 0) | 1 << other
