"""Models as plugins: refused classes, and the example of the guide."""

import re
from pathlib import Path
from typing import ClassVar

import pytest

from relsmith import Dataset, write
from relsmith.errors import InvalidOption
from relsmith.evaluation.model import MODELS, Model, RunContext, _check
from relsmith.evaluation.papers.stories.model import StoryNetwork
from relsmith.evaluation.papers.stories.models.gat import GAT
from relsmith.evaluation.papers.stories.task import StoryTask
from relsmith.evaluation.runner import run_one
from relsmith.evaluation.training import Training
from relsmith_comparatives import Comparatives


def examples(page: Path) -> dict[str, type]:
    """Return all names that the Python code of a guide defines."""
    code = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    names: dict[str, type] = {"__name__": "guide"}
    exec("\n".join(code), names)
    return names


def test_the_model_in_the_guide_works(root: Path, clean_stories: Path) -> None:
    model = _check("count-relations", examples(root / "docs" / "evaluation.md")["CountRelations"])
    train, test = (StoryTask().read(clean_stories, split) for split in ("train", "test"))
    job = RunContext(training=Training(epochs=8, batch=50))
    setup, run = run_one(model.configure({"learning_rate": 0.05}), train, [test], job)
    assert (setup.task, setup.label) == ("stories", "count-relations")
    (learning,) = run.folds
    assert learning.epochs == 8
    assert learning.validation is not None and learning.validation > 0.1


def test_the_task_in_the_guide_works(root: Path, tmp_path: Path) -> None:
    names = examples(root / "docs" / "evaluation.md")
    model = _check("first-choice", names["FirstChoice"]).configure({})
    write(Comparatives(), tmp_path / "data", {"test": 30})
    assert model.task().fits(tmp_path / "data")
    rows = model.task().read(tmp_path / "data", "test")
    setup, run = run_one(model, None, [rows], RunContext())
    assert (setup.task, setup.train) == ("choices", None)
    right = [row.choices[0] == row.target for row in Dataset(tmp_path / "data").rows("test")]
    assert run.numbers(0, setup.tests[0].labels)[:, 0].tolist() == right


def test_every_model_is_in_a_guide(root: Path) -> None:
    pages = "".join(page.read_text() for page in (root / "docs").glob("evaluation*.md"))
    assert not [name for name in MODELS.entries if f"`{name}`" not in pages]


class Homeless(Model):
    """A model without a task."""

    name: ClassVar = "homeless"

    def fit(self, *given: object) -> None:  # type: ignore[override]
        """Learn nothing."""


class Silent(GAT):
    name: ClassVar = "silent"


def test_a_class_that_is_not_a_model_is_refused() -> None:
    for wrong in (dict, StoryNetwork, GAT()):
        with pytest.raises(TypeError, match="expected a model that can be made and fitted"):
            _check("gat", wrong)
    with pytest.raises(ValueError, match="Homeless has no task; set task"):
        _check("homeless", Homeless)
    Silent.__doc__ = None
    with pytest.raises(ValueError, match="Silent has no docstring"):
        _check("silent", Silent)
    with pytest.raises(ValueError, match=r"'gta' but GAT\.name is 'gat'"):
        _check("gta", GAT)
    with pytest.raises(InvalidOption, match="gat: rounds"):
        GAT.configure({"rounds": "many"})


def test_shared_inputs_of_runs_are_made_once() -> None:
    made: list[int] = []
    job = RunContext()
    assert [job.once("thing", lambda: made.append(1) or "it") for _ in range(3)] == ["it"] * 3  # type: ignore[func-returns-value]
    assert made == [1]
