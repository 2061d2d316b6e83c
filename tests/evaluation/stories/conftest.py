"""Small datasets of kinship stories, made once."""

from pathlib import Path

import pytest
import torch

from relsmith import write
from relsmith.evaluation.stories.encoding import Encoded, Sizes, Vocabulary
from relsmith.evaluation.stories.rows import Story, read_stories
from relsmith.generators.clutrr import Clutrr

# More threads than free cores make these tests many times slower.
torch.set_num_threads(1)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stories of two and three facts, and a test of up to five."""
    out = tmp_path_factory.mktemp("stories") / "clean"
    options = {"k": "2..5", "train_k": "2,3", "hold_out": "templates,clauses"}
    write(Clutrr.configure(options), out, {"train": 800, "test": 120})
    return out


@pytest.fixture(scope="session")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stories with noise."""
    out = tmp_path_factory.mktemp("stories") / "noisy"
    write(Clutrr.configure({"k": "2,3", "noise": "supporting"}), out, {"train": 800, "test": 120})
    return out


@pytest.fixture(scope="session")
def stories(folder: Path) -> list[Story]:
    return read_stories(folder, "train")


@pytest.fixture(scope="session")
def chosen(stories: list[Story]) -> list[Story]:
    """64 short stories, of two facts and of three, no two that begin alike."""
    told = {tuple(w for w in story.words if isinstance(w, str))[:3]: story for story in stories}
    short = sorted(told.values(), key=lambda story: len(story.words))
    return [story for k in (2, 3) for story in [one for one in short if one.k == k][:32]]


@pytest.fixture(scope="session")
def sizes(chosen: list[Story]) -> Sizes:
    return Sizes.of(Vocabulary.of(chosen))


@pytest.fixture(scope="session")
def few(chosen: list[Story]) -> Encoded:
    return Encoded.of(chosen, Vocabulary.of(chosen))
