"""Commands built from generator classes: fields become flags."""

import inspect
import re
from collections.abc import Callable
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer
from pydantic.fields import FieldInfo
from typer.core import TyperCommand

from ..errors import NotFound, hint
from ..generator import Generator, Preset

OPTIONS_PANEL = "Options of the generator"


def generator_command(cls: type[Generator], run: Callable[..., None]) -> TyperCommand:
    """Return a command with the generator's options and the keywords of `run` as flags.

    It calls `run` with the configured generator and the keywords.
    """
    fields = cls.model_fields
    shared = _keywords(run)

    def call(ctx: typer.Context, **values: Any) -> None:
        # Only given options are passed, so that the model applies its own defaults.
        options = {name: values.pop(name) for name in fields}
        given = {name: value for name, value in options.items() if _is_given(ctx, name)}
        preset = _preset(cls, values.pop("preset", None))
        if preset:
            given = {**preset.options, **given}
            if "split" in values and not (_is_given(ctx, "split") or _is_given(ctx, "rows")):
                values["split"] = preset.split
        run(cls.configure(given, flag), **values)

    own = [_parameter(name, field) for name, field in fields.items()]
    if cls.presets:
        own.insert(0, _preset_parameter(cls))
    context = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    parameters = [context, *own, *shared]
    return _command(cls.name, inspect.cleandoc(cls.__doc__ or ""), parameters, call)


def _preset(cls: type[Generator], name: str | None) -> Preset | None:
    if name is None:
        return None
    if name not in cls.presets:
        raise NotFound(f"{cls.name} has no preset {name!r}; {hint(name, cls.presets)}")
    return cls.presets[name]


def _preset_parameter(cls: type[Generator]) -> inspect.Parameter:
    option = typer.Option(
        "--preset",
        help=_escaped(f"a named set of options and splits: {', '.join(cls.presets)}"),
        metavar="<name>",
        rich_help_panel=OPTIONS_PANEL,
        autocompletion=lambda: list(cls.presets),
    )
    return inspect.Parameter(
        "preset",
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[str | None, option],
    )


def _is_given(ctx: typer.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def folder_command(folder: str, run: Callable[..., None]) -> TyperCommand:
    """Return a command with the keywords of `run`, which it calls with the folder."""

    def call(**values: Any) -> None:
        run(folder, **values)

    return _command(folder, inspect.getdoc(run) or "", _keywords(run), call)


def _keywords(run: Callable[..., None]) -> list[inspect.Parameter]:
    return list(inspect.signature(run).parameters.values())[1:]


def _command(
    name: str, help: str, parameters: list[inspect.Parameter], call: Callable[..., None]
) -> TyperCommand:
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    # Rendering Markdown for every option would take a tenth of the time of `gen NAME --help`.
    app = typer.Typer(add_completion=False, rich_markup_mode="rich")
    app.command(name, help=_escaped(re.sub(r"(?<!\n)\n(?!\n)", " ", help)))(call)
    command = typer.main.get_command(app)
    assert isinstance(command, TyperCommand)
    return command


def _escaped(text: str) -> str:
    """Return a text in which rich finds no markup."""
    from rich.markup import escape

    return escape(text)


def flag(name: str) -> str:
    """Return the flag of a field."""
    return "--" + name.replace("_", "-")


def _parameter(name: str, field: FieldInfo) -> inspect.Parameter:
    switch = field.annotation is bool
    option = typer.Option(
        f"{flag(name)}/--no-{flag(name)[2:]}" if switch else flag(name),
        help=_escaped(description(field)),
        metavar="" if switch else f"<{metavar(field.annotation)}>",
        rich_help_panel=OPTIONS_PANEL,
        autocompletion=_completion(field.annotation),
    )
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=field.default if switch else default(field),
        annotation=Annotated[bool if switch else str | None, option],
    )


def default(field: FieldInfo) -> str | None:
    """Return the default as written on the command line; None if there is none."""
    value = None if field.is_required() else field.get_default(call_default_factory=True)
    if isinstance(value, tuple | list):
        return ",".join(map(str, value))
    return None if value is None else str(value)


def description(field: FieldInfo) -> str:
    """Return the help text, with the allowed values if they are many."""
    values = _values(field.annotation)
    listed = f" ({', '.join(values)})" if len(values) > _MAX_VALUES_IN_METAVAR else ""
    return (field.description or "") + listed


def metavar(annotation: Any) -> str:
    """Return the notation of an option's value: `range`, `int`, `a|b`, `word,...`."""
    annotation = _without_none(annotation)
    if get_origin(annotation) is tuple:
        return f"{metavar(get_args(annotation)[0])},..."
    values = _values(annotation)
    if values:
        return "|".join(values) if len(values) <= _MAX_VALUES_IN_METAVAR else "word"
    return getattr(annotation, "__name__", str(annotation)).lower()


_MAX_VALUES_IN_METAVAR = 5


def _completion(annotation: Any) -> Callable[[], list[str]] | None:
    values = _values(annotation)
    return (lambda: values) if values else None


def _values(annotation: Any) -> list[str]:
    annotation = _without_none(annotation)
    if get_origin(annotation) is tuple:
        annotation = get_args(annotation)[0]
    return list(map(str, get_args(annotation))) if get_origin(annotation) is Literal else []


def _without_none(annotation: Any) -> Any:
    if get_origin(annotation) in (Union, UnionType):
        kept = [inner for inner in get_args(annotation) if inner is not NoneType]
        return kept[0] if len(kept) == 1 else annotation
    return annotation
