"""A family known in part, which grows by links and says when no family can be like that.

Siblings have one brood, and a brood has two parents at most, in no order. This is the judge's;
it shares no code with family.py, by which rules are found.
"""

from typing import Final

NOBODY: Final = -1


class Home:
    """The least family with what was said so far: nobody exists, or is one, without need.

    People and broods are numbers. Whoever turned out to be another is followed to that one.
    """

    __slots__ = ("apart", "brood", "ex", "filler", "name", "parents", "root", "same", "wed")

    def __init__(self) -> None:
        self.root: list[int] = []
        self.name: list[int] = []
        self.brood: list[int] = []
        self.wed: list[int] = []
        self.filler: list[bool] = []
        """Whether somebody stands for any parent of a brood, and gives way to one who is known."""
        self.ex: list[tuple[int, int]] = []
        self.apart: list[tuple[int, int]] = []
        self.same: list[int] = []
        """Where a brood turned out to be another, that one."""
        self.parents: list[list[int]] = []

    def copy(self) -> "Home":
        """An independent copy, to try something on."""
        copy = Home()
        copy.root, copy.name = self.root.copy(), self.name.copy()
        copy.brood, copy.wed = self.brood.copy(), self.wed.copy()
        copy.filler = self.filler.copy()
        copy.ex, copy.apart = self.ex.copy(), self.apart.copy()
        copy.same, copy.parents = self.same.copy(), [some.copy() for some in self.parents]
        return copy

    def person(self, name: int = NOBODY) -> int:
        """Somebody new, in a brood of their own."""
        new = len(self.root)
        self.root.append(new)
        self.name.append(name)
        self.wed.append(NOBODY)
        self.filler.append(False)
        self.brood.append(len(self.same))
        self.same.append(len(self.same))
        self.parents.append([])
        return new

    def find(self, person: int) -> int:
        """The one who stands for all that turned out to be this person."""
        root = self.root
        while root[person] != person:
            person = root[person]
        return person

    def born(self, person: int) -> int:
        """Somebody's brood."""
        same, brood = self.same, self.brood[self.find(person)]
        while same[brood] != brood:
            brood = same[brood]
        return brood

    def above(self, person: int) -> list[int]:
        """The parents of somebody, as far as they are known."""
        return self._elders(self.born(person))

    def below(self, person: int) -> list[int]:
        """The children of somebody, as far as they are known."""
        root = self.root
        return [p for p in range(len(root)) if root[p] == p and person in self.above(p)]

    def siblings(self, person: int) -> list[int]:
        """All who have both parents in common with somebody."""
        brood, elders = self.born(person), set(self.above(person))
        siblings = []
        for other, root in enumerate(self.root):
            if root != other or other == person:
                continue
            if self.born(other) == brood or (len(elders) == 2 and set(self.above(other)) == elders):
                siblings.append(other)
        return siblings

    def _elders(self, brood: int) -> list[int]:
        """The parents of a brood, each once; there may be too many."""
        elders: list[int] = []
        for parent in self.parents[brood]:
            elder = self.find(parent)
            if elder not in elders:
                elders.append(elder)
        if len(elders) > 1:
            known = [elder for elder in elders if not self.filler[elder]]
            return known or elders[:1]
        return elders

    def spouse(self, person: int) -> int:
        """Whom somebody is married to, or NOBODY."""
        spouse = self.wed[self.find(person)]
        return spouse if spouse == NOBODY else self.find(spouse)

    def bear(self, child: int, parent: int) -> None:
        """Make one a parent of another."""
        brood = self.born(child)
        if self.find(parent) not in self._elders(brood):
            self.parents[brood].append(parent)

    def marry(self, one: int, other: int) -> bool:
        """Make two spouses of each other; False where that cannot be."""
        for a, b in ((one, other), (other, one)):
            known = self.spouse(a)
            if known == NOBODY:
                self.wed[self.find(a)] = b
            elif not self.equate(known, b):
                return False
        return True

    def join(self, one: int, other: int) -> None:
        """Make two people siblings: they have one brood."""
        kept, gone = self.born(one), self.born(other)
        if kept != gone:
            self.same[gone] = kept
            self.parents[kept] += self.parents[gone]

    def relate(self, one: int, other: int) -> None:
        """Make two different people siblings, who have somebody for a parent."""
        self.join(one, other)
        self.apart.append((one, other))
        if not self.above(one):
            parent = self.person()
            self.filler[parent] = True
            self.parents[self.born(one)].append(parent)

    def complete(self, person: int) -> None:
        """See that somebody has two parents, who are then two people like others."""
        for parent in self.above(person):
            self.filler[parent] = False
        while len(self.above(person)) < 2:
            new = self.person()
            self.apart += [(new, known) for known in self.above(person)]
            self.parents[self.born(person)].append(new)

    def equate(self, one: int, other: int) -> bool:
        """Make two people the same, with all that follows; False where that cannot be."""
        todo = [(one, other)]
        while todo:
            first, second = todo.pop()
            kept, gone = self.find(first), self.find(second)
            if kept == gone:
                continue
            if self.name[kept] == NOBODY:
                self.name[kept] = self.name[gone]
            elif self.name[gone] != NOBODY:
                return False
            self.join(kept, gone)
            self.root[gone] = kept
            self.filler[kept] = self.filler[kept] and self.filler[gone]
            if self.wed[kept] == NOBODY:
                self.wed[kept] = self.wed[gone]
            elif self.wed[gone] != NOBODY:
                todo.append((self.wed[kept], self.wed[gone]))
        return True

    def firm(self, one: int, other: int) -> bool:
        """Whether two people are known never to be one: by name, or because it was said."""
        a, b = self.find(one), self.find(other)
        if self.name[a] != NOBODY and self.name[b] != NOBODY:
            return True
        for first, second in self.apart:
            c, d = self.find(first), self.find(second)
            if (a == c and b == d) or (a == d and b == c):
                return True
        return False

    def crowd(self) -> list[int]:
        """Three parents or more of one brood, or nobody."""
        for person, root in enumerate(self.root):
            if root == person:
                elders = self.above(person)
                if len(elders) > 2:
                    return elders
        return []

    def consistent(self) -> bool:
        """Whether there is such a family, as far as people who are apart and couples tell.

        Parents who are kin are no couple: they turn out to be one person.
        """
        again = True
        while again:
            kin = self._kin()
            if not kin:
                return not self.root
            again = False
            for person, root in enumerate(self.root):
                elders = self.above(person) if root == person else []
                # Of three, two will turn out to be one; who it is shows later.
                if len(elders) == 2 and kin[elders[0]] & kin[elders[1]]:
                    if not self.equate(elders[0], elders[1]):
                        return False
                    again = True
                    break
        for first, second in self.apart:
            if self.find(first) == self.find(second):
                return False
        former: set[tuple[int, int]] = set()
        for first, second in self.ex:
            a, b = self.find(first), self.find(second)
            if kin[a] & kin[b]:
                return False
            former.add((a, b))
            former.add((b, a))
        for person, root in enumerate(self.root):
            spouse = self.spouse(person) if root == person else NOBODY
            if spouse != NOBODY and (kin[person] & kin[spouse] or (person, spouse) in former):
                return False
        return True

    def _kin(self) -> list[int]:
        """Everybody and all their ancestors, as sets; nothing where somebody is their own."""
        kin, state = [0] * len(self.root), [0] * len(self.root)
        for start, root in enumerate(self.root):
            todo = [start] if root == start else []
            while todo:
                person = todo[-1]
                elders = self.above(person)
                if state[person] == 0:
                    state[person] = 1
                    for elder in elders:
                        if state[elder] == 1:
                            return []
                        if state[elder] == 0:
                            todo.append(elder)
                else:
                    todo.pop()
                    if state[person] == 1:
                        state[person] = 2
                        kin[person] = 1 << person
                        for elder in elders:
                            kin[person] |= kin[elder]
        return kin
