"""What a family is: people, parents and spouses, the axioms they obey, and every relation.

This file is the one place where the axioms and the relations of the kinship world are
written down; docs/kinship.md explains the choices.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

MALE, FEMALE = "male", "female"


@dataclass(frozen=True)
class Family:
    """People numbered from 0, with the parents and spouses that are known of each."""

    genders: tuple[str, ...] = ()
    fathers: tuple[int | None, ...] = ()
    mothers: tuple[int | None, ...] = ()
    spouses: tuple[int | None, ...] = ()

    def __len__(self) -> int:
        return len(self.genders)

    def with_person(self, gender: str) -> "Family":
        """This family and one more person, whose number is the former length."""
        return Family(
            (*self.genders, gender),
            (*self.fathers, None),
            (*self.mothers, None),
            (*self.spouses, None),
        )

    def with_marriage(self, person: int, spouse: int) -> "Family":
        """This family with two people married to each other."""
        spouses = list(self.spouses)
        spouses[person], spouses[spouse] = spouse, person
        return replace(self, spouses=tuple(spouses))

    def with_parents(self, child: int, father: int, mother: int) -> "Family":
        """This family with the parents of a person set."""
        fathers, mothers = list(self.fathers), list(self.mothers)
        fathers[child], mothers[child] = father, mother
        return replace(self, fathers=tuple(fathers), mothers=tuple(mothers))

    def parents(self, person: int) -> tuple[int, ...]:
        """Father and mother, or nobody."""
        couple = (self.fathers[person], self.mothers[person])
        return tuple(parent for parent in couple if parent is not None)

    def children(self, person: int) -> list[int]:
        """Everyone whose father or mother the person is."""
        return [child for child in range(len(self)) if person in self.parents(child)]

    def siblings(self, person: int) -> list[int]:
        """Everyone else with the same father and the same mother."""
        parents = self.parents(person)
        return [
            sibling
            for sibling in range(len(self))
            if sibling != person and parents and self.parents(sibling) == parents
        ]

    def line(self, person: int) -> set[int]:
        """A person and all ancestors."""
        line, ahead = {person}, list(self.parents(person))
        while ahead:
            parent = ahead.pop()
            if parent not in line:
                line.add(parent)
                ahead.extend(self.parents(parent))
        return line

    def couples(self) -> Iterator[tuple[int, int]]:
        """Each married pair once, the one with the lower number first."""
        for person, spouse in enumerate(self.spouses):
            if spouse is not None and person < spouse:
                yield person, spouse


class Axiom(NamedTuple):
    """A sentence about families, and its check."""

    name: str
    sentence: str
    holds: Callable[[Family], bool]


def _everyone(check: Callable[[Family, int], bool]) -> Callable[[Family], bool]:
    return lambda family: all(check(family, person) for person in range(len(family)))


# Each is universal (it stays true when people or links are taken away): that is what makes
# the small situations of semantics.py stand for all families.
AXIOMS = (
    Axiom(
        "gender",
        "Everyone is male or female; fathers are male and mothers are female.",
        lambda f: (
            all(gender in (MALE, FEMALE) for gender in f.genders)
            and all(f.genders[p] == MALE for p in f.fathers if p is not None)
            and all(f.genders[p] == FEMALE for p in f.mothers if p is not None)
        ),
    ),
    Axiom(
        "one marriage",
        "Everyone has at most one spouse, ever, and is that person's spouse.",
        _everyone(lambda f, p: (s := f.spouses[p]) is None or (s != p and f.spouses[s] == p)),
    ),
    Axiom(
        "opposite gender",
        "Spouses are of opposite gender.",
        lambda f: all(f.genders[person] != f.genders[spouse] for person, spouse in f.couples()),
    ),
    Axiom(
        "married parents",
        "Father and mother are known together and are married to each other; "
        "so all siblings are full siblings.",
        lambda f: all(
            (father is None and mother is None)
            or (father is not None and mother is not None and f.spouses[father] == mother)
            for father, mother in zip(f.fathers, f.mothers, strict=True)
        ),
    ),
    Axiom(
        "no loops",
        "No one is their own ancestor.",
        _everyone(lambda f, p: all(p not in f.line(parent) for parent in f.parents(p))),
    ),
    Axiom(
        "no kin marriage",
        "Spouses have no common ancestor, and neither is an ancestor of the other.",
        lambda f: all(not f.line(person) & f.line(spouse) for person, spouse in f.couples()),
    ),
)

# What the judge assumes of marriages: relatives may marry, siblings never do.
LEAST_AXIOMS = (
    *AXIOMS[:-1],
    Axiom(
        "no sibling marriage",
        "Spouses have different parents.",
        lambda f: all(
            not set(f.parents(person)) & set(f.parents(spouse)) for person, spouse in f.couples()
        ),
    ),
)


def broken_axioms(family: Family, axioms: tuple[Axiom, ...] = AXIOMS) -> list[str]:
    """The names of the axioms that a family breaks."""
    return [axiom.name for axiom in axioms if not axiom.holds(family)]


STEPS: dict[str, Callable[[Family, int], list[int]]] = {
    "up": lambda family, person: list(family.parents(person)),
    "down": Family.children,
    "side": Family.siblings,
    "wed": lambda family, person: [s for s in [family.spouses[person]] if s is not None],
}

Paths = dict[str, tuple[tuple[str, ...], ...]]

# (x, r, y), "y is the r of x", holds iff one of r's paths leads from x to y.
RELATIONS: Paths = {
    "child": (("down",),),
    "inv-child": (("up",),),
    "SO": (("wed",),),
    "sibling": (("side",),),
    "grand": (("down", "down"),),
    "inv-grand": (("up", "up"),),
    "in-law": (("down", "wed"),),
    "inv-in-law": (("wed", "up"),),
    "sibling-in-law": (("wed", "side"), ("side", "wed")),
    "un": (("side", "down"),),
    "inv-un": (("up", "side"),),
}

# The switch: the spouse of an uncle or aunt by blood is an aunt or uncle too.
UNCLES_BY_MARRIAGE: Paths = {
    **RELATIONS,
    "un": (("side", "down"), ("wed", "side", "down")),
    "inv-un": (("up", "side"), ("up", "side", "wed")),
}


def related(family: Family, person: int, relations: Paths = RELATIONS) -> dict[str, set[int]]:
    """For each relation r, everyone who is the r of this person."""
    return {
        name: {relative for path in paths for relative in _walk(family, person, path)}
        for name, paths in relations.items()
    }


def _walk(family: Family, person: int, path: tuple[str, ...]) -> set[int]:
    reached = {person}
    for step in path:
        reached = {relative for place in reached for relative in STEPS[step](family, place)}
    return reached


def describe(family: Family, names: tuple[str, ...]) -> tuple[str, ...]:
    """A family as facts: who is married to whom, and whose child everyone is."""
    full = [f"{name} ({gender})" for name, gender in zip(names, family.genders, strict=True)]
    lines = [f"{full[person]} is married to {full[spouse]}" for person, spouse in family.couples()]
    for person, name in enumerate(full):
        parents = " and ".join(names[parent] for parent in family.parents(person))
        if parents:
            lines.append(f"{name} is a child of {parents}")
    return tuple(lines)
