"""The chase: a partially known family that grows by links and detects contradictions.

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


class LinkPattern:
    """A link (CHILD, SIBLING, MARRIED) between two relatives of a pair of people.

    Each relative is one step (SELF, FATHER, MOTHER, SPOUSE) away from the first or second person.
    """

    __slots__ = ("link", "other_start", "other_step", "start", "step")

    def __init__(self, link: int, start: int, step: int, other_start: int, other_step: int) -> None:
        self.link, self.start, self.step = link, start, step
        self.other_start, self.other_step = other_start, other_step


class Chase:
    """The least family with the links added so far: it adds or identifies nobody without need.

    People and names are numbers. People who turn out to be identical are merged by union-find.
    """

    __slots__ = ("distinct", "father", "male", "name", "root", "spouse")

    def __init__(self) -> None:
        self.root: list[int] = []
        self.name: list[int] = []
        self.male: list[bool] = []
        self.father: list[int] = []
        self.spouse: list[int] = []
        self.distinct: list[tuple[int, int]] = []

    def copy(self) -> "Chase":
        """Return an independent copy."""
        copy = Chase()
        copy.root = self.root.copy()
        copy.name = self.name.copy()
        copy.male = self.male.copy()
        copy.father = self.father.copy()
        copy.spouse = self.spouse.copy()
        copy.distinct = self.distinct.copy()
        return copy

    def add_person(self, male: bool, name: int = UNKNOWN) -> int:
        """Add a person without known relatives."""
        new = len(self.root)
        self.root.append(new)
        self.name.append(name)
        self.male.append(male)
        self.father.append(UNKNOWN)
        self.spouse.append(UNKNOWN)
        return new

    def find(self, person: int) -> int:
        """Return the representative of all that are identical with this person."""
        root = self.root
        while root[person] != person:
            person = root[person]
        return person

    def known_relative(self, person: int, step: int) -> int:
        """Return the person one step away, or UNKNOWN."""
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

    def ensure_relative(self, person: int, step: int) -> int:
        """Return the person one step away, adding that person if unknown."""
        relative = self.known_relative(person, step)
        if relative != UNKNOWN:
            return relative
        if step == MOTHER:
            return self.ensure_relative(self.ensure_relative(person, FATHER), SPOUSE)
        person = self.find(person)
        new = self.add_person(step == FATHER or not self.male[person])
        if step == FATHER:
            self.father[person] = new
        else:
            self.spouse[person] = new
            self.spouse[new] = person
        return new

    def equate(self, kept: int, merged: int) -> bool:
        """Identify two people, and all whom that identifies; False if impossible."""
        pending = [(kept, merged)]
        while pending:
            one, other = pending.pop()
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
                    pending.append((relative[kept], relative[merged]))
        return True

    def add_link(self, pattern: LinkPattern, first: int, second: int) -> bool:
        """Make a link hold for a pair; False if identities rule that out."""
        person = self.ensure_relative(second if pattern.start else first, pattern.step)
        relative = self.ensure_relative(
            second if pattern.other_start else first, pattern.other_step
        )
        if pattern.link == MARRIED:
            return self.equate(self.ensure_relative(person, SPOUSE), relative)
        if pattern.link == CHILD:
            parent = person if self.male[person] else self.ensure_relative(person, SPOUSE)
        else:
            parent = self.ensure_relative(person, FATHER)
            self.distinct.append((person, relative))
        if self.father[relative] == UNKNOWN:
            self.father[relative] = parent
            return True
        return self.equate(self.father[relative], parent)

    def linked_pair(self, pattern: LinkPattern, first: int, second: int) -> tuple[int, int]:
        """Return the two people between whom the link holds, or UNKNOWN twice if it does not."""
        person = self.known_relative(second if pattern.start else first, pattern.step)
        relative = self.known_relative(second if pattern.other_start else first, pattern.other_step)
        if UNKNOWN in (person, relative) or person == relative:
            return _NO_PAIR
        if pattern.link == MARRIED:
            return (
                (person, relative) if self.known_relative(person, SPOUSE) == relative else _NO_PAIR
            )
        if pattern.link == SIBLING:
            parent = self.known_relative(person, FATHER)
        else:
            parent = person if self.male[person] else self.known_relative(person, SPOUSE)
        if parent == UNKNOWN or parent != self.known_relative(relative, FATHER):
            return _NO_PAIR
        return person, relative

    def is_settled(self, pattern: LinkPattern, first: int, second: int) -> bool:
        """Return whether the link holds however the family grows."""
        person, relative = self.linked_pair(pattern, first, second)
        if person == UNKNOWN or pattern.link != SIBLING:
            return person != UNKNOWN
        if self.male[person] != self.male[relative]:
            return True
        if self.name[person] != UNKNOWN and self.name[relative] != UNKNOWN:
            return True
        for one, other in self.distinct:
            a, b = self.find(one), self.find(other)
            if (a == person and b == relative) or (a == relative and b == person):
                return True
        return False

    def is_consistent(self) -> bool:
        """Return whether siblings are distinct and unmarried, and nobody is their own ancestor."""
        for first, second in self.distinct:
            if self.find(first) == self.find(second):
                return False
        father, spouse = self.father, self.spouse
        # Fathers of each couple, by husband: his and hers.
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
        return not _has_cycle(husbands, his, hers)


_NO_PAIR: Final = (UNKNOWN, UNKNOWN)


def _has_cycle(husbands: list[int], his: list[int], hers: list[int]) -> bool:
    """Return whether some couple, by husband, descends from itself."""
    seen, done = [False] * len(his), [False] * len(his)
    for husband in husbands:
        pending = [husband]
        while pending:
            man = pending[-1]
            if seen[man]:
                pending.pop()
                done[man] = True  # all ancestors of this couple are done
                continue
            seen[man] = True
            for elder in (his[man], hers[man]):
                if elder == UNKNOWN:
                    continue
                if not seen[elder]:
                    pending.append(elder)
                elif not done[elder]:
                    return True
    return False
