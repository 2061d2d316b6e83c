"""One file of a dataset against what it should be: its bytes, and rows made and judged anew."""

import gc
import hashlib
import os
import re
import zlib
from array import array
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from ..block import row_id
from ..engines.engine import Tick
from ..errors import RelsmithError
from ..example import Example
from ..generator import Generator
from ..judge import disagreements, findings, undocumented
from ..storage.store import Place
from ..storage.text import next_line
from .encoding import line_of, open_lines
from .layout import irregularity
from .manifest import File, Manifest, encoding_of
from .shard import seldom_collecting

_TICK = 256
_ROWS_AHEAD = 32
_ROWS_BETWEEN_COLLECTIONS = 65536
_ROWS_TOGETHER = 2048
"""So many rows of a file go to one worker; their making starts with a block of its own."""


@dataclass(frozen=True)
class Scope:
    """What is done with rows, and with how many of a split; without a generator, the least."""

    kind: type[Generator] | None = None
    generator: Generator | None = None
    made: bool = True
    judged: bool = True
    sample: int | None = None


@dataclass(frozen=True)
class Part:
    """Some lines on end of a file whose bytes are those of the manifest: where they start."""

    before: int
    rows: int
    offset: int


@dataclass(frozen=True)
class Check:
    """A file to be checked, or a part of it, with what its rows should be."""

    folder: Place
    manifest: Manifest
    file: File
    first_row: int
    scope: Scope
    part: Part | None = None

    @property
    def made_by(self) -> str:
        """The name of the generator."""
        return self.manifest.generator

    @property
    def rows(self) -> range:
        """The rows of the split that should stand there."""
        if self.part is None:
            return range(self.first_row, self.first_row + self.file.rows)
        start = self.first_row + self.part.before
        return range(start, start + self.part.rows)

    @property
    def numbers(self) -> Collection[int]:
        """The rows to be looked at: all, or the middle of each of so many parts of the split."""
        rows, sample = self.manifest.splits[self.file.split], self.scope.sample
        every = self.rows
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
    first_row: int
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
    report = Report(check.file, check.rows.start)
    findings = _part_findings if check.part else _file_findings
    with seldom_collecting():
        for finding in findings(check, report, tick):
            report.findings.append(f"{check.file.name}:{finding}")
    if len(check.manifest.splits) == 1:
        del report.prints[:]  # they tell a row in two splits, and all of them are held at once
    tick(len(check.rows))
    return report


def parts(check: Check) -> list[Check]:
    """The same check in parts that several workers can share, where no byte of the file differs."""
    path, before, offset = check.folder / check.file.name, 0, 0
    found: list[Part] = []
    group = check.scope.generator.together if check.scope.generator else 1
    most = max(1, _ROWS_TOGETHER // group) * group
    if check.file.rows <= most or path.suffix != ".jsonl" or irregularity(path):
        return [check]
    digest = hashlib.sha256()
    try:
        with path.open("rb") as lines:
            while line := next_line(lines):
                if before % most == 0:
                    found.append(Part(before, most, offset))
                digest.update(line)
                before, offset = before + 1, offset + len(line)
    except (OSError, ValueError):
        return [check]
    found[-1:] = [replace(part, rows=before - part.before) for part in found[-1:]]
    file = check.file
    if (digest.hexdigest(), before, offset) != (file.sha256, file.rows, file.bytes):
        return [check]
    return [replace(check, part=part) for part in found]


def _part_findings(check: Check, report: Report, tick: Tick) -> Iterator[str]:
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
                comparison.see(number, line, following)
                if number % _TICK == 0:
                    tick(number - part.before)
    except (OSError, ValueError) as error:
        yield f" cannot be read beyond line {number}: {' '.join(str(error).split())}"
    yield from map(str, comparison.runs)


def _file_findings(check: Check, report: Report, tick: Tick) -> Iterator[str]:
    path, rows, due = check.folder / check.file.name, 0, check.file.rows
    if problem := irregularity(path):
        yield f" {problem}"
        return
    comparison, changed, wrong = _Comparison(check, report), "", ""
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
                comparison.see(rows, line, following)
                if rows % _TICK == 0:
                    tick(rows)
                if rows % _ROWS_BETWEEN_COLLECTIONS == 0:
                    gc.collect()
            if following:
                wrong = f" has more than the {due} rows that the manifest says"
            elif rows < due:
                changed = ""  # that rows are missing says enough
                if rows + comparison.missing < due:
                    wrong = f" has {rows} rows, but the manifest says {due}"
    except (OSError, EOFError, ValueError, zlib.error) as error:
        wrong = f" cannot be read beyond line {rows}: {' '.join(str(error).split())}"
    yield from filter(None, (changed, wrong))
    yield from map(str, comparison.runs)


class _Comparison:
    """The rows of a file, line by line, beside those that should be there."""

    def __init__(self, check: Check, report: Report) -> None:
        self.check = check
        self.report = report
        self.runs: list[_Run] = []
        self.missing = 0
        """So many rows were left out before the line at hand."""
        self._scope = check.scope
        self._numbers = check.numbers
        self._made = _ahead(_made(check, self._numbers))
        self._group: list[Example] = []

    def see(self, number: int, line: bytes, following: bytes) -> None:
        """Look at the next line, of which another follows, and remember what is odd about it."""
        n = self.check.first_row + number - 1 + self.missing
        if n not in self._numbers:
            self.report.prints.append(0)
            return
        made = self._next_made(number)
        if gap := 0 if made and line == made[1] else self._gap(n, line, following):
            self._say(number, None, self._left_out(n, gap))
            self.missing += gap
            self.report.prints.extend([0] * gap)
            for left_out in range(n + 1, n + gap + 1):
                made = self._next_made(number) if left_out in self._numbers else None
            n += gap
            if n not in self._numbers:
                self.report.prints.append(0)
                return
        example, oddities = self._read(n, line, made)
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

    def _gap(self, n: int, line: bytes, following: bytes) -> int:
        """How many rows are missing before a line: it and the next are those of so many later."""
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

    def _left_out(self, n: int, gap: int) -> str:
        if self._scope.sample is not None:
            return f"{gap} row{'s are' if gap > 1 else ' is'} missing before this line"
        first = expected_id(self.check.manifest, self.check.file.split, n)
        more = f"and {gap - 1} more are" if gap > 1 else "is"
        return f"{first!r} {more} missing before this line"

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
    line = line_of(encoding_of(check.file.name), type(maker))
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
