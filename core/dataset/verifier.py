"""Verify a dataset: the folder and its bytes, and every row, generated and judged again."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import orjson

from ..capabilities import Documentation, Groups, HoldOuts
from ..engines.engine import Engine, Local
from ..errors import CheckFailed, Infeasible, InvalidOption, NotFound, RelsmithError, Unchecked
from ..generator import Generator
from ..options import external_options
from ..registry import GENERATORS, distribution_name
from ..splits import TRAIN
from ..storage import files
from ..storage.files import local_path
from .file_check import CheckScope, FileCheck, FileReport, check_file, split_check
from .layout import boundary_findings, layout_findings
from .manifest import MANIFEST, WORK_FOLDER, Manifest

_MIN_FILES_FOR_WHOLE = 64
"""With fewer files, workers share a file."""

RowPlace = tuple[str, int]
"""The split of a row and its number in it."""


def verify(
    folder: str | Path,
    *,
    judge: type[Generator] | None = None,
    engine: Engine | None = None,
    trust: bool = False,
    sample: int | None = None,
    judged: bool = True,
) -> Iterator[str]:
    """Yield one line for each finding; nothing for a correct dataset.

    Rows are generated and judged by the installed generator, or by the class `judge`; only
    `sample` rows of each split if given, and not judged if `judged` is false. Files and models
    that the manifest names are opened only with `trust`. Raises Unchecked at the end if some
    checks were not possible.
    """
    folder = local_path(folder)
    with locked_manifest(folder) as manifest:
        verification = Verification(folder, manifest, judge, trust, sample, judged)
        yield from verification.findings(engine or Local())
    if verification.skipped:
        raise Unchecked(f"{folder}: {verification.skipped[0]}")


@contextmanager
def locked_manifest(folder: Path) -> Iterator[Manifest]:
    """Load the manifest and lock the dataset against other runs."""
    work, busy = (
        folder / WORK_FOLDER,
        f"another run is writing {folder}; wait for it, then verify",
    )
    with ExitStack() as stack:
        if (work.exists() or (folder / MANIFEST).exists()) and not files.find_symlink(work):
            with suppress(OSError):  # read-only folders need no lock
                stack.enter_context(files.locked(work, busy))
        yield Manifest.load(folder)


@dataclass
class Verification:
    """The check of one dataset, and why some checks were `skipped`."""

    folder: Path
    manifest: Manifest
    judge: type[Generator] | None = None
    trust: bool = False
    sample: int | None = None
    judged: bool = True
    skipped: list[str] = field(default_factory=list)

    def findings(self, engine: Engine) -> Iterator[str]:
        """Yield one line for each finding."""
        manifest = self.manifest
        yield from layout_findings(self.folder, manifest)
        scope = CheckScope(judged=self.judged, sample=self.sample)
        try:
            scope = replace(scope, cls=(cls := _generator_class(manifest, self.judge)))
            generator = _configured(cls, manifest, self.trust)
            yield from list(_manifest_findings(manifest, generator))
            made = Documentation.of(generator).sources() == manifest.sources
            scope = replace(scope, generator=generator, made=made)
        except (CheckFailed, Infeasible) as error:
            yield f"{MANIFEST}: {error}"
        except (Exception, SystemExit) as error:
            name = "" if isinstance(error, RelsmithError) else f"{type(error).__name__}: "
            why = " ".join(f"{name}{error}".split())
            self.skipped.append(f"its rows were neither generated again nor judged: {why}")
        size = Groups.of(scope.generator).group_size if scope.generator else None
        yield from boundary_findings(manifest, size)
        yield from _row_findings(self.folder, manifest, scope, engine)


def _generator_class(manifest: Manifest, judge: type[Generator] | None) -> type[Generator]:
    """Return the generator class of the manifest, in its version."""
    needed = manifest.distribution or "relsmith"
    if judge is None and manifest.generator not in GENERATORS.entries:
        raise NotFound(
            f"they come from {manifest.generator!r}, which is not installed here; "
            f"pip install {needed}"
        )
    cls = judge or GENERATORS.get(manifest.generator)
    if cls.version != manifest.version:
        raise InvalidOption(
            f"they come from {manifest.generator} version {manifest.version}, but version "
            f"{cls.version} is installed; install the {needed} that has it"
        )
    return cls


def _configured(cls: type[Generator], manifest: Manifest, trust: bool) -> Generator:
    """Return the generator with the options of the manifest."""
    named = external_options(cls, manifest.options)
    if named and not trust:
        listed = ", ".join(f"{name} {value!r:.100}" for name, value in named.items())
        raise Unchecked(
            f"the manifest names files or models ({listed}), which are not opened by default; "
            f"pass --trust if you trust them"
        )
    try:
        return cls.configure(manifest.options)
    except InvalidOption as error:
        if named:
            raise
        raise CheckFailed(str(error)) from None


def _manifest_findings(manifest: Manifest, generator: Generator) -> Iterator[str]:
    """Yield where the manifest differs from what the generator writes."""
    if generator.name != manifest.generator:
        yield f"{MANIFEST}: generator is {manifest.generator!r}, not {generator.name!r}"
    if distribution_name(type(generator)) != manifest.distribution:
        yield f"{MANIFEST}: distribution is not the one that provides {generator.name}"
    if orjson.dumps(generator.options()) != orjson.dumps(manifest.options):
        yield f"{MANIFEST}: options are incomplete, or not as the generator writes them"
    if Documentation.of(generator).sources() != manifest.sources:
        yield f"{MANIFEST}: sources differ from the installed ones, so no row was generated again"
    splits = tuple(manifest.splits)
    if HoldOuts.of(generator).held_out_values(manifest.seed, splits) != manifest.withheld:
        yield f"{MANIFEST}: withheld is not what the generator holds out"
    if Documentation.of(generator).notes() != manifest.notes:
        yield f"{MANIFEST}: notes are not those of the generator"


def _row_findings(
    folder: Path, manifest: Manifest, scope: CheckScope, engine: Engine
) -> Iterator[str]:
    checks = list(_checks(folder, manifest, scope))
    if len(checks) < _MIN_FILES_FOR_WHOLE:
        checks = [part for check in checks for part in split_check(check)]
    reports: dict[RowPlace, FileReport] = {}
    for report in engine.map_shards(check_file, checks):
        yield from report.findings
        reports[report.file.split, report.first_row] = report
    for (split, n), (other, m) in _shared(manifest, checks, reports):
        mine, theirs = manifest.row_id(split, n), manifest.row_id(other, m)
        yield f"{mine} and {theirs} have the same input: a row in two splits"
    yield from _leaks(manifest, list(reports.values()))


def _checks(folder: Path, manifest: Manifest, scope: CheckScope) -> Iterator[FileCheck]:
    rows = dict.fromkeys(manifest.splits, 0)
    bare = manifest.model_copy(update={"files": []})  # small, because each check is sent on its own
    for file in manifest.files:
        if file.split in rows:
            yield FileCheck(folder, bare, file, rows[file.split], scope)
            rows[file.split] += file.rows


def _shared(
    manifest: Manifest, checks: list[FileCheck], reports: dict[RowPlace, FileReport]
) -> Iterator[tuple[RowPlace, RowPlace]]:
    """Yield pairs of rows with equal inputs in two splits; the largest split is not stored."""
    seen: dict[int, RowPlace] = {}
    by_size = sorted(manifest.splits, key=lambda split: manifest.splits[split])
    for split in by_size:
        for check in checks:
            if check.file.split != split:
                continue
            first = check.rows.start
            for n, fingerprint in enumerate(reports[split, first].fingerprints, first):
                place = seen.get(fingerprint)
                if place and place[0] != split:
                    yield place, (split, n)
                elif fingerprint and split != by_size[-1]:
                    seen[fingerprint] = (split, n)


def _leaks(manifest: Manifest, reports: list[FileReport]) -> Iterator[str]:
    """Yield held-out values that occur in training, by the manifest's list and by the rows."""
    for kind, listed in manifest.withheld.items():
        used: dict[str, set[str]] = {split: set() for split in manifest.splits}
        for report in reports:
            used[report.file.split] |= report.used_values.get(kind, set())
        seen = used.pop(TRAIN, set())
        if seen & set(listed):
            yield f"{TRAIN} has {kind} that are held out: {_first_of(seen & set(listed))}"
        for split, values in used.items():
            if values & seen:
                yield f"{split} has {kind} that {TRAIN} has too: {_first_of(values & seen)}"


def _first_of(values: set[str]) -> str:
    first, *others = sorted(values)
    return f"{first!r} and {len(others)} more" if others else repr(first)
