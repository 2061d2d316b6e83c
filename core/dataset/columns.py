"""Column types of a generator's rows, for Arrow, Parquet and other table formats."""

from typing import TYPE_CHECKING, Any

from ..errors import MissingExtra, install_command
from ..generator import Generator

if TYPE_CHECKING:
    import pyarrow

ColumnType = str | list[Any] | dict[str, Any]
"""string, integer, number or boolean; [item type] for lists; a dict of types for structs."""


class NotTabular(TypeError):
    """A type that no column can hold, with a suggestion."""


def column_types(cls: type[Generator]) -> dict[str, ColumnType]:
    """Return the column types of a generator's rows; raises Unfit where one varies."""
    schema = cls.Metadata.model_json_schema()
    metadata = _column(schema, "metadata", schema.get("$defs", {}), ())
    row: dict[str, ColumnType] = dict.fromkeys(("id", "input", "choices", "target"), "string")
    return row | {"choices": ["string"], "metadata": metadata}


def arrow_schema(cls: type[Generator]) -> "pyarrow.Schema":
    """Return the column types as an Arrow schema, so that readers need not infer it."""
    try:
        import pyarrow
    except ImportError:
        raise MissingExtra(f"an Arrow schema needs pyarrow: {install_command('hub')}") from None
    plain = {
        "string": pyarrow.string(),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
    }

    def arrow(column: ColumnType) -> Any:
        if isinstance(column, str):
            return plain[column]
        if isinstance(column, list):
            return pyarrow.list_(arrow(column[0]))
        return pyarrow.struct([(name, arrow(inner)) for name, inner in column.items()])

    return pyarrow.schema([(name, arrow(column)) for name, column in column_types(cls).items()])


def conform(value: Any, column: ColumnType) -> Any:
    """Return a value as a table gives it back: all fields, in order, numbers as floats."""
    if value is None:
        return None
    if isinstance(column, dict):
        return {name: conform(value.get(name), inner) for name, inner in column.items()}
    if isinstance(column, list):
        return [conform(inner, column[0]) for inner in value]
    return float(value) if column == "number" else value


def _column(
    schema: dict[str, Any], where: str, parts: dict[str, Any], within: tuple[str, ...]
) -> ColumnType:
    """Return the column type of a JSON schema; `within` are the enclosing models."""
    if name := schema.get("$ref", "").removeprefix("#/$defs/"):
        if name in within:
            raise NotTabular(f"{where} is recursive, and a table has fixed depth; use a list")
        return _column(parts[name], where, parts, (*within, name))
    if either := schema.get("anyOf", schema.get("oneOf")):
        some = [_column(each, where, parts, within) for each in either if each != _NULL]
        return _only(some, where)
    if str(schema.get("format")).startswith(("date", "time")):
        raise NotTabular(
            f"{where} is a date or time, which JSON writes as text and table readers return "
            f"otherwise; write it in words, as in 1 May 2024, or as numbers"
        )
    if schema.get("type") == "array":
        inner = [*schema.get("prefixItems", ())]
        inner += [schema["items"]] if isinstance(schema.get("items"), dict) else []
        return [_only([_column(each, f"{where}[]", parts, within) for each in inner], f"{where}[]")]
    if schema.get("type") == "object":
        if schema.get("additionalProperties") or not schema.get("properties"):
            raise NotTabular(
                f"{where} is a mapping whose keys may differ between rows, which some table "
                f"readers lose; write a list of [key, value], or declare its fields in a model"
            )
        fields = schema["properties"].items()
        return {name: _column(its, f"{where}.{name}", parts, within) for name, its in fields}
    if (plain := schema.get("type")) in ("string", "integer", "number", "boolean"):
        return str(plain)
    return _only([], where)


_NULL = {"type": "null"}


def _only(types: list[ColumnType], where: str) -> ColumnType:
    """Return the single type; NotTabular if there is none or several."""
    if not types or any(other != types[0] for other in types):
        listed = " or ".join(map(str, types)) or "anything"
        raise NotTabular(f"{where} may be {listed}, but a column has one type; choose one")
    return types[0]
