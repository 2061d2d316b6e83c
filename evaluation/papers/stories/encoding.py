"""Stories as tensors: what a model is given, and apart from it the answers."""

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from ....errors import InvalidOption
from .task import Story

PADDING, UNKNOWN = 0, 1
FIRST_ENTITY = 2
"""Of the words, these numbers come first; then the placeholders, the words of training, others."""

PLACEHOLDERS = 40
"""How many placeholders the entities of a story are drawn from."""

_ENDS = frozenset(".!?")


@dataclass(frozen=True)
class Vocabulary:
    """Everything that occurs in training, numbered; what is new in a test is UNKNOWN.

    Words that only tests have are numbered after the others, for models that can spell.
    """

    words: dict[str, int]
    relations: dict[str, int]
    names: dict[str, int]
    targets: dict[str, int]
    first_new: int
    """The words numbered from here on are not in training."""

    @classmethod
    def of(cls, stories: Sequence[Story], tests: Sequence[Story] = ()) -> Self:
        """Number what occurs."""
        words = _words(stories)
        first_new = FIRST_ENTITY + PLACEHOLDERS + len(words)
        relations = {relation for story in stories for _, relation, _ in story.facts}
        asked = {story.names[entity] for story in stories for entity in story.query}
        return cls(
            words=_numbered(words, FIRST_ENTITY + PLACEHOLDERS)
            | _numbered(_words(tests) - words, first_new),
            relations=_numbered(relations, 2),
            names=_numbered(asked, 2),
            targets=_numbered((story.target for story in stories), 0),
            first_new=first_new,
        )


def _words(stories: Sequence[Story]) -> set[str]:
    return {word for story in stories for word in story.words if isinstance(word, str)}


def _numbered(things: Iterable[str], start: int) -> dict[str, int]:
    return {thing: number for number, thing in enumerate(sorted(set(things)), start)}


@dataclass(frozen=True)
class Sizes:
    """How large the inputs and outputs of a model must be."""

    spelling: tuple[str, ...]
    """Every word, those that only tests have last."""
    words: int
    """The words of training and the special numbers; words numbered higher are unknown."""
    relations: int
    names: int
    answers: tuple[str, ...]
    """Every target."""

    @property
    def targets(self) -> int:
        """How many answers there are."""
        return len(self.answers)

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> Self:
        """Count the vocabulary, the special numbers included."""
        return cls(
            spelling=(
                "",
                "unknown",
                *(f"entity{number}" for number in range(PLACEHOLDERS)),
                *vocabulary.words,
            ),
            words=vocabulary.first_new,
            relations=len(vocabulary.relations) + 2,
            names=len(vocabulary.names) + 2,
            answers=tuple(vocabulary.targets),
        )


@dataclass(frozen=True)
class Batch:
    """Some stories; everything a model gets to see of them.

    Entities have two numbers: their place among the story's `nodes`, which `edges` and `asked`
    use, and the placeholder drawn for them, which `words`, `nodes` and `query` use.
    """

    words: Tensor
    sentences: Tensor
    nodes: Tensor
    edges: Tensor
    query: Tensor
    asked: Tensor
    names: Tensor
    lengths: Tensor
    """On the host, for packing: how many words each story has."""
    spans: Tensor
    """On the host: where each sentence starts, and how many words it has, 0 where there is none."""

    @property
    def word_mask(self) -> Tensor:
        """Where there is a word."""
        return self.words != PADDING

    @property
    def mentions(self) -> Tensor:
        """Stories x 2 x words: where each of the two people asked about is named."""
        return self.words.unsqueeze(1) == (self.query + FIRST_ENTITY).unsqueeze(2)

    @property
    def node_mask(self) -> Tensor:
        """Where there is an entity."""
        return self.nodes >= 0

    @property
    def edge_mask(self) -> Tensor:
        """Where there is a fact."""
        return self.edges[..., 1] != PADDING


