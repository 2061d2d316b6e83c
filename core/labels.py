"""What rows can be told apart by: their metadata as one flat table."""

from collections.abc import Mapping
from typing import Any

Value = str | int | float | bool | None


def labels(metadata: Mapping[str, Any]) -> dict[str, Value]:
    """Words and numbers, and lists of them joined; parts of parts under a name with a point."""
    flat: dict[str, Value] = {}
    for name, value in metadata.items():
        if value is None or isinstance(value, str | int | float | bool):
            flat[name] = value
        elif isinstance(value, list) and all(isinstance(part, str | int) for part in value):
            flat[name] = "+".join(map(str, value)) or "none"
        elif isinstance(value, dict):
            inner = {
                key: part for key, part in value.items() if isinstance(part, int | str | float)
            }
            flat |= {f"{name}.{key}": part for key, part in inner.items()}
    return flat
