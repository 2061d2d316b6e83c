"""Installed plugins (generators, worlds and more), found by entry point, built-in or not."""

import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib import metadata
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .errors import BrokenPlugin, NotFound, hint

if TYPE_CHECKING:
    from .generator import Generator

T = TypeVar("T")

RESERVED_OPTIONS = frozenset(
    "ctx rows seed out split shards workers engine cluster format force judge preset quiet json "
    "debug help n graph plot".split()
)


RESERVED_NAMES = frozenset(
    "annotate audit cloze-whitelist describe diff eval exam export list new prompt "
    "relations report run score show stats templates triples verify view "
    "world".split()
)


@dataclass(frozen=True)
class PluginEntry(Generic[T]):
    """A plugin by name, with other distributions' entry points of the same name."""

    name: str
    point: metadata.EntryPoint
    conflicts: tuple[metadata.EntryPoint, ...]
    check: Callable[[str, object], T]

    @property
    def distribution(self) -> str:
        """The distribution that provides it, with its version."""
        return _distribution(self.point)

    @property
    def is_builtin(self) -> bool:
        """True if relsmith itself provides it."""
        return _is_ours(self.point)

    def load(self) -> T:
        """Import the plugin; any failure is a BrokenPlugin with a one-line message."""
        if self.conflicts:
            claims = " and by ".join(map(_claim, sorted((self.point, *self.conflicts), key=_claim)))
            raise BrokenPlugin(f"{self.name!r} is claimed by {claims}; uninstall one of them")
        try:
            return self.check(self.name, self.point.load())
        except (Exception, SystemExit) as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise BrokenPlugin(
                f"{self.name!r} from {_claim(self.point)} is broken: {reason}; "
                f"repair or uninstall it"
            ) from error


@dataclass(frozen=True)
class Registry(Generic[T]):
    """The entries of one entry-point group."""

    group: str
    noun: str
    check: Callable[[str, object], T]

    @cached_property
    def claims(self) -> tuple[PluginEntry[T], ...]:
        """All entries, sorted by name, without importing them.

        A built-in keeps its name; other distributions that use the same name block each other.
        """
        points: dict[str, list[metadata.EntryPoint]] = {}
        for point in _entry_points(tuple(sys.path)).select(group=self.group):
            if _is_ours(point) or not os.environ.get("RELSMITH_NO_PLUGINS"):
                points.setdefault(point.name, []).append(point)
        return tuple(
            PluginEntry(name, point, _conflicts(point, points[name]), self.check)
            for name in sorted(points)
            for point in sorted(points[name], key=_precedence)
        )

    @cached_property
    def entries(self) -> dict[str, PluginEntry[T]]:
        """The entry for each name: the built-in one, else the first."""
        holders: dict[str, PluginEntry[T]] = {}
        for entry in self.claims:
            holders.setdefault(entry.name, entry)
        return holders

    def load_working(self) -> dict[str, T]:
        """Import all plugins that work; broken ones are left out."""
        loaded = {}
        for name, entry in self.entries.items():
            with suppress(BrokenPlugin):
                loaded[name] = entry.load()
        return loaded

    def get(self, name: str) -> T:
        """Import the plugin `name`; NotFound lists the names that exist."""
        if name not in self.entries:
            raise NotFound(f"no {self.noun} is called {name!r}; {self.hint(name)}")
        return self.entries[name].load()

    def hint(self, name: str) -> str:
        """Return the closest name and all names, for an error message."""
        return hint(name, self.entries)


def _conflicts(
    point: metadata.EntryPoint, claims: list[metadata.EntryPoint]
) -> tuple[metadata.EntryPoint, ...]:
    return () if _is_ours(point) else tuple(other for other in claims if other is not point)


def _is_ours(point: metadata.EntryPoint) -> bool:
    return _distribution(point).split(" ")[0] == "relsmith"


