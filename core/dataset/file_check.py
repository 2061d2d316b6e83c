"""Check one file of a dataset: its bytes, and its rows, generated and judged again."""

import gc
import hashlib
import os
import re
import zlib
from array import array
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from ..capabilities import Groups, HoldOuts
from ..engines.engine import Tick
from ..errors import RelsmithError
from ..example import Example
from ..generator import Generator
from ..storage.text import next_line
from ..validation import findings, group_findings, schema_findings
from .encoding import line_encoder, open_lines
from .layout import file_problem
from .manifest import DataFile, Manifest, encoding_of
from .packing_check import packing_problem
from .shard import gc_paused

_TICK = 256
_ROWS_AHEAD = 32
_ROWS_BETWEEN_COLLECTIONS = 65536
_ROWS_PER_PART = 2048
"""Rows of a file per worker; a multiple of a block, so that no block is generated twice."""


@dataclass(frozen=True)
class CheckScope:
    """Which checks rows get (by default none that needs a generator), and the sample per split."""

    cls: type[Generator] | None = None
    generator: Generator | None = None
    made: bool = True
    judged: bool = True
    sample: int | None = None


@dataclass(frozen=True)
class FilePart:
    """Consecutive lines of a file whose digest is right: rows before, rows, byte offset."""

    before: int
    rows: int
    offset: int


