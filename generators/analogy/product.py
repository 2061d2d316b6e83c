"""The rows of a split: the product of relations, probes and settings, numbered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import Any, NamedTuple

from ...block import ROWS_PER_BLOCK
from ...example import Example
from ...kb.relations import Pair, Relation
from .negatives import NegativeTable
from .resources import WordProfile
from .template import Template, fill

SETTINGS = ("supervised", "unsupervised")
_LETTERS = "ABCDEFGHIJ"
_TRUTH = ["true", "false"]
_NO_PAIRS: list[list[str]] = []
_NO_WORDS: list[dict[str, Any]] = []


class AnalogyCandidate(NamedTuple):
    """A pair prepared for rows: its words, its part of the sentence, its metadata by setting."""

    words: list[str]
    text: str
    metadata: dict[str, dict[str, Any]]
    true: bool


class CandidateMaker:
    """Makes candidates of one relation and probe; query and pair are missing in their metadata.

    `profiles` describe the words, for the probe `hard`.
    """

    profiles: Mapping[str, WordProfile] = {}

    def __init__(self, relation: Relation, probe: str, template: Template) -> None:
        self.relation, self.probe, self.template = relation, probe, template
        self.flags = {"symmetric": relation.symmetric, "cardinality": relation.cardinality}
        self._metadata: dict[tuple[str | None, str | None], dict[str, dict[str, Any]]] = {}

    def candidate(
        self, pair: Pair, rule: str | None, why: str | None, true: bool
    ) -> AnalogyCandidate:
        """Return a negative, or a positive if there is no rule."""
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
                    "words": _NO_WORDS,
                }
                for setting in SETTINGS
            }
        text = fill(self.template.option, *pair)
        return AnalogyCandidate(list(pair), text, self._metadata[rule, why], true)


class RowFormat(NamedTuple):
    """The form of rows: their template, whether they are questions, the number of options."""

    template: Template
    question: bool
    choices: int


Draw = Callable[[], float]
Row = Callable[[str, int, Draw], Example]
"""Makes a row from its id, its number in the set, and a source of random numbers."""


@dataclass(frozen=True)
class ProbeSet:
    """The rows of one relation, probe and setting in a split.

    Rows are numbered query by query; every query has as many rows with a positive as with a
    negative, so that it reveals nothing.
    """

    relation: Relation
    probe: str
    setting: str
    rows: int
    row: Row


def make_probe_set(
    maker: CandidateMaker,
    setting: str,
    style: RowFormat,
    tuples: list[Pair],
    negatives: NegativeTable[AnalogyCandidate],
) -> ProbeSet:
    """Return the rows of some tuples; those without a negative are not used as queries."""
    asked = [fill(style.template.query, *pair) for pair in tuples]
    positives = [maker.candidate(pair, None, None, False) for pair in tuples]
    instances = len(negatives.queries) * negatives.per_query
    supervised = setting == "supervised"
    make = _supervised_rows if supervised else _unsupervised_rows
    row = make(style, instances, asked, positives, negatives)
    return ProbeSet(
        maker.relation,
        maker.probe,
        setting,
        2 * instances if supervised else instances,
        _with_profiles(row, maker.profiles) if maker.profiles else row,
    )


def _with_profiles(row: Row, profiles: Mapping[str, WordProfile]) -> Row:
    """Return a function for the same rows, with the profiles of their words."""

    def row_with_profiles(name: str, x: int, draw: Draw) -> Example:
        example = row(name, x, draw)
        known = example.metadata
        pairs = (known["query"], known["positive"] or (), known["negative"] or (), *known["others"])
        known["words"] = [
            {
                "word": word,
                "sense": profiles[word].sense,
                "domain": profiles[word].domain,
                "band": profiles[word].band,
            }
            for word in dict.fromkeys(chain(*pairs))
        ]
        return example

    return row_with_profiles


def _supervised_rows(
    style: RowFormat,
    instances: int,
    asked: list[str],
    positives: list[AnalogyCandidate],
    negatives: NegativeTable[AnalogyCandidate],
) -> Row:
    """Return a function for supervised rows: first all true sentences, then the false ones."""
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


def _unsupervised_rows(
    style: RowFormat,
    instances: int,
    asked: list[str],
    positives: list[AnalogyCandidate],
    negatives: NegativeTable[AnalogyCandidate],
) -> Row:
    """Return a function for unsupervised rows: a positive and one or more negatives."""
    query_first, count = style.template.query_first, len(positives) - 1
    queries, per_query = negatives.queries, negatives.per_query
    drawn, draw_now = negatives.drawn, negatives.draw

    def row(name: str, x: int, draw: Draw) -> Example:
        i, k = queries[x // per_query], x % per_query
        j = k % count
        words, right, _, _ = positives[j + 1 if j >= i else j]
        offers = _candidates(drawn[i] or draw_now(i), k, words, style.choices - 1)
        metadata = offers[0][2]["unsupervised"].copy()
        metadata["query"], metadata["positive"] = positives[i][0], words
        metadata["negative"] = offers[0][0]
        if len(offers) > 1:
            metadata["others"] = [candidate.words for candidate in offers[1:]]
        place = int(draw() * (len(offers) + 1))
        if style.question:
            pairs = [candidate.words for candidate in offers]
            pairs.insert(place, words)
            return _letter_question(name, metadata, pairs, place)
        query = asked[i]
        right = query + right if query_first else right + query
        texts = [
            query + candidate[1] if query_first else candidate[1] + query for candidate in offers
        ]
        texts.insert(place, right)
        return Example(name, "\n".join(texts), texts, right, metadata)

    return row


def _candidates(
    negatives: list[AnalogyCandidate], k: int, positive: list[str], count: int
) -> list[AnalogyCandidate]:
    """Return negative number k, and different ones after it, `count` in all."""
    first = negatives[k]
    if first[3] and first.words == positive:
        # The paper's procedure can sample the positive itself.
        first = next((candidate for candidate in negatives if candidate.words != positive), first)
    if count == 1:
        return [first]
    distinct = {
        tuple(candidate.words): candidate for candidate in (first, *negatives[k:], *negatives[:k])
    }
    return list(distinct.values())[:count]


def _letter_question(
    name: str, metadata: dict[str, Any], pairs: list[list[str]], place: int
) -> Example:
    """Return a row that asks for the letter of an option."""
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


@dataclass(frozen=True)
class Product:
    """All sets of a split one after the other.

    A block takes rows from all over: the first rows are a representative sample.
    """

    sets: list[ProbeSet]

    @cached_property
    def ends(self) -> list[int]:
        """The number after the last row of every set."""
        return list(accumulate(probe_set.rows for probe_set in self.sets))

    @cached_property
    def rows(self) -> int:
        """Total number of rows."""
        return sum(probe_set.rows for probe_set in self.sets)

    def numbers(self, block: int) -> list[int]:
        """Return the numbers of a block's rows, in order; every row is in one block."""
        blocks, rest = divmod(self.rows, ROWS_PER_BLOCK)
        wide = blocks + (rest > 0)
        numbers = list(range(block, rest * wide, wide))
        if block < blocks:
            numbers += range(rest * wide + block, self.rows, blocks)
        return numbers

    def examples(self, names: list[str], numbers: list[int], draw: Draw) -> list[Example]:
        """Return the rows of increasing numbers."""
        start, end = 0, 0
        row_makers = zip(self.ends, self.sets, strict=True)
        examples: list[Example] = []
        for name, number in zip(names, numbers, strict=False):
            while number >= end:
                start = end
                end, probe_set = next(row_makers)
            examples.append(probe_set.row(name, number - start, draw))
        return examples
