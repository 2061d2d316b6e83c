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
        copy = Chase.__new__(Chase)
        copy.kin_marriage = self.kin_marriage
        copy.root = self.root[:]
        copy.name = self.name[:]
        copy.male = self.male[:]
        copy.father = self.father[:]
        copy.spouse = self.spouse[:]
        copy.apart = self.apart[:]
        return copy

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
        relative = self.seek(person, step)
        if relative != UNKNOWN:
            return relative
        if step == "mother":
            return self.reach(self.reach(person, "father"), "spouse")
        person = self.find(person)
        new = self.person(step == "father" or not self.male[person])
        if step == "father":
            self.father[person] = new
        else:
            self.spouse[person], self.spouse[new] = new, person
        return new

    def equate(self, kept: int, merged: int) -> bool:
        """Make two people the same, with all that follows; False where that cannot be."""
        todo = [(kept, merged)]
        while todo:
            kept, merged = map(self.find, todo.pop())
            if kept == merged:
                continue
            names = self.name[kept], self.name[merged]
            if self.male[kept] != self.male[merged] or None not in names:
                return False
            self.root[merged] = kept
            self.name[kept] = names[0] or names[1]
            for relative in (self.father, self.spouse):
                if relative[kept] == UNKNOWN:
                    relative[kept] = relative[merged]
                elif relative[merged] != UNKNOWN:
                    todo.append((relative[kept], relative[merged]))
        return True

    def add(self, way: Way, pair: Sequence[int]) -> bool:
        """Make the link hold; False where that cannot be, as far as equalities tell."""
        person = self.reach(pair[way.start], way.step)
        relative = self.reach(pair[way.other_start], way.other_step)
        if way.link == "spouse":
            return self.equate(self.reach(person, "spouse"), relative)
        if way.link == "child":
            parent = person if self.male[person] else self.reach(person, "spouse")
        else:
            parent = self.reach(person, "father")
            self.apart.append((person, relative))
        if self.father[relative] == UNKNOWN:
            self.father[relative] = parent
            return True
        return self.equate(self.father[relative], parent)

    def ends(self, way: Way, pair: Sequence[int]) -> tuple[int, int] | None:
        """The two people between whom the link holds, or None where it does not."""
        person = self.seek(pair[way.start], way.step)
        relative = self.seek(pair[way.other_start], way.other_step)
        if UNKNOWN in (person, relative) or person == relative:
            return None
        if way.link == "spouse":
            return (person, relative) if self.seek(person, "spouse") == relative else None
        if way.link == "child":
            parent = person if self.male[person] else self.seek(person, "spouse")
        else:
            parent = self.seek(person, "father")
        return (person, relative) if parent == self.seek(relative, "father") != UNKNOWN else None

    def settled(self, way: Way, pair: Sequence[int]) -> bool:
        """Whether the link holds however the family grows."""
        ends = self.ends(way, pair)
        if ends is None or way.link != "sibling":
            return ends is not None
        person, relative = ends
        if self.male[person] != self.male[relative]:
            return True
        if self.name[person] is not None and self.name[relative] is not None:
            return True
        return any({self.find(a), self.find(b)} == {person, relative} for a, b in self.apart)

    def consistent(self) -> bool:
        """Whether siblings are two, nobody is their own ancestor, and those married may be."""
        find, father, spouse = self.find, self.father, self.spouse
        for first, second in self.apart:
            if find(first) == find(second):
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
