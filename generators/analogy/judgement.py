"""The judge: looks every pair up in the relation files and builds the text anew."""

import re
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...example import Example
from ...kb.relations import Relation
from .template import NAMED

if TYPE_CHECKING:
    from .generator import Analogy

_RULES = {
    "random": {"random-head", "random-tail"},
    "type": {"type-head", "type-tail"},
}
_ABOUT_FORMS = ("inflectional", "derivational")


def judgement(
    example: Example, relations: dict[str, Relation], options: "Analogy"
) -> list[str]:
    """What is wrong with the row; nothing where it is right."""
    relation = relations.get(example.metadata["relation"])
    if relation is None:
        return [f"there is no relation {example.metadata['relation']!r}"]
    return list(_Case(example, relation, relations, options).problems())


def _letters(word: str) -> str:
    """The word as a hasty reader sees it."""
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return re.sub(r"[\W_]+", "", decomposed) or word


def _alike(one: str, other: str, forms_matter: bool) -> bool:
    """Whether two words are one, or one is the other's plural where that makes no difference."""
    one, other = sorted((_letters(one), _letters(other)), key=len)
    if one == other:
        return True
    plural = other in (one + "es", re.sub("y$", "ies", one)) or (other == one + "s" != one[:-1] + "ss")
    return plural and len(one) > 2 and not forms_matter