@dataclass(frozen=True)
class FileCheck:
    """The task to check a file, or a part of it."""

    folder: Path
    manifest: Manifest
    file: DataFile
    first_row: int
    scope: CheckScope
    part: FilePart | None = None

    @property
    def generator_name(self) -> str:
        """The name of the generator."""
        return self.manifest.generator

    @property
    def rows(self) -> range:
        """The row numbers, within the split, that should be there."""
        if self.part is None:
            return range(self.first_row, self.first_row + self.file.rows)
        start = self.first_row + self.part.before
        return range(start, start + self.part.rows)

    @property
    def numbers(self) -> Collection[int]:
        """The row numbers to check: all, or `sample` evenly spaced rows of the split."""
        rows, sample = self.manifest.splits[self.file.split], self.scope.sample
        if sample is None or sample >= rows:
            return self.rows
        middles = ((2 * part + 1) * rows // (2 * sample) for part in range(sample))
        return {middle: None for middle in middles if middle in self.rows}


@dataclass(frozen=True)
class FileReport:
    """Findings of a file, fingerprints of its valid inputs, and the values its rows use."""

    file: DataFile
    first_row: int
    findings: list[str] = field(default_factory=list)
    fingerprints: "array[int]" = field(default_factory=lambda: array("Q"))
    """One per line; 0 for a row that was not checked or has findings."""
    used_values: dict[str, set[str]] = field(default_factory=dict)


GeneratedRow = tuple[Example, bytes]
"""A row as generated, and its line in the file."""

Anomaly = tuple[object, str]
"""A kind, by which findings of consecutive lines are merged (None: never), and the message."""


@dataclass
class _RepeatedFinding:
    """A finding that consecutive lines share, with the message for the first."""

    line: int
    kind: object
    text: str
    length: int = 1

    def __str__(self) -> str:
        more = self.length - 1
        rest = f"; the same for {more} more line{'s' * (more > 1)}" if more else ""
        return f"{self.line}: {self.text}{rest}"


def check_file(check: FileCheck, tick: Tick) -> FileReport:
    """Check one file: its digest, its number of rows, and each row."""
    report = FileReport(check.file, check.rows.start)
    findings = _part_findings if check.part else _file_findings
    with gc_paused():
        for finding in findings(check, report, tick):
            report.findings.append(f"{check.file.name}:{finding}")
    if len(check.manifest.splits) == 1:
        del report.fingerprints[:]  # only needed to find a row in two splits
    tick(len(check.rows))
    return report


def split_check(check: FileCheck) -> list[FileCheck]:
    """Split a check among workers; a file with a wrong digest stays in one part."""
    path, before, offset = check.folder / check.file.name, 0, 0
    found: list[FilePart] = []
    group = Groups.of(check.scope.generator).group_size
    most = max(1, _ROWS_PER_PART // group) * group
    if check.file.rows <= most or path.suffix != ".jsonl" or file_problem(path):
        return [check]
    digest = hashlib.sha256()
    try:
        with path.open("rb") as lines:
            while line := next_line(lines):
                if before % most == 0:
                    found.append(FilePart(before, most, offset))
                digest.update(line)
                before, offset = before + 1, offset + len(line)
    except (OSError, ValueError):
        return [check]
    found[-1:] = [replace(part, rows=before - part.before) for part in found[-1:]]
    file = check.file
    if (digest.hexdigest(), before, offset) != (file.sha256, file.rows, file.bytes):
        return [check]
    return [replace(check, part=part) for part in found]


def _part_findings(check: FileCheck, report: FileReport, tick: Tick) -> Iterator[str]:
    part, comparison = check.part, _Comparison(check, report)
    assert part is not None
    number = part.before
    try:
        with (check.folder / check.file.name).open("rb") as lines:
            lines.seek(part.offset)
            following = next_line(lines)
            while number < part.before + part.rows:
                line, following = following, next_line(lines)
                number += 1
                comparison.check_line(number, line, following)
                if number % _TICK == 0:
                    tick(number - part.before)
    except (OSError, ValueError) as error:
        yield f" cannot be read beyond line {number}: {' '.join(str(error).split())}"
    yield from map(str, comparison.runs)


def _file_findings(check: FileCheck, report: FileReport, tick: Tick) -> Iterator[str]:
    path, rows, due = check.folder / check.file.name, 0, check.file.rows
    if problem := file_problem(path):
        yield f" {problem}"
        return
    comparison, changed, wrong, forged = _Comparison(check, report), "", "", None
    try:
        with path.open("rb") as raw:
            if hashlib.file_digest(raw, "sha256").hexdigest() != check.file.sha256:
                changed = " sha256 differs from the manifest; the file was changed or cut short"
            elif raw.seek(0, os.SEEK_END) != check.file.bytes:
                changed = f" its size is not the {check.file.bytes} bytes of the manifest"
        with open_lines(path) as lines:
            following = next_line(lines)
            while rows < due and following:
                line, following = following, next_line(lines)
                rows += 1
                comparison.check_line(rows, line, following)
                if rows % _TICK == 0:
                    tick(rows)
                if rows % _ROWS_BETWEEN_COLLECTIONS == 0:
                    gc.collect()
            if following:
                wrong = f" has more rows than the {due} of the manifest"
            elif rows < due:
                changed = ""  # the missing rows explain it
                if rows + comparison.missing < due:
                    wrong = f" has {rows} rows, but the manifest has {due}"
        if not changed and not wrong:
            with path.open("rb") as raw:
                forged = packing_problem(raw, encoding_of(path.name), check.scope.cls)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        wrong = f" cannot be read beyond line {rows}: {' '.join(str(error).split())}"
    yield from filter(None, (changed, wrong, forged and f" {forged}"))
    yield from map(str, comparison.runs)


class _Comparison:
    """Compare the lines of a file with the rows that should be there."""

    def __init__(self, check: FileCheck, report: FileReport) -> None:
        self.check = check
        self.report = report
        self.runs: list[_RepeatedFinding] = []
        self.missing = 0
        """Rows missing before the current line."""
        self._scope = check.scope
        self._numbers = check.numbers
        self._generated = _prefetch(_generated_rows(check, self._numbers))
        self._group: list[Example] = []

    def check_line(self, number: int, line: bytes, following: bytes) -> None:
        """Check a line; `following` is the next one, used to recognize missing rows."""
        n = self.check.first_row + number - 1 + self.missing
        if n not in self._numbers:
            self.report.fingerprints.append(0)
            return
        made = self._next_generated(number)
        if gap := 0 if made and line == made[1] else self._gap(n, line, following):
            self._add_finding(number, None, self._missing_message(n, gap))
            self.missing += gap
            self.report.fingerprints.extend([0] * gap)
            for missing in range(n + 1, n + gap + 1):
                made = self._next_generated(number) if missing in self._numbers else None
            n += gap
            if n not in self._numbers:
                self.report.fingerprints.append(0)
                return
        example, anomalies = self._read(n, line, made)
        for kind, text in anomalies:
            self._add_finding(number, kind, text)
        self._check_group(n, number, example)
        fingerprint = _fingerprint(example.input) if example and not anomalies else 0
        self.report.fingerprints.append(fingerprint)

    def _check_group(self, n: int, number: int, example: Example | None) -> None:
        """Compare the rows of a group when its last row is there."""
        generator = self._scope.generator
        size = Groups.of(generator).group_size
        if generator is None or not self._scope.judged or size == 1:
            return
        if n % size == 0:
            self._group = []
        if example:
            self._group.append(example)
        if len(self._group) == size:
            for problem in group_findings(generator, self._group):
                self._add_finding(number, None, f"{self._group[0].id}: {problem}")
            self._group = []

    def _gap(self, n: int, line: bytes, following: bytes) -> int:
        """Return the number of rows missing before a line, by its id and that of the next line."""
        try:
            shifts = {
                self._shift(Example.parse(text).id, n + ahead)
                for ahead, text in enumerate((line, following))
                if text
            }
        except ValueError:
            return 0
        gap = shifts.pop()
        end = self.check.first_row + self.check.file.rows
        return gap if isinstance(gap, int) and 0 < gap < end - n and not shifts else 0

    def _missing_message(self, n: int, gap: int) -> str:
        if self._scope.sample is not None:
            return f"{gap} row{'s are' if gap > 1 else ' is'} missing before this line"
        first = self.check.manifest.row_id(self.check.file.split, n)
        more = f"and {gap - 1} more are" if gap > 1 else "is"
        return f"{first!r} {more} missing before this line"

    def _next_generated(self, number: int) -> GeneratedRow | None:
        try:
            return next(self._generated, None)
        except Exception as error:
            self._generated = iter(())
            name = "" if isinstance(error, RelsmithError) else f"{type(error).__name__}: "
            reason = " ".join(f"{name}{error}".split())
            self._add_finding(number, None, f"no row can be generated from here on: {reason}")
            return None

    def _read(
        self, n: int, line: bytes, made: GeneratedRow | None
    ) -> tuple[Example | None, list[Anomaly]]:
        """Return the row in a line and its anomalies; the row is None if it cannot be parsed."""
        if made and line == made[1]:
            return made[0], self._anomalies(made[0], as_generated=True)
        try:
            example = Example.parse(line)
        except ValueError as error:
            return None, [("damaged", f"damaged: {error}")]
        expected = self.check.manifest.row_id(self.check.file.split, n)
        if example.id != expected:
            text = f"id is {example.id!r:.100}, but should be {expected!r}"
            return example, [(self._shift(example.id, n), text)]
        anomalies = self._anomalies(example)
        if made is None:
            return example, anomalies
        differences = _differences(example, Example.parse(made[1]))
        judged = anomalies[0][1].removeprefix(f"{expected}: ") if anomalies else "correct in itself"
        text = f"these options and this seed give another row ({differences}); {judged}"
        return example, [("other", f"{expected}: {text}")]

    def _anomalies(self, example: Example, *, as_generated: bool = False) -> list[Anomaly]:
        """Return findings of the judge, or of the schema; note the values that a valid row uses."""
        scope, problems = self._scope, []
        if scope.generator and scope.judged:
            problems = findings(scope.generator, example)
        elif scope.cls and not as_generated:
            problems = schema_findings(scope.cls, example)
        if scope.generator and self.check.manifest.withheld and not problems:
            for kind, values in HoldOuts.of(scope.generator).used_values(example).items():
                self.report.used_values.setdefault(kind, set()).update(values)
        return [(None, f"{example.id}: {problem}") for problem in problems]

    def _shift(self, id: str, n: int) -> int | str:
        """Return the offset of a row from its place, by its id; "foreign" for ids of other data."""
        number = id.rpartition("-")[2]
        place = int(number) if re.fullmatch("[0-9]{1,18}", number) else 0
        is_own = self.check.manifest.row_id(self.check.file.split, place) == id
        return place - n if is_own else "foreign"

    def _add_finding(self, number: int, kind: object, text: str) -> None:
        last = self.runs[-1] if self.runs else None
        if last and kind is not None and (last.kind, last.line + last.length) == (kind, number):
            last.length += 1
        else:
            self.runs.append(_RepeatedFinding(number, kind, text))


def _generated_rows(check: FileCheck, numbers: Collection[int]) -> Iterator[GeneratedRow]:
    """Yield the rows of these numbers, generated again; nothing without a generator."""
    maker, manifest = check.scope.generator, check.manifest
    if maker is None or not check.scope.made:
        return
    line = line_encoder(encoding_of(check.file.name), type(maker))
    runs = [numbers] if isinstance(numbers, range) else [range(n, n + 1) for n in numbers]
    for run in runs:
        for example in maker.examples(
            run.stop,
            start=run.start,
            seed=manifest.seed,
            split=check.file.split,
            splits=tuple(manifest.splits),
        ):
            yield example, line(example) + b"\n"


def _prefetch(made: Iterator[GeneratedRow]) -> Iterator[GeneratedRow]:
    """Generate several rows before judging them, which uses the processor's cache better.

    An error is raised at its place, after the rows before it.
    """
    failure: Exception | None = None
    while failure is None:
        rows: list[GeneratedRow] = []
        try:
            rows.extend(islice(made, _ROWS_AHEAD))
        except Exception as error:
            failure = error
        yield from rows
        if len(rows) < _ROWS_AHEAD:
            break
    if failure:
        raise failure


def _differences(example: Example, made: Example) -> str:
    left, right = _fields(example), _fields(made)
    names = [name for name in {**right, **left} if left.get(name) != right.get(name)]
    if not names:
        return "the same values in different bytes"
    return f"{', '.join(names)} differ{'s' * (len(names) == 1)}"


def _fields(row: Example) -> dict[str, object]:
    inner = {f"metadata.{name}": value for name, value in row.metadata.items()}
    return {"input": row.input, "choices": row.choices, "target": row.target, **inner}


def _fingerprint(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
