"""Rules `relation -> relation` from entailment graphs, or any table of relations.

References: Berant et al., Global Learning of Typed Entailment Rules, 2011.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from ....errors import InvalidInput
from ....storage import text
from .model import Scores
from .task import InferencePair
from .words import Form, analyse, swapped_as_active

SWAPPED = "@R@"
"""Suffix of a relation with swapped arguments, in entailment-graph files."""

_WANTED = "expected 'relation' TAB 'relation' [TAB score]"


class InferenceRule(NamedTuple):
    """One relation implies another, perhaps with swapped arguments; higher scores are better."""

    premise: str
    hypothesis: str
    swapped: bool = False
    score: float = 1.0


def rule_scores(
    pairs: Sequence[InferencePair],
    paths: Sequence[Path],
    *,
    steps: int = 1,
    least: float | None = None,
) -> Scores:
    """Return the best score of any chain of rules from premise to hypothesis."""
    graph = RuleGraph()
    sides = (side for pair in pairs for side in (pair.premise, pair.hypothesis))
    ends = {analyse(side.relation).form for side in sides}
    for path in paths:
        rules = (rule for rule in read_rules(path) if least is None or rule.score >= least)
        graph.add(rules, ends if steps == 1 else None)
    return [graph.score(pair, steps) for pair in pairs]


class RuleGraph:
    """Rules between normal forms of relations; a passive is its active with swapped arguments."""

    def __init__(self) -> None:
        self._edges: dict[Form, dict[tuple[Form, bool], float]] = {}

    def add(self, rules: Iterable[InferenceRule], ends: Collection[Form] | None = None) -> None:
        """Add a list of rules; with `ends`, only those between these forms.

        Scores of different lists are not comparable, so each list is ranked: the highest becomes 1.
        Relations without content words, such as `be in`, would imply too much and are left out.
        """
        accepted = []
        for rule in rules:
            premise, hypothesis = (
                analyse(rule.premise),
                analyse(rule.hypothesis),
            )
            wanted = ends is None or (premise.form in ends and hypothesis.form in ends)
            if wanted and premise.content and hypothesis.content:
                swap = rule.swapped ^ premise.passive ^ hypothesis.passive
                accepted.append((premise.form, (hypothesis.form, swap), rule.score))
        levels = sorted({score for *_, score in accepted})
        rank = {score: (level + 1) / len(levels) for level, score in enumerate(levels)}
        for premise_form, end, score in accepted:
            edges = self._edges.setdefault(premise_form, {})
            edges[end] = max(edges.get(end, 0.0), rank[score])

    def score(self, pair: InferencePair, steps: int) -> float | None:
        """Return the lowest score in the best chain divided by its length; None without a chain."""
        swap = swapped_as_active(pair)
        if swap is None:
            return None
        goal = (analyse(pair.hypothesis.relation).form, swap)
        reached = {(analyse(pair.premise.relation).form, False): 1.0}
        best = 0.0
        for length in range(1, steps + 1):
            reached = self._next(reached)
            best = max(best, reached.get(goal, 0.0) / length)
        return best or None

    def _next(self, reached: dict[tuple[Form, bool], float]) -> dict[tuple[Form, bool], float]:
        reachable: dict[tuple[Form, bool], float] = {}
        for (form, swap), lowest in reached.items():
            for (end, swaps), score in self._edges.get(form, {}).items():
                state = (end, swap ^ swaps)
                reachable[state] = max(reachable.get(state, 0.0), min(lowest, score))
        return reachable


def read_rules(path: Path) -> Iterator[InferenceRule]:
    """Read the rules of a file."""
    for number, line in text.numbered_lines(path, "name files of rules", "rules"):
        if line.strip():
            yield _rule(line, f"{path}:{number}")


def _rule(line: str, where: str) -> InferenceRule:
    columns = [column.strip() for column in line.split("\t")]
    if len(columns) not in (2, 3) or not all(columns):
        raise InvalidInput(f"{where}: {len(columns)} columns; {_WANTED}")
    score = _number(columns[2], where) if len(columns) == 3 else 1.0
    premise, hypothesis = columns[:2]
    swapped = premise.endswith(SWAPPED) != hypothesis.endswith(SWAPPED)
    premise, hypothesis = premise.removesuffix(SWAPPED), hypothesis.removesuffix(SWAPPED)
    return InferenceRule(premise, hypothesis, swapped, score)


def _number(text: str, where: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise InvalidInput(f"{where}: the score is {text!r}; {_WANTED}")
    return number