@dataclass(frozen=True)
class Encoded:
    """A split on a device: inputs, and apart from them the targets (-1: never seen in training)."""

    words: Tensor
    sentences: Tensor
    nodes: Tensor
    edges: Tensor
    asked: Tensor
    names: Tensor
    counts: Tensor
    """On the host: words, sentences, nodes and edges of each story, so that none need be asked."""
    spans: Tensor
    """On the host: start and length of each sentence."""
    targets: Tensor
    groups: list[str]

    @classmethod
    def of(
        cls, stories: Sequence[Story], vocabulary: Vocabulary, device: torch.device | str = "cpu"
    ) -> Self:
        """Number all words, facts and answers."""
        most = max(len(story.names) for story in stories)
        if most > PLACEHOLDERS:
            raise InvalidOption(
                f"a story has {most} entities, but there are {PLACEHOLDERS} placeholders; "
                f"evaluate stories with fewer people"
            )
        words = [[_word(word, vocabulary) for word in story.words] for story in stories]
        sentences = [_sentences(story) for story in stories]
        nodes = [list(range(len(story.names))) for story in stories]
        edges = [
            [
                [source, vocabulary.relations.get(relation, UNKNOWN), end]
                for source, relation, end in story.facts
            ]
            for story in stories
        ]
        counts = [
            [len(said), across[-1] + 1 if across else 0, len(people), len(facts)]
            for said, across, people, facts in zip(words, sentences, nodes, edges, strict=True)
        ]
        spans = [_spans(across) for across in sentences]
        names = [
            [vocabulary.names.get(story.names[entity], UNKNOWN) for entity in story.query]
            for story in stories
        ]
        return cls(
            words=_padded(words, PADDING).to(device),
            sentences=_padded(sentences, 0).to(device),
            nodes=_padded(nodes, -1).to(device),
            edges=_padded(edges, [0, PADDING, 0]).to(device),
            asked=torch.tensor([story.query for story in stories]).to(device),
            names=torch.tensor(names).to(device),
            counts=torch.tensor(counts),
            spans=_padded(spans, [0, 0]),
            targets=torch.tensor(
                [vocabulary.targets.get(story.target, -1) for story in stories]
            ).to(device),
            groups=[story.group for story in stories],
        )

    def __len__(self) -> int:
        return len(self.groups)

    def batch(self, rows: Tensor, drawn: Tensor) -> Batch:
        """The stories of these numbers (on the host), with the placeholders drawn for each row."""
        words, sentences, nodes, edges = self.counts[rows].amax(0).tolist()
        on_device = rows.to(self.words.device, non_blocking=True)
        placeholders = drawn[on_device]
        said = self.words[on_device, :words]
        entity = (said >= FIRST_ENTITY) & (said < FIRST_ENTITY + PLACEHOLDERS)
        number = (said - FIRST_ENTITY).clamp(0, PLACEHOLDERS - 1)
        place = self.nodes[on_device, :nodes]
        asked = self.asked[on_device]
        return Batch(
            words=torch.where(entity, placeholders.gather(1, number) + FIRST_ENTITY, said),
            sentences=self.sentences[on_device, :words],
            nodes=torch.where(place >= 0, placeholders.gather(1, place.clamp(min=0)), -1),
            edges=self.edges[on_device, : max(1, edges)],
            query=placeholders.gather(1, asked),
            asked=asked,
            names=self.names[on_device],
            lengths=self.counts[rows, 0],
            spans=self.spans[rows, :sentences],
        )

    def draw(self, generator: torch.Generator) -> Tensor:
        """Draw different placeholders for the entities of every story."""
        chance = torch.rand(len(self), PLACEHOLDERS, generator=generator)
        return chance.argsort(1).to(self.words.device)


def _word(word: str | int, vocabulary: Vocabulary) -> int:
    if isinstance(word, int):
        return FIRST_ENTITY + word
    return vocabulary.words.get(word, UNKNOWN)


def _sentences(story: Story) -> list[int]:
    """The number of the sentence that each word stands in."""
    numbers, number, ended = [], 0, False
    for word in story.words:
        number += ended
        numbers.append(number)
        ended = word in _ENDS
    return numbers


def _spans(sentences: Sequence[int]) -> list[list[int]]:
    """Start and length of each sentence, by the number of the one that each word stands in."""
    counts = Counter(sentences)
    starts = itertools.accumulate((counts[number] for number in sorted(counts)), initial=0)
    return [[start, counts[number]] for start, number in zip(starts, sorted(counts), strict=False)]


def _padded(rows: Sequence[Sequence[object]], padding: object) -> Tensor:
    longest = max(1, *map(len, rows))
    return torch.tensor([[*row, *[padding] * (longest - len(row))] for row in rows])
