"""Full validation of a row: its fields, its metadata schema, then the generator's judge."""

from collections.abc import Callable
from typing import Final

from pydantic import ValidationError

from .capabilities import Groups
from .example import Example
from .generator import Generator
from .options import validation_messages

JUDGE_FAILED: Final = "damaged, or its judge failed"


def findings(generator: Generator, example: Example) -> list[str]:
    """Return what is wrong with the row; empty for a correct row."""
    found = schema_findings(type(generator), example)
    return found or _judged(lambda: generator.problems(example), JUDGE_FAILED)


def schema_findings(cls: type[Generator], example: Example) -> list[str]:
    """Return what violates the row format or the generator's `Metadata`; needs no options."""
    found = _field_findings(example, cls.labelled)
    if not found:
        try:
            cls.Metadata.model_validate(example.metadata, strict=True, extra="forbid")
        except ValidationError as error:
            found = [f"metadata.{message}" for message in validation_messages(error)]
    return found


def group_findings(generator: Generator, examples: list[Example]) -> list[str]:
    """Return what is wrong with the rows of one group, compared with each other."""
    return _judged(
        lambda: Groups.of(generator).check_group(examples), "cannot be compared with its group"
    )


def _judged(check: Callable[[], list[str]], failure: str) -> list[str]:
    """Return the findings of a check; the error is the finding where the check fails."""
    try:
        return check()
    except (Exception, SystemExit) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        return [f"{failure} ({reason})"]


def _field_findings(example: Example, labelled: bool) -> list[str]:
    found = [] if example.input else ["input is empty"]
    if bool(example.target) != labelled:
        found.append("target is empty" if labelled else "target is not empty, but rows have none")
    if len(set(example.choices)) < len(example.choices):
        found.append(f"choices repeat themselves: {example.choices}")
    if labelled and example.choices and example.target not in example.choices:
        found.append(f"target {example.target!r} is not among the choices {example.choices}")
    return found
