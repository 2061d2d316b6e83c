"""The row: one question a model is asked, its answer, and all that is known about it."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Self, get_type_hints

import orjson
from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from .options import complaints
from .storage.text import parse_json

NONE = "none"
"""The target where a set is asked for that has no members."""
_BETWEEN = "; "


def set_target(members: Iterable[str]) -> str:
    """A set as a target: its members in the order of the alphabet, or `none`."""
    return _BETWEEN.join(sorted(members)) or NONE


def members_of(target: str) -> frozenset[str]:
    """The members of a set that is a target; of any other target, itself."""
    return frozenset(target.split(_BETWEEN)) if target != NONE else frozenset()


@dataclass(slots=True)
class Example:
    """One row; `input` is the whole text shown, `choices` is empty where the answer is open."""

    id: str
    input: str
    choices: list[str]
    target: str
    metadata: dict[str, Any]

    def record(self) -> dict[str, Any]:
        """The row as a dictionary, which orjson encodes in half the time of a dataclass."""
        return {
            "id": self.id,
            "input": self.input,
            "choices": self.choices,
            "target": self.target,
            "metadata": self.metadata,
        }

    def encoded(self) -> str:
        """The row as a line of JSON, which `parse` reads."""
        return orjson.dumps(self.record()).decode()

    @classmethod
    def parse(cls, line: bytes | str) -> Self:
        """Read a row from a line of JSON; what is amiss is a ValueError in one line."""
        try:
            return cls(**_schema().validate_python(parse_json(line)))
        except ValidationError as error:
            raise ValueError("; ".join(complaints(error))) from None


@cache
def _schema() -> TypeAdapter[Any]:
    """Build the validator of rows when the first row is parsed; building takes a while."""
    fields = TypedDict("fields", get_type_hints(Example))  # type: ignore[misc]  # the same fields
    return TypeAdapter(with_config(ConfigDict(extra="forbid", strict=True))(fields))
