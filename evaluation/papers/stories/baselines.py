"""Baselines that cannot reason, and a rule solver; reports print them below the models."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor, nn
from typing_extensions import override

from ....end_facts import (
    INVERSE,
    end_fact_features,
    predict_from_end_facts,
    with_inverses,
)
from .encoding import Sizes, StoryBatch
from .model import StoryBaseline, StoryNetwork
from .models.bilstm import BiLSTM, LSTMNetwork
from .models.parts import Entities, masked_mean, mlp, one_hot, sentence_means
from .models.story import StoryEncoder, TextNetwork
from .task import StoryRow


class StoryMajority(StoryBaseline):
    """Always the most frequent answer of the training rows."""

    name: ClassVar = "majority"

    @override
    def predict(self, train: Sequence[StoryRow], test: Sequence[StoryRow]) -> list[str]:
        counts = Counter(story.target for story in train)
        most = min(counts, key=lambda target: (-counts[target], target))
        return [most] * len(test)


class RuleSolver(StoryBaseline):
    """Composition rules learnt from two-fact training stories, applied to all facts.

    The facts include noise, which is not marked as such. On sound data whose training rows show
    every composition, it is always right if facts show the gender of the person in question.
    """

    name: ClassVar = "rules"

    @override
    def predict(self, train: Sequence[StoryRow], test: Sequence[StoryRow]) -> list[str]:
        table = compositions(train)
        return [solve(story, table) or "" for story in test]


CompositionTable = dict[tuple[str, str], str]


def compositions(stories: Sequence[StoryRow]) -> CompositionTable:
    """Learn from stories with k = 2 which relation each pair of relations composes to.

    Pairs with more than one result are left out.
    """
    targets: dict[tuple[str, str], set[str]] = {}
    for story in stories:
        if story.k == 2:
            for pair in _two_hop_paths(story):
                targets.setdefault(pair, set()).add(story.target)
    return {pair: target for pair, (target, *others) in targets.items() if not others}


def _two_hop_paths(story: StoryRow) -> list[tuple[str, str]]:
    """Return the relations along each two-fact path between the people of the query."""
    start, end = story.query
    facts = with_inverses(story.facts)
    return [
        (first, second)
        for source, first, middle in facts
        for again, second, last in facts
        if source == start and middle == again and last == end and middle not in (start, end)
    ]


def solve(story: StoryRow, table: CompositionTable) -> str | None:
    """Compose facts until the query is answered, shortest chains first; None if it never is."""
    relations = {(source, end): relation for source, relation, end in with_inverses(story.facts)}
    while story.query not in relations:
        new = {
            (start, end): table[first, second]
            for (start, middle), first in relations.items()
            for (again, end), second in relations.items()
            if middle == again and start != end and (first, second) in table
        }
        if not new.keys() - relations.keys():
            return None
        relations = new | relations
    found = relations[story.query]
    return None if found.startswith(INVERSE) else found


class EndsLogistic(StoryBaseline):
    """Logistic regression on the end facts and the genders of the two people of the query."""

    name: ClassVar = "ends-logistic"
    packages: ClassVar = ("numpy",)

    @override
    def predict(self, train: Sequence[StoryRow], test: Sequence[StoryRow]) -> list[str]:
        return predict_from_end_facts(
            ((_end_features(story), story.target) for story in train), map(_end_features, test)
        )


def _end_features(story: StoryRow) -> tuple[str, ...]:
    return end_fact_features(story.facts, story.query, story.genders)


class _Bag(StoryEncoder):
    def __init__(self, options: "BagOfWords", sizes: Sizes) -> None:
        super().__init__()
        self.size = self.story = options.embedding
        self.words = options.words(sizes)

    @override
    def read(self, batch: StoryBatch) -> Tensor:
        """Return for each word the mean over its sentence."""
        words = self.words(batch)
        means, _ = sentence_means(words, batch)
        return one_hot(batch.sentences, means.shape[1], means) @ means


class BagOfWords(TextNetwork):
    """Words without order: of the story, and of the sentences that name the query's people."""

    name: ClassVar = "bag-of-words"
    encoder_class: ClassVar = _Bag
    baseline: ClassVar = True


