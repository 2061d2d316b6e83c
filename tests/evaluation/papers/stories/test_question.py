"""Models read the query: tests on stories that cannot be answered without it.

Each story states the same four relations of four pairs of people, in any order, so guessing the
pair is right once in four.
"""

import random
from typing import Any

import pytest

from relsmith.evaluation.model import MODELS, RunContext
from relsmith.evaluation.papers.stories.task import StoryRow
from relsmith.evaluation.result import DataInfo
from relsmith.evaluation.runner import run_one
from relsmith.evaluation.task import TaskRows
from relsmith.evaluation.training import Training

RELATIONS = ("aunt", "boss", "cousin", "doctor")
CHANCE = 1 / len(RELATIONS)

LSTM = {"hidden": 32, "embedding": 32, "layers": 1}
READERS: dict[str, dict[str, Any]] = {
    "bilstm-mean": LSTM,
    "bilstm-attention": LSTM,
    "rn": LSTM,
    "mac": LSTM | {"width": 32, "iterations": 2, "within": 0},
    "bert-lstm": {"hidden": 32, "layers": 1, "dropout": 0},
    "bilstm-edges": LSTM | {"width": 32, "inner": 32, "rounds": 2},
    "bag-of-words": {"embedding": 32},
    "gat": {},
}
"""Models that read the query. `bert` is left out because a frozen random encoder shows nothing;
`story-lm` is tested in test_language_model.py."""
EPOCHS = {
    "bilstm-edges": 14,
    "gat": 20,
    "bert-lstm": 12,
    "bag-of-words": 20,
}
QUERY_BLIND = {"story-without-query": LSTM, "query-only": {}, "name-only": {}}
QUICK = ("bag-of-words", "query-only", "name-only")


def stories(count: int, seed: int) -> TaskRows[StoryRow]:
    draw = random.Random(seed)
    rows = [a_story(draw, str(number)) for number in range(count)]
    data = DataInfo(name="pairs", split=str(seed), digest=str(seed), rows=count)
    return TaskRows(data, [story.group for story in rows], rows)


def a_story(draw: random.Random, group: str) -> StoryRow:
    people = draw.sample(range(8), 8)
    pairs = list(zip(people[::2], people[1::2], strict=True))
    relations = draw.sample(RELATIONS, 4)
    facts = [(x, relation, y) for (x, y), relation in zip(pairs, relations, strict=True)]
    words = [word for x, relation, y in facts for word in (x, "has", "a", relation, ",", y, ".")]
    asked = draw.randrange(4)
    names = [f"N{number}" for number in range(8)]
    return StoryRow(words, names, pairs[asked], sorted(facts), 1, relations[asked], group)


def accuracy(name: str, options: dict[str, Any]) -> float:
    model = MODELS.get(name).configure({"learning_rate": 0.01} | options)
    training = Training(epochs=EPOCHS.get(name, 8), patience=60, batch=20)
    setup, run = run_one(model, stories(300, 0), [stories(200, 1)], RunContext(training=training))
    return float(run.numbers(0, setup.tests[0].labels).mean())


def tiers(names: dict[str, dict[str, Any]]) -> list[Any]:
    marks = dict.fromkeys(QUICK, ())
    return [pytest.param(name, marks=marks.get(name, pytest.mark.slow)) for name in names]


@pytest.mark.parametrize("name", tiers(READERS))
def test_models_read_the_question(name: str, request: pytest.FixtureRequest) -> None:
    options = READERS[name]
    if name.startswith("bert"):
        options = options | {"encoder": str(request.getfixturevalue("encoder"))}
    assert accuracy(name, options) > 0.8


@pytest.mark.parametrize("name", tiers(QUERY_BLIND))
def test_accuracy_without_story_or_question_is_chance(name: str) -> None:
    assert accuracy(name, QUERY_BLIND[name]) < CHANCE + 0.1
