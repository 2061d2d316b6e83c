"""Settings of an audit, which the command line gives."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ....errors import InvalidOption, hint
from ....kb.worlds.world import World, find_world


@dataclass(frozen=True)
class Settings:
    """The world of the conventions, the values of --set, and the mapping of columns."""

    world: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    mapping: Path | None = None

    def find_world(self, default: str) -> World:
        """Return the world that is asked for, or the default."""
        return find_world(self.world or default)

    def check(self, *known: str, worlds: bool = True) -> None:
        """Raise InvalidOption for values that a reader does not know."""
        for name in self.values:
            if name not in known:
                raise InvalidOption(f"--set: no setting {name!r}; {hint(name, known)}")
        if self.world and not worlds:
            raise InvalidOption(f"--world: {self.world!r} does not fit this format; leave it out")
