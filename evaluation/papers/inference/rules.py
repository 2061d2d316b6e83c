"""Lists of rules `relation -> relation`: PPDB, entailment graphs, any table with or without scores.

References: Berant et al., Global Learning of Typed Entailment Rules, 2011; Pavlick et al., PPDB
2.0, 2015.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from ....errors import InvalidInput
from ....storage import text
from .model import Scores
from .task import Pair
from .words import Form, relation, turned

SWAPPED = "@R@"
"""Ends a relation whose arguments have changed places, in entailment-graph files."""

_PPDB = " ||| "
_SLOT = re.compile(r"\[[^\]\s]*(\d)\]")
_PPDB_SCORE = re.compile(r"(?:^|\s)PPDB2\.0Score=(\S+)")
_WANTED = "expected 'relation' TAB 'relation' [TAB score], or a line of PPDB"


class Rule(NamedTuple):
    """One relation implies another, with arguments swapped or not; higher scores are surer."""

    premise: str
    hypothesis: str
    swapped: bool = False
    score: float = 1.0


def rule_scores(
    pairs: Sequence[Pair], paths: Sequence[Path], *, steps: int = 1, least: float | None = None
) -> Scores:
    """The best score of any chain of rules from premise to hypothesis, less for longer chains."""
    graph = RuleGraph()
    sides = (side for pair in pairs for side in (pair.premise, pair.hypothesis))
    ends = {relation(side.relation).form for side in sides}
    for path in paths:
        rules = (rule for rule in read_rules(path) if least is None or rule.score >= least)
        graph.add(rules, ends if steps == 1 else None)
    return [graph.score(pair, steps) for pair in pairs]


class RuleGraph:
    """Rules between forms of relations, a passive being its active with swapped arguments."""

    def __init__(self) -> None:
        self._edges: dict[Form, dict[tuple[Form, bool], float]] = {}

    def add(self, rules: Iterable[Rule], ends: Collection[Form] | None = None) -> None:
        """Add a list of rules, of those between certain forms where these are given.

        Scores of different lists have nothing to do with one another, so that only their order
        within a list counts: the highest becomes 1. Relations without content words, such as
        `be in`, would imply all too much and are left out.
        """
        accepted = []
        for rule in rules:
            premise, hypothesis = relation(rule.premise), relation(rule.hypothesis)
            wanted = ends is None or (premise.form in ends and hypothesis.form in ends)
            if wanted and premise.content and hypothesis.content:
                turn = rule.swapped ^ premise.passive ^ hypothesis.passive
                accepted.append((premise.form, (hypothesis.form, turn), rule.score))
        levels = sorted({score for *_, score in accepted})
        rank = {score: (level + 1) / len(levels) for level, score in enumerate(levels)}
        for premise_form, end, score in accepted:
            edges = self._edges.setdefault(premise_form, {})
            edges[end] = max(edges.get(end, 0.0), rank[score])

    def score(self, pair: Pair, steps: int) -> float | None:
        """The weakest rule of the best chain, divided by the length; None where there is none."""
        turn = turned(pair)
        if turn is None:
            return None
        goal = (relation(pair.hypothesis.relation).form, turn)
        reached = {(relation(pair.premise.relation).form, False): 1.0}
        best = 0.0
        for length in range(1, steps + 1):
            reached = self._next(reached)
            best = max(best, reached.get(goal, 0.0) / length)
        return best or None

    def _next(self, reached: dict[tuple[Form, bool], float]) -> dict[tuple[Form, bool], float]:
        reachable: dict[tuple[Form, bool], float] = {}
        for (form, turn), sure in reached.items():
            for (end, turns), score in self._edges.get(form, {}).items():
                state = (end, turn ^ turns)
                reachable[state] = max(reachable.get(state, 0.0), min(sure, score))
        return reachable


def read_rules(path: Path) -> Iterator[Rule]:
    """Read the rules of a file as they are, in any of the formats."""
    for number, line in text.numbered_lines(path, "name files of rules", "rules"):
        if line.strip():
            yield from _rules(line, f"{path}:{number}")


def _rules(line: str, where: str) -> list[Rule]:
    if _PPDB in line:
        return _paraphrase(line, where)
    columns = [column.strip() for column in line.split("\t")]
    if len(columns) not in (2, 3) or not all(columns):
        raise InvalidInput(f"{where}: {len(columns)} columns; {_WANTED}")
    score = _number(columns[2], where) if len(columns) == 3 else 1.0
    premise, hypothesis = columns[:2]
    swapped = premise.endswith(SWAPPED) != hypothesis.endswith(SWAPPED)
    return [Rule(premise.removesuffix(SWAPPED), hypothesis.removesuffix(SWAPPED), swapped, score)]


def _paraphrase(line: str, where: str) -> list[Rule]:
    """A line of PPDB: category, phrase, paraphrase, features, alignment, and what implies what."""
    columns = [column.strip() for column in line.split(_PPDB.strip())]
    if len(columns) < 4:
        raise InvalidInput(f"{where}: {len(columns)} columns instead of 4 or more; {_WANTED}")
    match = _PPDB_SCORE.search(columns[3])
    score = _number(match[1], where) if match else 1.0
    (phrase, order), (paraphrase, paraphrase_order) = _slots(columns[1]), _slots(columns[2])
    if not (phrase and paraphrase):
        return []
    swapped = order != paraphrase_order
    forth, back = Rule(phrase, paraphrase, swapped, score), Rule(paraphrase, phrase, swapped, score)
    meaning = columns[5] if len(columns) > 5 else ""
    if meaning in ("Independent", "Exclusion"):
        return []
    return {"ForwardEntailment": [forth], "ReverseEntailment": [back]}.get(meaning, [forth, back])


def _slots(phrase: str) -> tuple[str, list[str]]:
    """The words between two argument slots, none where a slot is among them; the slots' numbers."""
    words = phrase.split()
    slots = [match[1] for word in words if (match := _SLOT.fullmatch(word))]
    inside = words[1:-1] if len(slots) == 2 else words
    if any(_SLOT.fullmatch(word) for word in inside):
        return "", slots
    return " ".join(inside), slots


def _number(text: str, where: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise InvalidInput(f"{where}: the score is {text!r}; {_WANTED}")
    return number
