"""Models as plugins: what is refused, and the example of the guide."""

import re
from pathlib import Path
from typing import ClassVar

import pytest
import torch

from relsmith.errors import InvalidOption
from relsmith.evaluation.model import MODELS, Model, _check
from relsmith.evaluation.stories.encoding import Encoded, Sizes
from relsmith.evaluation.stories.harness import fit
from relsmith.evaluation.stories.model import Network
from relsmith.evaluation.stories.models.gat import GAT
from relsmith.evaluation.training import Training


def test_the_model_in_the_guide_works(root: Path, few: Encoded, sizes: Sizes) -> None:
    page = (root / "docs" / "evaluation.md").read_text()
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    names: dict[str, type] = {"__name__": "guide"}
    exec(code, names)
    model = _check("count-relations", names["CountRelations"])
    fitted = fit(model.configure({}), sizes, few, Training(epochs=2, batch=32))  # type: ignore[arg-type]
    assert fitted.history[1] < fitted.history[0]
    assert isinstance(fitted.module, torch.nn.Module)


def test_every_model_is_in_a_guide(root: Path) -> None:
    pages = "".join(page.read_text() for page in (root / "docs").glob("evaluation*.md"))
    assert not [name for name in MODELS.entries if f"`{name}`" not in pages]


class Homeless(Model):
    """Of no kind, so that nothing could evaluate it."""

    name: ClassVar = "homeless"


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(TypeError, match="expected a model such as a subclass of Network"):
        _check("gat", dict)
    with pytest.raises(TypeError, match="expected a model"):
        _check("gat", Network)
    with pytest.raises(TypeError, match="expected a model"):
        _check("homeless", Homeless)
    with pytest.raises(ValueError, match=r"'gta' but GAT\.name is 'gat'"):
        _check("gta", GAT)
    with pytest.raises(InvalidOption, match="gat: rounds"):
        GAT.configure({"rounds": "many"})