class _Case:
    """One row, and what the files say about it."""

    def __init__(
        self,
        example: Example,
        relation: Relation,
        relations: dict[str, Relation],
        options: "Analogy",
    ) -> None:
        self.example, self.known = example, example.metadata
        self.relation, self.relations, self.options = relation, relations, options
        self.listed = list(relation.listed)
        self.forms_matter = relation.group in _ABOUT_FORMS or any(
            _alike(head, tail, False) for head, tail in self.listed
        )

    def problems(self) -> Iterator[str]:
        """Go through the row."""
        yield from self.traits()
        yield from self.shape()
        for what in ("query", "positive"):
            pair = self.known[what]
            if pair is not None and tuple(pair) not in self.listed:
                yield f"{what} {pair} is not listed in {self.relation.name!r}"
        if self.known["positive"] is not None and self.known["positive"] == self.known["query"]:
            yield "the positive is the query itself"
        offered = [self.known["negative"], *self.known["others"]]
        for pair in offered if self.known["negative"] is not None else []:
            yield from self.negative(pair)
        yield from self.text()

    def traits(self) -> Iterator[str]:
        """What the row says of its relation, against the files."""
        many_heads = any(
            tail == other and head != another
            for head, tail in self.listed
            for another, other in self.listed
            if tail == other
        )
        many_tails = len({head for head, _ in self.listed}) < len(set(self.listed))
        flags = {
            "symmetric": self.relation.symmetric,
            "cardinality": f"{'many' if many_heads else 'one'}-to-{'many' if many_tails else 'one'}",
        }
        if self.known["flags"] != flags:
            yield f"flags are {self.known['flags']}, but should be {flags}"
        if self.known["group"] != self.relation.group:
            yield f"group is {self.known['group']!r}, but should be {self.relation.group!r}"
        asked = {"listed"} if self.relation.options else set(self.options.probes)
        if self.known["probe"] not in asked:
            yield f"probe {self.known['probe']!r} was not asked for"
        if self.options.setting not in ("all", self.known["setting"]):
            yield f"setting {self.known['setting']!r} was not asked for"

    def shape(self) -> Iterator[str]:
        """Which of positive and negative there must be, and what goes with them."""
        positive, negative = self.known["positive"], self.known["negative"]
        if self.known["setting"] == "supervised":
            if (positive is None) == (negative is None):
                yield "a supervised row has either a positive or a negative"
            if self.known["others"]:
                yield "a supervised row has no further options"
        elif positive is None or negative is None:
            yield "an unsupervised row has a positive and a negative"
        elif not self.relation.options and len(self.known["others"]) != self.options.choices - 2:
            yield f"there are not {self.options.choices} options"
        if negative is None:
            if self.known["rule"] is not None or self.known["certificate"] is not None:
                yield "there is no negative to give a rule or a certificate for"
            if self.known["false_negative"]:
                yield "there is no negative to be true"
            return
        probe, rule = self.known["probe"], self.known["rule"]
        if rule not in _RULES.get(probe, {probe}):
            yield f"rule {rule!r} is not of the probe {probe!r}"

    def holds(self, pair: list[str]) -> bool:
        """Whether the files list the pair, perhaps in another spelling."""
        ways = [pair, pair[::-1]] if self.relation.symmetric else [pair]
        return any(
            _alike(head, known_head, self.forms_matter)
            and _alike(tail, known_tail, self.forms_matter)
            for head, tail in ways
            for known_head, known_tail in self.near(head, tail)
        )

    def near(self, head: str, tail: str) -> Iterator[tuple[str, str]]:
        """Listed pairs that begin as this one does; no other can be alike."""
        starts = _letters(head)[:2], _letters(tail)[:2]
        for known in self.listed:
            if (_letters(known[0])[:2], _letters(known[1])[:2]) == starts:
                yield known

    def negative(self, pair: list[str]) -> Iterator[str]:
        """A negative: false unless said to be true, made by its rule, and certified as it is."""
        true = self.holds(pair)
        if true and not self.options.paper_faithful:
            yield f"the negative {pair} holds"
        if pair == self.known["negative"]:
            if true and not self.known["false_negative"]:
                yield f"the negative {pair} holds, and the row does not say so"
            if self.known["false_negative"] and not self.options.paper_faithful:
                yield "only the paper's own procedure makes true negatives"
            if self.known["certificate"] != self.certificate(pair):
                yield (
                    f"certificate is {self.known['certificate']!r}, "
                    f"but should be {self.certificate(pair)!r}"
                )
        if pair in (self.known["query"], self.known["positive"]):
            yield f"the negative {pair} is the query or the positive"
        if pair[0] == pair[1] and not self.options.paper_faithful:
            yield f"the negative {pair} is a word with itself"
        if not self.made_by_rule(pair):
            yield f"the negative {pair} is not made by {self.known['rule']!r}"

    def certificate(self, pair: list[str]) -> str:
        """Why the pair is false, by the files."""
        if self.known["rule"] == "listed":
            return "listed as wrong"
        if self.known["false_negative"]:
            return "none"
        if self.known["rule"] == "cross":
            return "other relation"
        same = self.options.known[self.relation.name].form
        both = [(same(head), same(tail)) for head, tail in self.listed]
        if self.relation.symmetric:
            both += [(tail, head) for head, tail in both]
        if same(pair[0]) not in {head for head, _ in both}:
            return "other type"
        if same(pair[1]) not in {tail for _, tail in both}:
            return "other type"
        functional = len({head for head, _ in both}) == len(set(both))
        return "functional" if functional else "not listed"

    def made_by_rule(self, pair: list[str]) -> bool:
        """Whether the pair is what its rule makes of the query or of other tuples."""
        head, tail = pair
        query = self.known["query"]
        heads = {one for one, _ in self.listed}
        tails = {one for _, one in self.listed}
        fits = {
            "random-head": head in heads and head != query[0] and tail == query[1],
            "random-tail": tail in tails and tail != query[1] and head == query[0],
            "reverse": (tail, head) in self.listed,
            "type-head": {head, tail} <= heads - {query[0]},
            "type-tail": {head, tail} <= tails - {query[1]},
            "listed": (head, tail) in self.relation.options,
            "cross": any(
                (head, tail) in other.listed and other.types == self.relation.types
                for other in self.relations.values()
                if other.kind != self.relation.kind
            ),
        }
        return fits.get(self.known["rule"], head in heads and tail in tails)

    def text(self) -> Iterator[str]:
        """The text, the choices and the answer, from the words alone."""
        sentence = NAMED.get(self.options.template, self.options.template)
        known = self.known

        def said(pair: list[str]) -> str:
            words = dict(zip("abcd", [*known["query"], *pair], strict=True))
            return re.sub(r"\{(\w)\}", lambda slot: words[slot.group(1)], sentence)

        asks = self.options.form == "question"
        if known["setting"] == "supervised":
            wanted = said(known["positive"] or known["negative"])
            if asks:
                wanted = f"Is this analogy right?\n{wanted}\nAnswer true or false."
            choices, target = ["true", "false"], "true" if known["positive"] else "false"
            if self.example.choices != choices or self.example.target != target:
                yield f"the answer is {target!r} of {choices}, but the row says otherwise"
        else:
            wanted = yield from self.several(said, asks)
        if self.example.input != wanted:
            yield f"the text is {self.example.input!r}, but should be {wanted!r}"

    def several(self, said: Any, asks: bool) -> Any:
        """The text of a row with options, in the order in which they stand."""
        known, example = self.known, self.example
        pairs = [known["positive"], known["negative"], *known["others"]]
        if asks:
            lines = re.findall(r"^([A-Z])\. (.*)$", example.input, re.MULTILINE)
            shown = [(letter, text) for letter, text in lines]
            texts = [f"{head} : {tail}" for head, tail in pairs]
            right = [letter for letter, text in shown if text == texts[0]]
            if example.choices != [letter for letter, _ in shown] or example.target not in right:
                yield f"the right option is {right}, but the target {example.target!r}"
            if sorted(text for _, text in shown) != sorted(texts):
                yield "the options are not those of the metadata"
            head, tail = known["query"]
            return "\n".join(
                [
                    f"Which two words are related in the same way as {head} : {tail}?",
                    *(f"{letter}. {text}" for letter, text in zip("ABCDEFGHIJ", [t for _, t in shown], strict=False)),
                    "Answer with the letter.",
                ]
            )
        texts = [said(pair) for pair in pairs]
        if sorted(example.choices) != sorted(texts):
            yield f"the choices are {example.choices}, but should be {texts}"
        if example.target != texts[0]:
            yield f"the target is {example.target!r}, but should be {texts[0]!r}"
        return "\n".join(example.choices)
