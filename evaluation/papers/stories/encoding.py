"""Stories as tensors: the inputs of a model, and the targets separately."""

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from ....errors import InvalidOption
from ...trainer import HeldOut
from .task import StoryRow

PADDING, UNKNOWN = 0, 1
FIRST_ENTITY = 2
"""Word ids: padding, unknown, the placeholders, the words of training, words only in tests."""

FIRST_RELATION = 2
"""Relation ids: padding, unknown, the relations of training."""

PLACEHOLDERS = 40
"""Number of placeholders from which the entities of a story are drawn."""

_ENDS = frozenset(".!?")


@dataclass(frozen=True)
class StoryVocabulary:
    """Ids of everything that occurs in training; anything else is UNKNOWN.

    Words that only tests have get the last ids, for models that can spell.
    """

    words: dict[str, int]
    relations: dict[str, int]
    names: dict[str, int]
    targets: dict[str, int]
    first_new: int
    """First id of the words that are not in training."""

    @classmethod
    def of(cls, stories: Sequence[StoryRow], tests: Sequence[StoryRow] = ()) -> Self:
        """Build the vocabulary of the training stories, and of the words of test stories."""
        words = _words(stories)
        first_new = FIRST_ENTITY + PLACEHOLDERS + len(words)
        relations = {relation for story in stories for _, relation, _ in story.facts}
        queried = {story.names[entity] for story in stories for entity in story.query}
        return cls(
            words=_numbered(words, FIRST_ENTITY + PLACEHOLDERS)
            | _numbered(_words(tests) - words, first_new),
            relations=_numbered(relations, FIRST_RELATION),
            names=_numbered(queried, 2),
            targets=_numbered((story.target for story in stories), 0),
            first_new=first_new,
        )


def _words(stories: Sequence[StoryRow]) -> set[str]:
    return {word for story in stories for word in story.words if isinstance(word, str)}


def _numbered(things: Iterable[str], start: int) -> dict[str, int]:
    return {thing: number for number, thing in enumerate(sorted(set(things)), start)}


@dataclass(frozen=True)
class Sizes:
    """Sizes of the inputs and outputs of a model."""

    spelling: tuple[str, ...]
    """All words by id; those that only tests have come last."""
    words: int
    """Number of ids of training words and special ids; higher ids are unknown."""
    relations: int
    names: int
    answers: tuple[str, ...]

    @property
    def targets(self) -> int:
        """Number of answers."""
        return len(self.answers)

    @classmethod
    def of(cls, vocabulary: StoryVocabulary) -> Self:
        """Return the sizes for a vocabulary."""
        return cls(
            spelling=(
                "",
                "unknown",
                *(f"entity{number}" for number in range(PLACEHOLDERS)),
                *vocabulary.words,
            ),
            words=vocabulary.first_new,
            relations=len(vocabulary.relations) + FIRST_RELATION,
            names=len(vocabulary.names) + 2,
            answers=tuple(vocabulary.targets),
        )


@dataclass(frozen=True)
class StoryBatch:
    """A batch of stories: all that a model sees of them.

    Entities have two numberings: their index in `nodes`, used by `edges` and `query_nodes`, and
    the placeholder drawn for them, used by `words`, `nodes` and `query`.
    """

    words: Tensor
    sentences: Tensor
    nodes: Tensor
    edges: Tensor
    query: Tensor
    query_nodes: Tensor
    names: Tensor
    lengths: Tensor
    """Words per story; on the host, for packing."""
    spans: Tensor
    """Start and length of each sentence, 0 beyond the last; on the host."""

    @property
    def word_mask(self) -> Tensor:
        """True at words."""
        return self.words != PADDING

    @property
    def mentions(self) -> Tensor:
        """Mask of stories x 2 x words: mentions of each of the two people of the query."""
        return self.words.unsqueeze(1) == (self.query + FIRST_ENTITY).unsqueeze(2)

    @property
    def node_mask(self) -> Tensor:
        """True at entities."""
        return self.nodes >= 0

    @property
    def edge_mask(self) -> Tensor:
        """True at facts."""
        return self.edges[..., 1] != PADDING


