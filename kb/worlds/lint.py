"""Linting a world: where its rules say what is false, too much, or too little."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from .rules import Rules, rule_name
from .semantics import Semantics, counterexample, smallest
from .world import Rule, World

Kind = Literal[
    "unknown predicate",
    "unsound",
    "impossible",
    "false inverse",
    "not functional",
    "ambiguous",
    "unreachable",
    "missing inverse",
    "implied",
]


@dataclass(frozen=True)
class Finding:
    """Something to look at in a world: what kind, in what, why, and a smallest example."""

    kind: Kind
    subject: str
    message: str
    example: tuple[str, ...] = ()

    @property
    def wrong(self) -> bool:
        """Whether the world says something false, rather than something unwise."""
        return self.kind in (
            "unknown predicate",
            "unsound",
            "false inverse",
            "not functional",
        )

    def __str__(self) -> str:
        return f"{self.kind}: {self.subject}: {self.message}" + "".join(
            f"\n    {fact}" for fact in self.example
        )


def lint(
    world: World, ruleset: str | None = None, semantics: Semantics | None = None
) -> list[Finding]:
    """All findings about a rule set of a world, what is wrong before what is unwise."""
    semantics = world.semantics if semantics is None else semantics
    strangers = [name for name in world.predicates if name not in semantics.predicates]
    if strangers:
        names = ", ".join(sorted(semantics.predicates))
        return [
            Finding("unknown predicate", name, f"the semantics only knows {names}")
            for name in strangers
        ]
    rules = world.ruleset(ruleset).rules
    return [
        *unsound_rules(rules, semantics),
        *_false_predicates(world, semantics),
        *_ambiguous(world, rules, semantics),
        *_unreachable(world, rules),
        *_missing_inverses(world, [r for r in rules if not unsound_rules((r,), semantics)]),
        *_implied(world, rules),
    ]


def unsound_rules(rules: tuple[Rule, ...], semantics: Semantics) -> list[Finding]:
    """The rules that fail somewhere, each with a smallest situation in which it fails."""
    findings = []
    for rule in rules:
        scene = counterexample(semantics, rule.body, rule.head)
        if scene:
            instead = ", ".join(sorted(scene.relations)) or "none of the predicates"
            findings.append(
                Finding(
                    "unsound",
                    str(rule),
                    f"here {instead} holds from X to Y, and {rule.head} does not",
                    scene.facts,
                )
            )
        elif not semantics.situations(rule.body):
            findings.append(Finding("impossible", str(rule), "the body never holds; delete it"))
    return findings


def _false_predicates(world: World, semantics: Semantics) -> Iterator[Finding]:
    for name, predicate in world.predicates.items():
        inverse = world.inverse(name)
        if inverse is None:
            continue
        scene = smallest(s for s in semantics.situations((name,)) if inverse not in s.back)
        if scene:
            message = f"here it holds from X to Y, but {inverse} not from Y to X"
            yield Finding("false inverse", name, message, scene.facts)
        elif predicate.functional:
            scene = smallest(semantics.situations((inverse, name)))
            if scene:
                message = "here it holds from Z to both X and Y; delete 'functional'"
                yield Finding("not functional", name, message, scene.facts)


def _ambiguous(world: World, rules: Sequence[Rule], semantics: Semantics) -> Iterator[Finding]:
    heads: dict[tuple[str, str], list[str]] = {}
    for rule in rules:
        heads.setdefault(rule.body, []).append(rule.head)
    for (first, second), several in heads.items():
        if len(several) > 1:
            message = f"composes to each of {', '.join(several)}"
            yield Finding("ambiguous", f"{first} . {second}", message)
    for name, rival in () if world.overlapping else combinations(world.predicates, 2):
        back = world.inverse(rival)
        scene = smallest(semantics.situations((name, back), closed=True)) if back else None
        if scene:
            yield Finding(
                "ambiguous", f"{name}, {rival}", "here both hold from X to Z", scene.facts
            )


def _unreachable(world: World, rules: Sequence[Rule]) -> Iterator[Finding]:
    heads = {rule.head for rule in rules}
    for name in world.predicates:
        if not {name, world.inverse(name)} & heads:
            yield Finding("unreachable", name, "no rule concludes it or its inverse")


def _missing_inverses(world: World, rules: Sequence[Rule]) -> Iterator[Finding]:
    for name in world.predicates:
        if world.inverse(name) is None:
            yield Finding("missing inverse", name, "give it an inverse, or make it symmetric")
    present = {(*rule.body, rule.head) for rule in rules}
    for rule in rules:
        mirror = _mirror(world, rule)
        if mirror and mirror not in present:
            message = f"read backwards it is {rule_name(mirror[:2], mirror[2])}; add that"
            yield Finding("missing inverse", str(rule), message)


def _mirror(world: World, rule: Rule) -> tuple[str, str, str] | None:
    """First, second and head of the rule read backwards: (r . s)^-1 is s^-1 . r^-1."""
    first, second, head = (world.inverse(name) for name in (*rule.body, rule.head))
    return (second, first, head) if first and second and head else None


def _implied(world: World, rules: Sequence[Rule]) -> Iterator[Finding]:
    """Rules whose conclusion follows without them.

    A rule's mirror is set aside as well: the two always imply each other, and both are wanted.
    """
    predicates = tuple(world.predicates)
    inverses = {name: world.inverse(name) or "" for name in predicates}
    written = [(*rule.body, rule.head) for rule in rules]
    heads: dict[tuple[str, str], set[str]] = {}
    for rule in rules:
        heads.setdefault(rule.body, set()).add(rule.head)
    for rule in rules:
        mirror = _mirror(world, rule)
        # Two facts of three things meet in this body and its mirror's alone: without another head
        # there, nothing follows.
        if mirror and len(heads[rule.body]) == 1 and heads.get(mirror[:2], set()) <= {mirror[2]}:
            continue
        aside = ((*rule.body, rule.head), mirror)
        rest = Rules(predicates, [names for names in written if names not in aside], inverses)
        facts = [("X", rule.body[0], "Z"), ("Z", rule.body[1], "Y")]
        if ("X", rule.head, "Y") in rest.closure(facts):
            yield Finding("implied", str(rule), "follows from the other rules; delete it")
