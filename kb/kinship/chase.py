"""A family known in part: people, who is whose father and spouse, and who may not be the same.

Mothers need no field of their own: parents are married, so a mother is the father's spouse.
"""

from collections.abc import Sequence

UNKNOWN = -1

Way = tuple[str, int, str, int, str]
"""A link, and its two ends: each an index into (x, y) and the step to take from there."""


class Chase:
    """The least family that satisfies the links added so far; people it did not need do not exist."""

    __slots__ = ("apart", "father", "male", "named", "root", "spouse")

    def __init__(self) -> None:
        self.root: list[int] = []
        self.male: list[bool] = []
        self.named: list[bool] = []
        self.father: list[int] = []
        self.spouse: list[int] = []
        self.apart: list[tuple[int, int]] = []

    def copy(self) -> "Chase":
        """An independent copy, to try something on."""
        other = Chase.__new__(Chase)
        other.root = self.root[:]
        other.male = self.male[:]
        other.named = self.named[:]
        other.father = self.father[:]
        other.spouse = self.spouse[:]
        other.apart = self.apart[:]
        return other

    def person(self, male: bool, named: bool = False) -> int:
        """A new person, of whom only the gender is known."""
        new = len(self.root)
        self.root.append(new)
        self.male.append(male)
        self.named.append(named)
        self.father.append(UNKNOWN)
        self.spouse.append(UNKNOWN)
        return new

    def find(self, person: int) -> int:
        """The one who stands for all that turned out to be this person."""
        root = self.root
        while root[person] != person:
            person = root[person]
        return person

    def father_of(self, person: int) -> int:
        """The father, made where he is not known yet."""
        person = self.find(person)
        if self.father[person] == UNKNOWN:
            self.father[person] = self.person(male=True)
        return self.find(self.father[person])

    def spouse_of(self, person: int) -> int:
        """The spouse, made where not known yet."""
        person = self.find(person)
        if self.spouse[person] == UNKNOWN:
            new = self.person(male=not self.male[person])
            self.spouse[person] = new
            self.spouse[new] = person
        return self.find(self.spouse[person])

    def reach(self, person: int, step: str) -> int:
        """The person one step away, made where not known yet."""
        if step == "self":
            return self.find(person)
        if step == "spouse":
            return self.spouse_of(person)
        father = self.father_of(person)
        return father if step == "father" else self.spouse_of(father)

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
        return person if person == UNKNOWN else self.find(person)

    def equate(self, one: int, other: int) -> bool:
        """Make two people the same with all that follows; False where that cannot be."""
        root, father, spouse = self.root, self.father, self.spouse
        todo = [(one, other)]
        while todo:
            one, other = todo.pop()
            one, other = self.find(one), self.find(other)
            if one == other:
                continue
            if self.male[one] != self.male[other] or (self.named[one] and self.named[other]):
                return False
            root[other] = one
            self.named[one] |= self.named[other]
            for relative in (father, spouse):
                if relative[one] == UNKNOWN:
                    relative[one] = relative[other]
                elif relative[other] != UNKNOWN:
                    todo.append((relative[one], relative[other]))
        return True

    def add(self, way: Way, pair: Sequence[int]) -> bool:
        """Make the link true of the pair; False where that cannot be."""
        link, first, first_step, second, second_step = way
        one = self.reach(pair[first], first_step)
        other = self.reach(pair[second], second_step)
        if link == "sibling":
            self.apart.append((one, other))
            same = self.equate(self.father_of(one), self.father_of(other))
        elif link == "child":
            parent = one if self.male[one] else self.spouse_of(one)
            same = self.equate(parent, self.father_of(other))
        else:
            same = self.equate(self.spouse_of(one), other)
        return same and self.consistent()

    def holds(self, way: Way, pair: Sequence[int]) -> tuple[int, int] | None:
        """The two ends where the link is true of the pair, else None."""
        link, first, first_step, second, second_step = way
        one = self.seek(pair[first], first_step)
        other = self.seek(pair[second], second_step)
        if one == UNKNOWN or other == UNKNOWN:
            return None
        if link == "sibling":
            left, right = self.seek(one, "father"), self.seek(other, "father")
            linked = left == right != UNKNOWN and one != other
        elif link == "child":
            parent = one if self.male[one] else self.seek(one, "spouse")
            linked = parent == self.seek(other, "father") != UNKNOWN
        else:
            linked = self.seek(one, "spouse") == other
        return (one, other) if linked else None

    def distinct(self, one: int, other: int) -> bool:
        """Whether two people can never turn out to be the same, as far as is known."""
        if self.male[one] != self.male[other] or (self.named[one] and self.named[other]):
            return True
        pair = {one, other}
        return any({self.find(a), self.find(b)} == pair for a, b in self.apart)

    def consistent(self) -> bool:
        """Whether the axioms that only forbid are kept: distinctness, marriage, ancestry."""
        find, father, spouse = self.find, self.father, self.spouse
        if any(find(one) == find(other) for one, other in self.apart):
            return False
        # couples, by husband, above each couple: his father and hers
        above: dict[int, list[int]] = {}
        for man, root in enumerate(self.root):
            if root != man or not self.male[man]:
                continue
            his = father[man]
            hers = UNKNOWN if spouse[man] == UNKNOWN else father[find(spouse[man])]
            fathers = [find(f) for f in (his, hers) if f != UNKNOWN]
            if len(fathers) == 2 and fathers[0] == fathers[1]:
                return False
            if fathers:
                above[man] = fathers
        while above:
            tops = [man for man, fathers in above.items() if not any(f in above for f in fathers)]
            if not tops:
                return False
            for man in tops:
                del above[man]
        return True
