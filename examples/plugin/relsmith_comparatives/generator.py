"""The generator: draws a ranking, states it pair by pair, and asks who is at its end."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import ClassVar, Literal, Self, get_args

from pydantic import BaseModel, Field, model_validator

from relsmith import Block, CommaSeparated, Example, Generator, Range
from relsmith.capabilities import Cells, Limited

from .lexicon import NAMES, WORDS, Dimension

Pair = tuple[str, str]


class Metadata(BaseModel):
    """Metadata of a row."""

    dimension: Dimension = Field(description="what people are compared by")
    ask: Literal["most", "least"] = Field(description="which end of the ranking is asked for")
    ranking: list[str] = Field(description="everyone, from most to least: the certificate")
    facts: list[list[str]] = Field(description="[more, less] for each sentence, in text order")
    extra: int = Field(description="sentences that the others already imply")


class Comparatives(Generator, Limited, Cells):
    """Comparative chains: A is taller than B, C is shorter than B; who is the tallest?

    Everyone is compared once with the next in the ranking, in either direction, so that no
    single sentence gives the answer away; the more people, the longer the chain.
    """

    name: ClassVar[str] = "comparatives"
    version: ClassVar[int] = 1
    Metadata: ClassVar[type[BaseModel]] = Metadata

    people: Range = Field(Range(3, 6), description="how many people are ranked, 3 to 12")
    dimensions: CommaSeparated[Dimension] = Field(
        get_args(Dimension), min_length=1, description="what people may be compared by"
    )
    ask: Literal["most", "least", "both"] = Field(
        "both", description="ask for the top of the ranking, its bottom, or either"
    )
    extra: int = Field(
        0, ge=0, description="number of additional true comparisons, between people further apart"
    )
    order: Literal["shuffled", "chain"] = Field(
        "shuffled", description="order of the sentences: shuffled, or along the ranking"
    )

    @model_validator(mode="after")
    def _can_be_met(self) -> Self:
        fewest = self.people.low
        if fewest < 3 or self.people.high > 12:
            raise ValueError(f"people: expected 3 to 12, but got '{self.people}'")
        apart = math.comb(fewest, 2) - (fewest - 1)
        if self.extra > apart:
            raise ValueError(
                f"extra: {fewest} people leave only {apart} comparison(s) to add, "
                f"but got {self.extra}; ask for fewer or for more people"
            )
        if len(set(self.dimensions)) < len(self.dimensions):
            raise ValueError("dimensions: each may stand once")
        return self

    @property
    def _asks(self) -> tuple[Literal["most", "least"], ...]:
        return ("most", "least") if self.ask == "both" else (self.ask,)

    def _space(self, people: int) -> int:
        return math.perm(len(NAMES), people) * len(self.dimensions) * len(self._asks)

    def capacity(self, splits: tuple[str, ...], seed: int) -> dict[str, int]:
        """Rows take the numbers of people in turn, so the smallest space is the limit."""
        rows = len(self.people) * (self._space(self.people.low) // len(splits))
        return dict.fromkeys(splits, rows)

    def cells(self) -> Sequence[Mapping[str, object]]:
        """Suggest numbers of people."""
        return [{"people": people} for people in ("3", "3..4", "4..6", "6..9", "9..12")]

    def rows(self, block: Block) -> Iterator[Example]:
        """Assign a ranking to each row, so that no two rows are the same."""
        hands = [block.permutation(self._space(size), f"{size} people") for size in self.people]
        wording, adding = block.stream("wording"), block.stream("extra")
        for n in block.numbers:
            turn, which = divmod(n, len(hands))
            card, ask = divmod(hands[which][turn], len(self._asks))
            card, dimension = divmod(card, len(self.dimensions))
            ranking = _ranking(card, self.people.low + which)
            words = WORDS[self.dimensions[dimension]]

            facts: list[Pair] = list(pairwise(ranking))
            if self.order == "shuffled":
                wording.shuffle(facts)
            said = [(pair, wording.random() < 0.5) for pair in facts]
            if self.extra:
                apart = [pair for pair in combinations(ranking, 2) if pair not in facts]
                for pair in adding.sample(apart, self.extra):
                    said.insert(adding.below(len(said) + 1), (pair, adding.random() < 0.5))

            sentences = [
                f"{more} is {words.more} than {less}."
                if upwards
                else f"{less} is {words.less} than {more}."
                for (more, less), upwards in said
            ]
            end = self._asks[ask]
            yield Example(
                block.id(n),
                f"{' '.join(sentences)} Who is the {getattr(words, end)}?",
                sorted(ranking),
                ranking[0 if end == "most" else -1],
                {
                    "dimension": self.dimensions[dimension],
                    "ask": end,
                    "ranking": ranking,
                    "facts": [list(pair) for pair, _ in said],
                    "extra": self.extra,
                },
            )

    def replay(self, example: Example) -> list[str]:
        """Check that the stated facts between neighbours prove the ranking."""
        stated = {(more, less) for more, less in example.metadata["facts"]}
        ranking = example.metadata["ranking"]
        found = [
            f"{a} over {b} is not stated" for a, b in pairwise(ranking) if (a, b) not in stated
        ]
        if example.target != ranking[0 if example.metadata["ask"] == "most" else -1]:
            found.append(f"target {example.target!r} is not at the end of the ranking asked for")
        return found

    def problems(self, example: Example) -> list[str]:
        """Rank the people by the graph of the text alone."""
        import networkx as nx  # slow to import, and used by the judge only

        told, known = _read(example.input), example.metadata
        if told is None:
            return [f"the text cannot be read: {example.input!r}"]
        graph = nx.DiGraph(told.facts)
        if not nx.is_directed_acyclic_graph(graph):
            return ["the comparisons go round in a circle"]
        order = list(nx.topological_sort(graph))
        if not nx.is_path(graph, order):
            return ["the comparisons leave the ranking open"]
        checks = {
            "target": (example.target, order[0] if told.ask == "most" else order[-1]),
            "choices": (example.choices, sorted(order)),
            "ranking": (known["ranking"], order),
            "facts": (known["facts"], [list(pair) for pair in told.facts]),
            "dimension": (known["dimension"], told.dimension),
            "ask": (known["ask"], told.ask),
            "extra": (known["extra"], len(told.facts) - len(order) + 1),
        }
        return [
            f"{what} is {has!r}, but the text says {should!r}"
            for what, (has, should) in checks.items()
            if has != should
        ]


def _ranking(card: int, people: int) -> list[str]:
    """Return the permutation with this number (`card`) of some of the names."""
    pool, ranking = list(NAMES), []
    for _ in range(people):
        card, at = divmod(card, len(pool))
        ranking.append(pool.pop(at))
    return ranking


class Told(BaseModel):
    """Return the facts of a text, and its question."""

    dimension: Dimension
    ask: Literal["most", "least"]
    facts: list[Pair]


_TEXT = re.compile(r"((?:[A-Z]\w+ is \w+ than [A-Z]\w+\. )+)Who is the (\w+)\?")
_SENTENCE = re.compile(r"(\w+) is (\w+) than (\w+)\. ")


def _read(text: str) -> Told | None:
    found = _TEXT.fullmatch(text)
    if not found:
        return None
    sentences, superlative = found.groups()
    for dimension, words in WORDS.items():
        if superlative in (words.most, words.least):
            facts = []
            for left, comparative, right in _SENTENCE.findall(sentences):
                if comparative == words.more:
                    facts.append((left, right))
                elif comparative == words.less:
                    facts.append((right, left))
                else:
                    return None
            ask: Literal["most", "least"] = "most" if superlative == words.most else "least"
            return Told(dimension=dimension, ask=ask, facts=facts)
    return None
