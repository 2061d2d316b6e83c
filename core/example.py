"""A row: one question for a model, its answer, and its metadata."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Self, get_type_hints

import orjson
from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from .errors import hint
from .options import validation_messages
from .storage.text import parse_json

NONE = "none"
"""The target of a question whose answer is the empty set."""
_SEPARATOR = "; "


def set_target(members: Iterable[str]) -> str:
    """Return the target for a set of answers: the sorted members, or `none`."""
    return _SEPARATOR.join(sorted(members)) or NONE


def members_of(target: str) -> frozenset[str]:
    """Return the members of a set target; any other target is its own only member."""
    return frozenset(target.split(_SEPARATOR)) if target != NONE else frozenset()


@dataclass(slots=True)
class Example:
    """One row; `input` is the whole prompt text, `choices` is empty for free-form answers."""

    id: str
    input: str
    choices: list[str]
    target: str
    metadata: dict[str, Any]

    def __getitem__(self, field: str) -> Any:
        """Return a field by name: `row["input"]`."""
        try:
            return self.record()[field]
        except KeyError:
            raise KeyError(f"no field {field!r}; {hint(str(field), self.record())}") from None

    def record(self) -> dict[str, Any]:
        """Return the row as a dictionary, which orjson encodes twice as fast as a dataclass."""
        return {
            "id": self.id,
            "input": self.input,
            "choices": self.choices,
            "target": self.target,
            "metadata": self.metadata,
        }

    def encoded(self) -> str:
        """Return the row as a line of JSON for `parse`."""
        return orjson.dumps(self.record()).decode()

    @classmethod
    def parse(cls, line: bytes | str) -> Self:
        """Parse a row from a line of JSON; errors are a ValueError with a one-line message."""
        try:
            return cls(**_schema().validate_python(parse_json(line)))
        except ValidationError as error:
            raise ValueError("; ".join(validation_messages(error))) from None


@cache
def _schema() -> TypeAdapter[Any]:
    """Build the row validator on first use, because building is slow."""
    fields = TypedDict("fields", get_type_hints(Example))  # type: ignore[misc]  # the same fields
    return TypeAdapter(with_config(ConfigDict(extra="forbid", strict=True))(fields))
