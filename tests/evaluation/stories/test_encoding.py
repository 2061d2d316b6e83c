"""Rows as models see them: names gone, facts and words right, nothing of the answer."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
import torch

from relsmith import Dataset, write
from relsmith.errors import InvalidOption, NotADataset
from relsmith.evaluation.stories.encoding import (
    FIRST_ENTITY,
    PLACEHOLDERS,
    UNKNOWN,
    Batch,
    Encoded,
    Sizes,
    Vocabulary,
)
from relsmith.evaluation.stories.rows import Story, read_stories, tokens
from relsmith.generators.clutrr import Clutrr
from relsmith_comparatives import Comparatives


def test_words_names_and_facts_are_those_of_the_row(noisy: Path) -> None:
    for row, story in zip(Dataset(noisy).rows("test"), read_stories(noisy, "test"), strict=True):
        told = [story.names[word] if isinstance(word, int) else word for word in story.words]
        shown = row.input[: row.metadata["sentences"][-1]["span"][1]]
        assert "".join(told).lower() == re.sub(r"\s", "", shown).lower()
        assert [story.names[entity] for entity in story.query] == row.metadata["query"]
        noise = [fact for path in row.metadata["noise_facts"] for fact in path["facts"]]
        named = {(story.names[x], relation, story.names[y]) for x, relation, y in story.facts}
        assert named == {tuple(fact) for fact in [*row.metadata["facts"], *noise]}
        assert not {word for word in story.words if isinstance(word, str)} & {
            name.lower() for name in story.names
        }


def test_the_question_is_not_part_of_the_story(folder: Path) -> None:
    for story in read_stories(folder, "test"):
        assert "related" not in story.words
        assert story.words[-1] != "?"


def test_names_are_found_whole_and_longest_first() -> None:
    entities = {"Ann": 0, "Ann Lee": 1, "the box": 2}
    found = tokens("Ann Lee's mother-in-law met Ann; Annie put the box. The box fell.", entities)
    assert found == (
        [1, "'", "s", "mother-in-law", "met", 0, ";", "annie", "put", 2, ".", 2, "fell", "."]
    )


def test_facts_come_in_an_order_that_tells_nothing(noisy: Path) -> None:
    for story in read_stories(noisy, "test"):
        assert story.facts == sorted(story.facts)
        assert story.names == sorted(story.names)


def test_rows_that_are_no_stories_are_refused(tmp_path: Path) -> None:
    write(Comparatives(), tmp_path / "other", {"test": 3})
    with pytest.raises(NotADataset, match="no story with facts and a query"):
        read_stories(tmp_path / "other", "test")
    write(Clutrr.configure({"answer": "yes-no"}), tmp_path / "asked", {"test": 3})
    with pytest.raises(NotADataset, match="asks for yes or no"):
        read_stories(tmp_path / "asked", "test")


def test_a_batch_is_the_story_under_other_names(stories: list[Story]) -> None:
    vocabulary = Vocabulary.of(stories)
    sizes = Sizes.of(vocabulary)
    data = Encoded.of(stories[:20], vocabulary)
    drawn = data.draw(torch.Generator().manual_seed(3))
    batch = data.batch(torch.arange(5, 15), drawn)
    for row, story in enumerate(stories[5:15]):
        placeholders = drawn[5 + row].tolist()
        assert sorted(placeholders) == list(range(PLACEHOLDERS))
        expected = [
            f"entity{placeholders[word]}" if isinstance(word, int) else word for word in story.words
        ]
        said = [sizes.spelling[word] for word in batch.words[row] if word]
        assert said == expected
        assert batch.word_mask[row].sum() == batch.lengths[row] == len(story.words)
        assert batch.query[row].tolist() == [placeholders[entity] for entity in story.query]
        nodes = batch.nodes[row][batch.node_mask[row]]
        assert nodes.tolist() == placeholders[: len(story.names)]
        relations = {number: relation for relation, number in vocabulary.relations.items()}
        edges = [
            (source, relations[relation], end)
            for source, relation, end in batch.edges[row][batch.edge_mask[row]].tolist()
        ]
        assert edges == story.facts


def test_no_batch_holds_a_target(stories: list[Story]) -> None:
    vocabulary = Vocabulary.of(stories)
    assert {field.name for field in fields(Batch)} == {
        *("words", "sentences", "nodes", "edges", "query", "asked", "names"),
        *("lengths", "sentence_count"),
    }
    turned = [
        Story(one.words, one.names, one.query, one.facts, one.k, other.target)
        for one, other in zip(stories[:50], stories[50:100], strict=True)
    ]
    true, false = (Encoded.of(some, vocabulary) for some in (stories[:50], turned))
    assert not torch.equal(true.targets, false.targets)
    drawn = true.draw(torch.Generator().manual_seed(0))
    for field in fields(Batch):
        left, right = (
            getattr(data.batch(torch.arange(50), drawn), field.name) for data in (true, false)
        )
        assert left == right if isinstance(left, int) else torch.equal(left, right)


def test_what_training_lacks_is_unknown(stories: list[Story]) -> None:
    vocabulary = Vocabulary.of(stories[:1], stories[1:2])
    new = Story(["zyzzyva", 0], ["A", "B"], (0, 1), [(0, "twin", 1)], 2, "twin")
    data = Encoded.of([new], vocabulary)
    assert data.words.tolist() == [[UNKNOWN, FIRST_ENTITY]]
    assert data.edges.tolist() == [[[0, UNKNOWN, 1]]]
    assert data.names.tolist() == [[UNKNOWN, UNKNOWN]]
    assert data.targets.tolist() == [-1]
    assert all(
        (number < vocabulary.first_new) == (word in stories[0].words)
        for word, number in vocabulary.words.items()
    )


def test_too_many_entities_are_refused(stories: list[Story]) -> None:
    names = [f"N{number:02}" for number in range(PLACEHOLDERS + 1)]
    with pytest.raises(InvalidOption, match="41 entities, but there are 40 placeholders"):
        Encoded.of([Story([0], names, (0, 1), [], 2, "x")], Vocabulary.of(stories))
