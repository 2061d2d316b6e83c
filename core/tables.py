"""Tables in YAML files that lie beside the modules that use them."""

from functools import cache
from importlib.resources import files
from typing import Any


@cache
def load_tables(package: str, file: str) -> Any:
    """Return the content of a YAML file of ours; it must not be changed."""
    import yaml

    return yaml.safe_load((files(package) / file).read_text(encoding="utf-8"))
