"""Rows as tables: the one type that all rows of a generator have for readers of columns."""

from typing import TYPE_CHECKING, Any

from ..errors import MissingExtra, install
from ..generator import Generator

if TYPE_CHECKING:
    import pyarrow

Column = str | list[Any] | dict[str, Any]
"""A type: string, integer, number or boolean; [a type] of a list; or types by the field's name."""


class Unfit(TypeError):
    """What no column can hold, and what to write instead."""


def columns(kind: type[Generator]) -> dict[str, Column]:
    """The types of a generator's rows, as Metadata has them; raises Unfit where one varies."""
    schema = kind.Metadata.model_json_schema()
    metadata = _column(schema, "metadata", schema.get("$defs", {}), ())
    row: dict[str, Column] = dict.fromkeys(("id", "input", "choices", "target"), "string")
    return row | {"choices": ["string"], "metadata": metadata}


def arrow_schema(kind: type[Generator]) -> "pyarrow.Schema":
    """The same as a schema of Arrow, for readers that would otherwise guess the types from rows."""
    try:
        import pyarrow
    except ImportError:
        raise MissingExtra(f"a schema of Arrow needs pyarrow: {install('hub')}") from None
    plain = {
        "string": pyarrow.string(),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
    }

    def arrow(column: Column) -> Any:
        if isinstance(column, str):
            return plain[column]
        if isinstance(column, list):
            return pyarrow.list_(arrow(column[0]))
        return pyarrow.struct([(name, arrow(inner)) for name, inner in column.items()])

    return pyarrow.schema([(name, arrow(column)) for name, column in columns(kind).items()])


def conformed(value: Any, column: Column) -> Any:
    """A value as it comes back from a table: with all fields, in their order, numbers as such."""
    if value is None:
        return None
    if isinstance(column, dict):
        return {name: conformed(value.get(name), inner) for name, inner in column.items()}
    if isinstance(column, list):
        return [conformed(inner, column[0]) for inner in value]
    return float(value) if column == "number" else value


def _column(
    schema: dict[str, Any], where: str, parts: dict[str, Any], within: tuple[str, ...]
) -> Column:
    """The column of a JSON schema; `within` are the models that it is a part of."""
    if name := schema.get("$ref", "").removeprefix("#/$defs/"):
        if name in within:
            raise Unfit(f"{where} holds itself, and a table is not deep without end; use a list")
        return _column(parts[name], where, parts, (*within, name))
    if either := schema.get("anyOf", schema.get("oneOf")):
        some = [_column(each, where, parts, within) for each in either if each != _NULL]
        return _only(some, where)
    if schema.get("type") == "array":
        inner = [*schema.get("prefixItems", ())]
        inner += [schema["items"]] if isinstance(schema.get("items"), dict) else []
        return [_only([_column(each, f"{where}[]", parts, within) for each in inner], f"{where}[]")]
    if schema.get("type") == "object":
        if schema.get("additionalProperties") or not schema.get("properties"):
            raise Unfit(
                f"{where} is a mapping whose keys may differ from row to row, which some readers "
                f"of tables lose; write a list of [key, value], or name its fields in a model"
            )
        fields = schema["properties"].items()
        return {name: _column(its, f"{where}.{name}", parts, within) for name, its in fields}
    if (plain := schema.get("type")) in ("string", "integer", "number", "boolean"):
        return str(plain)
    return _only([], where)


_NULL = {"type": "null"}


def _only(types: list[Column], where: str) -> Column:
    """The one type among these."""
    if not types or any(other != types[0] for other in types):
        listed = " or ".join(map(str, types)) or "anything"
        raise Unfit(f"{where} may be {listed}, and a column has one type; give it one")
    return types[0]
