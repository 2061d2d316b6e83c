"""A family known in part, which grows by links and says when no family can be like that.

Mothers need no field of their own: parents are married, so a mother is the father's spouse.
"""

from collections.abc import Sequence
from typing import NamedTuple

UNKNOWN = -1


class Way(NamedTuple):
    """A link between two people, each some step away from the first or second of a pair."""

    link: str  # child, sibling, spouse
    start: int
    step: str  # self, father, mother, spouse
    other_start: int
    other_step: str


class Chase:
    """The least family with the links added so far: nobody exists, or is one, without need."""

    __slots__ = ("apart", "father", "kin_marriage", "male", "name", "root", "spouse")

    def __init__(self, kin_marriage: bool) -> None:
        self.kin_marriage = kin_marriage
        self.root: list[int] = []
        self.name: list[str | None] = []
        self.male: list[bool] = []
        self.father: list[int] = []
        self.spouse: list[int] = []
        self.apart: list[tuple[int, int]] = []

    def copy(self) -> "Chase":
        """An independent copy, to try something on."""
        other = Chase.__new__(Chase)
        other.kin_marriage = self.kin_marriage
        other.root = self.root[:]
        other.name = self.name[:]
        other.male = self.male[:]
        other.father = self.father[:]
        other.spouse = self.spouse[:]
        other.apart = self.apart[:]
        return other

    def person(self, male: bool, name: str | None = None) -> int:
        """A new person, of whom no relatives are known."""
        new = len(self.root)
        self.root.append(new)
        self.name.append(name)
        self.male.append(male)
        self.father.append(UNKNOWN)
        self.spouse.append(UNKNOWN)
        return new

    def find(self, person: int) -> int:
        """The one who stands for all that turned out to be this person."""
        root = self.root
        while root[person] != person:
            person = root[person]
        return person

    def seek(self, person: int, step: str) -> int:
        """The person one step away, or UNKNOWN."""
        person = self.find(person)
        if step == "self":
            return person
        if step != "spouse":
            person = self.father[person]
            if person == UNKNOWN:
                return UNKNOWN
            person = self.find(person)
            if step == "father":
                return person
        person = self.spouse[person]
        return UNKNOWN if person == UNKNOWN else self.find(person)

    def reach(self, person: int, step: str) -> int:
        """The person one step away, made where not known yet."""
        known = self.seek(person, step)
        if known != UNKNOWN:
            return known
        if step == "mother":
            return self.reach(self.reach(person, "father"), "spouse")
        person = self.find(person)
        new = self.person(step == "father" or not self.male[person])
        if step == "father":
            self.father[person] = new
        else:
            self.spouse[person], self.spouse[new] = new, person
        return new

    def equate(self, one: int, other: int) -> bool:
        """Make two people the same, with all that follows; False where that cannot be."""
        todo = [(one, other)]
        while todo:
            one, other = map(self.find, todo.pop())
            if one == other:
                continue
            names = self.name[one], self.name[other]
            if self.male[one] != self.male[other] or None not in names:
                return False
            self.root[other] = one
            self.name[one] = names[0] or names[1]
            for relative in (self.father, self.spouse):
                if relative[one] == UNKNOWN:
                    relative[one] = relative[other]
                elif relative[other] != UNKNOWN:
                    todo.append((relative[one], relative[other]))
        return True

    def add(self, way: Way, pair: Sequence[int]) -> bool:
        """Make the link hold; False where that cannot be, as far as equalities tell."""
        one = self.reach(pair[way.start], way.step)
        other = self.reach(pair[way.other_start], way.other_step)
        if way.link == "spouse":
            return self.equate(self.reach(one, "spouse"), other)
        if way.link == "child":
            parent = one if self.male[one] else self.reach(one, "spouse")
        else:
            parent = self.reach(one, "father")
            self.apart.append((one, other))
        if self.father[other] == UNKNOWN:
            self.father[other] = parent
            return True
        return self.equate(self.father[other], parent)

    def ends(self, way: Way, pair: Sequence[int]) -> tuple[int, int] | None:
        """The two people between whom the link holds, or None where it does not."""
        one = self.seek(pair[way.start], way.step)
        other = self.seek(pair[way.other_start], way.other_step)
        if UNKNOWN in (one, other) or one == other:
            return None
        if way.link == "spouse":
            return (one, other) if self.seek(one, "spouse") == other else None
        if way.link == "child":
            parent = one if self.male[one] else self.seek(one, "spouse")
        else:
            parent = self.seek(one, "father")
        return (one, other) if parent == self.seek(other, "father") != UNKNOWN else None

    def settled(self, way: Way, pair: Sequence[int]) -> bool:
        """Whether the link holds however the family grows."""
        ends = self.ends(way, pair)
        if ends is None or way.link != "sibling":
            return ends is not None
        one, other = ends
        if self.male[one] != self.male[other]:
            return True
        if self.name[one] is not None and self.name[other] is not None:
            return True
        return any({self.find(a), self.find(b)} == {one, other} for a, b in self.apart)

    def consistent(self) -> bool:
        """Whether siblings are two, nobody is their own ancestor, and those married may be."""
        find, father, spouse = self.find, self.father, self.spouse
        for one, other in self.apart:
            if find(one) == find(other):
                return False
        above: dict[int, tuple[int, int]] = {}  # a couple, by husband: his father and hers
        for person, root in enumerate(self.root):
            if root != person or father[person] == UNKNOWN:
                continue
            elder = find(father[person])
            if self.male[person]:
                wife = spouse[person]
                hers = UNKNOWN if wife == UNKNOWN else father[find(wife)]
                if hers != UNKNOWN:
                    hers = find(hers)
                if elder == hers:
                    return False
                above[person] = elder, hers
            elif spouse[person] != UNKNOWN:
                above.setdefault(find(spouse[person]), (UNKNOWN, elder))
        younger = above
        while younger:
            lower = {man: up for man, up in younger.items() if up[0] in younger or up[1] in younger}
            if len(lower) == len(younger):
                return False
            younger = lower
        return self.kin_marriage or not any(
            _line(his, above) & _line(hers, above) for his, hers in above.values()
        )


def _line(man: int, above: dict[int, tuple[int, int]]) -> set[int]:
    """A couple, by husband, and all couples it descends from."""
    if man == UNKNOWN:
        return set()
    line, todo = set(), [man]
    while todo:
        man = todo.pop()
        line.add(man)
        todo.extend(elder for elder in above.get(man, ()) if elder != UNKNOWN)
    return line
