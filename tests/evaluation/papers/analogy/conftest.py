"""A small dataset of analogies, and tiny random models."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from relsmith import write
from relsmith.evaluation.papers.analogy.task import AnalogyRow, AnalogyTask
from relsmith.evaluation.task import TaskRows
from relsmith.generators.analogy import Analogy as Generator

# More threads than free cores make these tests many times slower.
torch.set_num_threads(1)

OPTIONS = {"only": "capital,plural", "probe": "all", "tuples": "24"}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Capitals and plurals, all probes in both settings."""
    out = tmp_path_factory.mktemp("analogies") / "sound"
    generator = Generator.configure(OPTIONS)
    write(generator, out, generator.capacity(("train", "test"), 0))
    return out


@pytest.fixture(scope="session")
def faithful(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with the paper's negatives."""
    out = tmp_path_factory.mktemp("analogies") / "faithful"
    generator = Generator.configure(OPTIONS | {"paper_faithful": True})
    write(generator, out, generator.capacity(("train", "test"), 0))
    return out


@pytest.fixture(scope="session")
def rows(folder: Path) -> TaskRows[AnalogyRow]:
    return AnalogyTask().read(folder, "train")


@pytest.fixture(scope="session")
def supervised(rows: TaskRows[AnalogyRow]) -> list[AnalogyRow]:
    """Rows of one relation and probe."""
    (relation, *_) = sorted({row.labels.relation for row in rows.rows})
    wanted = (relation, "supervised", "random")
    return [row for row in rows.rows if row.labels[:3] == wanted]


@pytest.fixture(scope="session")
def chosen(supervised: list[AnalogyRow]) -> list[AnalogyRow]:
    """64 rows that are true or false, half of each."""
    return [row for n in (0, 1) for row in [row for row in supervised if row.target == n][:32]]


@pytest.fixture(scope="session")
def words(rows: TaskRows[AnalogyRow]) -> list[str]:
    return sorted({word for row in rows.rows for quad in row.quads for word in quad})


def _tokenizer(folder: Path, words: list[str]) -> int:
    from transformers import BertTokenizerFast

    letters = "abcdefghijklmnopqrstuvwxyz0123456789'-.,!?:"
    common = [word.lower() for place, word in enumerate(words) if place % 2 and word.isalpha()]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "what", "is", "to"]
    pieces += [*letters, *(f"##{letter}" for letter in letters), *common]
    pieces = list(dict.fromkeys(pieces))
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n")
    BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder)
    return len(pieces)


def _saved(folder: Path, words: list[str], kind: str, **sizes: Any) -> Path:
    """A tiny language model with random weights; its tokens are words and letters."""
    import transformers

    config = getattr(transformers, f"{kind.removesuffix('LMHead')}Config")(
        vocab_size=_tokenizer(folder, words), initializer_range=0.2, **sizes
    )
    torch.manual_seed(0)
    model = kind + ("Model" if kind.endswith("LMHead") else "ForMaskedLM")
    getattr(transformers, model)(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def masked(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> Path:
    """A tiny masked language model."""
    sizes = {"hidden_size": 64, "intermediate_size": 64}
    layers = {"num_hidden_layers": 2, "num_attention_heads": 4}
    return _saved(tmp_path_factory.mktemp("bert"), words, "Bert", **sizes, **layers)


@pytest.fixture(scope="session")
def causal(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> Path:
    """A tiny causal language model."""
    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 2, "bos_token_id": 2, "eos_token_id": 3}
    return _saved(tmp_path_factory.mktemp("gpt"), words, "GPT2LMHead", **sizes)


@pytest.fixture(scope="session")
def vectors(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> Path:
    """Random vectors of single words."""
    path = tmp_path_factory.mktemp("vectors") / "tiny.vec"
    torch.manual_seed(0)
    parts = sorted({part for word in words for part in word.lower().split()})
    lines = [
        " ".join([part, *(f"{number:.4f}" for number in torch.randn(50).tolist())])
        for part in parts
    ]
    path.write_text(f"{len(parts)} 50\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def frequency(root: Path) -> ModuleType:
    """The script bench/frequency.py."""
    path = root / "bench" / "frequency.py"
    spec = importlib.util.spec_from_file_location("word_frequency_of_answers", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look it up
    spec.loader.exec_module(module)
    return module
