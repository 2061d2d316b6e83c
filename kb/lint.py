"""Linting a world: where its rules say what is false, too much, or too little."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .engine import Engine
from .rules import RuleTable, rule_name
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
        known = ", ".join(sorted(semantics.predicates))
        return [
            Finding("unknown predicate", name, f"the semantics only knows {known}")
            for name in strangers
        ]
    table = RuleTable.of(world, ruleset)
    rules = world.ruleset(ruleset).rules
    return [
        *unsound_rules(rules, semantics),
        *_false_predicates(table, world, semantics),
        *_ambiguous(table, semantics),
        *_unreachable(table),
        *_missing_inverses(table, [r for r in rules if not unsound_rules((r,), semantics)]),
        *_implied(table, rules),
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


def _false_predicates(table: RuleTable, world: World, semantics: Semantics) -> Iterator[Finding]:
    for name, inverse in table.inverses.items():
        scene = smallest(s for s in semantics.situations((name,)) if inverse not in s.back)
        if scene:
            message = f"here it holds from X to Y, but {inverse} not from Y to X"
            yield Finding("false inverse", name, message, scene.facts)
        elif world.predicates[name].functional:
            scene = smallest(semantics.situations((inverse, name)))
            if scene:
                message = "here it holds from Z to both X and Y; delete 'functional'"
                yield Finding("not functional", name, message, scene.facts)


def _ambiguous(table: RuleTable, semantics: Semantics) -> Iterator[Finding]:
    for (first, second), heads in table.heads.items():
        if len(heads) > 1:
            yield Finding(
                "ambiguous", f"{first} . {second}", f"composes to each of {', '.join(heads)}"
            )
    names = table.predicates
    for n, name in enumerate(names):
        for other in names[n + 1 :]:
            if other in table.inverses:
                back = table.inverses[other]
                scene = smallest(semantics.situations((name, back), closed=True))
                if scene:
                    message = "here both hold from X to Z"
                    yield Finding("ambiguous", f"{name}, {other}", message, scene.facts)


def _unreachable(table: RuleTable) -> Iterator[Finding]:
    for name in table.predicates:
        if name not in table.bodies and table.inverses.get(name) not in table.bodies:
            yield Finding("unreachable", name, "no rule concludes it or its inverse")


def _missing_inverses(table: RuleTable, rules: Sequence[Rule]) -> Iterator[Finding]:
    for name in table.predicates:
        if name not in table.inverses:
            yield Finding("missing inverse", name, "give it an inverse, or make it symmetric")
    present = {(rule.body, rule.head) for rule in rules}
    for rule in rules:
        mirror = _mirror(rule, table)
        if mirror and mirror not in present:
            message = f"read backwards it is {rule_name(*mirror)}; add that"
            yield Finding("missing inverse", str(rule), message)


def _mirror(rule: Rule, table: RuleTable) -> tuple[tuple[str, str], str] | None:
    """The rule read backwards: (r . s)^-1 is s^-1 . r^-1."""
    if any(name not in table.inverses for name in (*rule.body, rule.head)):
        return None
    first, second = rule.body
    return (table.inverses[second], table.inverses[first]), table.inverses[rule.head]


def _implied(table: RuleTable, rules: tuple[Rule, ...]) -> Iterator[Finding]:
    """Rules whose conclusion follows without them.

    A rule's mirror is set aside as well: the two always imply each other, and both are wanted.
    """
    for rule in rules:
        aside = {(rule.body, rule.head), _mirror(rule, table)}
        heads = {
            body: tuple(head for head in heads if (body, head) not in aside)
            for body, heads in table.heads.items()
        }
        rest = RuleTable(table.predicates, heads, {}, table.inverses)
        facts = [("X", rule.body[0], "Z"), ("Z", rule.body[1], "Y")]
        if ("X", rule.head, "Y") in Engine(rest).closure(facts):
            yield Finding("implied", str(rule), "follows from the other rules; delete it")
