"""What a model is: options with a name, and the kind of rows it is evaluated on."""

import inspect
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ..errors import InvalidOption, MissingExtra, install
from ..options import complaints
from ..registry import Registry
from .table import Table

Bar = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Given what is done and how much of it there is: a progress bar that is told what is behind."""


@dataclass(frozen=True)
class Order:
    """What the user of `gen eval` asked for, whatever the models."""

    path: Path
    """A dataset, or a file of rows where models read such."""
    train: str
    test: str
    test_on: tuple[Path, ...]
    seeds: int
    device: str
    epochs: int
    patience: int
    batch: int
    out: Path
    bar: Bar

    def limits(self) -> dict[str, int]:
        """How long to train, by the names that every kind of training has for it."""
        return {"epochs": self.epochs, "patience": self.patience, "batch": self.batch}


class _Summarised(Protocol):
    def summary(self) -> dict[str, Any]: ...


Result = TypeVar("Result", bound=_Summarised)


@dataclass(frozen=True)
class Outcome(Generic[Result]):
    """What came out of an evaluation; the results themselves are in the folder `out` by then."""

    results: list[Result]
    report: Callable[[list[Result]], list[Table]]

    def as_json(self) -> Any:
        """All figures, for programs."""
        return [result.summary() for result in self.results]

    def tables(self) -> list[Table]:
        """The figures, for people."""
        return self.report(self.results)


class Model(BaseModel):
    """The options of a model; its fields are the hyperparameters, its docstring says what it is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    reads: ClassVar[str]
    """The kind of rows: stories, analogies, ..."""
    runner: ClassVar[str]
    """`package.module:function` that evaluates such models; by name, since it knows the models."""
    yardstick: ClassVar[bool] = False
    """Whether it only shows what can be had without reasoning (or, by rules, with it)."""

    @classmethod
    def evaluate(cls, models: "Sequence[Model]", order: Order) -> Outcome[Any]:
        """Evaluate models that read the same kind of rows as this one."""
        outcome: Outcome[Any] = resolve_name(cls.runner)(models, order)
        return outcome

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


def _check(name: str, model: object) -> type[Model]:
    if (
        not (isinstance(model, type) and issubclass(model, Model))
        or inspect.isabstract(model)
        or not hasattr(model, "runner")
    ):
        raise TypeError(f"expected a model such as a subclass of Network, but got {model!r}")
    if getattr(model, "name", None) != name:
        raise ValueError(
            f"the entry point is {name!r} but {model.__name__}.name is "
            f"{getattr(model, 'name', None)!r}; they must be the same"
        )
    if not isinstance(getattr(model, "reads", None), str):
        raise ValueError(f"{model.__name__} does not say what it reads; set reads")
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
