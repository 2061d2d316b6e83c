"""The whole product of a split: every relation, probe and setting, with its rows numbered."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

from ...block import ROWS_PER_BLOCK
from ...example import Example
from ...kb.relations import Pair, Relation
from ...seed import Stream
from .negatives import Table
from .template import Template, fill

SETTINGS = ("supervised", "unsupervised")
_LETTERS = "ABCDEFGHIJ"
_TRUTH = ["true", "false"]
_NO_PAIRS: list[list[str]] = []


class Offer(NamedTuple):
    """A pair made ready for rows: its words, its piece of the sentence, its metadata by setting."""

    words: list[str]
    text: str
    metadata: dict[str, dict[str, Any]]
    true: bool


class Desk:
    """Makes offers of one relation under one probe; their metadata lack query and pair only."""

    def __init__(self, relation: Relation, probe: str, template: Template) -> None:
        self.relation, self.probe, self.template = relation, probe, template
        self.flags = {"symmetric": relation.symmetric, "cardinality": relation.cardinality}
        self._metadata: dict[tuple[str | None, str | None], dict[str, dict[str, Any]]] = {}

    def offer(self, pair: Pair, rule: str | None, why: str | None, true: bool) -> Offer:
        """A negative, or a positive where there is no rule."""
        if (rule, why) not in self._metadata:
            self._metadata[rule, why] = {
                setting: {
                    "relation": self.relation.name,
                    "group": self.relation.group,
                    "probe": self.probe,
                    "setting": setting,
                    "query": None,
                    "positive": None,
                    "negative": None,
                    "others": _NO_PAIRS,
                    "rule": rule,
                    "certificate": why,
                    "false_negative": true,
                    "flags": self.flags,
                }
                for setting in SETTINGS
            }
        text = fill(self.template.option, *pair)
        return Offer(list(pair), text, self._metadata[rule, why], true)


class Style(NamedTuple):
    """How rows are worded: by which sentence, as a question or not, with how many options."""

    template: Template
    question: bool
    choices: int


Draw = Callable[[], float]
Row = Callable[[str, int, Draw], Example]
"""Makes a row from its id, its number in the dataset, and chance."""


@dataclass(frozen=True)
class Set:
    """One dataset of a split: the tuples of a relation under one probe in one setting.

    Rows are numbered query by query; every query stands in as many rows with a positive as with
    a negative, so that it gives nothing away.
    """

    relation: Relation
    probe: str
    setting: str
    rows: int
    row: Row


def make_set(
    desk: Desk, setting: str, style: Style, tuples: list[Pair], negatives: Table[Offer]
) -> Set:
    """The dataset of those tuples; those without a negative are no query."""
    asked = [fill(style.template.query, *pair) for pair in tuples]
    positives = [desk.offer(pair, None, None, False) for pair in tuples]
    instances = len(negatives.queries) * negatives.per_query
    supervised = setting == "supervised"
    make = _true_or_false if supervised else _better
    return Set(
        desk.relation,
        desk.probe,
        setting,
        2 * instances if supervised else instances,
        make(style, instances, asked, positives, negatives),
    )


def _true_or_false(
    style: Style,
    instances: int,
    asked: list[str],
    positives: list[Offer],
    negatives: Table[Offer],
) -> Row:
    """Sentences about the query and one other pair: first all that are true, then the false."""
    query_first, question, count = style.template.query_first, style.question, len(positives) - 1
    queries, per_query = negatives.queries, negatives.per_query
    drawn, draw_now = negatives.drawn, negatives.draw

    def row(name: str, x: int, draw: Draw) -> Example:
        if x < instances:
            target, role = "true", "positive"
            i, k = queries[x // per_query], x % per_query % count
            words, text, shared, _ = positives[k + 1 if k >= i else k]
        else:
            target, role = "false", "negative"
            x -= instances
            i = queries[x // per_query]
            words, text, shared, _ = (drawn[i] or draw_now(i))[x % per_query]
        metadata = shared["supervised"].copy()
        metadata["query"] = positives[i][0]
        metadata[role] = words
        text = asked[i] + text if query_first else text + asked[i]
        if question:
            text = f"Is this analogy right?\n{text}\nAnswer true or false."
        return Example(name, text, _TRUTH, target, metadata)

    return row


def _better(
    style: Style,
    instances: int,
    asked: list[str],
    positives: list[Offer],
    negatives: Table[Offer],
) -> Row:
    """A positive and one negative or more about the query, and which is the better."""
    query_first, count = style.template.query_first, len(positives) - 1
    queries, per_query = negatives.queries, negatives.per_query
    drawn, draw_now = negatives.drawn, negatives.draw

    def row(name: str, x: int, draw: Draw) -> Example:
        i, k = queries[x // per_query], x % per_query
        j = k % count
        words, right, _, _ = positives[j + 1 if j >= i else j]
        offers = _offers(drawn[i] or draw_now(i), k, words, style.choices - 1)
        metadata = offers[0][2]["unsupervised"].copy()
        metadata["query"], metadata["positive"] = positives[i][0], words
        metadata["negative"] = offers[0][0]
        if len(offers) > 1:
            metadata["others"] = [offer.words for offer in offers[1:]]
        place = int(draw() * (len(offers) + 1))
        if style.question:
            pairs = [offer.words for offer in offers]
            pairs.insert(place, words)
            return _lettered(name, metadata, pairs, place)
        query = asked[i]
        right = query + right if query_first else right + query
        texts = [query + offer[1] if query_first else offer[1] + query for offer in offers]
        texts.insert(place, right)
        return Example(name, "\n".join(texts), texts, right, metadata)

    return row


def _offers(negatives: list[Offer], k: int, positive: list[str], count: int) -> list[Offer]:
    """Negative number k, and as many different ones after it."""
    first = negatives[k]
    if first[3] and first.words == positive:
        # The paper's procedure can hit upon the positive itself.
        first = next((offer for offer in negatives if offer.words != positive), first)
    if count == 1:
        return [first]
    distinct = {tuple(offer.words): offer for offer in (first, *negatives[k:], *negatives[:k])}
    return list(distinct.values())[:count]


def _lettered(name: str, metadata: dict[str, Any], pairs: list[list[str]], place: int) -> Example:
    """A row that asks for the letter of an option."""
    head, tail = metadata["query"]
    letters = list(_LETTERS[: len(pairs)])
    lines = [
        f"Which two words are related in the same way as {head} : {tail}?",
        *(
            f"{letter}. {first} : {second}"
            for letter, (first, second) in zip(letters, pairs, strict=True)
        ),
        "Answer with the letter.",
    ]
    return Example(name, "\n".join(lines), letters, letters[place], metadata)


def question(name: str, relation: Relation, style: Style) -> Example:
    """A question as its source asks it, its options in another order."""
    query, positive = relation.listed
    pairs = [positive, *relation.options]
    Stream(relation.name, name).shuffle(pairs)
    place = pairs.index(positive)
    wrong = [list(pair) for pair in relation.options]
    metadata = {
        "relation": relation.name,
        "group": relation.group,
        "probe": "listed",
        "setting": "unsupervised",
        "query": list(query),
        "positive": list(positive),
        "negative": wrong[0],
        "others": wrong[1:],
        "rule": "listed",
        "certificate": "listed as wrong",
        "false_negative": False,
        "flags": {"symmetric": relation.symmetric, "cardinality": relation.cardinality},
    }
    if style.question:
        return _lettered(name, metadata, [list(pair) for pair in pairs], place)
    texts = [style.template.sentence(query, pair) for pair in pairs]
    return Example(name, "\n".join(texts), texts, texts[place], metadata)


@dataclass(frozen=True)
class Product:
    """The datasets of a split end to end, then the questions that sources ask themselves.

    A block takes rows from all over: the first rows are a fair sample of the whole.
    """

    sets: list[Set]
    questions: list[Relation]
    style: Style

    @cached_property
    def ends(self) -> list[int]:
        """The number after the last row of every dataset, and of the questions."""
        return list(accumulate([*(dataset.rows for dataset in self.sets), len(self.questions)]))

    @cached_property
    def rows(self) -> int:
        """How many rows there are in all."""
        return self.ends[-1]

    def numbers(self, block: int) -> list[int]:
        """The rows of the product that a block has, in order; every row is in one block."""
        blocks, rest = divmod(self.rows, ROWS_PER_BLOCK)
        wide = blocks + (rest > 0)
        numbers = list(range(block, rest * wide, wide))
        if block < blocks:
            numbers += range(rest * wide + block, self.rows, blocks)
        return numbers

    def examples(self, names: list[str], numbers: list[int], draw: Draw) -> list[Example]:
        """The rows of those numbers, which grow."""
        start, end = 0, 0
        makers = zip(self.ends, self.makers, strict=True)
        examples: list[Example] = []
        for name, number in zip(names, numbers, strict=False):
            while number >= end:
                start = end
                end, make = next(makers)
            examples.append(make(name, number - start, draw))
        return examples

    @cached_property
    def makers(self) -> list[Row]:
        """What makes the rows of each dataset."""

        def asked(name: str, x: int, draw: Draw) -> Example:
            return question(name, self.questions[x], self.style)

        return [*(dataset.row for dataset in self.sets), asked]
