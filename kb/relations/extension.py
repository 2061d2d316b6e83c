"""What is true of a relation: its pairs, however they are spelt, and what follows from them."""

import unicodedata
from collections.abc import Callable
from functools import lru_cache

from .relation import Pair, Relation

Closure = Callable[[str, str], bool]
"""Whether a pair holds by some knowledge beyond the list."""

_ABOUT_FORMS = ("inflectional", "derivational")
IRREGULAR = {
    "children": "child",
    "feet": "foot",
    "geese": "goose",
    "lice": "louse",
    "men": "man",
    "mice": "mouse",
    "oxen": "ox",
    "people": "person",
    "teeth": "tooth",
    "women": "woman",
}
_SHORTEST = 3


@lru_cache(maxsize=1 << 16)
def spelling(word: str) -> str:
    """The word without case, accents, hyphens and spaces."""
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in plain if c.isalnum()) or plain


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The spelling without endings: cruder than a lemma, so that no two forms are told apart.

    Taking different words for one only costs a few negatives; taking one for two would make
    false ones.
    """
    form = spelling(word)
    form = IRREGULAR.get(form, form)
    while True:
        shorter = _shorter(form)
        if shorter == form:
            return form
        form = shorter


def _shorter(form: str) -> str:
    for ending, instead in (("ies", "y"), ("ing", ""), ("ed", ""), ("s", ""), ("e", "")):
        kept = len(form) - len(ending) + len(instead) >= _SHORTEST
        if kept and form.endswith(ending) and not form.endswith("ss"):
            return form[: -len(ending)] + instead
    form = form[:-1] + {"v": "f", "i": "y"}.get(form[-1:], form[-1:])
    doubled = len(form) > _SHORTEST and form[-1] == form[-2] != "s"
    return form[:-1] if doubled else form


class Extension:
    """The truth about one relation, for any two words."""

    def __init__(self, relation: Relation, closure: Closure | None = None) -> None:
        self.relation, self.closure = relation, closure
        self.listed = set(relation.pairs)
        self._looked_up: dict[Pair, bool] = {}
        self.form = spelling if self._about_forms() else stem
        form = self.form
        self.true = {(form(head), form(tail)) for head, tail in relation.pairs}
        if relation.symmetric:
            self.true |= {(tail, head) for head, tail in self.true}
        spelt = {(spelling(head), spelling(tail)) for head, tail in relation.pairs}
        if relation.symmetric:
            spelt |= {(tail, head) for head, tail in spelt}
        self._heads = {head for head, _ in spelt}
        self._tails = {tail for _, tail in spelt}
        self.functional = len(self._heads) == len(spelt)

    def _about_forms(self) -> bool:
        """Whether its pairs are forms of one word, so that endings matter."""
        pairs = self.relation.pairs
        alike = sum(
            stem(head) == stem(tail) and spelling(head) != spelling(tail) for head, tail in pairs
        )
        return self.relation.group in _ABOUT_FORMS or 10 * alike > len(pairs)

    def same(self, one: str, other: str) -> bool:
        """Whether two words are one."""
        return self.form(one) == self.form(other)

    def holds(self, head: str, tail: str) -> bool:
        """Whether the pair is true."""
        found = self._looked_up.get((head, tail))
        if found is None:
            found = (self.form(head), self.form(tail)) in self.true or (
                self.closure is not None and self.closure(head, tail)
            )
            self._looked_up[head, tail] = found
        return found

    def why_false(self, head: str, tail: str) -> str:
        """The certificate of a pair that does not hold."""
        if spelling(head) not in self._heads or spelling(tail) not in self._tails:
            return "other type"
        return "functional" if self.functional else "not listed"
