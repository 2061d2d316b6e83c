"""What is installed: generators, worlds and more, found by entry point, ours and others alike."""

import difflib
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from typing import TYPE_CHECKING, Generic, TypeVar

from .errors import BrokenPlugin, NotFound

if TYPE_CHECKING:
    from .exporter import Exporter
    from .generator import Generator

T = TypeVar("T")

RESERVED_OPTIONS = frozenset(
    "ctx rows seed out split shards workers format force judge preset quiet json debug help n "
    "graph plot".split()
)


RESERVED_NAMES = frozenset(
    "annotate audit cloze-whitelist clutrr-audit describe diff eval export list relations "
    "relinf-questionnaires report show stats templates triples verify view world".split()
)


@dataclass(frozen=True)
class Entry(Generic[T]):
    """A name that one distribution (or, by mistake, several) offers."""

    name: str
    points: tuple[metadata.EntryPoint, ...]
    check: Callable[[str, object], T]

    @property
    def distribution(self) -> str:
        """The distribution it comes from, with its version."""
        return " and ".join(_distribution(point) for point in self.points)

    def load(self) -> T:
        """Import it; whatever goes wrong there is the plugin's, said in one line."""
        if len(self.points) > 1:
            raise BrokenPlugin(
                f"{self.name!r} is claimed by {' and by '.join(map(_claim, self.points))}; "
                f"uninstall one of them"
            )
        try:
            return self.check(self.name, self.points[0].load())
        except (Exception, SystemExit) as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise BrokenPlugin(
                f"{self.name!r} from {_claim(self.points[0])} is broken: {reason}; "
                f"repair or uninstall it"
            ) from error


@dataclass(frozen=True)
class Registry(Generic[T]):
    """The entries of one entry-point group, by name."""

    group: str
    noun: str
    check: Callable[[str, object], T]

    @cached_property
    def entries(self) -> dict[str, Entry[T]]:
        """Every entry, sorted by name; nothing is imported yet."""
        claims: dict[str, list[metadata.EntryPoint]] = {}
        for point in metadata.entry_points(group=self.group):
            ours = point.dist is not None and point.dist.name == "relsmith"
            if ours or not os.environ.get("RELSMITH_NO_PLUGINS"):
                claims.setdefault(point.name, []).append(point)
        return {
            name: Entry(name, tuple(sorted(claims[name], key=_distribution)), self.check)
            for name in sorted(claims)
        }

    def get(self, name: str) -> T:
        """Import the one of that name."""
        if name not in self.entries:
            raise NotFound(f"no {self.noun} is called {name!r}; {self.hint(name)}")
        return self.entries[name].load()

    def hint(self, name: str) -> str:
        """The nearest name, and all there are."""
        return f"{self.nearest(name)}there are: {', '.join(self.entries) or 'none installed'}"

    def nearest(self, name: str) -> str:
        """A guess at what was meant, where some name is near."""
        near = difflib.get_close_matches(name, self.entries, n=1)
        return f"did you mean {near[0]!r}? " if near else ""


def _distribution(point: metadata.EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "no distribution"


def _claim(point: metadata.EntryPoint) -> str:
    return f"{_distribution(point)} ({point.value})"


def check_class(name: str, found: object) -> "type[Generator]":
    """Say why the object cannot be the generator of that name, or hand it back."""
    from pydantic import BaseModel

    from .generator import Generator

    if not (isinstance(found, type) and issubclass(found, Generator)):
        raise TypeError(f"expected a subclass of relsmith.Generator, but got {found!r}")
    missing = [
        attribute for attribute in ("name", "version", "Metadata") if not hasattr(found, attribute)
    ]
    missing += sorted(found.__abstractmethods__)
    if missing:
        raise TypeError(f"{found.__name__} lacks {', '.join(missing)}")
    if found.name != name or not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise ValueError(
            f"the entry point is {name!r} but {found.__name__}.name is {found.name!r}; "
            f"they must be the same, in small letters, digits and -"
        )
    if type(found.version) is not int or found.version < 1:
        raise ValueError(f"version must be a whole number from 1 up, but got {found.version!r}")
    if not (isinstance(found.Metadata, type) and issubclass(found.Metadata, BaseModel)):
        raise TypeError(f"Metadata must be a pydantic model, but got {found.Metadata!r}")
    if not found.summary():
        raise ValueError(f"{found.__name__} has no docstring, and the docstring is its help")
    if name in RESERVED_NAMES:
        raise ValueError(f"{name!r} is a command of gen; give the generator another name")
    if not any(field.is_required() for field in found.model_fields.values()):
        found.configure({})
    taken = RESERVED_OPTIONS & set(found.model_fields)
    if taken:
        raise ValueError(f"option {sorted(taken)[0]!r} is one of gen's own; rename the field")
    return found


def check_exporter(name: str, found: object) -> "Exporter":
    """Say why the object cannot be the exporter of that name, or hand it back."""
    from .exporter import Exporter

    if not isinstance(found, Exporter):
        raise TypeError(f"expected a relsmith.Exporter, but got {found!r}")
    if found.name != name:
        raise ValueError(
            f"the entry point is {name!r} but the exporter is called {found.name!r}; "
            f"they must be the same"
        )
    return found


def _made(name: str, found: object) -> object:
    if not callable(found):
        raise TypeError(f"expected a function that gives it, but got {found!r}")
    return found()


def provider(generator: "type[Generator]") -> str:
    """The name of the distribution that registers the generator; empty where none does."""
    entry = GENERATORS.entries.get(generator.name)
    if entry is None or len(entry.points) > 1:
        return ""
    point = entry.points[0]
    registered = f"{point.module}:{point.attr}"
    return point.dist.name if point.dist and _is_at(generator, registered) else ""


def _is_at(generator: "type[Generator]", place: str) -> bool:
    module, _, attribute = place.partition(":")
    return getattr(sys.modules.get(module), attribute, None) is generator


GENERATORS = Registry("relsmith.generators", "generator", check_class)
WORLDS = Registry("relsmith.worlds", "world", _made)
EXPORTERS = Registry("relsmith.exporters", "exporter", check_exporter)