def _precedence(point: metadata.EntryPoint) -> tuple[bool, str]:
    return not _is_ours(point), _claim(point)


@lru_cache(1)
def _entry_points(path: tuple[str, ...]) -> Any:  # the type changed with Python 3.12
    return metadata.entry_points()


def _distribution(point: metadata.EntryPoint) -> str:
    return _name_and_version(point.dist) if point.dist else "no distribution"


@cache  # each access parses the metadata again
def _name_and_version(distribution: metadata.Distribution) -> str:
    try:
        return f"{distribution.name} {distribution.version}"
    except OSError:
        # The metadata was removed; the backport importlib_metadata, if imported, raises then.
        return "no distribution"


def _claim(point: metadata.EntryPoint) -> str:
    return f"{_distribution(point)} ({point.value})"


def check_generator_class(name: str, plugin: object) -> "type[Generator]":
    """Return the plugin if it can be the generator `name`; raise TypeError or ValueError if not."""
    from pydantic import BaseModel

    from .generator import Generator

    if not (isinstance(plugin, type) and issubclass(plugin, Generator)):
        raise TypeError(f"expected a subclass of relsmith.Generator, but got {plugin!r}")
    missing = [
        attribute for attribute in ("name", "version", "Metadata") if not hasattr(plugin, attribute)
    ]
    missing += sorted(plugin.__abstractmethods__)
    if missing:
        raise TypeError(f"{plugin.__name__} lacks {', '.join(missing)}")
    if plugin.name != name or not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise ValueError(
            f"the entry point is {name!r} but {plugin.__name__}.name is {plugin.name!r}; "
            f"they must be the same, in lower-case letters, digits and -"
        )
    if type(plugin.version) is not int or plugin.version < 1:
        raise ValueError(f"version must be a whole number from 1 up, but got {plugin.version!r}")
    if not (isinstance(plugin.Metadata, type) and issubclass(plugin.Metadata, BaseModel)):
        raise TypeError(f"Metadata must be a pydantic model, but got {plugin.Metadata!r}")
    if not plugin.summary() and sys.flags.optimize < 2:  # -OO strips docstrings
        raise ValueError(f"{plugin.__name__} has no docstring, and the docstring is its help")
    if name in RESERVED_NAMES:
        raise ValueError(f"{name!r} is a command of gen; give the generator another name")
    built_in = plugin.__module__.startswith("relsmith.")  # our tests check their defaults
    if not built_in and not any(field.is_required() for field in plugin.model_fields.values()):
        plugin.configure({})
    taken = RESERVED_OPTIONS & set(plugin.model_fields)
    if taken:
        raise ValueError(f"option {sorted(taken)[0]!r} is one of gen's own; rename the field")
    return plugin


def _call_factory(name: str, plugin: object) -> object:
    if not callable(plugin):
        raise TypeError(f"expected a function that returns it, but got {plugin!r}")
    return plugin()


def installed_versions(generator: str) -> dict[str, str]:
    """Return the versions of relsmith, of a generator, and of its distribution, by name."""
    versions = {"relsmith": metadata.version("relsmith")}
    entry = GENERATORS.entries.get(generator)
    if entry is not None and entry.point.dist is not None:
        versions[entry.point.dist.name] = entry.point.dist.version
        versions[f"generator {generator}"] = str(entry.load().version)
    return versions


def distribution_name(generator: "type[Generator]") -> str:
    """Return the name of the distribution that registers the generator; empty if none does."""
    entry = GENERATORS.entries.get(generator.name)
    if entry is None or entry.conflicts or entry.point.dist is None:
        return ""
    registered = getattr(sys.modules.get(entry.point.module), entry.point.attr, None)
    return entry.point.dist.name if registered is generator else ""


GENERATORS = Registry("relsmith.generators", "generator", check_generator_class)
WORLDS = Registry("relsmith.worlds", "world", _call_factory)
LANGUAGES = Registry("relsmith.languages", "language", _call_factory)
