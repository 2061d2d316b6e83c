"""A model that extracts facts from the text and composes them by rules learnt in training.

The rules are those of the baseline `rules`: relations along two-fact chains of training rows, and
their answers. Only the extraction of facts is trained.

References: Campero et al., Logical rule induction and theory learning using neural theorem
proving, 2018; section 3.4 of the CLUTRR thesis.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Final, Self

import torch
from pydantic import Field
from torch import Tensor, nn
from typing_extensions import override

from .....end_facts import INVERSE
from ....model import FittedModel, RunContext
from ....task import Fold
from ..baselines import compositions
from ..encoding import FIRST_RELATION, PADDING, UNKNOWN, Sizes, StoryBatch, StoryVocabulary
from ..model import fit_network
from ..task import StoryRow
from .encoder import Pretrained, PretrainedNetwork
from .fact_extraction import FactExtractor

_ROUNDS: Final = 9
"""Rounds of composition; chains of 2 ** 9 facts would be found."""


class BERTRules(PretrainedNetwork):
    """A pretrained encoder that extracts facts, and learnt composition rules over them."""

    name: ClassVar = "bert-rules"
    encoder_class: ClassVar = Pretrained

    inner: int = Field(200, ge=1, description="hidden size of the features of pairs of people")

    @override
    def build(self, sizes: Sizes) -> nn.Module:
        """Make a reader without rules; `fit` gives it those of the training rows."""
        return _RuleReader(self, Rules.of([]), sizes)

    @override
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        assert fold.train
        rules = Rules.of(fold.train.rows)
        make = partial(_RuleReader, self, rules)
        return fit_network(make, self.learning_rate, fold, job)


class Rules(nn.Module):
    """Composition rules as a table over numbers of relations: the result of each pair, or PADDING.

    Numbers are those of the vocabulary, then answers that are never stated, then all inverses.
    """

    table: Tensor
    answers: Tensor

    def __init__(self, table: Tensor, answers: Tensor) -> None:
        super().__init__()
        self.relations = len(answers) // 2
        self.register_buffer("table", table, persistent=False)
        self.register_buffer("answers", answers, persistent=False)

    @classmethod
    def of(cls, stories: Sequence[StoryRow]) -> Self:
        """Learn the rules from the training stories with k = 2."""
        vocabulary = StoryVocabulary.of(stories)
        new = vocabulary.targets.keys() - vocabulary.relations.keys()
        first_new = FIRST_RELATION + len(vocabulary.relations)
        numbers = vocabulary.relations | {name: n for n, name in enumerate(sorted(new), first_new)}
        count = FIRST_RELATION + len(numbers)
        numbers |= {f"{INVERSE}{name}": number + count for name, number in numbers.items()}
        table = torch.zeros(2 * count, 2 * count, dtype=torch.long)
        for (first, second), result in compositions(stories).items():
            table[numbers[first], numbers[second]] = numbers[result]
        answers = torch.full((2 * count,), -1)
        for name, target in vocabulary.targets.items():
            answers[numbers[name]] = target
        return cls(table, answers)

    def derive(self, facts: Tensor, batch: StoryBatch) -> Tensor:
        """Return the answer of each story from the relations of all pairs; -1 if there is none.

        Shorter derivations come first. `facts` is stories x nodes x nodes; UNKNOWN counts as none.
        """
        known = facts.masked_fill(facts == UNKNOWN, PADDING)
        backward = known.transpose(1, 2)
        inverse = torch.where(backward != PADDING, backward + self.relations, PADDING)
        known = torch.where(known != PADDING, known, inverse)
        for _ in range(_ROUNDS):
            new = torch.zeros_like(known)
            for middle in range(known.shape[1]):
                found = self.table[known[:, :, middle, None], known[:, None, middle]]
                new = torch.where(new == PADDING, found, new)
            known = torch.where(known == PADDING, new, known)
        rows = torch.arange(len(known), device=known.device)
        return self.answers[known[rows, batch.query_nodes[:, 0], batch.query_nodes[:, 1]]]


class _RuleReader(FactExtractor):
    def __init__(self, options: BERTRules, rules: Rules, sizes: Sizes) -> None:
        encoder = options.encoder_class(options, sizes)
        super().__init__(encoder, sizes, inner=options.inner, dropout=options.dropout)
        self.rules, self.targets = rules, sizes.targets

    def forward(self, batch: StoryBatch) -> Tensor:
        """Score 1 for the derived answer; without one all have 0, and the first is predicted."""
        answer = self.rules.derive(self.read(batch).argmax(-1), batch)
        places = torch.arange(self.targets, device=answer.device)
        return (answer.unsqueeze(1) == places).float()
