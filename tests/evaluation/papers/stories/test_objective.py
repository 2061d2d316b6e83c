"""Training of story networks."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from relsmith.evaluation.model import RunContext
from relsmith.evaluation.papers.stories.encoding import EncodedStories, Sizes
from relsmith.evaluation.papers.stories.model import StoryObjective
from relsmith.evaluation.papers.stories.models.bilstm import BiLSTMAttention
from relsmith.evaluation.papers.stories.models.gat import GAT
from relsmith.evaluation.papers.stories.task import StoryRow
from relsmith.evaluation.task import Fold, TaskRows
from relsmith.evaluation.training import Training

SMALL = BiLSTMAttention(layers=1, hidden=16, embedding=16, dropout=0.3)


def fold_of(rows: TaskRows[StoryRow], train: range, test: range) -> Fold[StoryRow]:
    tested = rows.take(test)
    return Fold("", rows.take(train), [tested], [range(len(tested))])


@pytest.mark.slow
def test_the_same_seed_gives_the_same_answers_killed_or_not(
    rows: TaskRows[StoryRow], tmp_path: Path
) -> None:
    fold = fold_of(rows, range(200), range(700, 800))
    job = RunContext(seed=4, training=Training(epochs=3, batch=50))
    first = SMALL.fit(fold, job)
    torch.rand(7)
    again = SMALL.fit(fold, job)

    def kill(share: float) -> None:
        raise KeyboardInterrupt

    checkpoint = tmp_path / "run.pt"
    with pytest.raises(KeyboardInterrupt):
        SMALL.fit(fold, replace(job, checkpoint=checkpoint, advance=kill))
    resumed = SMALL.fit(fold, replace(job, checkpoint=checkpoint))
    other = SMALL.fit(fold, replace(job, seed=5))
    assert first.learning == again.learning == resumed.learning
    assert first.answers(fold.tests[0]) == again.answers(fold.tests[0])
    assert first.answers(fold.tests[0]) == resumed.answers(fold.tests[0])
    assert first.answers(fold.tests[0]) != other.answers(fold.tests[0])


def test_placeholders_change_in_every_epoch(few: EncodedStories, sizes: Sizes) -> None:
    lesson = StoryObjective(SMALL.build(sizes), few, 1e-3)
    placeholders = [lesson.placeholders]
    for seed, epoch in ((0, 1), (0, 2), (1, 1)):
        lesson.begin(seed, epoch)
        placeholders.append(lesson.placeholders)
    assert len({tuple(table.flatten().tolist()) for table in placeholders}) == 4
    lesson.begin(0, 1)
    assert torch.equal(lesson.placeholders, placeholders[1])


@pytest.mark.slow
@pytest.mark.parametrize("shuffled", [False, True])
def test_shuffled_targets_cannot_be_learnt(shuffled: bool, rows: TaskRows[StoryRow]) -> None:
    """A model that saw targets would learn shuffled ones as well."""
    if shuffled:
        order = torch.randperm(len(rows), generator=torch.Generator().manual_seed(0)).tolist()
        told = [
            replace(story, target=rows.rows[other].target)
            for story, other in zip(rows.rows, order, strict=True)
        ]
        rows = replace(rows, rows=told)
    fold = fold_of(rows, range(600), range(600, 800))
    job = RunContext(training=Training(epochs=12, patience=12))
    answers = GAT(learning_rate=3e-3).fit(fold, job).answers(fold.tests[0])
    right = sum(
        answer == story.target for answer, story in zip(answers, fold.tests[0].rows, strict=True)
    )
    assert right / len(answers) < 0.15 if shuffled else right / len(answers) > 0.35
