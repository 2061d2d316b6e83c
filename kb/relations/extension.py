"""Truth of pairs: listed ones in any spelling, and what follows from them."""

from collections.abc import Callable, Iterable

from ..lexicon.english import spelling, stem
from .relation import Pair, Relation

DISJOINT = "disjoint type"

Closure = Callable[[str, str], bool]
"""(head, tail) -> whether the pair holds by knowledge beyond the list."""

_ABOUT_FORMS = ("inflectional", "derivational")


class Extension:
    """Decides for any two words whether a relation holds, is false, or neither is known.

    What other relations of its kind list holds as well.
    """

    def __init__(
        self,
        relation: Relation,
        closure: Closure | None = None,
        others: Iterable[Relation] = (),
    ) -> None:
        self.relation, self.closure = relation, closure
        self.listed = set(relation.pairs)
        self._looked_up: dict[Pair, bool] = {}
        self._grounds: dict[Pair, str | None] = {}
        self.form = spelling if self._about_forms() else stem
        form = self.form
        self.true: set[Pair] = set()
        for each in (relation, *(other for other in others if other.kind == relation.kind)):
            listed = {(form(head), form(tail)) for head, tail in each.pairs}
            self.true |= listed
            self.true |= {(tail, head) for head, tail in listed} if each.symmetric else set()
        spelt = {(spelling(head), spelling(tail)) for head, tail in relation.pairs}
        if relation.symmetric:
            spelt |= {(tail, head) for head, tail in spelt}
        self._heads = {head for head, _ in spelt}
        self._tails = {tail for _, tail in spelt}
        self._spelt = spelt
        self.functional = len(self._heads) == len(spelt)
        # By spelling, because stems merge different words: `fiancée` is not excluded with `fiancé`.
        self._excluded = [
            ({spelling(head) for head in heads}, {spelling(tail) for tail in tails})
            for heads, tails in relation.excluded
        ]

    def _about_forms(self) -> bool:
        """Return whether its pairs are forms of one word, so that endings matter."""
        pairs = self.relation.pairs
        alike = sum(
            stem(head) == stem(tail) and spelling(head) != spelling(tail) for head, tail in pairs
        )
        return self.relation.group in _ABOUT_FORMS or 10 * alike > len(pairs)

    def is_same(self, first: str, second: str) -> bool:
        """Return whether two words are equal by spelling, or by stem if endings do not matter."""
        return self.form(first) == self.form(second)

    def holds(self, head: str, tail: str) -> bool:
        """Return whether the pair is listed in any spelling, or holds by the closure."""
        holds = self._looked_up.get((head, tail))
        if holds is None:
            holds = (self.form(head), self.form(tail)) in self.true or (
                self.closure is not None and self.closure(head, tail)
            )
            self._looked_up[head, tail] = holds
        return holds

    def why_false(self, head: str, tail: str) -> str | None:
        """Return the ground on which a pair is false; None if it may be true."""
        if (head, tail) not in self._grounds:
            self._grounds[head, tail] = self._ground(head, tail)
        return self._grounds[head, tail]

    def _ground(self, head: str, tail: str) -> str | None:
        if self.is_same(head, tail) or self.holds(head, tail):
            return None
        if self.relation.open:
            return self._exclusion(head, tail)
        if spelling(head) not in self._heads or spelling(tail) not in self._tails:
            return "other type"
        return "functional" if self.functional else "not listed"

    def _exclusion(self, head: str, tail: str) -> str | None:
        """Return the ground that excludes a pair of an open relation, if any."""
        ways = [(spelling(head), spelling(tail))]
        turned = (ways[0][1], ways[0][0])
        if self.relation.symmetric:
            ways.append(turned)
        if any(
            first in heads and second in tails
            for first, second in ways
            for heads, tails in self._excluded
        ):
            return self.relation.open
        if self.relation.disjoint and (
            self._is_only(head, self._tails, self._heads)
            or self._is_only(tail, self._heads, self._tails)
        ):
            return DISJOINT
        if self.relation.asymmetric and turned in self._spelt:
            return "asymmetric"
        return None

    def _is_only(self, word: str, these: set[str], those: set[str]) -> bool:
        return spelling(word) in these and spelling(word) not in those
