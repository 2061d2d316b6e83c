"""Stories as tensors: placeholders, words and facts, without the answer."""

from dataclasses import fields, replace

import pytest
import torch

from relsmith.errors import InvalidOption
from relsmith.evaluation.papers.stories.encoding import (
    FIRST_ENTITY,
    PLACEHOLDERS,
    UNKNOWN,
    EncodedStories,
    Sizes,
    StoryBatch,
    StoryVocabulary,
)
from relsmith.evaluation.papers.stories.task import StoryRow
from relsmith.evaluation.task import TaskRows
from relsmith.evaluation.trainer import split_validation


def test_a_batch_is_the_story_with_placeholders_for_names(stories: list[StoryRow]) -> None:
    vocabulary = StoryVocabulary.of(stories)
    sizes = Sizes.of(vocabulary)
    data = EncodedStories.of(stories[:20], vocabulary)
    placeholders = data.draw(torch.Generator().manual_seed(3))
    batch = data.batch(torch.arange(5, 15), placeholders)
    for row, story in enumerate(stories[5:15]):
        numbers = placeholders[5 + row].tolist()
        assert sorted(numbers) == list(range(PLACEHOLDERS))
        expected = [
            f"entity{numbers[word]}" if isinstance(word, int) else word for word in story.words
        ]
        said = [sizes.spelling[word] for word in batch.words[row] if word]
        assert said == expected
        assert batch.word_mask[row].sum() == batch.lengths[row] == len(story.words)
        assert batch.query[row].tolist() == [numbers[entity] for entity in story.query]
        nodes = batch.nodes[row][batch.node_mask[row]]
        assert nodes.tolist() == numbers[: len(story.names)]
        relations = {number: relation for relation, number in vocabulary.relations.items()}
        edges = [
            (source, relations[relation], end)
            for source, relation, end in batch.edges[row][batch.edge_mask[row]].tolist()
        ]
        assert edges == story.facts


def test_mentions_and_sentences_have_the_right_positions() -> None:
    told = StoryRow([1, "met", 0, ".", "then", 1, "left", "!"], ["A", "B"], (0, 1), [], 2, "son")
    short = StoryRow([0, "met", 1], ["A", "B"], (0, 1), [], 2, "son")
    data = EncodedStories.of([told, short], StoryVocabulary.of([told, short]))
    batch = data.batch(torch.arange(2), data.draw(torch.Generator().manual_seed(0)))
    assert batch.mentions[0].nonzero().tolist() == [[0, 2], [1, 0], [1, 5]]
    assert batch.mentions[1].nonzero().tolist() == [[0, 0], [1, 2]]
    assert batch.sentences[0].tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert batch.spans.tolist() == [[[0, 4], [4, 4]], [[0, 3], [0, 0]]]


def test_placeholders_change_by_epoch_but_not_in_tests(few: EncodedStories) -> None:
    first, second = (few.draw(torch.Generator().manual_seed(seed)) for seed in (1, 2))
    assert not torch.equal(first, second)
    assert torch.equal(first, few.draw(torch.Generator().manual_seed(1)))


def test_batches_do_not_contain_targets(stories: list[StoryRow]) -> None:
    vocabulary = StoryVocabulary.of(stories)
    assert {field.name for field in fields(StoryBatch)} == {
        *("words", "sentences", "nodes", "edges", "query", "query_nodes", "names"),
        *("lengths", "spans"),
    }
    turned = [
        replace(story, target=other.target)
        for story, other in zip(stories[:50], stories[50:100], strict=True)
    ]
    true, false = (EncodedStories.of(some, vocabulary) for some in (stories[:50], turned))
    assert not torch.equal(true.targets, false.targets)
    placeholders = true.draw(torch.Generator().manual_seed(0))
    for field in fields(StoryBatch):
        left, right = (
            getattr(data.batch(torch.arange(50), placeholders), field.name)
            for data in (true, false)
        )
        assert torch.equal(left, right)


def test_words_missing_in_training_are_unknown(stories: list[StoryRow]) -> None:
    vocabulary = StoryVocabulary.of(stories[:1], stories[1:2])
    new = StoryRow(["zyzzyva", 0], ["A", "B"], (0, 1), [(0, "twin", 1)], 2, "twin")
    data = EncodedStories.of([new], vocabulary)
    assert data.words.tolist() == [[UNKNOWN, FIRST_ENTITY]]
    assert data.edges.tolist() == [[[0, UNKNOWN, 1]]]
    assert data.names.tolist() == [[UNKNOWN, UNKNOWN]]
    assert data.targets.tolist() == [-1]
    assert all(
        (number < vocabulary.first_new) == (word in stories[0].words)
        for word, number in vocabulary.words.items()
    )


def test_too_many_entities_are_refused(stories: list[StoryRow]) -> None:
    names = [f"N{number:02}" for number in range(PLACEHOLDERS + 1)]
    with pytest.raises(InvalidOption, match="41 entities, but there are 40 placeholders"):
        EncodedStories.of([StoryRow([0], names, (0, 1), [], 2, "x")], StoryVocabulary.of(stories))


def test_validation_holds_out_clauses_and_templates(rows: TaskRows[StoryRow]) -> None:
    """Every validation row has a clause or a template that no training row has."""
    stories = rows.rows
    data = EncodedStories.of(stories, StoryVocabulary.of(stories))
    kept, learnt = split_validation(data.groups, 0.1, 0, data.held_out)
    validation, training = ([stories[row] for row in part.tolist()] for part in (kept, learnt))
    assert len(validation) == pytest.approx(0.1 * len(stories), abs=2)
    assert len(training) > 0.7 * len(stories)
    clauses = {story.clause for story in training}
    templates = {template for story in training for template in story.templates}
    unseen = [story.clause not in clauses for story in validation]
    worded = [bool({*story.templates} - templates) for story in validation]
    assert sum(a or b for a, b in zip(unseen, worded, strict=True)) >= len(validation) - 2
    assert 0.15 * len(validation) <= sum(unseen) <= 0.5 * len(validation)
    # The compositions themselves must be learnt, unless a row is held out for its template.
    by_clause = [story for story, new in zip(validation, worded, strict=True) if not new]
    assert not [story for story in by_clause if story.clause not in clauses and story.k < 3]
    assert {story.k for story in validation} == {2, 3}


def test_without_templates_half_of_the_validation_of_longer_chains_is_by_clause(
    rows: TaskRows[StoryRow],
) -> None:
    stories = [replace(story, templates=()) for story in rows.rows if story.k > 2]
    data = EncodedStories.of(stories, StoryVocabulary.of(stories))
    kept, learnt = split_validation(data.groups, 0.1, 0, data.held_out)
    clauses = [{stories[row].clause for row in part.tolist()} for part in (kept, learnt)]
    assert len(clauses[0] - clauses[1]) >= 3
    assert 0.4 * len(kept) <= sum(stories[row].clause not in clauses[1] for row in kept)
    assert len(kept) + len(learnt) > 0.95 * len(stories)
