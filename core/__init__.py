"""Diagnostic datasets for relational language understanding.

Example:

    stories = relsmith.make("clutrr", k="2..4", noise="supporting")
    stories[1_000_000].input
    relsmith.write(stories, "stories", {"train": 800, "test": 200})
    relsmith.Dataset("stories")["test"][3].target
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

if TYPE_CHECKING:
    from . import generator_options as typed
    from .block import Block
    from .capabilities import Source
    from .dataset import Dataset, Manifest, diff, verify, write
    from .engines.engine import Engine, Local, start_engine
    from .example import Example
    from .exporting.exporter import Exporter, export
    from .generator import Generator, Rows
    from .options import CommaSeparated, External, Mix, Range
    from .registry import GENERATORS, WORLDS
    from .scoring.answers import AnswerKey, Score
    from .scoring.scorer import score, steps
    from .scoring.steps import JudgedSteps, StepClaim
    from .seed import Permutation, Stream

    __version__: str

__all__ = [
    "GENERATORS",
    "WORLDS",
    "AnswerKey",
    "Block",
    "CommaSeparated",
    "Dataset",
    "Engine",
    "Example",
    "Exporter",
    "External",
    "Generator",
    "JudgedSteps",
    "Local",
    "Manifest",
    "Mix",
    "Permutation",
    "Range",
    "Rows",
    "Score",
    "Source",
    "StepClaim",
    "Stream",
    "diff",
    "export",
    "make",
    "score",
    "start_engine",
    "steps",
    "verify",
    "write",
]

_EXPORTS = {
    "scoring.answers": ("AnswerKey", "Score"),
    "block": ("Block",),
    "dataset": ("Dataset", "Manifest", "diff", "verify", "write"),
    "engines.engine": ("Engine", "Local", "start_engine"),
    "example": ("Example",),
    "exporting.exporter": ("Exporter", "export"),
    "capabilities": ("Source",),
    "generator": ("Generator", "Rows"),
    "options": ("CommaSeparated", "Mix", "External", "Range"),
    "registry": ("GENERATORS", "WORLDS"),
    "scoring.scorer": ("score", "steps"),
    "scoring.steps": ("JudgedSteps", "StepClaim"),
    "seed": ("Permutation", "Stream"),
}


@overload
def make(
    name: Literal["analogy"], **options: Unpack["typed.AnalogyOptions"]
) -> "typed.Analogy": ...
@overload
def make(name: Literal["cloze"], **options: Unpack["typed.ClozeOptions"]) -> "typed.Cloze": ...
@overload
def make(name: Literal["clutrr"], **options: Unpack["typed.ClutrrOptions"]) -> "typed.Clutrr": ...
@overload
def make(name: Literal["relinf"], **options: Unpack["typed.RelinfOptions"]) -> "typed.Relinf": ...
@overload
def make(
    name: Literal["relinf-aggregate"], **options: Unpack["typed.RelinfAggregateOptions"]
) -> "typed.RelinfAggregate": ...
@overload
def make(name: str, **options: object) -> "Generator": ...
def make(name: str, **options: object) -> "Generator":
    """Return the generator `name`, with the flags of `gen NAME` as keyword arguments."""
    from .registry import GENERATORS

    return GENERATORS.get(name).configure(options)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("relsmith")
    # Imports are deferred so that `gen --help` does not wait for pydantic.
    for module, names in _EXPORTS.items():
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
