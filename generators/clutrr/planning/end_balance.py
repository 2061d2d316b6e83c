"""The end facts of chains, chosen so that they reveal little of the answer.

The first and the last fact of a chain go with some answers and not with others: a chain that ends
with somebody's niece gives a niece or a granddaughter. A reader who knows that need not read the
facts in between. With equally frequent answers, the best such reader is right least often if the
pairs of end facts cover all answers with the least total weight: a fractional set cover. It is
solved for each world in advance (`end_shares/`), and on demand for worlds without such a file.

References: N. E. Young, Sequential and parallel algorithms for mixed packing and covering, FOCS
2001 (covers by multiplicative weights).
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from ....kb.worlds.rules import RuleIndex
from ....kb.worlds.scene import members
from ....seed import Stream

ANY: Final = -1
"""Stands for any predicate."""
MAX_BALANCED_K: Final = 8
"""Longer chains have the end facts of chains of this length."""
_MAX_RULES: Final = 500
"""Rule sets with more rules are not balanced: there are too many pairs of end facts."""
_UNREACHABLE: Final = 1 << 20
_ROUNDS: Final = 1500
_SHRINK: Final = 0.98
"""Factor for the weight of an answer each time that it is covered."""
_MAX_LOSS: Final = 0.03
"""Allowed excess of the accuracy of end facts over its minimum, for the sake of variety."""
_EQUAL_SHARE: Final = 0.6
"""Share of chains with equalities at both ends, which say nothing, where there are such."""
_FOLDER: Final = Path(__file__).parent / "end_shares"

EndPair = tuple[int, int]
"""The predicates of the first and the last fact of a chain."""
Answers = dict[EndPair, int]
"""By pair of end facts, the answers of chains with these, as a bitmask."""
Shares = dict[tuple[int, int, int], float]
"""By the predicates of the first and the last fact and the answer."""


class EndBalance:
    """The share of each pair of end facts among the chains of k facts with an answer.

    `shares[first][last][answer]` sums to 1 for each answer.
    """

    def __init__(self, size: int, shares: Shares) -> None:
        self.shares = [[[0.0] * size for _ in range(size)] for _ in range(size)]
        self.pairs: list[list[EndPair]] = [[] for _ in range(size)]
        self.sums: list[list[float]] = [[] for _ in range(size)]
        """By answer, the cumulative shares of its pairs."""
        for (first, last, answer), share in shares.items():
            self.shares[first][last][answer] = share
            self.pairs[answer].append((first, last))
            self.sums[answer].append(share + (self.sums[answer] or [0.0])[-1])
        self._totals: list[dict[int, dict[int, float]]] = [{}, {}]
        """By place (0 first, 1 last) and end fact there, the shares of the facts at the other."""
        for (first, last, _), share in shares.items():
            for place, end, other in ((0, first, last), (1, last, first)):
                totals = self._totals[place].setdefault(end, {})
                totals[other] = totals.get(other, 0.0) + share
        lonely = [
            all(sum(map(bool, self.shares[first][last])) == 1 for first, last in pairs)
            for pairs in self.pairs
            if pairs
        ]
        self.has_lonely_answers = any(lonely)
        """True if the end facts of some answer never go with another one."""

    def draw(self, answer: int, stream: Stream) -> EndPair:
        """Draw the end facts of a chain with that answer."""
        if not self.pairs[answer]:
            return ANY, ANY
        return self.pairs[answer][stream.weighted_index(self.sums[answer])]

    def draw_other_end(self, place: int, end: int, stream: Stream) -> int:
        """Draw the last fact of a chain with any answer and this first one; ANY if unknown.

        With place 1: the first fact of a chain with this last one.
        """
        totals = self._totals[place].get(end, {})
        sums: list[float] = []
        for share in totals.values():
            sums.append(share + (sums or [0.0])[-1])
        return list(totals)[stream.weighted_index(sums)] if totals else ANY


def is_balanced(rules: RuleIndex, k: int) -> bool:
    """Return whether end facts are balanced: those of two facts are the whole chain."""
    return k > 2 and len(rules.compositions) <= _MAX_RULES


@cache
def shipped_balance(world: str, ruleset: str, size: int, k: int) -> EndBalance | None:
    """Return the balance that comes with the package, if any; `size`: number of predicates."""
    found = shipped_shares(world).get(ruleset, {}).get(str(min(k, MAX_BALANCED_K)))
    if found is None:
        return None
    shares = {(first, last, answer): share for first, last, answer, share in found["shares"]}
    return EndBalance(size, shares)


@cache
def shipped_shares(world: str) -> dict[str, Any]:
    """Return what the package has for a world, by rule set and k: shares, and the best accuracy.

    That is the least accuracy of the best reader of end facts, over all shares.
    """
    file = _FOLDER / f"{world}.json"
    found: dict[str, Any] = json.loads(file.read_text()) if file.is_file() else {}
    return found


def balanced_shares(rules: RuleIndex, answers: Answers) -> Shares:
    """Return the shares of the pairs of end facts, for each answer.

    No pair has a larger part of all chains than is needed for a good cover, see `_MAX_LOSS`.
    """
    equal = {p for p in range(len(rules.predicates)) if _is_equality(rules, p)}
    both_equal = {ends: among for ends, among in answers.items() if equal.issuperset(ends)}
    others = {ends: among for ends, among in answers.items() if ends not in both_equal}
    most = best_accuracy(_cover_shares(others, _cover(others, 1.0))) + _MAX_LOSS
    shares: Shares = {}
    for percent in (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100):
        shares = _cover_shares(others, _cover(others, percent / 100))
        if best_accuracy(shares) <= most:
            break
    equally = _cover_shares(both_equal, dict.fromkeys(both_equal, 1.0))
    answers_of = [{answer for *_, answer in some} for some in (shares, equally)]
    joined: Shares = {}
    for (first, last, answer), share in (shares | equally).items():
        part = _EQUAL_SHARE if (first, last) in both_equal else 1 - _EQUAL_SHARE
        in_both = answer in answers_of[0] and answer in answers_of[1]
        joined[first, last, answer] = share * part if in_both else share
    return dict(sorted(joined.items()))


def best_accuracy(shares: Shares) -> float:
    """Return the accuracy of the best reader of end facts, with equally frequent answers."""
    most: dict[EndPair, float] = {}
    for (first, last, _), share in shares.items():
        most[first, last] = max(share, most.get((first, last), 0.0))
    return sum(most.values()) / max(1, len({answer for *_, answer in shares}))


def _cover_shares(answers: Answers, cover: dict[EndPair, float]) -> Shares:
    total: dict[int, float] = {}
    for ends, among in answers.items():
        for answer in members(among):
            total[answer] = total.get(answer, 0.0) + cover[ends]
    return {
        (*ends, answer): cover[ends] / total[answer]
        for ends, among in answers.items()
        if cover[ends]
        for answer in members(among)
    }


def _cover(answers: Answers, max_part: float) -> dict[EndPair, float]:
    """Return weights of pairs that cover all answers, with almost the least total weight.

    In each round those pairs gain that cover most, unless they have more than the greatest part;
    then the answers that they cover count less.
    """
    weights = dict.fromkeys(answers, 0.0)
    sets = {ends: members(among) for ends, among in answers.items()}
    value = {answer: 1.0 for among in sets.values() for answer in among}
    for number in range(_ROUNDS):
        limit = max_part * (number + 1)
        most, best = 0.0, list(sets)[:1]
        for ends, among in sets.items():
            if weights[ends] > limit:
                continue
            gain = sum([value[answer] for answer in among])
            if gain > most * 1.000001:
                most, best = gain, []
            if gain >= most * 0.999999:
                best.append(ends)
        for ends in best:
            weights[ends] += 1 / len(best)
            for answer in sets[ends]:
                value[answer] *= 1 - (1 - _SHRINK) / len(best)
    return weights


def _is_equality(rules: RuleIndex, predicate: int) -> bool:
    """Return whether a predicate changes nothing where it can be composed."""
    after, before = rules.by_first[predicate], rules.by_second[predicate]
    return bool(after) and all(other == head for other, head in after + before)


@cache
def end_answers(rules: RuleIndex, k: int) -> Answers:
    """Return the answers of chains of k facts by their end facts, as the rules allow."""
    pairs: Answers = {}
    for first, second, head in rules.compositions:
        for cut in range(1, k):
            for start in members(_ends(rules, 0, cut)[first]):
                for end in members(_ends(rules, 1, k - cut)[second]):
                    pairs[start, end] = pairs.get((start, end), 0) | 1 << head
    return dict(sorted(pairs.items()))


@cache
def _ends(rules: RuleIndex, place: int, k: int) -> list[int]:
    """Return by answer the predicates that chains of k facts can begin with, as a bitmask.

    With place 1: those that they can end with.
    """
    if k == 1:
        return [1 << predicate for predicate in range(len(rules.predicates))]
    ends = [0] * len(rules.predicates)
    for first, second, head in rules.compositions:
        for cut in range(1, k):
            outer, other = (first, second) if place == 0 else (second, first)
            if _ends(rules, 1 - place, k - cut)[other]:
                ends[head] |= _ends(rules, place, cut)[outer]
    return ends


@cache
def distances(rules: RuleIndex, place: int, end: int) -> list[int]:
    """Return by predicate the rules needed to make a chain begin with `end`; place 1: end with it.

    Each rule replaces the first (or last) fact by two.
    """
    if end == ANY:
        return [0] * len(rules.predicates)
    steps = [_UNREACHABLE] * len(rules.predicates)
    steps[end], reached = 0, [end]
    for predicate in reached:
        for head, bodies in enumerate(rules.bodies):
            if steps[head] == _UNREACHABLE and any(body[place] == predicate for body in bodies):
                steps[head] = steps[predicate] + 1
                reached.append(head)
    return steps
