"""Models that extract facts and reason over them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from relsmith.errors import InvalidOption
from relsmith.evaluation.model import MODELS
from relsmith.evaluation.papers.stories.encoding import (
    PADDING,
    UNKNOWN,
    EncodedStories,
    Sizes,
    StoryBatch,
    StoryVocabulary,
)
from relsmith.evaluation.papers.stories.model import StoryObjective
from relsmith.evaluation.papers.stories.models.fact_extraction import stated_relations
from relsmith.evaluation.papers.stories.task import StoryRow, Word
from relsmith.evaluation.trainer import _parameter_groups

WORDS = [0, "has", "a", "son", ",", 1, ".", 1, "has", "a", "wife", ",", 2, "."]
FACTS = [(0, "son", 1), (1, "wife", 2)]
STORY = StoryRow(WORDS, ["A", "B", "C"], (0, 2), FACTS, 2, "daughter-in-law")
OTHER = StoryRow([0, "has", "a", "son", ",", 1, "."], ["A", "B"], (0, 1), FACTS[:1], 1, "son")
VOCABULARY = StoryVocabulary.of([STORY, OTHER])
SON, WIFE = VOCABULARY.relations["son"], VOCABULARY.relations["wife"]


def a_batch(*stories: StoryRow) -> StoryBatch:
    data = EncodedStories.of(stories, VOCABULARY)
    return data.batch(torch.arange(len(stories)), data.draw(torch.Generator().manual_seed(0)))


def module(vocabulary: StoryVocabulary = VOCABULARY) -> Any:
    torch.manual_seed(0)
    options = {"dropout": 0, "unknown": 0, "hidden": 8, "embedding": 8, "width": 8, "inner": 8}
    made = MODELS.get("bilstm-edges").configure(options)
    built = made.build(Sizes.of(vocabulary))  # type: ignore[attr-defined]
    assert isinstance(built, nn.Module)
    return built


def test_stated_relations_of_all_pairs() -> None:
    expected = [[[0, SON, 0], [0, 0, WIFE], [0, 0, 0]], [[0, SON, 0], [0] * 3, [0] * 3]]
    assert stated_relations(a_batch(STORY, OTHER)).tolist() == expected


def test_extracted_facts_are_used_as_stated_ones() -> None:
    batch, edges = a_batch(STORY, OTHER), module().edges.eval()
    with torch.no_grad():
        assert torch.allclose(
            edges.between(stated_relations(batch)), edges._stated(batch), atol=1e-6
        )
        by_read = edges.reason(edges.between(stated_relations(batch)), batch)
        assert torch.allclose(by_read, edges(batch), atol=1e-6)


def test_a_story_may_have_no_facts_and_no_names() -> None:
    silent = StoryRow(["it", "rains", "."], ["A", "B"], (0, 1), [], 1, "son")
    batch, reader = a_batch(silent), module()
    assert stated_relations(batch).sum() == 0
    assert reader(batch).isfinite().all()
    assert reader.loss(batch, torch.tensor([0])).isfinite()


def test_the_loss_covers_answers_and_facts() -> None:
    batch, reader = a_batch(STORY, OTHER), module()
    targets = torch.tensor([VOCABULARY.targets[story.target] for story in (STORY, OTHER)])
    likely, said, people = reader.read(batch).softmax(-1), stated_relations(batch), [3, 2]
    facts, told = torch.zeros(()), said.clone()
    for row in range(2):
        for x in range(people[row]):
            for y in range(people[row]):
                if said[row, y, x] and not said[row, x, y]:
                    somehow = 1 - likely[row, x, y, PADDING]
                    facts += 0.9 * somehow.log() + 0.1 * likely[row, x, y, UNKNOWN].log()
                    predict = likely[row, x, y].argsort(descending=True)
                    best = next(number for number in predict.tolist() if number != PADDING)
                    told[row, x, y] = PADDING if best == UNKNOWN else best
                else:
                    facts += likely[row, x, y, said[row, x, y]].log()
    answers = functional.cross_entropy(reader.reason(told, batch), targets, reduction="sum")
    assert torch.isclose(reader.loss(batch, targets), answers - facts)


def taught(stories: list[StoryRow], steps: int = 150) -> tuple[list[Any], list[bool]]:
    """Extracted facts and right answers of a small model on its training stories."""
    vocabulary = StoryVocabulary.of(stories)
    data, reader = EncodedStories.of(stories, vocabulary), module(vocabulary)
    optimizer = torch.optim.Adam(reader.parameters(), 0.02)
    for step in range(steps):
        placeholders = data.draw(torch.Generator().manual_seed(step))
        optimizer.zero_grad()
        reader.loss(data.batch(torch.arange(len(stories)), placeholders), data.targets).backward()
        optimizer.step()
    names = {number: name for name, number in vocabulary.relations.items()}
    names |= {PADDING: "", UNKNOWN: "turned"}
    with torch.no_grad():
        batch = data.batch(torch.arange(len(stories)), placeholders)
        read = reader.eval().read(batch).argmax(-1).tolist()
        right = (reader(batch).argmax(1) == data.targets).tolist()
    return [[[names[number] for number in row] for row in table] for table in read], right


@pytest.mark.slow
def test_facts_are_extracted_in_both_directions_if_training_has_both() -> None:
    """Chains start at the query, so words alone do not show the direction of a fact."""
    words: list[Word] = [0, "is", "married", "to", 1, "."]
    read, right = taught(
        [
            StoryRow(words, ["A", "B"], (0, 1), [(0, "wife", 1)], 1, "wife"),
            StoryRow(words, ["A", "B"], (1, 0), [(1, "husband", 0)], 1, "husband"),
        ]
    )
    assert read == [[["", "wife"], ["husband", ""]]] * 2
    assert all(right)


@pytest.mark.slow
def test_facts_are_extracted_in_one_direction_if_training_has_one() -> None:
    """Otherwise the direction would be lost if only one direction has a word."""
    words: list[list[Word]] = [[x, "is", "taller", "than", y, "."] for x, y in ((0, 1), (1, 0))]
    read, right = taught(
        [
            StoryRow(words[0], ["A", "B"], (0, 1), [(0, "taller", 1)], 1, "taller"),
            StoryRow(words[0], ["A", "B"], (1, 0), [(0, "taller", 1)], 1, "shorter"),
            StoryRow(words[1], ["A", "B"], (0, 1), [(1, "taller", 0)], 1, "shorter"),
            StoryRow(words[1], ["A", "B"], (1, 0), [(1, "taller", 0)], 1, "taller"),
        ]
    )
    assert read == [[["", "taller"], ["turned", ""]]] * 2 + [[["", "turned"], ["taller", ""]]] * 2
    assert all(right)


def test_an_answer_depends_on_extracted_facts_only() -> None:
    batch, reader = a_batch(STORY), module().eval()
    nothing = replace(batch, edges=torch.zeros_like(batch.edges))
    with torch.no_grad():
        assert torch.equal(reader(batch), reader(nothing))
        assert not torch.equal(reader.edges(batch), reader.edges(nothing))


def test_a_tuned_encoder_may_learn_at_its_own_rate(encoder: Path) -> None:
    options = {"encoder": str(encoder), "tuned": True, "encoder_rate": 1e-5}
    made = MODELS.get("bert-edges").configure(options)
    built = made.build(Sizes.of(VOCABULARY))  # type: ignore[attr-defined]
    lesson = StoryObjective(built, EncodedStories.of([STORY], VOCABULARY), 1e-3)
    rates = {weight: part["lr"] for part in _parameter_groups(lesson) for weight in part["params"]}
    tuned = set(built.encoder.parameters())
    assert {rates[weight] for weight in tuned} == {1e-5}
    assert {rates[weight] for weight in rates if weight not in tuned} == {1e-3}


def test_inconsistent_options_are_refused(encoder: Path) -> None:
    with pytest.raises(InvalidOption, match="set tuned=true"):
        MODELS.get("bert-edges").configure({"encoder": str(encoder), "encoder_rate": 1e-5})
    with pytest.raises(InvalidOption, match="not a multiple of the 3 heads"):
        MODELS.get("bilstm-edges").configure({"heads": 3})


def test_extraction_counts_in_validation_before_any_answer_is_right() -> None:
    reader, data = module().eval(), EncodedStories.of([STORY, OTHER], VOCABULARY)
    lesson = StoryObjective(reader, data, 1e-3)
    with torch.no_grad():
        _, before = lesson.validate([torch.arange(2)], "likelihood")
        reader.fact.bias[PADDING] += 2
        _, after = lesson.validate([torch.arange(2)], "likelihood")
    assert after > before
