"""Models that extract facts, and compose them by learnt rules or use them as an auxiliary loss."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import relsmith
from relsmith.evaluation.model import MODELS
from relsmith.evaluation.papers.stories.baselines import compositions, solve
from relsmith.evaluation.papers.stories.encoding import (
    UNKNOWN,
    EncodedStories,
    Sizes,
    StoryBatch,
    StoryVocabulary,
)
from relsmith.evaluation.papers.stories.models.fact_extraction import stated_relations
from relsmith.evaluation.papers.stories.models.rule_reader import Rules, _RuleReader
from relsmith.evaluation.papers.stories.task import StoryRow, StoryTask

FACTS = [(0, "son", 1), (1, "wife", 2)]
WORDS = [0, "has", "a", "son", ",", 1, ".", 1, "has", "a", "wife", ",", 2, "."]
STORY = StoryRow(WORDS, ["A", "B", "C"], (0, 2), FACTS, 2, "daughter-in-law")


def rows(count: int, **options: Any) -> list[StoryRow]:
    stories = relsmith.make("clutrr", **options)
    return [StoryTask().parse(stories[number], number) for number in range(count)]


def batch_of(stories: list[StoryRow], vocabulary: StoryVocabulary) -> StoryBatch:
    data = EncodedStories.of(stories, vocabulary)
    return data.batch(torch.arange(len(stories)), data.draw(torch.Generator().manual_seed(0)))


@pytest.mark.parametrize("side_facts", ["0", "3"])
def test_stated_facts_are_composed_as_by_the_baseline(side_facts: str) -> None:
    train = rows(400, k="2..3", side_facts=side_facts)
    test = rows(60, k="2..8", side_facts=side_facts)
    vocabulary, table = StoryVocabulary.of(train, test), compositions(train)
    batch = batch_of(test, vocabulary)
    derived = Rules.of(train).derive(stated_relations(batch), batch).tolist()
    expected = [vocabulary.targets.get(solve(story, table) or "", -1) for story in test]
    assert derived == expected
    assert len(set(derived)) > 3


def test_facts_that_are_stated_in_the_other_direction_only_are_not_composed() -> None:
    batch = batch_of([STORY], StoryVocabulary.of([STORY]))
    facts = stated_relations(batch)
    rules = Rules.of([STORY])
    assert rules.derive(facts, batch).tolist() == [0]
    assert rules.derive(facts.where(facts == 0, UNKNOWN), batch).tolist() == [-1]


def built(name: str, encoder: Path, **options: Any) -> Any:
    torch.manual_seed(0)
    made: Any = MODELS.get(name).configure(
        {"encoder": str(encoder), "tuned": True, "inner": 8, "dropout": 0, **options}
    )
    sizes = Sizes.of(StoryVocabulary.of([STORY]))
    if name == "bert-rules":
        return _RuleReader(made, Rules.of([STORY]), sizes)
    return made.build(sizes)


def test_a_reader_with_rules_answers_from_extracted_facts_only(
    encoder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = batch_of([STORY], StoryVocabulary.of([STORY]))
    reader = built("bert-rules", encoder).eval()
    facts = stated_relations(batch)
    nothing = replace(batch, edges=torch.zeros_like(batch.edges))
    for read, score in ((facts, 1.0), (torch.zeros_like(facts), 0.0)):
        scores = torch.nn.functional.one_hot(read, 4).float()
        monkeypatch.setattr(reader, "read", lambda _, scores=scores: scores)
        assert reader(nothing).tolist() == [[score]]


def test_a_reader_with_rules_is_trained_and_answers(encoder: Path, tmp_path: Path) -> None:
    from relsmith.evaluation.model import RunContext
    from relsmith.evaluation.result import DataInfo
    from relsmith.evaluation.task import Fold, TaskRows
    from relsmith.evaluation.training import Training

    train = rows(40, k="2..3")
    data = DataInfo(name="rows", split="train", digest="", rows=len(train))
    some = TaskRows(data, [str(number) for number in range(len(train))], train)
    model = MODELS.get("bert-rules").configure({"encoder": str(encoder), "tuned": True})
    job = RunContext(0, "cpu", Training(epochs=1))
    fitted = model.fit(Fold("", some, [some], [range(len(some))]), job)
    assert set(fitted.answers(some)) <= {story.target for story in train}


def test_the_auxiliary_loss_is_that_of_reading_facts(encoder: Path) -> None:
    batch = batch_of([STORY], StoryVocabulary.of([STORY]))
    module = built("bert-facts", encoder).eval()
    targets = torch.tensor([0])
    answers = torch.nn.functional.cross_entropy(module(batch), targets, reduction="sum")
    reading, _ = module.facts.reading_loss(module.facts.read(batch), batch)
    assert reading > 0
    assert torch.isclose(module.loss(batch, targets), answers + reading)


def test_without_supervision_no_stated_fact_is_seen(encoder: Path) -> None:
    batch = batch_of([STORY], StoryVocabulary.of([STORY, replace(STORY, target="niece")]))
    nothing = replace(batch, edges=torch.zeros_like(batch.edges))
    small = {"width": 8, "classifier": 8}
    for supervised in (True, False):
        torch.manual_seed(0)
        made: Any = MODELS.get("bert-edges").configure(
            {"encoder": str(encoder), "tuned": True, "inner": 8, "supervised": supervised, **small}
        )
        reader = made.build(Sizes.of(StoryVocabulary.of([STORY, replace(STORY, target="niece")])))
        targets = torch.tensor([1])
        reader.eval()
        same = torch.equal(reader.loss(batch, targets), reader.loss(nothing, targets))
        assert same is not supervised
        reader.loss(batch, targets).backward()
        # Answers alone reach the encoder through the probabilities of facts.
        assert any(w.grad is not None and w.grad.any() for w in reader.encoder.parameters())
