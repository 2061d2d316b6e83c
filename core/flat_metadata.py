"""Metadata of a row as a flat table of scalars, for grouping and filtering rows."""

from collections.abc import Mapping
from typing import Any

Scalar = str | int | float | bool | None


def flatten_metadata(metadata: Mapping[str, Any]) -> dict[str, Scalar]:
    """Return scalars, lists joined with `+`, and scalars of inner dicts as `outer.inner`."""
    flat: dict[str, Scalar] = {}
    for name, value in metadata.items():
        if value is None or isinstance(value, str | int | float | bool):
            flat[name] = value
        elif isinstance(value, list) and all(isinstance(part, str | int) for part in value):
            flat[name] = "+".join(map(str, value)) or "none"
        elif isinstance(value, dict):
            flat |= {
                f"{name}.{key}": part
                for key, part in value.items()
                if isinstance(part, int | str | float)
            }
    return flat
