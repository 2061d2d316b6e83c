"""Inputs of the baselines, and answers of the rule solver."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from relsmith import write
from relsmith.errors import InvalidOption
from relsmith.evaluation.model import MODELS
from relsmith.evaluation.papers.stories.baselines import (
    EndsLogistic,
    RuleSolver,
    StoryMajority,
    _positions,
    compositions,
    solve,
)
from relsmith.evaluation.papers.stories.encoding import (
    FIRST_ENTITY,
    PLACEHOLDERS,
    EncodedStories,
    Sizes,
)
from relsmith.evaluation.papers.stories.task import StoryRow, StoryTask
from relsmith.generators.clutrr import Clutrr
from relsmith.testing.profile import scaled

CHAINS = {"side_facts": 0, "direction": "forward"}


def story(facts: list[tuple[int, str, int]], query: tuple[int, int], target: str) -> StoryRow:
    return StoryRow([], list("abcdef"), query, facts, len(facts), target)


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["none", "all"])
def test_rules_are_always_right_on_sound_data(tmp_path: Path, noise: str) -> None:
    options = {"k": "2..6", "train_k": "2,3", "noise": noise, "style": "facts", **CHAINS}
    # Fewer training rows do not contain every rule.
    rows = {"train": 16_000, "test": scaled(200, least=50)}
    write(Clutrr.configure(options), tmp_path / noise, rows)
    train, test = (StoryTask().read(tmp_path / noise, split).rows for split in ("train", "test"))
    assert RuleSolver().predict(train, test) == [story.target for story in test]


@pytest.mark.slow
def test_rules_use_facts_in_both_directions(tmp_path: Path) -> None:
    """Check all rows, except those with genders that no fact reveals."""
    rows = {"train": scaled(3000, least=1000), "test": scaled(200, least=100)}
    write(Clutrr.configure({"k": "2"}), tmp_path / "asked", rows)
    train, test = (StoryTask().read(tmp_path / "asked", split).rows for split in ("train", "test"))
    answers = RuleSolver().predict(train, test)
    assert sum(
        answer == story.target for answer, story in zip(answers, test, strict=True)
    ) > 0.6 * len(test)


def test_rules_are_learnt_from_k_2_and_answer_nothing_otherwise() -> None:
    seen = [
        story([(0, "son", 1), (1, "sister", 2)], (0, 2), "daughter"),
        story([(0, "wife", 1), (1, "son", 2)], (0, 2), "son"),
    ]
    assert compositions(seen) == {
        ("son", "sister"): "daughter",
        ("wife", "son"): "son",
    }
    three = story([(0, "wife", 1), (1, "son", 2), (2, "sister", 3)], (0, 3), "?")
    assert solve(three, compositions(seen)) == "daughter"
    assert solve(three, compositions(seen[:1])) is None
    other = story([(0, "son", 1), (1, "sister", 2)], (0, 2), "niece")
    assert ("son", "sister") not in compositions([*seen, other])
    assert RuleSolver().predict(seen[:1], [three]) == [""]


def test_a_stated_answer_is_returned() -> None:
    assert solve(story([(0, "aunt", 1)], (0, 1), "aunt"), {}) == "aunt"
    assert solve(story([(0, "aunt", 1)], (1, 0), "niece"), {}) is None


def test_the_majority_is_that_of_training() -> None:
    train = [story([], (0, 1), target) for target in ("son", "aunt", "aunt")]
    assert StoryMajority().predict(train, train[:2]) == ["aunt", "aunt"]


def test_the_regression_sees_end_facts_and_genders_only() -> None:
    facts = [(0, "child", 1), (1, "brother", 2), (2, "child", 3)]
    train = [
        replace(story(facts, (0, 3), target), genders={0: "male", 3: gender})
        for target, gender in (("grandson", "male"), ("granddaughter", "female"))
    ]
    assert EndsLogistic().predict(train, train) == ["grandson", "granddaughter"]
    between = replace(train[1], facts=[(0, "child", 1), (1, "wife", 2), (2, "child", 3)])
    assert EndsLogistic().predict(train, [between]) == ["granddaughter"]
    assert EndsLogistic().predict([], train) == ["", ""]


def test_the_regression_on_end_facts_is_far_above_the_majority_and_not_perfect(
    tmp_path: Path,
) -> None:
    write(Clutrr(k="2,3", style="facts"), tmp_path / "asked", {"train": 1200, "test": 300})
    train, test = (StoryTask().read(tmp_path / "asked", split).rows for split in ("train", "test"))
    most_frequent, fitted = (
        sum(a == story.target for a, story in zip(model.predict(train, test), test, strict=True))
        for model in (StoryMajority(), EndsLogistic())
    )
    assert fitted > 3 * most_frequent
    assert fitted < 0.75 * len(test)


def test_each_baseline_sees_only_its_inputs(few: EncodedStories, sizes: Sizes) -> None:
    longer = (few.counts[:, 1] > 1).nonzero().squeeze(1)
    batch = few.batch(longer, few.draw(torch.Generator().manual_seed(0)))
    first = FIRST_ENTITY + PLACEHOLDERS
    next_word = (batch.words - first + 1) % (sizes.words - first) + first
    words = batch.words.where(batch.words < first, next_word)
    others = {
        "words": replace(batch, words=words),
        "query": replace(batch, query=batch.query.flip(1), query_nodes=batch.query_nodes.flip(1)),
        "names": replace(batch, names=batch.names.flip(1)),
        "facts": replace(batch, edges=batch.edges.flip(0)),
    }
    sees = {
        "bag-of-words": {"words", "query"},
        "query-only": {"query"},
        "story-without-query": {"words"},
        "position-only": {"query"},
        "name-only": {"names"},
    }
    for name, parts in sees.items():
        torch.manual_seed(0)
        module = MODELS.get(name).configure({}).build(sizes).eval()  # type: ignore[attr-defined]
        with torch.no_grad():
            before = module(batch)
            found = {
                part for part, other in others.items() if not torch.equal(module(other), before)
            }
        assert found == parts, name


def test_query_blind_models_refuse_marks() -> None:
    with pytest.raises(InvalidOption, match="story-without-query: marked"):
        MODELS.get("story-without-query").configure({"marked": "true"})


def test_positions_are_counted_right(few: EncodedStories) -> None:
    batch = few.batch(torch.tensor([0]), few.draw(torch.Generator().manual_seed(0)))
    first, second = FIRST_ENTITY + 7, FIRST_ENTITY + 2
    batch = replace(
        batch,
        words=torch.tensor([[90, first, 90, first, second, 90, 90, 90, 90, 90, 0, 0]]),
        nodes=torch.tensor([[7, 2, 5, -1]]),
        query=torch.tensor([[7, 2]]),
    )
    (found,) = _positions(batch).tolist()
    assert [round(one, 4) for one in found] == [0.1, 0.3, 0.1, 0.3, 0.4, 0.4, 0.4, 0.2]
