"""Tables in YAML files that lie beside the modules that use them."""

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
