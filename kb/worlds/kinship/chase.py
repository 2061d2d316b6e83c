"""A family known in part, which grows by links and says when no family can be like that.

Mothers need no field of their own: parents are married, so a mother is the father's spouse.
"""

from typing import Final

UNKNOWN: Final = -1

CHILD: Final = 0
SIBLING: Final = 1
MARRIED: Final = 2

SELF: Final = 0
FATHER: Final = 1
MOTHER: Final = 2
SPOUSE: Final = 3


class Way:
    """A link (CHILD, SIBLING, MARRIED) between two people.

    Each is a step (SELF, FATHER, MOTHER, SPOUSE) away from the first or second of a pair.
    """

    __slots__ = ("link", "other_start", "other_step", "start", "step")

    def __init__(self, link: int, start: int, step: int, other_start: int, other_step: int) -> None:
        self.link, self.start, self.step = link, start, step
        self.other_start, self.other_step = other_start, other_step


class Chase:
    """The least family with the links added so far: nobody exists, or is one, without need.

    People are numbers, and so are names.
    """

    __slots__ = ("apart", "father", "kin_marriage", "male", "name", "root", "spouse")

    def __init__(self, kin_marriage: bool) -> None:
        self.kin_marriage = kin_marriage
        self.root: list[int] = []
        self.name: list[int] = []
        self.male: list[bool] = []
        self.father: list[int] = []
        self.spouse: list[int] = []
        self.apart: list[tuple[int, int]] = []

    def copy(self) -> "Chase":
        """An independent copy, to try something on."""
        copy = Chase(self.kin_marriage)
        copy.root = self.root.copy()
        copy.name = self.name.copy()
        copy.male = self.male.copy()
        copy.father = self.father.copy()
        copy.spouse = self.spouse.copy()
        copy.apart = self.apart.copy()
        return copy

    def person(self, male: bool, name: int = UNKNOWN) -> int:
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

    def seek(self, person: int, step: int) -> int:
        """The person one step away, or UNKNOWN."""
        person = self.find(person)
        if step == SELF:
            return person
        if step != SPOUSE:
            person = self.father[person]
            if person == UNKNOWN:
                return UNKNOWN
            person = self.find(person)
            if step == FATHER:
                return person
        person = self.spouse[person]
        return UNKNOWN if person == UNKNOWN else self.find(person)

    def reach(self, person: int, step: int) -> int:
        """The person one step away, made where not known yet."""
        relative = self.seek(person, step)
        if relative != UNKNOWN:
            return relative
        if step == MOTHER:
            return self.reach(self.reach(person, FATHER), SPOUSE)
        person = self.find(person)
        new = self.person(step == FATHER or not self.male[person])
        if step == FATHER:
            self.father[person] = new
        else:
            self.spouse[person] = new
            self.spouse[new] = person
        return new

    def equate(self, kept: int, merged: int) -> bool:
        """Make two people the same, with all that follows; False where that cannot be."""
        todo = [(kept, merged)]
        while todo:
            one, other = todo.pop()
            kept, merged = self.find(one), self.find(other)
            if kept == merged:
                continue
            if self.male[kept] != self.male[merged]:
                return False
            if self.name[kept] == UNKNOWN:
                self.name[kept] = self.name[merged]
            elif self.name[merged] != UNKNOWN:
                return False
            self.root[merged] = kept
            for relative in (self.father, self.spouse):
                if relative[kept] == UNKNOWN:
                    relative[kept] = relative[merged]
                elif relative[merged] != UNKNOWN:
                    todo.append((relative[kept], relative[merged]))
        return True

    def add(self, way: Way, first: int, second: int) -> bool:
        """Make the link hold for a pair; False where that cannot be, as far as equalities tell."""
        person = self.reach(second if way.start else first, way.step)
        relative = self.reach(second if way.other_start else first, way.other_step)
        if way.link == MARRIED:
            return self.equate(self.reach(person, SPOUSE), relative)
        if way.link == CHILD:
            parent = person if self.male[person] else self.reach(person, SPOUSE)
        else:
            parent = self.reach(person, FATHER)
            self.apart.append((person, relative))
        if self.father[relative] == UNKNOWN:
            self.father[relative] = parent
            return True
        return self.equate(self.father[relative], parent)

    def ends(self, way: Way, first: int, second: int) -> tuple[int, int]:
        """The two people between whom the link holds, or UNKNOWN twice where it does not."""
        person = self.seek(second if way.start else first, way.step)
        relative = self.seek(second if way.other_start else first, way.other_step)
        if UNKNOWN in (person, relative) or person == relative:
            return _NOBODY
        if way.link == MARRIED:
            return (person, relative) if self.seek(person, SPOUSE) == relative else _NOBODY
        if way.link == SIBLING:
            parent = self.seek(person, FATHER)
        else:
            parent = person if self.male[person] else self.seek(person, SPOUSE)
        if parent == UNKNOWN or parent != self.seek(relative, FATHER):
            return _NOBODY
        return person, relative

    def settled(self, way: Way, first: int, second: int) -> bool:
        """Whether the link holds however the family grows."""
        person, relative = self.ends(way, first, second)
        if person == UNKNOWN or way.link != SIBLING:
            return person != UNKNOWN
        if self.male[person] != self.male[relative]:
            return True
        if self.name[person] != UNKNOWN and self.name[relative] != UNKNOWN:
            return True
        for one, other in self.apart:
            a, b = self.find(one), self.find(other)
            if (a == person and b == relative) or (a == relative and b == person):
                return True
        return False

    def consistent(self) -> bool:
        """Whether siblings are two, nobody is their own ancestor, and those married may be."""
        for first, second in self.apart:
            if self.find(first) == self.find(second):
                return False
        father, spouse = self.father, self.spouse
        # The fathers of a couple, by husband: his and hers.
        his, hers = [UNKNOWN] * len(father), [UNKNOWN] * len(father)
        husbands: list[int] = []
        for person, root in enumerate(self.root):
            if root != person or father[person] == UNKNOWN:
                continue
            elder = self.find(father[person])
            husband = person
            if self.male[person]:
                his[person] = elder
            elif spouse[person] == UNKNOWN:
                continue
            else:
                husband = self.find(spouse[person])
                hers[husband] = elder
            if his[husband] == hers[husband]:
                return False
            husbands.append(husband)
        if _is_circle(husbands, his, hers):
            return False
        return self.kin_marriage or not any(
            _line(his[man], his, hers) & _line(hers[man], his, hers) for man in husbands
        )


_NOBODY: Final = (UNKNOWN, UNKNOWN)


def _is_circle(husbands: list[int], his: list[int], hers: list[int]) -> bool:
    """Whether some couple, by husband, descends from itself."""
    seen, above = [False] * len(his), [False] * len(his)
    for husband in husbands:
        todo = [husband]
        while todo:
            man = todo[-1]
            if seen[man]:
                todo.pop()
                above[man] = True  # all who are above this couple have been looked at
                continue
            seen[man] = True
            for elder in (his[man], hers[man]):
                if elder == UNKNOWN:
                    continue
                if not seen[elder]:
                    todo.append(elder)
                elif not above[elder]:
                    return True
    return False


def _line(man: int, his: list[int], hers: list[int]) -> set[int]:
    """A couple, by husband, and all couples it descends from."""
    line: set[int] = set()
    todo = [man]
    while todo:
        man = todo.pop()
        if man != UNKNOWN and man not in line:
            line.add(man)
            todo += [his[man], hers[man]]
    return line
