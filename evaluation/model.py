"""What a model is: options with a name, the task it is for, and how it learns."""

import inspect
from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ..errors import InvalidOption, MissingExtra, install
from ..options import complaints
from ..registry import Registry
from ..storage import files
from . import pretrained
from .result import Learning
from .task import Fold, Rows, Task
from .training import Training

T = TypeVar("T")


def _ignore(done: float) -> None:
    del done


@dataclass(frozen=True)
class Job:
    """One run of a model: with which seed, where, and for how long."""

    seed: int = 0
    device: str = "cpu"
    training: Training = field(default_factory=Training)
    checkpoint: Path | None = None
    """What a killed run goes on from."""
    advance: Callable[[float], None] = _ignore
    """Is told how far training has come, from 0 to 1."""
    prepared: dict[Hashable, Any] = field(default_factory=dict)

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """What all runs of an evaluation share: made when it is first asked for."""
        if name not in self.prepared:
            self.prepared[name] = make()
        prepared: T = self.prepared[name]
        return prepared


@dataclass(frozen=True)
class Fitted:
    """What was learnt: answers for any rows, and how learning went."""

    answers: Callable[[Rows[Any]], list[Any]]
    learning: Learning = field(default_factory=Learning)
    beside: Mapping[str, Sequence[BaseModel]] = field(default_factory=dict)
    """Records that are kept beside the result of the first seed, by the end of the file's name."""


class Model(BaseModel):
    """The options of a model; its fields are the hyperparameters, its docstring says what it is."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: ClassVar[str]
    task: ClassVar[type[Task[Any, Any]]]
    yardstick: ClassVar[bool] = False
    """Whether it only shows what can be had without reasoning (or, by rules, with it)."""
    learns: ClassVar[bool] = True
    """Whether it is given rows to train on."""
    random: ClassVar[bool] = True
    """Whether another seed may give other answers."""
    packages: ClassVar[tuple[str, ...]] = ("torch",)
    """Packages on whose versions answers depend."""
    reads: ClassVar[tuple[str, ...]] = ()
    """Options that name pretrained models, by path or otherwise."""

    @property
    def label(self) -> str:
        """What it is called in tables: the name, and what tells it from others of that name."""
        return self.name

    def files(self) -> dict[str, Path]:
        """The files and folders that it reads, by name; their digests go into the result."""
        return pretrained.files_of(**{option: getattr(self, option) for option in self.reads})

    def digests(self) -> dict[str, str]:
        """The sha256 of each source that answers depend on, by name."""
        return {name: _digest(name, path) for name, path in self.files().items()}

    def suits(self, rows: Rows[Any]) -> Sequence[int]:
        """Which rows of a test it can answer."""
        return range(len(rows))

    @abstractmethod
    def fit(self, fold: Fold[Any], job: Job) -> Fitted:
        """Learn what there is to learn."""

    @classmethod
    def configure(cls, options: dict[str, Any]) -> Self:
        """Make it with these options, or say in one line what is wrong with them."""
        try:
            return cls.model_validate(options)
        except ValidationError as error:
            raise InvalidOption(f"{cls.name}: {'; '.join(complaints(error, cls))}") from None

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring."""
        return inspect.cleandoc(cls.__doc__ or "").partition("\n")[0]

    @classmethod
    def needs_options(cls) -> bool:
        """Whether there is something that a user must say."""
        return any(option.is_required() for option in cls.model_fields.values())


def _digest(name: str, path: Path) -> str:
    if not path.exists():
        raise InvalidOption(f"{name}: there is no file or folder {str(path)!r}")
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
        raise ValueError(f"{model.__name__} does not say what its task is; set task")
    if not model.summary():
        raise ValueError(f"{model.__name__} has no docstring, and the docstring is its help")
    return model


MODELS: Registry[type[Model]] = Registry("relsmith.models", "model", _check)


def need_torch() -> None:
    """Say what to install where there is no torch."""
    try:
        import torch
    except ImportError as error:
        raise MissingExtra(f"evaluation needs {error.name}: {install('eval')}") from None
    del torch
