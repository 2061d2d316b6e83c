"""Audit of the published CLUTRR files: which of their answers follow from their facts."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ....kb.worlds.fact import Fact
from ....kb.worlds.kinship.judge import judge
from ....kb.worlds.kinship.official import read
from ....kb.worlds.rules import RuleIndex
from ....kb.worlds.verdict import Status
from ....kb.worlds.world import find_world

Derives = Callable[[Iterable[Fact], tuple[str, str]], set[str]]
"""Takes facts and a query, returns the words that some rules derive."""


@dataclass(frozen=True)
class AuditCounts:
    """Counts of verdicts for the rows of one k; `derived` is None without rules."""

    k: int
    rows: int
    verdicts: Mapping[Status, int]
    derived: int | None = None


def rule_deriver(ruleset: str) -> Derives:
    """Return a function that derives answers by a kinship rule set, for stories of one chain."""
    world = find_world("kinship")
    rules = RuleIndex.from_world(world, ruleset)

    def derives(facts: Iterable[Fact], query: tuple[str, str]) -> set[str]:
        steps = list(facts)
        people = [x for x, _, _ in steps] + [y for _, _, y in steps[-1:]]
        chained = all(before[2] == after[0] for before, after in pairwise(steps))
        if not chained or (people[0], people[-1]) != query:
            return set()
        named = [world.meanings[word] for _, word, _ in steps]
        gender = named[-1][1]
        heads = rules.derive([name for name, _ in named])
        return {world.predicates[head].word(gender) for head in heads}

    return derives


def audit(
    path: Path, derives: Derives | None = None, *, uncles_by_marriage: bool = False
) -> list[AuditCounts]:
    """Judge every answer of an official file, and count the verdicts by k."""
    verdicts: dict[int, Counter[Status]] = defaultdict(Counter)
    derived: Counter[int] = Counter()
    for row in read(path):
        verdict = judge(row.facts, row.genders, row.query, row.target, uncles_by_marriage)
        verdicts[row.k][verdict.status] += 1
        if derives is not None:
            derived[row.k] += row.target in derives(row.facts, row.query)
    return [
        AuditCounts(
            k=k,
            rows=counts.total(),
            verdicts={status: counts[status] for status in Status},
            derived=None if derives is None else derived[k],
        )
        for k, counts in sorted(verdicts.items())
    ]
