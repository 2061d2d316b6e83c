"""Decode Thrift's compact protocol, which describes footers and pages of Parquet files.

https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from typing import Any

Struct = dict[int, Any]
"""The values of a struct by the numbers of their fields."""

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _, _STRUCT = range(1, 13)


def decode_struct(data: bytes, place: int = 0) -> tuple[Struct, int]:
    """Return the struct that begins at a place, and where it ends; ValueError if it is damaged."""
    try:
        return _value(data, place, _STRUCT)
    except (IndexError, RecursionError):
        raise ValueError("a description in it is damaged") from None


def _value(data: bytes, place: int, kind: int) -> tuple[Any, int]:
    if kind in (_TRUE, _FALSE):
        return kind == _TRUE, place
    if kind in (_I16, _I32, _I64):
        return _signed(data, place)
    if kind == _BYTE:
        return data[place], place + 1
    if kind in (_DOUBLE, _BINARY):
        size, place = (8, place) if kind == _DOUBLE else _varint(data, place)
        return data[place : place + size], place + size
    if kind in (_LIST, _SET):
        return _list(data, place)
    if kind != _STRUCT:
        raise ValueError(f"a description in it has a value of the unknown kind {kind}")
    fields, number = {}, 0
    while head := data[place]:
        step, place = (head >> 4, place + 1) if head >> 4 else _signed(data, place + 1)
        number += step
        fields[number], place = _value(data, place, head & 15)
    return fields, place + 1


def _list(data: bytes, place: int) -> tuple[list[Any], int]:
    size, kind = data[place] >> 4, data[place] & 15
    size, place = _varint(data, place + 1) if size == 15 else (size, place + 1)
    kind = _BYTE if kind in (_TRUE, _FALSE) else kind
    values = []
    for _ in range(size):
        value, place = _value(data, place, kind)
        values.append(value)
    return values, place


def _signed(data: bytes, place: int) -> tuple[int, int]:
    number, place = _varint(data, place)
    return number >> 1 ^ -(number & 1), place


def _varint(data: bytes, place: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        number |= (data[place] & 127) << shift
        shift, place = shift + 7, place + 1
        if data[place - 1] < 128:
            return number, place
