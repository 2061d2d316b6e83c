"""The full judgement of one row: its shape, its documented metadata, then the generator's own."""

from pydantic import ValidationError

from .example import Example
from .generator import Generator
from .options import complaints


def findings(generator: Generator, example: Example) -> list[str]:
    """What is wrong with the row; nothing where it is right."""
    return undocumented(type(generator), example) or _problems(generator, example)


def undocumented(kind: type[Generator], example: Example) -> list[str]:
    """What of a row is not as generators of its kind describe it; no options are needed for it."""
    return _shape(example, kind.labelled) or _schema(kind, example)


def disagreements(generator: Generator, examples: list[Example]) -> list[str]:
    """What is wrong with rows that belong together, held against one another."""
    try:
        return generator.unlike(examples)
    except (Exception, SystemExit) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        return [f"beyond comparison with the rows beside it ({reason})"]


def _shape(example: Example, labelled: bool) -> list[str]:
    found = [] if example.input else ["input is empty"]
    if bool(example.target) != labelled:
        found.append("target is empty" if labelled else "target is not empty, but rows have none")
    if len(set(example.choices)) < len(example.choices):
        found.append(f"choices repeat themselves: {example.choices}")
    if labelled and example.choices and example.target not in example.choices:
        found.append(f"target {example.target!r} is not among the choices {example.choices}")
    return found


def _schema(kind: type[Generator], example: Example) -> list[str]:
    try:
        kind.Metadata.model_validate(example.metadata, strict=True, extra="forbid")
    except ValidationError as error:
        return [f"metadata.{complaint}" for complaint in complaints(error)]
    return []


def _problems(generator: Generator, example: Example) -> list[str]:
    try:
        return generator.problems(example)
    except (Exception, SystemExit) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        return [f"damaged, or beyond its judge ({reason})"]
