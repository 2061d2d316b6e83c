"""Verifying a dataset: every byte against the manifest, every row solved anew."""

import hashlib
import os
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from ..block import row_id
from ..engine import Engine, Local, Tick
from ..errors import InvalidOption, NotFound
from ..example import Example
from ..generator import Generator
from ..judge import findings
from ..registry import GENERATORS
from ..splits import TRAIN
from .manifest import File, Manifest, is_file_name
from .reader import Dataset
from .shard import open_lines

_TICK = 256
_REMADE = 64


@dataclass(frozen=True)
class Check:
    """A file to be checked, with what its rows should be."""

    folder: Path
    manifest: Manifest
    file: File
    first_row: int
    generator: Generator


@dataclass(frozen=True)
class Report:
    """What is wrong with a file, a fingerprint of each of its inputs, and what its rows use."""

    file: File
    findings: list[str] = field(default_factory=list)
    prints: "array[int]" = field(default_factory=lambda: array("Q"))
    used: dict[str, set[str]] = field(default_factory=dict)


def verify(
    folder: str | Path,
    *,
    judge: type[Generator] | None = None,
    engine: Engine | None = None,
) -> Iterator[str]:
    """Yield one line for each thing that is wrong; nothing where all is right.

    The rows are judged by the installed generator of the manifest's name, or by `judge`.
    """
    folder = Path(folder)
    manifest = Manifest.load(folder)
    generator = _generator(folder, manifest, judge or _installed(folder, manifest))
    found = 0
    for finding in _findings(folder, manifest, generator, engine or Local()):
        found += 1
        yield finding
    if not found:
        yield from _other_rows(folder, manifest, generator)


def _findings(
    folder: Path, manifest: Manifest, generator: Generator, engine: Engine
) -> Iterator[str]:
    yield from _folder_findings(folder, manifest)
    yield from _manifest_findings(manifest, generator)
    checks = list(_checks(folder, manifest, generator))
    reports: dict[str, Report] = {}
    for report in engine.map_shards(check_file, checks):
        yield from report.findings
        reports[report.file.name] = report
    for (split, n), (other, m) in _shared(manifest, checks, reports):
        mine, theirs = expected_id(manifest, split, n), expected_id(manifest, other, m)
        yield f"{mine} and {theirs} have the same input: a row in two splits"
    yield from _leaks(manifest, list(reports.values()))


def _leaks(manifest: Manifest, reports: list[Report]) -> Iterator[str]:
    """What was to be kept from training and was not, by the list and by what the rows have."""
    for kind, listed in manifest.withheld.items():
        used: dict[str, set[str]] = {split: set() for split in manifest.splits}
        for report in reports:
            used[report.file.split] |= report.used.get(kind, set())
        seen = used.pop(TRAIN, set())
        if seen & set(listed):
            yield f"{TRAIN} has {kind} that are withheld: {_few(seen & set(listed))}"
        for split, values in used.items():
            if values & seen:
                yield f"{split} has {kind} that {TRAIN} has too: {_few(values & seen)}"


def _few(values: set[str]) -> str:
    first, *others = sorted(values)
    return f"{first!r} and {len(others)} more" if others else repr(first)


def expected_id(manifest: Manifest, split: str, n: int) -> str:
    """The id that row n of a split must have."""
    return row_id(manifest.generator, manifest.version, manifest.seed, split, n)


def _installed(folder: Path, manifest: Manifest) -> type[Generator]:
    if manifest.generator not in GENERATORS.entries:
        raise NotFound(
            f"{folder} was made by {manifest.generator!r}, which is not installed here; "
            f"pip install {manifest.distribution or 'relsmith'}"
        )
    return GENERATORS.get(manifest.generator)


def _generator(folder: Path, manifest: Manifest, judge: type[Generator]) -> Generator:
    if judge.version != manifest.version:
        raise InvalidOption(
            f"{folder} was made by {manifest.generator} version {manifest.version}, but version "
            f"{judge.version} is installed and cannot judge it; install the "
            f"{manifest.distribution or 'relsmith'} that has it"
        )
    return judge.configure(manifest.options)


