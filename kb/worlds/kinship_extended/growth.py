"""The families that extended stories are taken from: grown at random, with second partners."""

from typing import Any, Final

from ....seed import Stream
from ..scene import UNSTATED, Scene, members

_DEPTH: Final = 5
"""So many generations there are, so that there are second cousins of all kinds."""
_BROOD: Final = 2
"""Of this generation is the parent of the large brood."""
_FEWEST: Final = 36
"""No family is smaller: it would lack too much."""
_BEFORE: Final = 0.3
"""So many have had another partner before, and children with that one."""
_DIVORCED: Final = 0.7
"""So many former partners were married."""
_PARTED: Final = 0.25
"""So many of the couples from whom cousins descend are divorced."""
_UNMARRIED: Final = 0.1
"""So many couples have children and are not married."""
_UNSTATED: Final = 0.4
"""So many have no stated gender, in the families that have such people."""
_GODPARENTS: Final = 3
"""For so many people there is one godparent who is not related."""


class _Family:
    """Who is whose parent, child, spouse and former spouse, as sets of people."""

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
        """Those who are joined by blood or by couples: of two groups, any two can be a couple."""
        self.single: list[int] = []

    def person(self, male: bool, generation: int, group: int) -> int:
        """Somebody of whom nothing else is known."""
        self.male.append(male)
        self.up.append(0)
        self.down.append(0)
        self.wed.append(0)
        self.ex.append(0)
        self.generation.append(generation)
        self.group.append(group)
        return len(self.male) - 1

    def partner(self, person: int) -> int:
        """A newcomer who suits."""
        same = self.stream.random() < self.same_gender
        male = self.male[person] if same else not self.male[person]
        return self.person(male, self.generation[person], self.group[person])

    def couple(self, a: int, b: int, *, lasts: bool, children: int = 0) -> None:
        """Two with children; they may be married, or have been if it did not last.

        Where it is said how many children, they are or were for certain.
        """
        kept, gone = self.group[a], self.group[b]
        for person, group in enumerate(self.group):
            if group == gone:
                self.group[person] = kept
        if lasts:
            if children or self.stream.random() >= _UNMARRIED:
                self.wed[a], self.wed[b] = 1 << b, 1 << a
        elif children or self.stream.random() < _DIVORCED:
            self.ex[a] |= 1 << b
            self.ex[b] |= 1 << a
        generation = max(self.generation[a], self.generation[b]) + 1
        most = self.children if lasts else max(self.children // 2, 1)
        for _ in range(children or 1 + self.stream.below(most)):
            if len(self.male) >= self.people:
                return
            child = self.person(self.stream.random() < 0.5, generation, kept)
            self.up[child] = 1 << a | 1 << b
            self.down[a] |= 1 << child
            self.down[b] |= 1 << child
            self.single.append(child)

    def settle(self, person: int, brood: int = 0, least: int = 0, *, lasts: bool = True) -> None:
        """Find somebody a partner, perhaps after another; that one may have had one, too.

        Where a brood of so many is wanted, it is of the partner before, and there is all else.
        Where at least so many children are wanted, nobody has had a partner before.
        """
        stream = self.stream
        if least:
            self.single.remove(person)
            number = least + stream.below(2)
            self.couple(person, self.partner(person), lasts=lasts, children=number)
            return
        if brood or stream.random() < _BEFORE:
            self.couple(person, self.partner(person), lasts=False, children=brood)
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
            spouse = self.partner(person)
        if brood or stream.random() < _BEFORE:
            self.couple(spouse, self.partner(spouse), lasts=False)
        self.couple(person, spouse, lasts=True, children=2 if brood else 0)


def longest(people: int) -> int:
    """How many facts a story may have in a family of so many people, noise included."""
    return (people - 32) // 2


def longest_chain(people: int) -> int:
    """How many facts may lead from one to another in a family of so many people.

    Siblings follow from nothing but siblings, and children from nothing but those and a few others:
    so there is one brood of so many and two more, with all kinds of relatives around it.
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
    """A family of about so many people, in generations; most couples have so many children at most.

    So many couples are two men or two women.
    Anybody has a partner with the chance of `marriage`, and some have had another before. Couples
    come from groups that nothing else joins, so that between two people one relation holds at most.
    """
    people = max(people, _FEWEST)
    family = _Family(stream, people, children, same_gender)
    founder = family.person(True, 0, 0)
    family.couple(founder, family.partner(founder), lasts=True, children=2)
    # One line has the large brood; its cousins and second cousins come by two others.
    first, second = members(family.down[founder])
    family.settle(first, least=2)
    parent, other = members(family.down[first])[:2]
    family.single.remove(parent)
    family.settle(parent, longest_chain(people) + 2)
    family.settle(members(family.down[parent])[0], least=2)
    for start in (second, other):
        person = start
        while family.generation[person] < _DEPTH and len(family.male) < people:
            family.settle(person, least=2, lasts=stream.random() >= _PARTED)
            person = (members(family.down[person]) or [person])[0]
    newcomer = family.person(True, 0, 1)
    family.couple(newcomer, family.partner(newcomer), lasts=True)
    alone: list[int] = []
    while len(family.male) < people:
        if not family.single:
            # Too few have partners for a family of that size: ask the others again.
            family.single, alone = alone, []
        person = family.single.pop(0)
        if stream.random() < marriage:
            family.settle(person)
        else:
            alone.append(person)
    related = _related(family)
    _add_godparents(family, related)
    rows = [tuple([row.get(name, 0) for name in predicates]) for row in related]
    return Scene.of(family.male, rows)


def grow_unstated(stream: Stream, *args: Any, **shape: Any) -> Scene:
    """The same, where so many people have no stated gender."""
    scene = grow(stream, *args, **shape)
    gender = [UNSTATED if stream.random() < _UNSTATED else its for its in scene.gender]
    return Scene.of(gender, scene.related)


def _all(links: list[int], people: int) -> int:
    """Everyone a link away from some of these."""
    reached = 0
    for person in members(people):
        reached |= links[person]
    return reached


def _related(family: _Family) -> list[dict[str, int]]:
    """For each person everybody who is related, by relation."""
    up, down, wed = family.up, family.down, family.wed
    share = [_all(down, up[person]) & ~(1 << person) for person in range(len(up))]
    full = [
        sum([1 << other for other in members(share[person]) if up[other] == up[person]])
        for person in range(len(up))
    ]
    related: list[dict[str, int]] = []
    for person in range(len(up)):
        above, below = [1 << person], [1 << person]
        for _ in range(4):
            above.append(_all(up, above[-1]))
            below.append(_all(down, below[-1]))
        # Siblings, half or full, of those so many steps above; and those so many steps below them.
        beside = [[_all(share, elders)] for elders in above]
        for line in beside:
            for _ in range(4):
                line.append(_all(down, line[-1]))
        step_parents = _all(wed, up[person]) & ~up[person]
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
                "half-sibling": share[person] & ~full[person],
                "step-child": _all(down, wed[person]) & ~down[person],
                "inv-step-child": step_parents,
                "step-sibling": _all(down, step_parents) & ~share[person],
                "in-law": _all(wed, down[person]),
                "inv-in-law": _all(up, wed[person]),
                "sibling-in-law": _all(share, wed[person]) | _all(wed, share[person]),
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


def _add_godparents(family: _Family, related: list[dict[str, int]]) -> None:
    """Some have a godparent of an earlier generation who is nothing else to them."""
    stream, size = family.stream, len(related)
    for _ in range(size // _GODPARENTS):
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
