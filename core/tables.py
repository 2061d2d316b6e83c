"""Tables and texts in files that lie beside the modules that use them."""

import re
from functools import cache
from importlib.resources import files
from types import SimpleNamespace
from typing import Any


@cache
def load_tables(package: str, file: str) -> Any:
    """Return the content of a YAML file of ours; it must not be changed."""
    import yaml

    return yaml.safe_load((files(package) / file).read_text(encoding="utf-8"))


def load_patterns(package: str, file: str, section: str) -> Any:
    """Return the patterns of a section of a YAML file, compiled, as attributes."""
    tables = load_tables(package, file)
    patterns = tables[section].items()
    compiled = {name: re.compile(expanded(text, tables["parts"])) for name, text in patterns}
    return SimpleNamespace(**compiled)


def expanded(pattern: str | list[str], parts: dict[str, Any]) -> str:
    """Return a pattern with its parts in place of their names; a list has alternatives."""
    text = pattern if isinstance(pattern, str) else "|".join(pattern)
    return re.sub("<([A-Z_]+)>", lambda part: expanded(parts[part[1]], parts), text)


def fill_template(package: str, file: str, /, **words: object) -> str:
    """Return a text file of ours, with each @word@ replaced."""
    text = (files(package) / file).read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda slot: str(words.get(slot[1], slot[0])), text)
