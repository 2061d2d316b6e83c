"""A rule set as tables for looking up."""

from dataclasses import dataclass

from .world import World

INVERSE = "inverse"


@dataclass(frozen=True)
class RuleTable:
    """The heads of each body, the bodies of each head, and the inverse of each predicate."""

    predicates: tuple[str, ...]
    heads: dict[tuple[str, str], tuple[str, ...]]
    bodies: dict[str, tuple[tuple[str, str], ...]]
    inverses: dict[str, str]

    @classmethod
    def of(cls, world: World, ruleset: str | None = None) -> "RuleTable":
        """The tables of a world's rule set, by default its default one."""
        heads: dict[tuple[str, str], tuple[str, ...]] = {}
        bodies: dict[str, tuple[tuple[str, str], ...]] = {}
        for rule in world.ruleset(ruleset).rules:
            heads[rule.body] = (*heads.get(rule.body, ()), rule.head)
            bodies[rule.head] = (*bodies.get(rule.head, ()), rule.body)
        found = {name: world.inverse(name) for name in world.predicates}
        inverses = {name: inverse for name, inverse in found.items() if inverse is not None}
        return cls(tuple(world.predicates), heads, bodies, inverses)


def rule_name(body: tuple[str, str], head: str) -> str:
    """How a rule is written in proofs and findings."""
    return f"{body[0]} . {body[1]} -> {head}"
