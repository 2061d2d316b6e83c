"""Definition of a family: people, parents and spouses, the axioms, and every relation.

Nothing else defines the axioms and relations of the kinship world; docs/kinship.md explains them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

MALE, FEMALE = "male", "female"


@dataclass(frozen=True)
class Family:
    """People numbered from 0, with their known parents and spouses."""

    genders: tuple[str, ...] = ()
    fathers: tuple[int | None, ...] = ()
    mothers: tuple[int | None, ...] = ()
    spouses: tuple[int | None, ...] = ()

    def __len__(self) -> int:
        return len(self.genders)

    def with_person(self, gender: str) -> "Family":
        """Return the family with one more person, whose number is the former length."""
        return Family(
            (*self.genders, gender),
            (*self.fathers, None),
            (*self.mothers, None),
            (*self.spouses, None),
        )

    def with_marriage(self, person: int, spouse: int) -> "Family":
        """Return the family with two people married to each other."""
        spouses = list(self.spouses)
        spouses[person], spouses[spouse] = spouse, person
        return replace(self, spouses=tuple(spouses))

    def with_parents(self, child: int, father: int, mother: int) -> "Family":
        """Return the family with the parents of a person set."""
        fathers, mothers = list(self.fathers), list(self.mothers)
        fathers[child], mothers[child] = father, mother
        return replace(self, fathers=tuple(fathers), mothers=tuple(mothers))

    def parents(self, person: int) -> tuple[int, ...]:
        """Return father and mother, or nothing."""
        couple = (self.fathers[person], self.mothers[person])
        return tuple(parent for parent in couple if parent is not None)

    def children(self, person: int) -> list[int]:
        """Return the children of a person."""
        return [child for child in range(len(self)) if person in self.parents(child)]

    def siblings(self, person: int) -> list[int]:
        """Return everyone else with the same father and mother."""
        parents = self.parents(person)
        return [
            sibling
            for sibling in range(len(self))
            if sibling != person and parents and self.parents(sibling) == parents
        ]

    def self_and_ancestors(self, person: int) -> set[int]:
        """Return a person and all ancestors."""
        found, pending = {person}, list(self.parents(person))
        while pending:
            parent = pending.pop()
            if parent not in found:
                found.add(parent)
                pending.extend(self.parents(parent))
        return found

    def couples(self) -> Iterator[tuple[int, int]]:
        """Yield each married pair once, the lower number first."""
        for person, spouse in enumerate(self.spouses):
            if spouse is not None and person < spouse:
                yield person, spouse


class Axiom(NamedTuple):
    """A sentence about families, and its check."""

    name: str
    sentence: str
    holds: Callable[[Family], bool]


def _for_everyone(check: Callable[[Family, int], bool]) -> Callable[[Family], bool]:
    return lambda family: all(check(family, person) for person in range(len(family)))


# Each is universal (it stays true when people or links are removed): therefore the small
# situations of semantics.py represent all families.
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
        _for_everyone(lambda f, p: (s := f.spouses[p]) is None or (s != p and f.spouses[s] == p)),
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
        _for_everyone(
            lambda f, p: all(p not in f.self_and_ancestors(parent) for parent in f.parents(p))
        ),
    ),
    Axiom(
        "no kin marriage",
        "Spouses have no common ancestor, and neither is an ancestor of the other.",
        lambda f: all(
            not f.self_and_ancestors(person) & f.self_and_ancestors(spouse)
            for person, spouse in f.couples()
        ),
    ),
)

# The axioms that the judge assumes: relatives may marry, siblings never do.
WEAK_AXIOMS = (
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
    """Return the names of the axioms that a family breaks."""
    return [axiom.name for axiom in axioms if not axiom.holds(family)]


STEPS: dict[str, Callable[[Family, int], list[int]]] = {
    "up": lambda family, person: list(family.parents(person)),
    "down": Family.children,
    "side": Family.siblings,
    "wed": lambda family, person: [s for s in [family.spouses[person]] if s is not None],
}

Paths = dict[str, tuple[tuple[str, ...], ...]]

# (x, r, y), "y is the r of x", holds iff one of the paths of r leads from x to y.
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


def related(family: Family, person: int, relations: Paths = RELATIONS) -> dict[str, set[int]]:
    """Return, by relation r, everyone who is the r of this person."""
    return {
        name: {relative for path in paths for relative in _follow(family, person, path)}
        for name, paths in relations.items()
    }


def _follow(family: Family, person: int, path: tuple[str, ...]) -> set[int]:
    reached = {person}
    for step in path:
        reached = {relative for place in reached for relative in STEPS[step](family, place)}
    return reached


def describe(family: Family, names: tuple[str, ...]) -> tuple[str, ...]:
    """Describe marriages and parents in one line each."""
    full = [f"{name} ({gender})" for name, gender in zip(names, family.genders, strict=True)]
    lines = [f"{full[person]} is married to {full[spouse]}" for person, spouse in family.couples()]
    for person, name in enumerate(full):
        parents = " and ".join(names[parent] for parent in family.parents(person))
        if parents:
            lines.append(f"{name} is a child of {parents}")
    return tuple(lines)
