"""Results as JSON files: written whole or not at all, and read back."""

import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Self, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .. import files
from ..dataset import Dataset
from ..errors import InvalidOption, NotADataset, NotFound
from ..options import complaints

Kind = TypeVar("Kind", bound=BaseModel)


class Part(BaseModel):
    """A part of a result; nothing is in it that is not named."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Data(Part):
    """A split of a dataset, known by the digest of its manifest."""

    dataset: str = Field(description="the folder's name")
    split: str
    manifest: str = Field(description="sha256 of manifest.json")
    generator: str
    version: int
    options: dict[str, Any]
    seed: int
    rows: int

    @classmethod
    def of(cls, folder: Path, split: str, rows: int, **more: Any) -> Self:
        """What is said of so many rows of a split."""
        manifest = Dataset(folder).manifest
        return cls(
            dataset=folder.resolve().name,
            split=split,
            manifest=files.digest(folder / "manifest.json"),
            generator=manifest.generator,
            version=manifest.version,
            options=manifest.options,
            seed=manifest.seed,
            rows=rows,
            **more,
        )


class Setup(Part):
    """All that a result depends on; kinds of models add what theirs do."""

    model: str
    hyperparameters: dict[str, Any]
    device: str
    versions: dict[str, str]


def versions() -> dict[str, str]:
    """The versions of what a result depends on."""
    return {
        "relsmith": metadata.version("relsmith"),
        "python": platform.python_version(),
        "torch": _torch(),
    }


def _torch() -> str:
    import torch

    return str(torch.__version__)


def save_json(path: Path, value: Any, *, indented: bool = True) -> None:
    """Write it whole or not at all."""
    option = orjson.OPT_NON_STR_KEYS | orjson.OPT_APPEND_NEWLINE
    option |= orjson.OPT_INDENT_2 if indented else 0
    files.save(path, orjson.dumps(value, option=option))


def check_setup(path: Path, kept: BaseModel, setup: BaseModel) -> None:
    """Complain where a file holds a result of another setup."""
    fields = type(setup).model_fields
    names = [name for name in fields if getattr(kept, name) != getattr(setup, name)]
    if names:
        raise InvalidOption(
            f"{path} holds a result of another setup ({' and '.join(names)} "
            f"differ{'s' * (len(names) == 1)}); write elsewhere with --out, or remove it"
        )


def load_all(places: Sequence[Path], kind: type[Kind], reads: str) -> list[Kind]:
    """What is in these files, and in every JSON file of these folders; a file may hold several."""
    found: list[Kind] = []
    for place in places:
        paths = sorted(place.glob("*.json")) if place.is_dir() else [place]
        if not paths:
            raise NotFound(f"{place} holds no results; make some with gen eval DIR --out {place}")
        for path in paths:
            found += _load(path, kind, reads)
    return found


def _load(path: Path, kind: type[Kind], reads: str) -> list[Kind]:
    try:
        found = orjson.loads(path.read_bytes())
        several = found if isinstance(found, list) else [found]
        return [kind.model_validate(one) for one in several]
    except OSError as error:
        raise NotFound(f"{path}: {error.strerror}; gen eval writes results") from None
    except ValidationError as error:
        reason = complaints(error)[0]
    except ValueError:
        reason = "it is not JSON"
    raise NotADataset(
        f"{path} is no result of gen eval with models that read {reads} ({reason}); "
        f"name results that are"
    )
