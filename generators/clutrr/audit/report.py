"""Audits of files: counts of verdicts and causes, with examples."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from ....errors import InvalidInput, InvalidOption, RelsmithError, hint
from .case import VERDICTS, Outcome, Row
from .records import lines, records
from .settings import Settings

READERS: Final = ("clutrr", "reasoning-gym", "stepgame", "phantomwiki", "babi", "mapped")
_MAX_TEXT: Final = 1000
"""Characters of an example."""

Each = Callable[[dict[str, Any]], object]
Tick = Callable[[float], object]


@dataclass
class Audit:
    """What was found in a file."""

    file: str
    format: str
    groups: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Numbers of rows by group and verdict."""
    causes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Numbers of rows that are not entailed, by verdict and cause."""
    examples: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)

    @property
    def verdicts(self) -> Counter[str]:
        """The number of rows by verdict."""
        return sum(self.groups.values(), Counter[str]())

    def add(self, number: int, row: Row, outcome: Outcome, examples: int) -> dict[str, Any]:
        """Count a row; return its record."""
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
            if len(shown) < examples:
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
    path: Path | None,
    reader: str,
    settings: Settings,
    examples: int = 1,
    each: Each = lambda record: None,
    tick: Tick = lambda share: None,
) -> Audit:
    """Judge all rows of a file; `each` gets the record of every row."""
    if path is None and reader != "reasoning-gym":
        raise InvalidOption("name files; only --format reasoning-gym makes its rows")
    found = Audit(str(path or reader), reader)
    for number, (share, row) in enumerate(_module(reader).rows(path, settings), 1):
        each(found.add(number, row, row.outcome(), examples))
        tick(share)
    return found


def detect(path: Path, settings: Settings) -> str:
    """Return the reader for a file, by its beginning."""
    if settings.mapping is not None:
        return "mapped"
    first = next(_beginnings(path), None)
    for name in READERS[:-1]:
        if _module(name).fits(path, first):
            return name
    raise InvalidInput(
        f"{path}: no known format; name one with --format ({', '.join(READERS)}), or its columns "
        f"with --mapping FILE.yaml"
    )


def check_reader(name: str) -> None:
    """Raise InvalidOption if there is no such reader."""
    if name not in READERS:
        raise InvalidOption(f"--format: nothing is called {name!r}; {hint(name, READERS)}")


def _module(name: str) -> ModuleType:
    return import_module(f".{name.replace('-', '_')}", __package__)


def _beginnings(path: Path) -> Iterator[object]:
    """Yield the first row of a JSON file, or the first line of another."""
    line = next(lines(path), None)
    if line is not None and line.value.lstrip()[:1] in ("{", "["):
        try:
            yield next(record.value for record in records(path))
        except (RelsmithError, StopIteration):
            return
    elif line is not None:
        yield line.value