@dataclass(frozen=True)
class EncodedStories:
    """A split on a device: inputs, and separately the targets (-1: not in training)."""

    words: Tensor
    sentences: Tensor
    nodes: Tensor
    edges: Tensor
    query_nodes: Tensor
    names: Tensor
    counts: Tensor
    """Words, sentences, nodes and edges per story; on the host, so no batch waits for a copy."""
    spans: Tensor
    """Start and length of each sentence; on the host."""
    targets: Tensor
    groups: list[str]
    held_out: list[HeldOut]
    """Clauses and templates, for the choice of validation rows."""

    @classmethod
    def of(
        cls,
        stories: Sequence[StoryRow],
        vocabulary: StoryVocabulary,
        device: torch.device | str = "cpu",
    ) -> Self:
        """Encode stories; raise InvalidOption if one has more entities than placeholders."""
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
            [len(ids), across[-1] + 1 if across else 0, len(people), len(facts)]
            for ids, across, people, facts in zip(words, sentences, nodes, edges, strict=True)
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
            query_nodes=torch.tensor([story.query for story in stories]).to(device),
            names=torch.tensor(names).to(device),
            counts=torch.tensor(counts),
            spans=_padded(spans, [0, 0]),
            targets=torch.tensor(
                [vocabulary.targets.get(story.target, -1) for story in stories]
            ).to(device),
            groups=[story.group for story in stories],
            held_out=_held_out(stories),
        )

    def __len__(self) -> int:
        return len(self.groups)

    def batch(self, rows: Tensor, drawn: Tensor) -> StoryBatch:
        """Return these rows (indices on the host), with the placeholders drawn for each."""
        words, sentences, nodes, edges = self.counts[rows].amax(0).tolist()
        on_device = rows.to(self.words.device, non_blocking=True)
        placeholders = drawn[on_device]
        ids = self.words[on_device, :words]
        entity = (ids >= FIRST_ENTITY) & (ids < FIRST_ENTITY + PLACEHOLDERS)
        number = (ids - FIRST_ENTITY).clamp(0, PLACEHOLDERS - 1)
        place = self.nodes[on_device, :nodes]
        query_nodes = self.query_nodes[on_device]
        return StoryBatch(
            words=torch.where(entity, placeholders.gather(1, number) + FIRST_ENTITY, ids),
            sentences=self.sentences[on_device, :words],
            nodes=torch.where(place >= 0, placeholders.gather(1, place.clamp(min=0)), -1),
            edges=self.edges[on_device, : max(1, edges)],
            query=placeholders.gather(1, query_nodes),
            query_nodes=query_nodes,
            names=self.names[on_device],
            lengths=self.counts[rows, 0],
            spans=self.spans[rows, :sentences],
        )

    def draw(self, generator: torch.Generator) -> Tensor:
        """Draw different placeholders for the entities of every story."""
        chance = torch.rand(len(self), PLACEHOLDERS, generator=generator)
        return chance.argsort(1).to(self.words.device)


def _held_out(stories: Sequence[StoryRow]) -> list[HeldOut]:
    """Return the clauses of each k above two, and the templates, that validation may hold out.

    Clauses make up half of the share: of few clauses, accuracy varies much. Those of two facts stay
    in training, since they are what a model learns to compose.
    """
    clauses: list[HeldOut] = [
        (0.5, [(story.clause,) if story.k == k else () for story in stories])
        for k in sorted({story.k for story in stories if story.k > 2})
    ]
    return [*clauses, (1.0, [story.templates for story in stories])]


def _word(word: str | int, vocabulary: StoryVocabulary) -> int:
    if isinstance(word, int):
        return FIRST_ENTITY + word
    return vocabulary.words.get(word, UNKNOWN)


def _sentences(story: StoryRow) -> list[int]:
    numbers, number, ended = [], 0, False
    for word in story.words:
        number += ended
        numbers.append(number)
        ended = word in _ENDS
    return numbers


def _spans(sentences: Sequence[int]) -> list[list[int]]:
    """Return start and length of each sentence, given the sentence index of each word."""
    counts = Counter(sentences)
    starts = itertools.accumulate((counts[number] for number in sorted(counts)), initial=0)
    return [[start, counts[number]] for start, number in zip(starts, sorted(counts), strict=False)]


def _padded(rows: Sequence[Sequence[object]], padding: object) -> Tensor:
    longest = max(1, *map(len, rows))
    return torch.tensor([[*row, *[padding] * (longest - len(row))] for row in rows])
