"""Definition of an extended family: its links, its axioms, and every relation.

This file and kinship-extended.yaml define the world; docs/kinship-extended.md explains the choices.
The judge has a table of its own.
"""

from dataclasses import dataclass
from itertools import count, pairwise

UP, WED, EX, GOD = "up", "wed", "ex", "god"
"""(up, c, p): p is a parent of c. (wed, a, b): they are married. (ex, a, b): they were, and are
no longer. (god, c, g): g is a godparent of c. `wed` and `ex` hold both ways."""

Link = tuple[str, str, str]
PersonPair = tuple[str, str]


@dataclass(frozen=True)
class Pattern:
    """Links between x, y and others that make y such a relative of x, and pairs not identical."""

    links: tuple[Link, ...]
    distinct: tuple[PersonPair, ...] = ()

    def reversed(self) -> "Pattern":
        """Return the pattern with x and y swapped."""
        other = {"x": "y", "y": "x"}
        return Pattern(
            tuple((kind, other.get(a, a), other.get(b, b)) for kind, a, b in self.links),
            tuple((other.get(a, a), other.get(b, b)) for a, b in self.distinct),
        )


def _ancestor_path(start: str, steps: int, name: str) -> tuple[tuple[Link, ...], str]:
    """Return the links of a path of parents, and its last person."""
    people = [start, *(f"{name}{n}" for n in range(1, steps + 1))]
    links = [(UP, low, high) for low, high in pairwise(people)]
    return tuple(links), people[-1]


def _ancestor(steps: int) -> Pattern:
    """Return the pattern for y being an ancestor of x by a number of steps."""
    links, top = _ancestor_path("x", steps, "a")
    return Pattern(tuple((kind, low, "y" if high == top else high) for kind, low, high in links))


def _collateral(up: int, down: int) -> Pattern:
    """Return the pattern for a common ancestor of x and y by two distinct children."""
    left, one = _ancestor_path("x", up - 1, "a")
    right, other = _ancestor_path("y", down - 1, "b")
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
    return (one, one.reversed()) if removed else (one,)


# (x, r, y), "y is the r of x", holds iff one of the patterns of r matches between x and y.
RELATIONS: dict[str, tuple[Pattern, ...]] = {
    "child": (_ancestor(1).reversed(),),
    "inv-child": (_ancestor(1),),
    "grand": (_ancestor(2).reversed(),),
    "inv-grand": (_ancestor(2),),
    "great-grand": (_ancestor(3).reversed(),),
    "inv-great-grand": (_ancestor(3),),
    "SO": (Pattern(((WED, "x", "y"),)),),
    "ex-SO": (Pattern(((EX, "x", "y"),)),),
    "sibling": (_SIBLING,),
    "half-sibling": (_HALF,),
    "step-child": (_STEP_PARENT.reversed(),),
    "inv-step-child": (_STEP_PARENT,),
    "step-sibling": (_STEP_SIBLING,),
    "in-law": (_PARENT_IN_LAW.reversed(),),
    "inv-in-law": (_PARENT_IN_LAW,),
    "sibling-in-law": (_SPOUSE_OF_SIBLING, _SPOUSE_OF_SIBLING.reversed()),
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
class ExtendedFamily:
    """People by name, the links between them, and pairs that are distinct.

    People with fewer than two parents here have unknown ones, who are all distinct from each
    other and from everyone named.
    """

    links: frozenset[Link]
    distinct: frozenset[PersonPair] = frozenset()

    @property
    def people(self) -> list[str]:
        """Everyone who is mentioned."""
        ends = {person for _, a, b in self.links for person in (a, b)}
        return sorted(ends | {person for two in self.distinct for person in two})

    def parents(self, person: str) -> list[str]:
        """Return the known parents in alphabetical order."""
        return sorted(high for kind, low, high in self.links if kind == UP and low == person)

    def identified(self, kept: str, merged: str) -> "ExtendedFamily":
        """Return the family with two people identified."""

        def name(person: str) -> str:
            return kept if person == merged else person

        return ExtendedFamily(
            frozenset((kind, name(a), name(b)) for kind, a, b in self.links),
            frozenset((name(a), name(b)) for a, b in self.distinct),
        )

    def with_parents(self, *people: str) -> "ExtendedFamily":
        """Return the family with two parents for each of these people."""
        family = self
        for person in people:
            while len(known := family.parents(person)) < 2:
                taken = family.people
                parent = next(name for n in count(1) if (name := f"N{n}") not in taken)
                family = ExtendedFamily(
                    family.links | {(UP, person, parent)},
                    family.distinct | {(parent, other) for other in known},
                )
        return family

    def ancestors(self, person: str) -> set[str]:
        """Return all ancestors of a person, who is among them if there is a cycle."""
        ancestors: set[str] = set()
        pending = self.parents(person)
        while pending:
            parent = pending.pop()
            if parent not in ancestors:
                ancestors.add(parent)
                pending += self.parents(parent)
        return ancestors

    def are_kin(self, a: str, b: str) -> bool:
        """Return whether two people have a common ancestor, or one is an ancestor of the other."""
        return bool((self.ancestors(a) | {a}) & (self.ancestors(b) | {b}))


REPAIRABLE_AXIOMS = ("two parents", "parents who are no kin", "one spouse")
"""Axioms that identifying people can satisfy; the other axioms only forbid."""


def broken_axioms(family: ExtendedFamily) -> list[str]:
    """Return the names of the axioms that a family breaks."""
    broken = []
    if any(a == b for a, b in family.distinct):
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
    if any(person in family.ancestors(person) for person in family.people):
        broken.append("no loops")
    if any(family.are_kin(a, b) for a, b in wed | ex):
        broken.append("spouses who are no kin")
    return broken
