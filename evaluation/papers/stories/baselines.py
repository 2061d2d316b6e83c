"""What can be had without reasoning, and by rules: every report prints these beside the models."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor, nn
from typing_extensions import override

from ....end_facts import INVERSE, end_fact_pairs, predict_from_end_facts, with_inverses
from .encoding import Batch, Sizes
from .model import Guesser, Network
from .models.bilstm import BiLSTM, LSTMNetwork
from .models.parts import Entities, mean, mlp, one_hot, sentence_means
from .models.story import Encoder, TextNetwork
from .task import Story


class Majority(Guesser):
    """The answer that is most frequent in training, always."""

    name: ClassVar = "majority"
    yardstick: ClassVar = True

    def guess(self, train: Sequence[Story], test: Sequence[Story]) -> list[str]:
        """Give the same answer to every question."""
        counts = Counter(story.target for story in train)
        most = min(counts, key=lambda target: (-counts[target], target))
        return [most] * len(test)


class Rules(Guesser):
    """Compositions of two relations, learnt from training stories of two facts, applied to all.

    It is given the facts, those of noise among them, and not told which are which. On sound data
    whose training shows every composition it is always right, as long as facts show the gender of
    the one asked about.
    """

    name: ClassVar = "rules"
    yardstick: ClassVar = True

    def guess(self, train: Sequence[Story], test: Sequence[Story]) -> list[str]:
        """Answer what follows, and nothing where nothing does."""
        table = compositions(train)
        return [solve(story, table) or "" for story in test]


Table = dict[tuple[str, str], str]


def compositions(stories: Sequence[Story]) -> Table:
    """Of stories that two facts lead through: which relation the two make, always the same."""
    targets: dict[tuple[str, str], set[str]] = {}
    for story in stories:
        if story.k == 2:
            for pair in _ways(story):
                targets.setdefault(pair, set()).add(story.target)
    return {pair: target for pair, (target, *others) in targets.items() if not others}


def _ways(story: Story) -> list[tuple[str, str]]:
    """The relations on the ways of two facts from one asked entity to the other."""
    start, end = story.query
    facts = with_inverses(story.facts)
    return [
        (first, second)
        for source, first, middle in facts
        for again, second, last in facts
        if source == start and middle == again and last == end and middle not in (start, end)
    ]


def solve(story: Story, table: Table) -> str | None:
    """Compose facts until something is known about the two entities, the shortest way first."""
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


class EndsOnly(Guesser):
    """What is told of each of the two people asked about, and nothing of those between them.

    It is given the facts, and counts in training which answers go with a fact of the one and a
    fact of the other. Who is no better puts nothing together.
    """

    name: ClassVar = "ends-only"
    yardstick: ClassVar = True

    def guess(self, train: Sequence[Story], test: Sequence[Story]) -> list[str]:
        """Answer what most pairs of such facts speak for."""
        known = [(end_fact_pairs(story.facts, story.query), story.target) for story in train]
        return predict_from_end_facts(
            known, [end_fact_pairs(story.facts, story.query) for story in test]
        )


class BagOfWords(TextNetwork):
    """Words in no order: of the story, and of the sentences that name who is asked about."""

    name: ClassVar = "bag-of-words"
    yardstick: ClassVar = True

    @override
    def encoder_for(self, sizes: Sizes) -> Encoder:
        return _Bag(self, sizes)


class _Bag(Encoder):
    def __init__(self, options: BagOfWords, sizes: Sizes) -> None:
        super().__init__()
        self.size = self.story = options.embedding
        self.words = options.words(sizes)

    @override
    def read(self, batch: Batch) -> Tensor:
        """For each word, the mean over its sentence."""
        words = self.words(batch)
        means, _ = sentence_means(words, batch)
        return one_hot(batch.sentences, means.shape[1], means) @ means

    @override
    def pool(self, states: Tensor, query: Tensor, batch: Batch) -> Tensor:
        return mean(states, batch.word_mask)


class QueryOnly(Network):
    """Who is asked about, and no story."""

    name: ClassVar = "query-only"
    yardstick: ClassVar = True

    embedding: int = Field(100, ge=1, description="size of entity embeddings")
    classifier: int = Field(200, ge=1, description="hidden size of the classifier")

    @override
    def build(self, sizes: Sizes) -> nn.Module:
        layers = [2 * self.embedding, self.classifier, sizes.targets]
        return _Classifier(lambda batch: batch.query, Entities(self.embedding), layers)


class _Classifier(nn.Module):
    """Classifies what is looked at of a story, and sees nothing else of it."""

    def __init__(
        self, look: Callable[[Batch], Tensor], table: nn.Module, sizes: Sequence[int]
    ) -> None:
        super().__init__()
        self.look, self.table, self.layers = look, table, mlp(sizes)

    def forward(self, batch: Batch) -> Tensor:
        scores: Tensor = self.layers(self.table(self.look(batch)).flatten(1))
        return scores


class StoryWithoutQuery(LSTMNetwork):
    """The story as a bidirectional LSTM reads it, and not who is asked about."""

    name: ClassVar = "story-without-query"
    yardstick: ClassVar = True

    marked: Literal[False] = Field(False, description="never: a mark would tell the question")

    @override
    def encoder_for(self, sizes: Sizes) -> Encoder:
        return BiLSTM(self, sizes)

    @override
    def build(self, sizes: Sizes) -> nn.Module:
        return _Story(self, sizes)


class _Story(nn.Module):
    def __init__(self, options: StoryWithoutQuery, sizes: Sizes) -> None:
        super().__init__()
        self.lstm = BiLSTM(options, sizes)
        self.dropout = nn.Dropout(options.dropout)
        self.layers = mlp([self.lstm.size, options.classifier, sizes.targets])

    def forward(self, batch: Batch) -> Tensor:
        states = self.lstm.read(batch)
        scores: Tensor = self.layers(self.dropout(mean(states, batch.word_mask)))
        return scores


class PositionOnly(Network):
    """Where the two names stand in the story, and how long it is; no words."""

    name: ClassVar = "position-only"
    yardstick: ClassVar = True

    hidden: int = Field(200, ge=1, description="hidden size of the classifier")

    @override
    def build(self, sizes: Sizes) -> nn.Module:
        layers = [8, self.hidden, self.hidden, sizes.targets]
        return _Classifier(_positions, nn.Identity(), layers)


def _positions(batch: Batch) -> Tensor:
    """First and last mention, and number of mentions, of both; the lengths."""
    place = torch.arange(batch.words.shape[1], device=batch.words.device)
    length = batch.word_mask.sum(1)
    features = [length / 100, batch.node_mask.sum(1) / 10]
    for mentions in batch.mentions.unbind(1):
        first = torch.where(mentions, place, batch.words.shape[1]).amin(1).minimum(length)
        last = torch.where(mentions, place, -1).amax(1)
        features += [first / length, last / length, mentions.sum(1) / 5]
    return torch.stack([feature.float() for feature in features], 1)


class NameOnly(Network):
    """The two names themselves, and no story: what names give away."""

    name: ClassVar = "name-only"
    yardstick: ClassVar = True

    embedding: int = Field(100, ge=1, description="size of a name's embedding")
    classifier: int = Field(200, ge=1, description="hidden size of the classifier")

    @override
    def build(self, sizes: Sizes) -> nn.Module:
        layers = [2 * self.embedding, self.classifier, sizes.targets]
        table = nn.Embedding(sizes.names, self.embedding)
        return _Classifier(lambda batch: batch.names, table, layers)
