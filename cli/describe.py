"""`gen list` and `gen describe`: what there is and how to use it."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

import typer

from ..errors import BrokenPlugin
from ..registry import GENERATORS, WORLDS, Entry, Registry
from .output import echo_json, print_rich
from .parameters import Json

if TYPE_CHECKING:
    from pydantic import BaseModel

    from ..evaluation.model import Model
    from ..generator import Generator


def _names(incomplete: str) -> list[str]:
    return [name for name in GENERATORS.entries if name.startswith(incomplete)]


Name = Annotated[str, typer.Argument(metavar="NAME", help="A generator.", autocompletion=_names)]


def list_plugins(json: Json = False) -> None:
    """List what is installed: generators, worlds, models and more, broken ones included."""
    from ..engine import ENGINES
    from ..evaluation.model import MODELS
    from ..exporter import EXPORTERS
    from ..web.annotate.task import TASKS

    groups: dict[str, tuple[Registry[Any], Callable[[Entry[Any]], dict[str, Any]]]] = {
        "generators": (GENERATORS, _generator),
        "worlds": (WORLDS, _world),
        "models": (MODELS, _model),
        "exporters": (EXPORTERS, lambda entry: {"summary": entry.load().summary}),
        "annotation_tasks": (TASKS, lambda entry: {"summary": entry.load().summary()}),
        "engines": (ENGINES, lambda entry: {"summary": _first_line(entry.load())}),
    }
    listed = {
        plural: [_entry(entry, about) for entry in registry.claims]
        for plural, (registry, about) in groups.items()
    }
    if json:
        echo_json(listed)
        return
    for plural, entries in listed.items():
        _print_entries(groups[plural][0].noun, entries)


def _entry(entry: Entry[Any], about: Callable[[Entry[Any]], dict[str, Any]]) -> dict[str, Any]:
    place = {"name": entry.name, "distribution": entry.distribution, "summary": None}
    try:
        return place | about(entry) | {"broken": None}
    except BrokenPlugin as error:
        return place | {"broken": str(error)}


def _generator(entry: "Entry[type[Generator]]") -> dict[str, Any]:
    generator = entry.load()
    return {"version": generator.version, "summary": generator.summary()}


def _first_line(thing: object) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def _world(entry: Entry[object]) -> dict[str, Any]:
    from ..kb.world import find_world

    entry.load()
    return {"summary": find_world(entry.name).summary}


def _model(entry: "Entry[type[Model]]") -> dict[str, Any]:
    if not entry.ours:
        return {"summary": entry.load().summary()}
    # Ours would import torch only to say what they are: their source says it too.
    import ast
    from importlib.util import find_spec

    spec = find_spec(entry.point.module)
    source = ast.parse(Path(str(spec and spec.origin)).read_text(encoding="utf-8"))
    (model,) = (
        node
        for node in source.body
        if isinstance(node, ast.ClassDef) and node.name == entry.point.attr
    )
    return {"summary": (ast.get_docstring(model) or "").partition("\n")[0]}


def _print_entries(noun: str, entries: list[dict[str, Any]]) -> None:
    from rich.text import Text

    table = new_table(noun, "version", "from", "what it is")
    for entry in entries:
        broken = entry["broken"]
        table.add_row(
            Text(entry["name"], "bold"),
            str(entry.get("version") or ""),
            entry["distribution"],
            Text(f"BROKEN: {broken}", "red") if broken else Text(entry["summary"]),
        )
    print_rich(table)


def describe(name: Name, json: Json = False) -> None:
    """Explain a generator: its options, its metadata, and what to cite."""
    generator = GENERATORS.get(name)
    if json:
        echo_json(
            {
                "name": generator.name,
                "version": generator.version,
                "distribution": GENERATORS.entries[name].distribution,
                "help": generator.__doc__,
                "citation": generator.citation,
                "presets": {key: preset.model_dump() for key, preset in generator.presets.items()},
                "caveats": generator.caveats(),
                "options": generator.model_json_schema(mode="serialization"),
                "metadata": generator.Metadata.model_json_schema(),
            }
        )
        return
    from rich.markdown import Markdown
    from rich.text import Text

    from . import flags

    where = GENERATORS.entries[name].distribution
    print_rich(Text(f"{generator.name}, version {generator.version}, from {where}\n", "bold"))
    print_rich(Markdown(inspect.cleandoc(generator.__doc__ or "")))
    options = new_table("option", "value", "default", "what it does")
    for field, info in generator.model_fields.items():
        options.add_row(
            Text(flags.flag(field), "bold"),
            Text(flags.metavar(info.annotation)),
            Text(flags.default(info) or "required" * info.is_required()),
            Text(info.description or ""),
        )
    print_rich(options)
    if generator.presets:
        presets = new_table("preset", "options", "splits", "what it is")
        for preset_name, preset in generator.presets.items():
            chosen = [f"{flags.flag(field)} {value}" for field, value in preset.options.items()]
            presets.add_row(
                Text(preset_name, "bold"), "\n".join(chosen), preset.split, Text(preset.summary)
            )
        print_rich(presets)
    metadata = new_table("metadata", "type", "what it holds")
    for field, kind, text in _metadata_rows(generator.Metadata):
        metadata.add_row(Text(field, "bold"), Text(kind), Text(text))
    print_rich(metadata)
    for caveat in generator.caveats():
        print_rich(Text(f"\nnote: {caveat}"))
    if generator.citation:
        print_rich(Text(f"\ncite: {generator.citation}"))


def _metadata_rows(model: "type[BaseModel]") -> list[tuple[str, ...]]:
    """A row for each field, and under it one for each field of the models in it."""
    rows: list[tuple[str, ...]] = []
    for name, info in model.model_fields.items():
        kind = re.sub(r"\b[\w.]+\.(\w+)", r"\1", inspect.formatannotation(info.annotation))
        rows.append((name, kind, info.description or ""))
        inner, mark = info.annotation, ""
        while get_origin(inner) is list:
            inner, mark = get_args(inner)[0], mark + "[]"
        if isinstance(inner, type) and hasattr(inner, "model_fields"):
            rows += [
                (f"{name}{mark}.{field}", kind, text) for field, kind, text in _metadata_rows(inner)
            ]
    return rows


def new_table(*columns: str) -> Any:
    """A plain table whose last column takes what room is left."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="dim")
    for column in columns[:-1]:
        table.add_column(column)
    table.add_column(columns[-1], ratio=1)
    return table
