"""Results as JSON files: written whole or not at all, and read back."""

import hashlib
import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from ..errors import CannotWrite, InvalidOption, NotADataset, NotFound
from ..options import complaints

Kind = TypeVar("Kind", bound=BaseModel)


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


def file_digest(path: Path) -> str:
    """The sha256 of a file, or over all files right in a folder."""
    whole = hashlib.sha256()
    for one in sorted(path.iterdir()) if path.is_dir() else [path]:
        if one.is_file():
            with one.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256")
            whole.update(one.name.encode() * path.is_dir() + digest.digest())
    return whole.hexdigest()


def save_json(path: Path, value: Any, *, indented: bool = True) -> None:
    """Write it whole or not at all."""
    partial = path.with_name(f"{path.name}.partial")
    option = orjson.OPT_NON_STR_KEYS | orjson.OPT_APPEND_NEWLINE
    option |= orjson.OPT_INDENT_2 if indented else 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(orjson.dumps(value, option=option))
        partial.replace(path)
    except OSError as error:
        raise CannotWrite(f"cannot write {path}: {error.strerror}; write elsewhere") from None


def check_setup(path: Path, kept: BaseModel, setup: BaseModel) -> None:
    """Complain where a file holds a result of another setup."""
    fields = type(setup).model_fields
    names = [name for name in fields if getattr(kept, name) != getattr(setup, name)]
    if names:
        raise InvalidOption(
            f"{path} holds a result of another setup ({' and '.join(names)} "
            f"differ{'s' * (len(names) == 1)}); write elsewhere with --out, or remove it"
        )


def load_all(places: Sequence[Path], kind: type[Kind]) -> list[Kind]:
    """What is in these files, and in every JSON file of these folders; a file may hold several."""
    found: list[Kind] = []
    for place in places:
        paths = sorted(place.glob("*.json")) if place.is_dir() else [place]
        if not paths:
            raise NotFound(f"{place} holds no results; make some with gen eval DIR --out {place}")
        for path in paths:
            found += _load(path, kind)
    return found


def _load(path: Path, kind: type[Kind]) -> list[Kind]:
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
    raise NotADataset(f"{path} is no result of gen eval: {reason}; remove it or make it again")
