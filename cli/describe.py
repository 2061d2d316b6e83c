"""`gen list` and `gen describe`: list plugins, and explain generators and worlds."""

import inspect
import re
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

import typer

from ..errors import BrokenPlugin, NotFound, hint
from ..plugin_summary import docstring_summary, exporter_summary, generator_version, world_summary
from ..registry import GENERATORS, WORLDS, PluginEntry, Registry
from .output import echo, echo_json, print_rich
from .parameters import Json

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from pydantic import BaseModel

    from ..kb.worlds.world import World


def _names(incomplete: str) -> list[str]:
    names = [*GENERATORS.entries, *WORLDS.entries]
    return [name for name in names if name.startswith(incomplete)]


Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="A generator, a world, or a world file.", autocompletion=_names
    ),
]


def list_plugins(json: Json = False) -> None:
    """List installed generators, worlds, models and other plugins, including broken ones."""
    listed = {
        group: [_entry(entry, group) for entry in Registry(f"relsmith.{group}", *_UNCHECKED).claims]
        for group in _GROUPS
    }
    if json:
        echo_json(listed)
        return
    for group, entries in listed.items():
        option = f" (--{group.removesuffix('s')} of clutrr)"
        noun = group.removesuffix("s") + option * (group in ("worlds", "languages"))
        _print_entries(noun.replace("_", " "), entries)


def _entry(entry: PluginEntry[Any], group: str) -> dict[str, Any]:
    """Describe a plugin: a built-in from its source, any other by importing and checking it."""
    place = {"name": entry.name, "distribution": entry.distribution, "summary": None}
    registry, declared = _GROUPS[group]
    try:
        if entry.is_builtin:
            about: dict[str, Any] = {"summary": declared(entry.point)}
            if group == "generators":
                about["version"] = generator_version(entry.point)
        else:
            module, name = registry.split(":")
            check = getattr(import_module(module, __package__), name).check
            plugin = replace(entry, check=check).load()
            about = {"summary": _summary(plugin, entry, group)}
            if group == "generators":
                about["version"] = plugin.version
        return place | about | {"broken": None}
    except BrokenPlugin as error:
        return place | {"broken": str(error)}


def _summary(plugin: Any, entry: PluginEntry[Any], group: str) -> str:
    """Return the summary of an imported plugin."""
    if group == "worlds":
        from ..kb.worlds.world import find_world

        return find_world(entry.name).summary
    if group == "languages":
        from ..kb.worlds.languages import find_language

        return find_language(entry.name).texts.name
    summary = getattr(plugin, "summary", None)
    if summary is None:
        return (inspect.getdoc(plugin) or "").partition("\n")[0]
    return str(summary() if callable(summary) else summary)


_GROUPS: dict[str, tuple[str, Callable[["EntryPoint"], str]]] = {
    "generators": ("..registry:GENERATORS", docstring_summary),
    "worlds": ("..registry:WORLDS", world_summary),
    "languages": ("..registry:LANGUAGES", docstring_summary),
    "models": ("..evaluation.model:MODELS", docstring_summary),
    "exporters": ("..exporting.exporter:EXPORTERS", exporter_summary),
    "annotation_tasks": ("..web.annotate.task:TASKS", docstring_summary),
    "engines": ("..engines.engine:ENGINES", docstring_summary),
}
"""By entry-point group: the registry that checks its plugins, imported only for plugins of others,
and the summary of a built-in plugin, from its source."""

_UNCHECKED = ("plugin", lambda name, plugin: plugin)


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
    """Explain a generator (options, metadata, citation), or a world.

    Of a world: relations, rules, sentences, and an example.
    """
    if name not in GENERATORS.entries:
        if name not in WORLDS.entries and not Path(name).is_file():
            names = [*GENERATORS.entries, *WORLDS.entries]
            raise NotFound(f"no generator or world is called {name!r}; {hint(name, names)}")
        _describe_world(load_or_find(name), json)
        return
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
    if generator.citation:
        print_rich(Text(f"\ncite: {generator.citation}"))


def _metadata_rows(model: "type[BaseModel]") -> list[tuple[str, ...]]:
    """Return (name, type, description) of each field, with the fields of inner models."""
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


def load_or_find(what: str) -> "World":
    """Return the world in a file, or the installed one of this name."""
    from ..kb.worlds.world import find_world, load_world

    path = Path(what)
    by_name = not path.suffix and not path.is_file()
    return find_world(what) if by_name else load_world(path)


def _describe_world(world: "World", json: bool) -> None:
    """Print the relations, rules and sentences of a world, and an example."""
    about = _world_description(world)
    if json:
        echo_json(about)
        return
    from rich.text import Text

    print_rich(Text(f"{world.name}, a world for gen clutrr --world", "bold"))
    echo(world.summary)
    relations = new_table("relation", "inverse", "words")
    for name, relation in about["relations"].items():
        relations.add_row(Text(name, "bold"), relation["inverse"], ", ".join(relation["words"]))
    print_rich(relations)
    rules = new_table("rules", "number", "an example", "what they are")
    for name, ruleset in about["rulesets"].items():
        label = f"{name} (default)" if name == world.default else name
        number, example = str(ruleset["rules"]), ruleset["example"]
        rules.add_row(Text(label, "bold"), number, example, Text(ruleset["summary"]))
    print_rich(rules)
    if world.conventions:
        echo(f"conventions: {world.conventions.brief}")
    if world.stories is None:
        return
    echo(f"questions: --answer {', '.join(about['questions'])}")
    echo(f"sentences: {about['frames']} frames (gen show clutrr --world {world.name})\n")
    echo(f"{about['example']['input']}\nanswer: {about['example']['target']}")


def _world_description(world: "World") -> dict[str, Any]:
    about: dict[str, Any] = {
        "name": world.name,
        "summary": world.summary,
        "relations": {
            name: {"words": list(dict.fromkeys(words)), "inverse": world.inverse(name) or ""}
            for name, words in zip(world.predicates, world.words, strict=True)
        },
        "rulesets": {
            name: {
                "summary": ruleset.summary,
                "rules": len(ruleset.rules),
                "example": str(ruleset.rules[0]) if ruleset.rules else "",
            }
            for name, ruleset in world.rulesets.items()
        },
    }
    if world.stories is None:
        return about
    from ..generators.clutrr import Clutrr
    from ..templates.bank import find_bank

    about["questions"] = ["relation", "yes-no", *["who"] * bool(world.stories.who)]
    about["frames"] = len(find_bank(world.name).frames)
    about["example"] = next(Clutrr.configure({"world": world.name}).examples(1)).record()
    return about


def new_table(*columns: str, numbers: int = 0) -> Any:
    """Return a plain table; the last column takes the remaining width, or the last have numbers."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="dim")
    for column in columns[: len(columns) - max(numbers, 1)]:
        table.add_column(column)
    for column in columns[len(columns) - numbers :] if numbers else ():
        table.add_column(column, justify="right")
    if not numbers:
        table.add_column(columns[-1], ratio=1)
    return table
