"""What a family is in the extended kinship world: its links, its axioms, and every relation.

This file and kinship-extended.yaml are the places where the world is written down;
docs/kinship-extended.md explains the choices. The judge has a table of its own.
"""

from dataclasses import dataclass
from itertools import count, pairwise

UP, WED, EX, GOD = "up", "wed", "ex", "god"
"""(up, c, p): p is a parent of c. (wed, a, b): they are married. (ex, a, b): they were, and are
no longer. (god, c, g): g is a godparent of c. `wed` and `ex` hold both ways."""

Link = tuple[str, str, str]
Two = tuple[str, str]


@dataclass(frozen=True)
class Pattern:
    """Links between x, y and others that make y such a relative of x, and who are not the same."""

    links: tuple[Link, ...]
    apart: tuple[Two, ...] = ()

    def turned(self) -> "Pattern":
        """The same seen from the other side."""
        other = {"x": "y", "y": "x"}
        return Pattern(
            tuple((kind, other.get(a, a), other.get(b, b)) for kind, a, b in self.links),
            tuple((other.get(a, a), other.get(b, b)) for a, b in self.apart),
        )


def _line(start: str, steps: int, name: str) -> tuple[tuple[Link, ...], str]:
    """So many steps up from somebody, and who is reached."""
    people = [start, *(f"{name}{n}" for n in range(1, steps + 1))]
    links = [(UP, low, high) for low, high in pairwise(people)]
    return tuple(links), people[-1]


def _ancestor(steps: int) -> Pattern:
    """Y stands so many steps above x."""
    links, top = _line("x", steps, "a")
    return Pattern(tuple((kind, low, "y" if high == top else high) for kind, low, high in links))


def _collateral(up: int, down: int) -> Pattern:
    """Somebody so many steps above x and so many above y, by two different children."""
    left, one = _line("x", up - 1, "a")
    right, other = _line("y", down - 1, "b")
    return Pattern((*left, *right, (UP, one, "g"), (UP, other, "g")), ((one, other),))


_SIBLING = Pattern(
    ((UP, "x", "p"), (UP, "x", "q"), (UP, "y", "p"), (UP, "y", "q")), (("p", "q"), ("x", "y"))
)
_HALF = Pattern(
    ((UP, "x", "p"), (UP, "y", "p"), (UP, "x", "q"), (UP, "y", "r")),
    (("p", "q"), ("p", "r"), ("q", "r")),
)
_STEP_PARENT = Pattern(((UP, "x", "p"), (UP, "x", "q"), (WED, "p", "y")), (("p", "q"), ("q", "y")))
_STEP_SIBLING = Pattern(
    ((UP, "x", "p"), (UP, "x", "q"), (UP, "y", "s"), (UP, "y", "t"), (WED, "p", "s")),
    (("p", "q"), ("s", "t"), ("p", "t"), ("q", "s"), ("q", "t")),
)
_PARENT_IN_LAW = Pattern(((WED, "x", "s"), (UP, "s", "y")))
_SPOUSE_OF_SIBLING = Pattern(((WED, "y", "s"), (UP, "x", "g"), (UP, "s", "g")), (("x", "s"),))


def _cousin(degree: int, removed: int) -> tuple[Pattern, ...]:
    one = _collateral(degree + 1, degree + 1 + removed)
    return (one, one.turned()) if removed else (one,)


