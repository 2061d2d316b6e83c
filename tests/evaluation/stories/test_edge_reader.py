"""Models that read facts, and reason over those they have read."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from relsmith.evaluation.model import MODELS
from relsmith.evaluation.stories.encoding import Batch, Encoded, Sizes, Vocabulary
from relsmith.evaluation.stories.models import edge_reader
from relsmith.evaluation.tasks.stories import Story

WORDS = [0, "has", "a", "son", ",", 1, ".", 1, "has", "a", "wife", ",", 2, "."]
FACTS = [(0, "son", 1), (1, "wife", 2)]
STORY = Story(WORDS, ["A", "B", "C"], (0, 2), FACTS, 2, "daughter-in-law")
OTHER = Story([0, "has", "a", "son", ",", 1, "."], ["A", "B"], (0, 1), FACTS[:1], 1, "son")
VOCABULARY = Vocabulary.of([STORY, OTHER])


def a_batch(*stories: Story) -> Batch:
    data = Encoded.of(stories, VOCABULARY)
    return data.batch(torch.arange(len(stories)), data.draw(torch.Generator().manual_seed(0)))


def module(**options: Any) -> Any:
    torch.manual_seed(0)
    made = MODELS.get("bilstm-edges").configure({"dropout": 0, "unknown": 0} | options)
    built = made.build(Sizes.of(VOCABULARY))  # type: ignore[attr-defined]
    assert isinstance(built, nn.Module)
    return built


def test_what_is_stated_between_any_two() -> None:
    son, wife = VOCABULARY.relations["son"], VOCABULARY.relations["wife"]
    expected = [[[0, son, 0], [0, 0, wife], [0, 0, 0]], [[0, son, 0], [0] * 3, [0] * 3]]
    assert edge_reader._stated(a_batch(STORY, OTHER)).tolist() == expected


def test_the_loss_is_that_of_answers_and_of_facts() -> None:
    batch = a_batch(STORY, OTHER)
    targets = torch.tensor([VOCABULARY.targets[story.target] for story in (STORY, OTHER)])
    answers = functional.cross_entropy(module()(batch), targets, reduction="sum")
    assert torch.isclose(module(facts=0).loss(batch, targets), answers)
    facts = module()._read(batch).log_softmax(-1)
    said = edge_reader._stated(batch)
    people = [3, 2]
    wrong = -sum(
        facts[row, x, y, said[row, x, y]]
        for row in range(2)
        for x in range(people[row])
        for y in range(people[row])
    )
    assert torch.isclose(module(facts=0.5).loss(batch, targets), answers + 0.5 * wrong)


@pytest.mark.parametrize("apart", [False, True])
def test_answers_train_the_reading_unless_it_is_apart(apart: bool) -> None:
    reader = module(facts=0, apart=apart)
    reader.loss(a_batch(STORY), torch.tensor([0])).backward()
    trained = [bool(weight.grad.abs().sum() > 0) for weight in reader.fact.parameters()]
    assert trained == [not apart] * 2
    assert reader.there.weight.grad.abs().sum() > 0


def test_an_answer_sees_the_facts_and_nothing_else_of_the_text() -> None:
    reader = module().eval()
    batch = a_batch(STORY)
    other = replace(batch, words=torch.where(batch.words > 45, batch.words.flip(1), batch.words))
    assert not torch.equal(batch.words, other.words)
    facts = reader._read(batch)
    assert torch.equal(reader._answer(facts, batch), reader._answer(facts, other))
    assert not torch.allclose(reader(batch), reader(other))
