"""How many answers of an official CLUTRR file its own stories entail."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...kb.kinship.judge import AXIOMS, Axioms, Fact, judge
from ...kb.verdict import Status
from .official import read

Derives = Callable[[Iterable[Fact], tuple[str, str]], set[str]]
"""Given facts and a query, the words that some rules derive."""


@dataclass(frozen=True)
class Tally:
    """What became of the rows of one k; derived is None where no rules were asked."""

    k: int
    rows: int
    verdicts: Mapping[Status, int]
    derived: int | None = None


def audit(path: Path, derives: Derives | None = None, axioms: Axioms = AXIOMS) -> list[Tally]:
    """Judge every answer of an official file, and count by k."""
    verdicts: dict[int, Counter[Status]] = defaultdict(Counter)
    derived: Counter[int] = Counter()
    for row in read(path):
        verdict = judge(row.facts, row.genders, row.query, row.target, axioms)
        verdicts[row.k][verdict.status] += 1
        if derives is not None:
            derived[row.k] += row.target in derives(row.facts, row.query)
    return [
        Tally(
            k=k,
            rows=counts.total(),
            verdicts={status: counts[status] for status in Status},
            derived=None if derives is None else derived[k],
        )
        for k, counts in sorted(verdicts.items())
    ]
