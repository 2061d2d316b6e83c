"""One file of a dataset against what it should be: its bytes, and rows made and judged anew."""

import hashlib
import os
import re
import zlib
from array import array
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import orjson

from ..block import row_id
from ..engine import Tick
from ..errors import RelsmithError
from ..example import Example
from ..generator import Generator
from ..judge import disagreements, findings, undocumented
from ..text import next_line
from .layout import irregularity
from .manifest import File, Manifest
from .shard import open_lines

_TICK = 256
_ROWS_AHEAD = 32


@dataclass(frozen=True)
class Scope:
    """What is done with rows, and with how many of a split; without a generator, the least."""

    kind: type[Generator] | None = None
    generator: Generator | None = None
    made: bool = True
    judged: bool = True
    sample: int | None = None


@dataclass(frozen=True)
class Check:
    """A file to be checked, with what its rows should be."""

    folder: Path
    manifest: Manifest
    file: File
    first_row: int
    scope: Scope

    @property
    def numbers(self) -> Collection[int]:
        """The rows to be looked at: all, or the middle of each of so many parts of the split."""
        rows, sample = self.manifest.splits[self.file.split], self.scope.sample
        every = range(self.first_row, self.first_row + self.file.rows)
        if sample is None or sample >= rows:
            return every
        middles = ((2 * part + 1) * rows // (2 * sample) for part in range(sample))
        return {middle: None for middle in middles if middle in every}


def expected_id(manifest: Manifest, split: str, n: int) -> str:
    """The id that row n of a split must have."""
    return row_id(manifest.generator, manifest.version, manifest.seed, split, n)


@dataclass(frozen=True)
class Report:
    """What is wrong with a file, a fingerprint of each sound input, and what its rows use."""

    file: File
    findings: list[str] = field(default_factory=list)
    prints: "array[int]" = field(default_factory=lambda: array("Q"))
    """By line; 0 for a row that was not looked at, or of which something is said already."""
    used: dict[str, set[str]] = field(default_factory=dict)


Made = tuple[Example, bytes]
"""A row as it is made, and the line that is written of it."""

Oddity = tuple[object, str]
"""Of what kind something odd is, None where it stands alone, and what there is to say of it."""


@dataclass
class _Run:
    """Lines on end that are odd in the same way, and what is said of the first."""

    line: int
    kind: object
    text: str
    length: int = 1

    def __str__(self) -> str:
        more = self.length - 1
        rest = f"; so it goes on for {more} more line{'s' * (more > 1)}" if more else ""
        return f"{self.line}: {self.text}{rest}"


def check_file(check: Check, tick: Tick) -> Report:
    """Check one file: its digest, its number of rows, and each row."""
    report = Report(check.file)
    for finding in _file_findings(check, report, tick):
        report.findings.append(f"{check.file.name}:{finding}")
    tick(check.file.rows)
    return report


def _file_findings(check: Check, report: Report, tick: Tick) -> Iterator[str]:
    path, rows, due = check.folder / check.file.name, 0, check.file.rows
    if problem := irregularity(path):
        yield f" {problem}"
        return
    comparison = _Comparison(check, report)
    try:
        with path.open("rb") as raw:
            if hashlib.file_digest(raw, "sha256").hexdigest() != check.file.sha256:
                yield " sha256 differs from the manifest; the file was changed or cut short"
            elif os.fstat(raw.fileno()).st_size != check.file.bytes:
                yield f" its size is not the {check.file.bytes} bytes of the manifest"
        with open_lines(path) as lines:
            while rows < due and (line := next_line(lines)):
                rows += 1
                comparison.see(rows, line)
                if rows % _TICK == 0:
                    tick(rows)
            if lines.read(1):
                yield f" has more than the {due} rows that the manifest says"
            elif rows < due:
                yield f" has {rows} rows, but the manifest says {due}"
    except (OSError, EOFError, ValueError, zlib.error) as error:
        yield f" cannot be read beyond line {rows}: {' '.join(str(error).split())}"
    yield from map(str, comparison.runs)


class _Comparison:
    """The rows of a file, line by line, beside those that should be there."""

    def __init__(self, check: Check, report: Report) -> None:
        self.check = check
        self.report = report
        self.runs: list[_Run] = []
        self._scope = check.scope
        self._numbers = check.numbers
        self._made = _ahead(_made(check, self._numbers))
        self._group: list[Example] = []

    def see(self, number: int, line: bytes) -> None:
        """Look at the next line, and remember what is odd about it."""
        n = self.check.first_row + number - 1
        if n not in self._numbers:
            self.report.prints.append(0)
            return
        example, oddities = self._read(n, line, self._next_made(number))
        for kind, text in oddities:
            self._say(number, kind, text)
        self._compare(n, number, example)
        fingerprint = _fingerprint(example.input) if example and not oddities else 0
        self.report.prints.append(fingerprint)

    def _compare(self, n: int, number: int, example: Example | None) -> None:
        """Hold the rows of a group against one another when its last is there."""
        generator = self._scope.generator
        if generator is None or not self._scope.judged or generator.together == 1:
            return
        if n % generator.together == 0:
            self._group = []
        if example:
            self._group.append(example)
        if len(self._group) == generator.together:
            for problem in disagreements(generator, self._group):
                self._say(number, None, f"{self._group[0].id}: {problem}")
            self._group = []

    def _next_made(self, number: int) -> Made | None:
        try:
            return next(self._made, None)
        except Exception as error:
            self._made = iter(())
            name = "" if isinstance(error, RelsmithError) else f"{type(error).__name__}: "
            reason = " ".join(f"{name}{error}".split())
            self._say(number, None, f"from here on no row can be made anew: {reason}")
            return None

    def _read(self, n: int, line: bytes, made: Made | None) -> tuple[Example | None, list[Oddity]]:
        """The row that stands in a line, and what is odd about it: of what kind, in words."""
        if made and line == made[1]:
            return made[0], self._oddities(made[0], as_made=True)
        try:
            example = Example.parse(line)
        except ValueError as error:
            return None, [("damaged", f"damaged: {error}")]
        expected = expected_id(self.check.manifest, self.check.file.split, n)
        if example.id != expected:
            text = f"id is {example.id!r:.100}, but should be {expected!r}"
            return example, [(self._shift(example.id, n), text)]
        oddities = self._oddities(example)
        if made is None:
            return example, oddities
        differences = _differences(example, Example.parse(made[1]))
        judged = oddities[0][1].removeprefix(f"{expected}: ") if oddities else "right in itself"
        text = f"these options and this seed make another row ({differences}); {judged}"
        return example, [("other", f"{expected}: {text}")]

    def _oddities(self, example: Example, *, as_made: bool = False) -> list[Oddity]:
        """What the judge says, or else the documentation, of a row; note what a sound row uses."""
        scope, problems = self._scope, []
        if scope.generator and scope.judged:
            problems = findings(scope.generator, example)
        elif scope.kind and not as_made:
            problems = undocumented(scope.kind, example)
        if scope.generator and self.check.manifest.withheld and not problems:
            for kind, values in scope.generator.uses(example).items():
                self.report.used.setdefault(kind, set()).update(values)
        return [(None, f"{example.id}: {problem}") for problem in problems]

    def _shift(self, id: str, n: int) -> int | str:
        """How far from its place a row of the split stands by its id; a word for a row of none."""
        stem = expected_id(self.check.manifest, self.check.file.split, 0)[:-1]
        digits = re.fullmatch(re.escape(stem) + "([0-9]{1,18})", id)
        return int(digits[1]) - n if digits else "of elsewhere"

    def _say(self, number: int, kind: object, text: str) -> None:
        last = self.runs[-1] if self.runs else None
        if last and kind is not None and (last.kind, last.line + last.length) == (kind, number):
            last.length += 1
        else:
            self.runs.append(_Run(number, kind, text))


def _made(check: Check, numbers: Collection[int]) -> Iterator[Made]:
    """The rows of these numbers, made anew; none where there is nobody to make them."""
    maker, manifest = check.scope.generator, check.manifest
    if maker is None or not check.scope.made:
        return
    runs = [numbers] if isinstance(numbers, range) else [range(n, n + 1) for n in numbers]
    for run in runs:
        for example in maker.examples(
            run.stop,
            start=run.start,
            seed=manifest.seed,
            split=check.file.split,
            splits=tuple(manifest.splits),
        ):
            yield example, orjson.dumps(example.record(), option=orjson.OPT_APPEND_NEWLINE)


def _ahead(made: Iterator[Made]) -> Iterator[Made]:
    """Make some rows at once: a row made, a row judged, and neither stays in the processor's cache.

    What goes wrong in the making is raised in its place, after the rows before it.
    """
    failure: Exception | None = None
    while failure is None:
        rows: list[Made] = []
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
        return "the same values in other bytes"
    return f"{', '.join(names)} differ{'s' * (len(names) == 1)}"


def _fields(row: Example) -> dict[str, object]:
    inner = {f"metadata.{name}": value for name, value in row.metadata.items()}
    return {"input": row.input, "choices": row.choices, "target": row.target, **inner}


def _fingerprint(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