class QueryOnly(StoryNetwork):
    """The two people of the query, without the story."""

    name: ClassVar = "query-only"
    baseline: ClassVar = True

    embedding: int = Field(100, ge=1, description="size of entity embeddings")
    classifier: int = Field(200, ge=1, description="hidden size of the classifier")

    @override
    def build(self, sizes: Sizes) -> nn.Module:
        layers = [2 * self.embedding, self.classifier, sizes.targets]
        return _Classifier(lambda batch: batch.query, Entities(self.embedding), layers)


class _Classifier(nn.Module):
    """Classifies one part of a story, which `look` selects; the rest is not visible."""

    def __init__(
        self, look: Callable[[StoryBatch], Tensor], table: nn.Module, sizes: Sequence[int]
    ) -> None:
        super().__init__()
        self.look, self.table, self.layers = look, table, mlp(sizes)

    def forward(self, batch: StoryBatch) -> Tensor:
        return self.layers(self.table(self.look(batch)).flatten(1))


class StoryWithoutQuery(LSTMNetwork):
    """The story as a bidirectional LSTM reads it, without the query."""

    name: ClassVar = "story-without-query"
    encoder_class: ClassVar = BiLSTM
    baseline: ClassVar = True

    marked: Literal[False] = Field(False, description="never: a mark would reveal the query")

    @override
    def build(self, sizes: Sizes) -> nn.Module:
        return _QueryBlindLSTM(self, sizes)


class _QueryBlindLSTM(nn.Module):
    def __init__(self, options: StoryWithoutQuery, sizes: Sizes) -> None:
        super().__init__()
        self.lstm = BiLSTM(options, sizes)
        self.dropout = nn.Dropout(options.dropout)
        self.layers = mlp([self.lstm.size, options.classifier, sizes.targets])

    def forward(self, batch: StoryBatch) -> Tensor:
        states = self.lstm.read(batch)
        return self.layers(self.dropout(masked_mean(states, batch.word_mask)))


class PositionOnly(StoryNetwork):
    """Positions of the two names in the story and its length, without words."""

    name: ClassVar = "position-only"
    baseline: ClassVar = True

    hidden: int = Field(200, ge=1, description="hidden size of the classifier")

    @override
    def build(self, sizes: Sizes) -> nn.Module:
        layers = [8, self.hidden, self.hidden, sizes.targets]
        return _Classifier(_positions, nn.Identity(), layers)


def _positions(batch: StoryBatch) -> Tensor:
    """Return first and last mention and number of mentions of both people, and the lengths."""
    place = torch.arange(batch.words.shape[1], device=batch.words.device)
    length = batch.word_mask.sum(1)
    features = [length / 100, batch.node_mask.sum(1) / 10]
    for mentions in batch.mentions.unbind(1):
        first = torch.where(mentions, place, batch.words.shape[1]).amin(1).minimum(length)
        last = torch.where(mentions, place, -1).amax(1)
        features += [first / length, last / length, mentions.sum(1) / 5]
    return torch.stack([feature.float() for feature in features], 1)


class NameOnly(StoryNetwork):
    """The two names themselves, without the story: shows what names give away."""

    name: ClassVar = "name-only"
    baseline: ClassVar = True

    embedding: int = Field(100, ge=1, description="size of a name's embedding")
    classifier: int = Field(200, ge=1, description="hidden size of the classifier")

    @override
    def build(self, sizes: Sizes) -> nn.Module:
        layers = [2 * self.embedding, self.classifier, sizes.targets]
        table = nn.Embedding(sizes.names, self.embedding)
        return _Classifier(lambda batch: batch.names, table, layers)
