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
    patterns = load_tables(package, file)[section]
    return SimpleNamespace(**{name: re.compile(text) for name, text in patterns.items()})


def fill_template(package: str, file: str, /, **words: object) -> str:
    """Return a text file of ours, with each @word@ replaced."""
    text = (files(package) / file).read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda slot: str(words.get(slot[1], slot[0])), text)
