"""What is true of a relation: its pairs, however they are spelt, and what follows from them."""

import unicodedata
from collections.abc import Callable
from functools import cached_property, lru_cache

from .relation import Relation

Closure = Callable[[str, str], bool]
"""Whether a pair holds by some knowledge beyond the list."""

_ABOUT_FORMS = ("inflectional", "derivational")
_IRREGULAR = {
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
    form = _IRREGULAR.get(form, form)
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
    if len(form) > _SHORTEST and form[-1] == form[-2] != "s":
        return form[:-1]
    return form[:-1] + {"v": "f", "i": "y"}.get(form[-1:], form[-1:])


class Extension:
    """The truth about one relation, for any two words."""

    def __init__(self, relation: Relation, closure: Closure | None = None) -> None:
        self.relation, self.closure = relation, closure
        self.form = spelling if self._about_forms() else stem
        form = self.form
        self.true = {(form(head), form(tail)) for head, tail in relation.pairs}
        if relation.symmetric:
            self.true |= {(tail, head) for head, tail in self.true}
        self.heads = {head for head, _ in self.true}
        self.tails = {tail for _, tail in self.true}

    def _about_forms(self) -> bool:
        """Whether its pairs are forms of one word, so that endings matter."""
        pairs = self.relation.pairs
        alike = sum(stem(head) == stem(tail) for head, tail in pairs)
        return self.relation.group in _ABOUT_FORMS or 10 * alike > len(pairs)

    def same(self, one: str, other: str) -> bool:
        """Whether two words are one."""
        return self.form(one) == self.form(other)

    def holds(self, head: str, tail: str) -> bool:
        """Whether the pair is true."""
        if (self.form(head), self.form(tail)) in self.true:
            return True
        return self.closure is not None and self.closure(head, tail)

    @cached_property
    def functional(self) -> bool:
        """Whether every head has one tail only, however spelt."""
        return len(self.heads) == len(self.true)

    def why_false(self, head: str, tail: str) -> str:
        """The certificate of a pair that does not hold."""
        if self.form(head) not in self.heads or self.form(tail) not in self.tails:
            return "other type"
        return "functional" if self.functional else "not listed"
