"""Models that read facts, and reason over those they have read."""

from dataclasses import replace
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from relsmith.evaluation.model import MODELS
from relsmith.evaluation.stories.encoding import Batch, Encoded, Sizes, Vocabulary
from relsmith.evaluation.stories.models.edge_reader import as_edges, stated
from relsmith.evaluation.tasks.stories import Story

WORDS = [0, "has", "a", "son", ",", 1, ".", 1, "has", "a", "wife", ",", 2, "."]
FACTS = [(0, "son", 1), (1, "wife", 2)]
STORY = Story(WORDS, ["A", "B", "C"], (0, 2), FACTS, 2, "daughter-in-law")
OTHER = Story([0, "has", "a", "son", ",", 1, "."], ["A", "B"], (0, 1), FACTS[:1], 1, "son")
VOCABULARY = Vocabulary.of([STORY, OTHER])
SON, WIFE = VOCABULARY.relations["son"], VOCABULARY.relations["wife"]


def a_batch(*stories: Story) -> Batch:
    data = Encoded.of(stories, VOCABULARY)
    return data.batch(torch.arange(len(stories)), data.draw(torch.Generator().manual_seed(0)))


def module() -> Any:
    torch.manual_seed(0)
    options = {"dropout": 0, "unknown": 0, "hidden": 8, "embedding": 8, "width": 8, "inner": 8}
    made = MODELS.get("bilstm-edges").configure(options)
    built = made.build(Sizes.of(VOCABULARY))  # type: ignore[attr-defined]
    assert isinstance(built, nn.Module)
    return built


def test_what_is_stated_between_any_two() -> None:
    expected = [[[0, SON, 0], [0, 0, WIFE], [0, 0, 0]], [[0, SON, 0], [0] * 3, [0] * 3]]
    assert stated(a_batch(STORY, OTHER)).tolist() == expected


def test_facts_that_are_read_are_reasoned_with_as_if_they_were_stated() -> None:
    batch = a_batch(STORY, OTHER)
    read = replace(batch, edges=as_edges(stated(batch)))
    facts = [edge for edge in read.edges[0].tolist() if edge[1]]
    assert facts == [[0, SON, 1], [1, WIFE, 2]]
    edges = module().edges.eval()
    with torch.no_grad():
        assert torch.allclose(edges(read), edges(batch), atol=1e-6)


def test_the_loss_is_that_of_answers_and_of_facts() -> None:
    batch, reader = a_batch(STORY, OTHER), module()
    targets = torch.tensor([VOCABULARY.targets[story.target] for story in (STORY, OTHER)])
    answers = functional.cross_entropy(reader.edges(batch), targets, reduction="sum")
    likely, said, people = reader.read(batch).log_softmax(-1), stated(batch), [3, 2]
    facts = sum(
        likely[row, x, y, said[row, x, y]]
        for row in range(2)
        for x in range(people[row])
        for y in range(people[row])
    )
    assert torch.isclose(reader.loss(batch, targets), answers - facts)


def test_an_answer_sees_no_fact_but_those_that_were_read() -> None:
    batch, reader = a_batch(STORY), module().eval()
    nothing = replace(batch, edges=torch.zeros_like(batch.edges))
    with torch.no_grad():
        assert torch.equal(reader(batch), reader(nothing))
        assert not torch.equal(reader.edges(batch), reader.edges(nothing))
