"""Models: their options, their task, and how they are fitted."""

import inspect
from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ..errors import InvalidOption, MissingExtra, install_command
from ..options import validation_messages
from ..registry import Registry
from ..storage import files
from . import pretrained
from .result import TrainingSummary
from .task import Fold, Task, TaskRows
from .training import Training

T = TypeVar("T")


def _ignore(done: float) -> None:
    del done


@dataclass(frozen=True)
class RunContext:
    """Settings of one run of a model: seed, device, training options, checkpoint."""

    seed: int = 0
    device: str = "cpu"
    training: Training = field(default_factory=Training)
    checkpoint: Path | None = None
    """The file from which an interrupted run resumes."""
    advance: Callable[[float], None] = _ignore
    """Called with the progress of training, from 0 to 1."""
    prepared: dict[Hashable, Any] = field(default_factory=dict)

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """Return a value shared by all runs of an evaluation; make it on first use."""
        if name not in self.prepared:
            self.prepared[name] = make()
        prepared: T = self.prepared[name]
        return prepared


@dataclass(frozen=True)
class FittedModel:
    """A fitted model: a function that answers rows, and a summary of training."""

    answers: Callable[[TaskRows[Any]], list[Any]]
    learning: TrainingSummary = field(default_factory=TrainingSummary)


class Model(BaseModel):
    """Base class of models; fields are hyperparameters, and the docstring is the help text."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: ClassVar[str]
    task: ClassVar[type[Task[Any, Any]]]
    baseline: ClassVar[bool] = False
    """Whether the model is a baseline: it cannot reason, or only applies rules."""
    learns: ClassVar[bool] = True
    """Whether the model needs training rows."""
    random: ClassVar[bool] = True
    """Whether answers depend on the seed."""
    packages: ClassVar[tuple[str, ...]] = ("torch",)
    """Packages whose versions affect the answers."""
    reads: ClassVar[tuple[str, ...]] = ()
    """Options that name pretrained models, by path or otherwise."""

    @classmethod
    def configure(cls, options: dict[str, Any]) -> Self:
        """Create an instance; raise InvalidOption if an option is wrong."""
        try:
            return cls.model_validate(options)
        except ValidationError as error:
            raise InvalidOption(
                f"{cls.name}: {'; '.join(validation_messages(error, cls))}"
            ) from None

    @classmethod
    def summary(cls) -> str:
        """Return the first line of the docstring."""
        return inspect.cleandoc(cls.__doc__ or "").partition("\n")[0]

    @property
    def label(self) -> str:
        """The name in tables: the model's name and what distinguishes its settings."""
        return self.name

    def files(self) -> dict[str, Path]:
        """Return the files and folders that the model reads, by name."""
        return pretrained.files_of(**{option: getattr(self, option) for option in self.reads})

    def digests(self) -> dict[str, str]:
        """Return the sha256 of each of `files`, by name."""
        return {name: _digest(name, path) for name, path in self.files().items()}

    def answerable_rows(self, rows: TaskRows[Any]) -> Sequence[int]:
        """Return the positions of the test rows that the model can answer."""
        return range(len(rows))

    @abstractmethod
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        """Train on the fold's training rows."""

    @classmethod
    def needs_options(cls) -> bool:
        """Return whether an option has no default."""
        return any(option.is_required() for option in cls.model_fields.values())


def _digest(name: str, path: Path) -> str:
    if not path.exists():
        raise InvalidOption(f"{name}: no such file or folder: {str(path)!r}")
    return files.digest(path)


def _check(name: str, model: object) -> type[Model]:
    if not (isinstance(model, type) and issubclass(model, Model)) or inspect.isabstract(model):
        raise TypeError(f"expected a model that can be made and fitted, but got {model!r}")
    if getattr(model, "name", None) != name:
        raise ValueError(
            f"the entry point is {name!r} but {model.__name__}.name is "
            f"{getattr(model, 'name', None)!r}; they must be the same"
        )
    if not hasattr(model, "task"):
        raise ValueError(f"{model.__name__} has no task; set task")
    if not model.summary():
        raise ValueError(f"{model.__name__} has no docstring, and the docstring is its help")
    return model


MODELS: Registry[type[Model]] = Registry("relsmith.models", "model", _check)


def need_torch() -> None:
    """Raise MissingExtra if torch is not installed."""
    try:
        import torch
    except ImportError as error:
        raise MissingExtra(f"evaluation needs {error.name}: {install_command('eval')}") from None
    del torch
