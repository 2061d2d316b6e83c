"""Stories as networks are given them."""

from pathlib import Path

import pytest
import torch

from relsmith.evaluation.stories.encoding import Encoded, Sizes, Vocabulary
from relsmith.evaluation.task import Rows
from relsmith.evaluation.tasks.stories import Stories, Story

# More threads than free cores make these tests many times slower.
torch.set_num_threads(1)


@pytest.fixture(scope="session")
def rows(clean_stories: Path) -> Rows[Story]:
    return Stories().read(clean_stories, "train")


@pytest.fixture(scope="session")
def stories(rows: Rows[Story]) -> list[Story]:
    return rows.rows


@pytest.fixture(scope="session")
def chosen(stories: list[Story]) -> list[Story]:
    """64 short stories, of two facts and of three, no two that begin alike."""
    told = {tuple(w for w in story.words if isinstance(w, str))[:3]: story for story in stories}
    short = sorted(told.values(), key=lambda story: len(story.words))
    return [story for k in (2, 3) for story in [told for told in short if told.k == k][:32]]


@pytest.fixture(scope="session")
def sizes(chosen: list[Story]) -> Sizes:
    return Sizes.of(Vocabulary.of(chosen))


@pytest.fixture(scope="session")
def few(chosen: list[Story]) -> Encoded:
    return Encoded.of(chosen, Vocabulary.of(chosen))
