"""Linter for worlds: false, ambiguous and missing rules."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from .semantics import Semantics, counterexample, smallest
from .world import CompositionRule, World


@dataclass(frozen=True)
class WorldFinding:
    """A finding about a predicate or rule of a world, with a smallest example."""

    kind: str
    subject: str
    message: str
    example: tuple[str, ...] = ()

    @property
    def is_error(self) -> bool:
        """True if the world is wrong; other findings are advice."""
        return self.kind in ("unknown predicate", "unsound", "false inverse", "not functional")

    def __str__(self) -> str:
        return f"{self.kind}: {self.subject}: {self.message}" + "".join(
            f"\n    {fact}" for fact in self.example
        )


def lint(
    world: World, ruleset: str | None = None, semantics: Semantics | None = None
) -> list[WorldFinding]:
    """Return all findings about a rule set of a world, errors first."""
    semantics = world.semantics if semantics is None else semantics
    rules = world.ruleset(ruleset).rules
    found = semantic_findings(world, rules, semantics)
    if any(finding.kind == "unknown predicate" for finding in found):
        return found
    return [
        *found,
        *_ambiguous(world, rules, semantics),
        *_unreachable(world, rules),
        *_missing_inverses(world, [r for r in rules if not unsound_rules((r,), semantics)]),
    ]


def semantic_findings(
    world: World, rules: tuple[CompositionRule, ...], semantics: Semantics
) -> list[WorldFinding]:
    """Return unknown predicates, or else unsound and impossible rules, and false predicates."""
    unknown = [name for name in world.predicates if name not in semantics.predicates]
    if unknown:
        message = f"the semantics only knows {', '.join(sorted(semantics.predicates))}"
        return [WorldFinding("unknown predicate", name, message) for name in unknown]
    return [*unsound_rules(rules, semantics), *_false_predicates(world, semantics)]


def unsound_rules(rules: tuple[CompositionRule, ...], semantics: Semantics) -> list[WorldFinding]:
    """Return the rules that are unsound, each with a smallest counterexample, or impossible."""
    findings = []
    for rule in rules:
        situation = counterexample(semantics, rule.body, rule.head)
        if situation:
            instead = ", ".join(sorted(situation.relations)) or "none of the predicates"
            message = f"here {instead} holds from X to Y, and {rule.head} does not"
            findings.append(WorldFinding("unsound", str(rule), message, situation.facts))
        elif not semantics.situations(rule.body):
            findings.append(
                WorldFinding("impossible", str(rule), "the body never holds; delete it")
            )
    return findings


def _false_predicates(world: World, semantics: Semantics) -> Iterator[WorldFinding]:
    for name, predicate in world.predicates.items():
        inverse = world.inverse(name)
        if inverse is None:
            continue
        situation = smallest(
            s for s in semantics.situations((name,)) if inverse not in s.reverse_relations
        )
        if situation:
            message = f"here it holds from X to Y, but {inverse} not from Y to X"
            yield WorldFinding("false inverse", name, message, situation.facts)
        elif predicate.functional:
            situation = smallest(semantics.situations((inverse, name)))
            if situation:
                message = "here it holds from Z to both X and Y; delete 'functional'"
                yield WorldFinding("not functional", name, message, situation.facts)


def _ambiguous(
    world: World, rules: Sequence[CompositionRule], semantics: Semantics
) -> Iterator[WorldFinding]:
    heads: dict[tuple[str, str], list[str]] = {}
    for rule in rules:
        heads.setdefault(rule.body, []).append(rule.head)
    for (first, second), several in heads.items():
        if len(several) > 1:
            message = f"composes to each of {', '.join(several)}"
            yield WorldFinding("ambiguous", f"{first} . {second}", message)
    for name, rival in () if world.overlapping else combinations(world.predicates, 2):
        back = world.inverse(rival)
        situation = smallest(semantics.situations((name, back), closed=True)) if back else None
        if situation:
            message = "here both hold from X to Z"
            yield WorldFinding("ambiguous", f"{name}, {rival}", message, situation.facts)


def _unreachable(world: World, rules: Sequence[CompositionRule]) -> Iterator[WorldFinding]:
    heads = {rule.head for rule in rules}
    for name in world.predicates:
        if not {name, world.inverse(name)} & heads:
            yield WorldFinding("unreachable", name, "no rule concludes it or its inverse")


def _missing_inverses(world: World, rules: Sequence[CompositionRule]) -> Iterator[WorldFinding]:
    for name in world.predicates:
        if world.inverse(name) is None:
            yield WorldFinding("missing inverse", name, "give it an inverse, or make it symmetric")
    present = {(*rule.body, rule.head) for rule in rules}
    for rule in rules:
        mirror = _mirror(world, rule)
        if mirror and mirror not in present:
            first, second, head = mirror
            message = f"read backwards it is {first} . {second} -> {head}; add that"
            yield WorldFinding("missing inverse", str(rule), message)


def _mirror(world: World, rule: CompositionRule) -> tuple[str, str, str] | None:
    """Return (first, second, head) of the mirrored rule, as (r . s)^-1 is s^-1 . r^-1."""
    first, second, head = (world.inverse(name) for name in (*rule.body, rule.head))
    return (second, first, head) if first and second and head else None