def _folder_findings(folder: Path, manifest: Manifest) -> Iterator[str]:
    listed = {file.name for file in manifest.files}
    for path in sorted(folder.iterdir()):
        if is_file_name(path.name) and path.name not in listed:
            yield f"{path.name}: not in the manifest"
    for split, rows in manifest.splits.items():
        counted = sum(file.rows for file in manifest.files if file.split == split)
        if counted != rows:
            yield f"manifest.json: {split} has {rows} rows, but its files {counted}"
    for file in manifest.files:
        if file.split not in manifest.splits:
            yield f"manifest.json: {file.name} is of no split that is listed"


def _manifest_findings(manifest: Manifest, generator: Generator) -> Iterator[str]:
    if generator.options() != manifest.options:
        yield "manifest.json: options are not all there, or not as the generator writes them"
    if generator.sources() != manifest.sources:
        yield "manifest.json: sources differ from those that are installed"
    if generator.withheld(manifest.seed) != manifest.withheld:
        yield "manifest.json: what is withheld is not what the generator withholds"
    if generator.notes() != manifest.notes:
        yield "manifest.json: notes are not those that the generator makes"


def _other_rows(folder: Path, manifest: Manifest, generator: Generator) -> Iterator[str]:
    """Make the first rows of each split anew: false options or another seed would show."""
    splits = tuple(manifest.splits)
    for split, count in manifest.splits.items():
        made = generator.examples(
            min(count, _REMADE), seed=manifest.seed, split=split, splits=splits
        )
        for row, again in zip(Dataset(folder).rows(split), made, strict=False):
            if row != Example.parse(orjson.dumps(again)):
                yield (
                    f"{row.id}: right in itself, but these options and this seed make another row; "
                    f"was the manifest changed?"
                )
                break


def _checks(folder: Path, manifest: Manifest, generator: Generator) -> Iterator[Check]:
    rows = dict.fromkeys(manifest.splits, 0)
    for file in manifest.files:
        if file.split in rows:
            yield Check(folder, manifest, file, rows[file.split], generator)
            rows[file.split] += file.rows


def check_file(check: Check, tick: Tick) -> Report:
    """Check one file: its digest, its rows' number and ids, and each row by the judge."""
    report = Report(check.file)
    say, name = report.findings.append, check.file.name
    path = check.folder / name
    rows = 0
    try:
        with path.open("rb") as raw:
            if hashlib.file_digest(raw, "sha256").hexdigest() != check.file.sha256:
                say(f"{name}: sha256 differs from the manifest; the file was changed or cut short")
            elif os.fstat(raw.fileno()).st_size != check.file.bytes:
                say(f"{name}: its size is not the {check.file.bytes} bytes of the manifest")
        with open_lines(path) as lines:
            for rows, line in enumerate(lines, 1):
                for finding in _row_findings(check, rows, line, report):
                    say(f"{name}:{rows}: {finding}")
                if rows % _TICK == 0:
                    tick(rows)
    except (OSError, EOFError, zlib.error) as error:
        say(f"{name}: cannot be read beyond line {rows}: {' '.join(str(error).split())}")
    if rows != check.file.rows:
        say(f"{name}: has {rows} rows, but the manifest says {check.file.rows}")
    tick(check.file.rows)
    return report


def _row_findings(check: Check, number: int, line: bytes, report: Report) -> Iterator[str]:
    try:
        example = Example.parse(line)
    except ValueError as error:
        report.prints.append(_fingerprint(line))
        yield str(error)
        return
    report.prints.append(_fingerprint(example.input.encode()))
    expected = expected_id(check.manifest, check.file.split, check.first_row + number - 1)
    if example.id != expected:
        yield f"id is {example.id!r}, but should be {expected!r}"
    found = findings(check.generator, example)
    for finding in found:
        yield f"{example.id}: {finding}"
    if check.manifest.withheld and not found:
        for kind, values in check.generator.uses(example).items():
            report.used.setdefault(kind, set()).update(values)


def _fingerprint(text: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


Place = tuple[str, int]


def _shared(
    manifest: Manifest, checks: list[Check], reports: dict[str, Report]
) -> Iterator[tuple[Place, Place]]:
    """Find inputs that stand in two splits; memory grows with all but the largest split."""
    seen: dict[int, Place] = {}
    by_size = sorted(manifest.splits, key=lambda split: manifest.splits[split])
    for split in by_size:
        for check in checks:
            if check.file.split != split:
                continue
            for n, fingerprint in enumerate(reports[check.file.name].prints, check.first_row):
                place = seen.get(fingerprint)
                if place and place[0] != split:
                    yield place, (split, n)
                elif split != by_size[-1]:
                    seen[fingerprint] = (split, n)
