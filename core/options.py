"""Option types with a short notation, and one-line messages for invalid values."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Self, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    GetCoreSchemaHandler,
    ValidationError,
)
from pydantic_core import CoreSchema, core_schema

from .errors import did_you_mean, hint
from .tables import load_tables

T = TypeVar("T")

_RANGE = re.compile(r"\s*(\d+)\s*(?:\.\.\s*(\d+)\s*)?")


def _text_schema(cls: Any, source: type[Any], handler: GetCoreSchemaHandler) -> CoreSchema:
    """Return the pydantic schema of a class with `parse`, which `str` reverses."""
    return core_schema.no_info_plain_validator_function(
        cls.parse, serialization=core_schema.plain_serializer_function_ser_schema(str)
    )


@dataclass(frozen=True)
class Range:
    """Whole numbers from `low` to `high`, inclusive; written `2..10`, or `3` for one number."""

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
        """Parse `2..10`, `3`, or an int."""
        if isinstance(value, cls):
            return value
        match = None if isinstance(value, bool) else _RANGE.fullmatch(str(value))
        if not match:
            raise ValueError(
                f"expected a whole number such as 3 or a range such as 2..10, but got {value!r}"
            )
        low, high = match.groups()
        return cls(int(low), int(high or low))

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low}..{self.high}"

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.low, self.high + 1))

    def __len__(self) -> int:
        return self.high - self.low + 1

    __get_pydantic_core_schema__ = classmethod(_text_schema)


_PART = re.compile(r"\s*(\d+)\s*(?:\.\.\s*(\d+)\s*)?(?:=\s*(\d+)\s*)?")
_MAX_NUMBERS = _MAX_WEIGHT = 1000


@dataclass(frozen=True)
class Mix:
    """Whole numbers, each with a weight; written `2..10`, `2,3,5`, or with weights `2=3,3=1`."""

    weights: tuple[tuple[int, int], ...]

    @classmethod
    def parse(cls, value: object) -> Self:
        """Parse comma-separated ranges and numbers, each with an optional weight (default 1).

        A list or range of numbers is also taken.
        """
        if isinstance(value, cls):
            return value
        if isinstance(value, list | tuple | range):
            value = ",".join(map(str, value))
        weights: dict[int, int] = {}
        for part in str(value).split(","):
            match = None if isinstance(value, bool) else _PART.fullmatch(part)
            if not match:
                raise ValueError(
                    f"expected numbers such as 2..10, or 2,3,5, or with weights 2=3,3=1, "
                    f"but got {value!r}"
                )
            low, high, weight = match.groups()
            numbers = Range(int(low), int(high or low))
            if len(numbers) > _MAX_NUMBERS + 1 or int(weight or 1) > _MAX_WEIGHT:
                raise ValueError(
                    f"expected at most {_MAX_NUMBERS} numbers and weights up to {_MAX_WEIGHT}, "
                    f"but got {value!r}"
                )
            for number in numbers:
                if number in weights:
                    raise ValueError(f"{number} occurs twice in {value!r}")
                weights[number] = int(weight or 1)
        if not any(weights.values()):
            raise ValueError(f"expected a weight above 0, but got {value!r}")
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

    @cached_property
    def cycle(self) -> tuple[int, ...]:
        """Every number as often as its weight, evenly interleaved; rows take them in turn."""
        turns = [
            ((turn + 0.5) / weight, number)
            for number, weight in self.weights
            for turn in range(weight)
        ]
        return tuple(number for _, number in sorted(turns, key=lambda turn: turn[0]))

    def __iter__(self) -> Iterator[int]:
        return iter(number for number, _ in self.weights)

    __get_pydantic_core_schema__ = classmethod(_text_schema)


def _split_commas(value: object) -> object:
    if not isinstance(value, str):
        return value
    return [part.strip() for part in value.split(",")] if value.strip() else []


CommaSeparated = Annotated[tuple[T, ...], BeforeValidator(_split_commas)]
"""A tuple of values, written `a,b`."""


_EXTERNAL = object()

External = Annotated[T, _EXTERNAL]
"""An option that names a file, a folder or a model, unless it has its default value.

`gen verify` does not open what a manifest names without --trust, so such options must be marked.
"""


def external_options(model: type[BaseModel], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that name a file, a folder or a model; nothing is opened."""
    return {
        name: value
        for name, field in model.model_fields.items()
        if _EXTERNAL in field.metadata
        and (value := options.get(name))
        and (field.is_required() or value != field.default)
    }


def pattern_validator(pattern: str, expected: str) -> AfterValidator:
    """Return a pydantic validator: text must match `pattern`; messages say `expected` instead."""

    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise ValueError(f"expected {expected}, but got {value!r}")
        return value

    return AfterValidator(check)


def validation_messages(
    error: ValidationError, model: type[BaseModel] = BaseModel, spell: Callable[[str], str] = str
) -> list[str]:
    """Return one line per error of pydantic: the field, what was expected, the value.

    `spell` returns a field's name as the user writes it. A validator of several fields starts its
    message with the name of the wrong field and a colon.
    """
    details: list[dict[str, Any]] = [dict(detail) for detail in error.errors(include_url=False)]
    # A list whose items are all invalid is also reported as too short; skip that second report.
    at_fault = {detail["loc"][:-1] for detail in details}
    return [
        _message(detail, model, spell)
        for detail in details
        if detail["type"] != "too_short" or detail["loc"] not in at_fault
    ]


def _message(detail: dict[str, Any], model: type[BaseModel], spell: Callable[[str], str]) -> str:
    what = validation_message(detail, model)
    where = detail["loc"]
    if where and isinstance(where[-1], int):  # the message shows the list item itself
        where = where[:-1]
    field, *below = map(str, where or [""])
    if not field:
        field, colon, rest = what.partition(": ")
        if not (colon and field in model.model_fields):
            return what
        what = rest
    return f"{'.'.join([spell(field), *below])}: {what}"


def validation_message(detail: Mapping[str, Any], model: type[BaseModel]) -> str:
    """Return pydantic's finding in plain words: what was expected, the value, a suggestion."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "missing":
        return "missing; add it"
    if kind in {"extra_forbidden", "unexpected_keyword_argument"}:
        *place, name = detail["loc"]
        fields = _fields(model, place)
        return "no such field" + (f"; {hint(str(name), fields)}" if fields else "")
    if kind == "value_error":
        return str(context["error"])
    said = str(detail["msg"]).removeprefix("Input should be ")
    expected = (
        load_tables(__package__, "expected.yaml")
        .get(kind, said[:1].lower() + said[1:])
        .format(**context)
    )
    value = detail["input"]
    choices = re.findall(r"'([^']*)'", expected) if kind == "literal_error" else []
    guess = did_you_mean(str(value), choices).rstrip()
    return f"expected {expected}, but got {_shown(value)}{guess and f'; {guess}'}"


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else shown[:77] + "..."


def _fields(model: Any, place: Iterable[str | int]) -> list[str]:
    """Return the field names of the model at a place in another model."""
    for part in place:
        fields = getattr(model, "model_fields", {})
        inner = fields[part].annotation if part in fields else model
        models = [
            inner,
            *get_args(inner),
            *(a for outer in get_args(inner) for a in get_args(outer)),
        ]
        model = next((kind for kind in models if hasattr(kind, "model_fields")), inner)
    return list(getattr(model, "model_fields", ()))
