"""Option types that read the way people write them, and complaints about values in one line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Self, TypeVar

from pydantic import BeforeValidator, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, core_schema

T = TypeVar("T")

_RANGE = re.compile(r"\s*(\d+)\s*(?:\.\.\s*(\d+)\s*)?")


@dataclass(frozen=True)
class Range:
    """Whole numbers from `low` to `high`, both included; written `2..10`, or `3` for one."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError(
                f"expected low..high, but got '{self.low}..{self.high}'; "
                f"did you mean '{self.high}..{self.low}'?"
            )

    @classmethod
    def parse(cls, value: object) -> Self:
        """Read `2..10`, `3`, or a whole number."""
        if isinstance(value, cls):
            return value
        found = None if isinstance(value, bool) else _RANGE.fullmatch(str(value))
        if not found:
            raise ValueError(
                f"expected a whole number such as 3 or a range such as 2..10, but got {value!r}"
            )
        low, high = found.groups()
        return cls(int(low), int(high or low))

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low}..{self.high}"

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.low, self.high + 1))

    def __len__(self) -> int:
        return self.high - self.low + 1

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[Any], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls.parse,
            serialization=core_schema.plain_serializer_function_ser_schema(str),
        )


def _split_commas(value: object) -> object:
    if not isinstance(value, str):
        return value
    return [part.strip() for part in value.split(",")] if value.strip() else []


Listed = Annotated[tuple[T, ...], BeforeValidator(_split_commas)]
"""Several values, written `a,b`."""


def complaints(error: ValidationError) -> list[str]:
    """Say what pydantic found, one line a mistake: where, what was expected, what it got."""
    details: list[dict[str, Any]] = [dict(detail) for detail in error.errors(include_url=False)]
    # A list whose items are all refused is also called too short; that is no second mistake.
    at_fault = {detail["loc"][:-1] for detail in details}
    return [
        _complaint(detail)
        for detail in details
        if detail["type"] != "too_short" or detail["loc"] not in at_fault
    ]


def _complaint(detail: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in detail["loc"])
    prefix = f"{where}: " if where else ""
    if detail["type"] == "value_error":
        return prefix + str(detail["ctx"]["error"])
    said = str(detail["msg"])
    message = said[:1].lower() + said[1:]
    if detail["type"] in {"missing", "extra_forbidden", "unexpected_keyword_argument"}:
        return prefix + message
    shown = repr(detail["input"])
    shown = shown if len(shown) <= 80 else shown[:77] + "..."
    return f"{prefix}{message}, but got {shown}"