# (x, r, y), "y is the r of x", holds iff one of r's patterns is found between x and y.
RELATIONS: dict[str, tuple[Pattern, ...]] = {
    "child": (_ancestor(1).turned(),),
    "inv-child": (_ancestor(1),),
    "grand": (_ancestor(2).turned(),),
    "inv-grand": (_ancestor(2),),
    "great-grand": (_ancestor(3).turned(),),
    "inv-great-grand": (_ancestor(3),),
    "SO": (Pattern(((WED, "x", "y"),)),),
    "ex-SO": (Pattern(((EX, "x", "y"),)),),
    "sibling": (_SIBLING,),
    "half-sibling": (_HALF,),
    "step-child": (_STEP_PARENT.turned(),),
    "inv-step-child": (_STEP_PARENT,),
    "step-sibling": (_STEP_SIBLING,),
    "in-law": (_PARENT_IN_LAW.turned(),),
    "inv-in-law": (_PARENT_IN_LAW,),
    "sibling-in-law": (_SPOUSE_OF_SIBLING, _SPOUSE_OF_SIBLING.turned()),
    "un": (_collateral(1, 2),),
    "inv-un": (_collateral(2, 1),),
    "great-un": (_collateral(1, 3),),
    "inv-great-un": (_collateral(3, 1),),
    "cousin": _cousin(1, 0),
    "cousin-once-removed": _cousin(1, 1),
    "cousin-twice-removed": _cousin(1, 2),
    "second-cousin": _cousin(2, 0),
    "second-cousin-once-removed": _cousin(2, 1),
    "second-cousin-twice-removed": _cousin(2, 2),
    "godchild": (Pattern(((GOD, "y", "x"),)),),
    "inv-godchild": (Pattern(((GOD, "x", "y"),)),),
}


@dataclass(frozen=True)
class Family:
    """People by name, the links between them, and who is not the same as whom.

    Whoever has fewer than two parents here has others, of whom nothing is known: no two of them
    are the same, or anybody who is named.
    """

    links: frozenset[Link]
    apart: frozenset[Two] = frozenset()

    @property
    def people(self) -> list[str]:
        """Everyone of whom anything is said."""
        ends = {person for _, a, b in self.links for person in (a, b)}
        return sorted(ends | {person for two in self.apart for person in two})

    def parents(self, person: str) -> list[str]:
        """Those that are known, in the order of the alphabet."""
        return sorted(high for kind, low, high in self.links if kind == UP and low == person)

    def merged(self, kept: str, gone: str) -> "Family":
        """The same where two people turn out to be one."""

        def name(person: str) -> str:
            return kept if person == gone else person

        return Family(
            frozenset((kind, name(a), name(b)) for kind, a, b in self.links),
            frozenset((name(a), name(b)) for a, b in self.apart),
        )

    def with_parents(self, *people: str) -> "Family":
        """The same with two parents for each of these."""
        family = self
        for person in people:
            while len(known := family.parents(person)) < 2:
                taken = family.people
                parent = next(name for n in count(1) if (name := f"N{n}") not in taken)
                family = Family(
                    family.links | {(UP, person, parent)},
                    family.apart | {(parent, other) for other in known},
                )
        return family

    def line(self, person: str) -> set[str]:
        """All ancestors of somebody, who is one of them where there is a circle."""
        line: set[str] = set()
        ahead = self.parents(person)
        while ahead:
            parent = ahead.pop()
            if parent not in line:
                line.add(parent)
                ahead += self.parents(parent)
        return line

    def are_kin(self, a: str, b: str) -> bool:
        """Whether two people have a common ancestor, or one is the other's."""
        return bool((self.line(a) | {a}) & (self.line(b) | {b}))


MENDED = ("two parents", "parents who are no kin", "one spouse")
"""What is put right where people turn out to be one; the other axioms only forbid."""


def broken_axioms(family: Family) -> list[str]:
    """What is wrong with a family, by the names of the axioms."""
    broken = []
    if any(a == b for a, b in family.apart):
        broken.append("different people")
    parents = [family.parents(person) for person in family.people]
    if any(len(some) > 2 for some in parents):
        broken.append("two parents")
    if any(len(some) == 2 and family.are_kin(*some) for some in parents):
        broken.append("parents who are no kin")
    wed = {(a, b) for kind, a, b in family.links if kind == WED}
    both = wed | {(b, a) for a, b in wed}
    if len({a for a, _ in both}) < len(both):
        broken.append("one spouse")
    ex = {(a, b) for kind, a, b in family.links if kind == EX}
    if ex & both:
        broken.append("no longer married")
    if any(person in family.line(person) for person in family.people):
        broken.append("no loops")
    if any(family.are_kin(a, b) for a, b in wed | ex):
        broken.append("spouses who are no kin")
    return broken
