"""Diagnostic datasets for relational language understanding."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .block import Block
    from .dataset import Dataset, Manifest, diff, verify, write
    from .engine import Engine, Local
    from .example import Example
    from .exporter import Exporter, export
    from .generator import Generator, Source
    from .options import Listed, Mix, Range
    from .registry import GENERATORS, WORLDS
    from .seed import Deal, Stream

__all__ = [
    "GENERATORS",
    "WORLDS",
    "Block",
    "Dataset",
    "Deal",
    "Engine",
    "Example",
    "Exporter",
    "Generator",
    "Listed",
    "Local",
    "Manifest",
    "Mix",
    "Range",
    "Source",
    "Stream",
    "diff",
    "export",
    "verify",
    "write",
]

_HOMES = {
    "block": ("Block",),
    "dataset": ("Dataset", "Manifest", "diff", "verify", "write"),
    "engine": ("Engine", "Local"),
    "example": ("Example",),
    "exporter": ("Exporter", "export"),
    "generator": ("Generator", "Source"),
    "options": ("Listed", "Mix", "Range"),
    "registry": ("GENERATORS", "WORLDS"),
    "seed": ("Deal", "Stream"),
}


def __getattr__(name: str) -> Any:
    # Names are fetched when they are used, so that `gen --help` need not wait for pydantic.
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
