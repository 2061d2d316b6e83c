"""Diagnostic datasets for relational language understanding.

In short:

    stories = relsmith.make("clutrr", k="2..4", noise="supporting")
    stories[1_000_000].input
    relsmith.write(stories, "stories", {"train": 800, "test": 200})
    relsmith.Dataset("stories")["test"][3].target
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .block import Block
    from .dataset import Dataset, Manifest, diff, verify, write
    from .engines.engine import Engine, Local, start_engine
    from .example import Example
    from .exporting.exporter import Exporter, export
    from .generator import Generator, Source
    from .options import Listed, Mix, Outside, Range
    from .registry import GENERATORS, WORLDS
    from .rows import Rows
    from .scoring.answers import Key, Score
    from .scoring.scorer import score
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
    "Key",
    "Listed",
    "Local",
    "Manifest",
    "Mix",
    "Outside",
    "Range",
    "Rows",
    "Score",
    "Source",
    "Stream",
    "diff",
    "export",
    "make",
    "score",
    "start_engine",
    "verify",
    "write",
]

_HOMES = {
    "scoring.answers": ("Key", "Score"),
    "block": ("Block",),
    "dataset": ("Dataset", "Manifest", "diff", "verify", "write"),
    "engines.engine": ("Engine", "Local", "start_engine"),
    "example": ("Example",),
    "exporting.exporter": ("Exporter", "export"),
    "generator": ("Generator", "Source"),
    "options": ("Listed", "Mix", "Outside", "Range"),
    "registry": ("GENERATORS", "WORLDS"),
    "rows": ("Rows",),
    "scoring.scorer": ("score",),
    "seed": ("Deal", "Stream"),
}


def make(name: str, **options: object) -> "Generator":
    """Make the generator of that name, with options as keywords, as `gen NAME` does with flags."""
    from .registry import GENERATORS

    return GENERATORS.get(name).configure(options)


def __getattr__(name: str) -> Any:
    # Names are fetched when they are used, so that `gen --help` need not wait for pydantic.
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
