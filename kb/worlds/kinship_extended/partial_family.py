"""A partially known family that grows by links and detects contradictions.

Siblings share a sibling group, and a sibling group has at most two parents, in no order. This is
part of the judge; it shares no code with family.py, by which rules are found.
"""

from typing import Final

NOBODY: Final = -1


class PartialFamily:
    """The least family with the links added so far: it adds or identifies nobody without need.

    People and sibling groups are numbers. Those that turn out to be identical are merged by
    union-find (`root`, `group_root`).
    """

    __slots__ = (
        "distinct",
        "ex_spouses",
        "group_parents",
        "group_root",
        "is_placeholder",
        "name",
        "root",
        "sibling_group",
        "wed",
    )

    def __init__(self) -> None:
        self.root: list[int] = []
        self.name: list[int] = []
        self.sibling_group: list[int] = []
        self.wed: list[int] = []
        self.is_placeholder: list[bool] = []
        """True for an unknown parent of a sibling group, who is dropped once a parent is known."""
        self.ex_spouses: list[tuple[int, int]] = []
        self.distinct: list[tuple[int, int]] = []
        self.group_root: list[int] = []
        self.group_parents: list[list[int]] = []

    def copy(self) -> "PartialFamily":
        """Return an independent copy."""
        copy = PartialFamily()
        copy.root, copy.name = self.root.copy(), self.name.copy()
        copy.sibling_group, copy.wed = self.sibling_group.copy(), self.wed.copy()
        copy.is_placeholder = self.is_placeholder.copy()
        copy.ex_spouses, copy.distinct = self.ex_spouses.copy(), self.distinct.copy()
        copy.group_root = self.group_root.copy()
        copy.group_parents = [parents.copy() for parents in self.group_parents]
        return copy

    def add_person(self, name: int = NOBODY) -> int:
        """Add a person in a new sibling group."""
        new = len(self.root)
        self.root.append(new)
        self.name.append(name)
        self.wed.append(NOBODY)
        self.is_placeholder.append(False)
        self.sibling_group.append(len(self.group_root))
        self.group_root.append(len(self.group_root))
        self.group_parents.append([])
        return new

    def find(self, person: int) -> int:
        """Return the representative of all that are identical with this person."""
        root = self.root
        while root[person] != person:
            person = root[person]
        return person

    def group_of(self, person: int) -> int:
        """Return the sibling group of a person."""
        root, group = self.group_root, self.sibling_group[self.find(person)]
        while root[group] != group:
            group = root[group]
        return group

    def parents_of(self, person: int) -> list[int]:
        """Return the known parents of a person."""
        return self._known_parents(self.group_of(person))

    def children_of(self, person: int) -> list[int]:
        """Return the known children of a person."""
        root = self.root
        return [p for p in range(len(root)) if root[p] == p and person in self.parents_of(p)]

    def siblings(self, person: int) -> list[int]:
        """Return all who have both parents in common with a person."""
        group, parents = self.group_of(person), set(self.parents_of(person))
        siblings = []
        for other, root in enumerate(self.root):
            if root != other or other == person:
                continue
            if self.group_of(other) == group or (
                len(parents) == 2 and set(self.parents_of(other)) == parents
            ):
                siblings.append(other)
        return siblings

    def _known_parents(self, group: int) -> list[int]:
        """Return the parents of a sibling group, each once; there may be more than two."""
        parents: list[int] = []
        for person in self.group_parents[group]:
            parent = self.find(person)
            if parent not in parents:
                parents.append(parent)
        if len(parents) > 1:
            known = [parent for parent in parents if not self.is_placeholder[parent]]
            return known or parents[:1]
        return parents

    def spouse(self, person: int) -> int:
        """Return the spouse of a person, or NOBODY."""
        spouse = self.wed[self.find(person)]
        return spouse if spouse == NOBODY else self.find(spouse)

    def add_parent(self, child: int, parent: int) -> None:
        """Add a parent of a child."""
        group = self.group_of(child)
        if self.find(parent) not in self._known_parents(group):
            self.group_parents[group].append(parent)

    def marry(self, one: int, other: int) -> bool:
        """Marry two people; False if impossible."""
        for a, b in ((one, other), (other, one)):
            known = self.spouse(a)
            if known == NOBODY:
                self.wed[self.find(a)] = b
            elif not self.equate(known, b):
                return False
        return True

    def join(self, one: int, other: int) -> None:
        """Merge the sibling groups of two people."""
        kept, merged = self.group_of(one), self.group_of(other)
        if kept != merged:
            self.group_root[merged] = kept
            self.group_parents[kept] += self.group_parents[merged]

    def make_siblings(self, one: int, other: int) -> None:
        """Make two distinct people siblings, with at least a placeholder as parent."""
        self.join(one, other)
        self.distinct.append((one, other))
        if not self.parents_of(one):
            parent = self.add_person()
            self.is_placeholder[parent] = True
            self.group_parents[self.group_of(one)].append(parent)

    def ensure_two_parents(self, person: int) -> None:
        """Give a person two parents, none of them a placeholder."""
        for parent in self.parents_of(person):
            self.is_placeholder[parent] = False
        while len(self.parents_of(person)) < 2:
            new = self.add_person()
            self.distinct += [(new, known) for known in self.parents_of(person)]
            self.group_parents[self.group_of(person)].append(new)

    def equate(self, one: int, other: int) -> bool:
        """Identify two people, and all whom that identifies; False if impossible."""
        pending = [(one, other)]
        while pending:
            first, second = pending.pop()
            kept, merged = self.find(first), self.find(second)
            if kept == merged:
                continue
            if self.name[kept] == NOBODY:
                self.name[kept] = self.name[merged]
            elif self.name[merged] != NOBODY:
                return False
            self.join(kept, merged)
            self.root[merged] = kept
            self.is_placeholder[kept] = self.is_placeholder[kept] and self.is_placeholder[merged]
            if self.wed[kept] == NOBODY:
                self.wed[kept] = self.wed[merged]
            elif self.wed[merged] != NOBODY:
                pending.append((self.wed[kept], self.wed[merged]))
        return True

    def are_distinct(self, one: int, other: int) -> bool:
        """Return whether two people are known to be distinct, by name or by a link."""
        a, b = self.find(one), self.find(other)
        if self.name[a] != NOBODY and self.name[b] != NOBODY:
            return True
        for first, second in self.distinct:
            c, d = self.find(first), self.find(second)
            if (a == c and b == d) or (a == d and b == c):
                return True
        return False

    def excess_parents(self) -> list[int]:
        """Return three or more parents of one sibling group, or nothing."""
        for person, root in enumerate(self.root):
            if root == person:
                parents = self.parents_of(person)
                if len(parents) > 2:
                    return parents
        return []

    def is_consistent(self) -> bool:
        """Return whether distinct people and couples admit such a family.

        Parents who are kin cannot be a couple, so they are identified.
        """
        changed = True
        while changed:
            kin = self._self_and_ancestors()
            if not kin:
                return not self.root
            changed = False
            for person, root in enumerate(self.root):
                parents = self.parents_of(person) if root == person else []
                # Of three parents two are identical; the search finds out which.
                if len(parents) == 2 and kin[parents[0]] & kin[parents[1]]:
                    if not self.equate(parents[0], parents[1]):
                        return False
                    changed = True
                    break
        for first, second in self.distinct:
            if self.find(first) == self.find(second):
                return False
        former: set[tuple[int, int]] = set()
        for first, second in self.ex_spouses:
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

    def _self_and_ancestors(self) -> list[int]:
        """Return the set of self and ancestors by person; nothing if there is a cycle."""
        kin, state = [0] * len(self.root), [0] * len(self.root)
        for start, root in enumerate(self.root):
            pending = [start] if root == start else []
            while pending:
                person = pending[-1]
                parents = self.parents_of(person)
                if state[person] == 0:
                    state[person] = 1
                    for parent in parents:
                        if state[parent] == 1:
                            return []
                        if state[parent] == 0:
                            pending.append(parent)
                else:
                    pending.pop()
                    if state[person] == 1:
                        state[person] = 2
                        kin[person] = 1 << person
                        for parent in parents:
                            kin[person] |= kin[parent]
        return kin
