"""What a model is: options with a name, that build a torch module or guess by themselves."""

import inspect
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from ..errors import InvalidOption, MissingExtra
from ..options import complaints
from ..registry import Registry
from .stories import Story

if TYPE_CHECKING:
    from torch import nn

    from .encoding import Sizes


class Model(BaseModel):
    """The options of a model; its fields are the hyperparameters, its docstring says what it is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    yardstick: ClassVar[bool] = False
    """Whether it only shows what can be had without reasoning (or, by rules, with it)."""

    @classmethod
    def configure(cls, options: dict[str, Any]) -> Self:
        """Make it with these options, or say in one line what is wrong with them."""
        try:
            return cls.model_validate(options)
        except ValidationError as error:
            raise InvalidOption(f"{cls.name}: {'; '.join(complaints(error))}") from None

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring."""
        return inspect.cleandoc(cls.__doc__ or "").partition("\n")[0]


class Network(Model):
    """A model that is trained."""

    @abstractmethod
    def build(self, sizes: "Sizes") -> "nn.Module":
        """Make the module; it maps a `Batch` to a score for each target."""


class Guesser(Model):
    """A model that needs no training loop."""

    @abstractmethod
    def guess(self, train: Sequence[Story], test: Sequence[Story]) -> list[str]:
        """Answer the test's questions."""


def _check(name: str, found: object) -> type[Model]:
    if not (isinstance(found, type) and issubclass(found, (Network, Guesser))):
        raise TypeError(f"expected a subclass of Network or Guesser, but got {found!r}")
    if getattr(found, "name", None) != name:
        raise ValueError(
            f"the entry point is {name!r} but {found.__name__}.name is "
            f"{getattr(found, 'name', None)!r}; they must be the same"
        )
    if not found.summary():
        raise ValueError(f"{found.__name__} has no docstring, and the docstring is its help")
    return found


MODELS: Registry[type[Model]] = Registry("relsmith.models", "model", _check)


def need_torch() -> None:
    """Say what to install where there is no torch."""
    try:
        import torch
    except ImportError as error:
        raise MissingExtra(f"evaluation needs {error.name}: pip install 'relsmith[eval]'") from None
    del torch
