"""Records of JSON files, and lines of text files, each with the share of the file read so far."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ....errors import InvalidInput
from ....storage import text

REMEDY = "give a file of rows"


class Record(NamedTuple):
    """An item of a file."""

    where: str
    share: float
    """Share of the file up to its end."""
    value: Any


def lines(path: Path) -> Iterator[Record]:
    """Yield the lines of a file that are not blank."""
    size = 0
    for number, line in text.numbered_lines(path, REMEDY):
        size += len(line.encode("utf-8", "replace")) + 1
        if line.strip():
            yield Record(f"{path}:{number}", min(1.0, size / path.stat().st_size), line)


def records(path: Path) -> Iterator[Record]:
    """Yield the objects of JSON lines, of a JSON list, or of an object of objects by name."""
    if is_json_lines(path):
        for where, share, line in lines(path):
            try:
                yield Record(where, share, text.parse_json(line))
            except ValueError as error:
                raise InvalidInput(f"{where}: it {error}; {REMEDY}") from None
        return
    try:
        content = text.parse_json(text.read(path, REMEDY))
    except ValueError as error:
        raise InvalidInput(f"{path}: it {error}; {REMEDY}") from None
    items = content.items() if isinstance(content, dict) else enumerate(content, 1)
    for number, (name, value) in enumerate(items, 1):
        yield Record(f"{path}, item {name}", number / len(content), value)


def is_json_lines(path: Path) -> bool:
    """Return whether the first line of a file is a JSON object that is a row."""
    first = next(lines(path), None)
    try:
        value = text.parse_json(first.value) if first else None
    except ValueError:
        return False
    return isinstance(value, dict) and not all(isinstance(row, dict) for row in value.values())


def column(record: Any, name: str) -> Any:
    """Return the value of a column; a name with dots leads into objects. None if it is missing."""
    for part in name.split("."):
        record = record.get(part) if isinstance(record, dict) else None
    return record


def texts(record: Any, *names: str) -> list[str]:
    """Return the values of columns of text; one that is missing or something else is empty."""
    values = (column(record, name) for name in names)
    return [value if isinstance(value, str) else "" for value in values]
