"""Tables and texts in files that lie beside the modules that use them."""

import re
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def load_tables(package: str, file: str) -> Any:
    """Return the content of a YAML file of ours; it must not be changed."""
    import yaml

    return yaml.safe_load((files(package) / file).read_text(encoding="utf-8"))


class Patterns:
    """The patterns of a section of a YAML file, as attributes."""

    def __init__(self, package: str, file: str, section: str) -> None:
        tables = load_tables(package, file)
        for name, pattern in tables[section].items():
            setattr(self, name, re.compile(expanded(pattern, tables["parts"])))

    def __getattr__(self, name: str) -> re.Pattern[str]:
        raise AttributeError(name)


def expanded(pattern: str | list[str], parts: dict[str, Any]) -> str:
    """Return a pattern with its parts in place of their names; a list has alternatives."""
    text = pattern if isinstance(pattern, str) else "|".join(pattern)
    return re.sub("<([A-Z_]+)>", lambda part: expanded(parts[part[1]], parts), text)


def fill_template(package: str, file: str, /, **words: object) -> str:
    """Return a text file of ours, with each @word@ replaced."""
    text = (files(package) / file).read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda slot: str(words.get(slot[1], slot[0])), text)
