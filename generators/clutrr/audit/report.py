"""Audits of files: counts of verdicts and causes, with examples."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from ....errors import InvalidInput, InvalidOption, RelsmithError, hint
from .case import VERDICTS, Row
from .records import lines, records
from .settings import Settings

FORMATS: Final = ("clutrr", "reasoning-gym", "stepgame", "phantomwiki", "babi", "mapped")
_MAX_TEXT: Final = 1000
"""Characters of an example."""


@dataclass
class Audit:
    """The counts and examples of the audit of a file."""

    file: str
    format: str
    most_examples: int = 1
    """Examples to keep for each cause."""
    groups: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Numbers of rows by group and verdict."""
    causes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Numbers of rows that are not entailed, by verdict and cause."""
    examples: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)

    @property
    def verdicts(self) -> Counter[str]:
        """The number of rows by verdict."""
        return sum(self.groups.values(), Counter[str]())

    def add(self, number: int, row: Row) -> dict[str, Any]:
        """Judge and count a row; return its record."""
        outcome = row.outcome()
        record = {
            "row": number,
            "group": row.group,
            "verdict": str(outcome.status),
            "cause": outcome.cause,
            "detail": outcome.detail,
            "answer": row.answer,
        }
        self.groups[row.group][outcome.status] += 1
        if outcome.cause:
            key = (str(outcome.status), outcome.cause)
            self.causes[key] += 1
            shown = self.examples.setdefault(key, [])
            if len(shown) < self.most_examples:
                shown.append(record | {"text": row.text[:_MAX_TEXT]})
        return record

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "file": self.file,
            "format": self.format,
            "rows": self.verdicts.total(),
            **_counts(self.verdicts),
            "groups": [
                {"group": group, "rows": counts.total(), **_counts(counts)}
                for group, counts in self.sorted_groups()
                if group
            ],
            "causes": [
                {
                    "verdict": verdict,
                    "cause": cause,
                    "rows": count,
                    "examples": self.examples.get((verdict, cause), []),
                }
                for (verdict, cause), count in self.causes.most_common()
            ],
        }

    def sorted_groups(self) -> list[tuple[str, Counter[str]]]:
        """Return the groups in the order of their numbers."""

        def key(item: tuple[str, object]) -> list[tuple[int, str]]:
            return [
                (int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", item[0])
            ]

        return sorted(self.groups.items(), key=key)


def _counts(verdicts: Mapping[str, int]) -> dict[str, int]:
    return {str(verdict): verdicts.get(verdict, 0) for verdict in VERDICTS}


def audit(
    found: Audit, path: Path | None, settings: Settings
) -> Iterator[tuple[float, dict[str, Any]]]:
    """Judge and count the rows of a file; yield the share of it read so far, and each row."""
    rows = _module(found.format).rows(path, settings)
    for number, (share, row) in enumerate(rows, 1):
        yield share, found.add(number, row)


def find_format(path: Path | None, format: str | None, settings: Settings) -> str:
    """Return the format of a file: the one that is given, else by its beginning."""
    if format is not None and format not in FORMATS:
        raise InvalidOption(f"--format: nothing is called {format!r}; {hint(format, FORMATS)}")
    if path is None and format != "reasoning-gym":
        raise InvalidOption("name files; only --format reasoning-gym makes its rows")
    if path is None or format is not None:
        return format or ""
    if settings.mapping is not None:
        return "mapped"
    first = _first_row(path)
    for name in FORMATS[:-1]:
        if _module(name).fits(path, first):
            return name
    raise InvalidInput(
        f"{path}: no known format; name one with --format ({', '.join(FORMATS)}), or its columns "
        f"with --mapping FILE.yaml"
    )


def _module(name: str) -> ModuleType:
    return import_module(f".{name.replace('-', '_')}", __package__)


def _first_row(path: Path) -> object:
    """Return the first row of a JSON file, or the first line of another; None if it has none."""
    line = next(lines(path), None)
    if line is None or line.value.lstrip()[:1] not in ("{", "["):
        return line and line.value
    try:
        record = next(records(path), None)
    except RelsmithError:
        return None
    return record and record.value
