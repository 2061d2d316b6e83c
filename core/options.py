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


_PART = re.compile(r"\s*(\d+)\s*(?:\.\.\s*(\d+)\s*)?(?:=\s*(\d+)\s*)?")
_MOST = 1000


@dataclass(frozen=True)
class Mix:
    """Whole numbers, each with a weight; written `2..10`, `2,3,5`, or with weights `2=3,3=1`."""

    weights: tuple[tuple[int, int], ...]

    @classmethod
    def parse(cls, value: object) -> Self:
        """Read ranges and numbers with commas between them, each with its weight or 1."""
        if isinstance(value, cls):
            return value
        weights: dict[int, int] = {}
        for part in str(value).split(","):
            found = None if isinstance(value, bool) else _PART.fullmatch(part)
            if not found:
                raise ValueError(
                    f"expected numbers such as 2..10, or 2,3,5, or with weights 2=3,3=1, "
                    f"but got {value!r}"
                )
            low, high, weight = found.groups()
            numbers = Range(int(low), int(high or low))
            if numbers.high - numbers.low > _MOST or int(weight or 1) > _MOST:
                raise ValueError(
                    f"expected at most {_MOST} numbers and weights of {_MOST}, but got {value!r}"
                )
            for number in numbers:
                if number in weights:
                    raise ValueError(f"{number} stands twice in {value!r}")
                weights[number] = int(weight or 1)
        if not any(weights.values()):
            raise ValueError(f"expected some weight above 0, but got {value!r}")
        return cls(tuple((number, weight) for number, weight in weights.items() if weight))

    def __str__(self) -> str:
        if any(weight != 1 for _, weight in self.weights):
            return ",".join(f"{number}={weight}" for number, weight in self.weights)
        low, high = self.low, self.high
        if len(self.weights) > 1 and [n for n, _ in self.weights] == [*range(low, high + 1)]:
            return f"{low}..{high}"
        return ",".join(str(number) for number, _ in self.weights)

    @property
    def low(self) -> int:
        """The smallest number."""
        return min(number for number, _ in self.weights)

    @property
    def high(self) -> int:
        """The largest number."""
        return max(number for number, _ in self.weights)

    @property
    def cycle(self) -> tuple[int, ...]:
        """Every number as often as its weight says, well mixed: rows take them in turn."""
        turns = [
            ((turn + 0.5) / weight, number)
            for number, weight in self.weights
            for turn in range(weight)
        ]
        return tuple(number for _, number in sorted(turns, key=lambda turn: turn[0]))

    def __iter__(self) -> Iterator[int]:
        return iter(number for number, _ in self.weights)

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
