"""Verifying a dataset: folder and bytes against the manifest, every row made and judged anew."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace

from ..engines.engine import Engine, Local
from ..errors import CheckFailed, Infeasible, InvalidOption, NotFound, RelsmithError, Unchecked
from ..generator import Generator
from ..options import named_outside
from ..registry import GENERATORS, provider
from ..splits import TRAIN
from ..storage import files
from ..storage.store import Place, Remote, place_of
from .comparison import Check, Report, Scope, check_file, expected_id, parts
from .layout import layout_findings
from .manifest import MANIFEST, WORK, Manifest

_MANY = 64
"""With fewer files than that, workers share a file."""

RowPlace = tuple[str, int]
"""A row: its split and its number there."""


def verify(
    folder: str | Place,
    *,
    judge: type[Generator] | None = None,
    engine: Engine | None = None,
    trust: bool = False,
    sample: int | None = None,
    judged: bool = True,
) -> Iterator[str]:
    """Yield one line for each thing that is wrong; nothing where all is right.

    The rows are made and judged by the installed generator of the manifest's name, or by `judge`;
    only `sample` of each split where that is given, and without judging where not `judged`. Files
    and models that the manifest names are read with `trust` only. Where not all could be done,
    Unchecked is raised in the end.
    """
    folder = place_of(folder)
    with undisturbed(folder) as manifest:
        verification = Verification(folder, manifest, judge, trust, sample, judged)
        yield from verification.findings(engine or Local())
    if verification.undone:
        raise Unchecked(f"{folder}: {verification.undone[0]}")


@contextmanager
def undisturbed(folder: Place) -> Iterator[Manifest]:
    """The manifest of a dataset that no run replaces meanwhile; a store cannot promise that."""
    if isinstance(folder, Remote):
        yield Manifest.load(folder)
        return
    work, busy = folder / WORK, f"another run is at work in {folder}; wait for it, then verify"
    with ExitStack() as stack:
        if (work.exists() or (folder / MANIFEST).exists()) and not files.link_in(work):
            with suppress(OSError):  # where nothing can be written, nobody writes
                stack.enter_context(files.alone(work, busy))
        yield Manifest.load(folder)


@dataclass
class Verification:
    """The check of one dataset, and why some of it was left `undone`."""

    folder: Place
    manifest: Manifest
    judge: type[Generator] | None = None
    trust: bool = False
    sample: int | None = None
    judged: bool = True
    undone: list[str] = field(default_factory=list)

    def findings(self, engine: Engine) -> Iterator[str]:
        """Yield one line for each thing that is wrong."""
        manifest = self.manifest
        yield from layout_findings(self.folder, manifest)
        scope = Scope(judged=self.judged, sample=self.sample)
        try:
            scope = replace(scope, kind=(kind := _kind(manifest, self.judge)))
            generator = _configured(kind, manifest, self.trust)
            yield from list(_manifest_findings(manifest, generator))
            made = generator.sources() == manifest.sources
            scope = replace(scope, generator=generator, made=made)
        except (CheckFailed, Infeasible) as error:
            yield f"{MANIFEST}: {error}"
        except (Exception, SystemExit) as error:
            name = "" if isinstance(error, RelsmithError) else f"{type(error).__name__}: "
            why = " ".join(f"{name}{error}".split())
            self.undone.append(f"its rows were neither made anew nor judged: {why}")
        yield from _row_findings(self.folder, manifest, scope, engine)


def _kind(manifest: Manifest, judge: type[Generator] | None) -> type[Generator]:
    """The class that makes and judges such rows."""
    needed = manifest.distribution or "relsmith"
    if judge is None and manifest.generator not in GENERATORS.entries:
        raise NotFound(
            f"they come from {manifest.generator!r}, which is not installed here; "
            f"pip install {needed}"
        )
    kind = judge or GENERATORS.get(manifest.generator)
    if kind.version != manifest.version:
        raise InvalidOption(
            f"they come from {manifest.generator} version {manifest.version}, but version "
            f"{kind.version} is installed; install the {needed} that has it"
        )
    return kind


def _configured(kind: type[Generator], manifest: Manifest, trust: bool) -> Generator:
    """The generator that the manifest speaks of."""
    named = named_outside(kind, manifest.options)
    if named and not trust:
        listed = ", ".join(f"{name} {value!r:.100}" for name, value in named.items())
        raise Unchecked(
            f"the manifest names what only it knows of ({listed}), and no such file is read, no "
            f"such model loaded unasked; pass --trust where it is yours"
        )
    try:
        return kind.configure(manifest.options)
    except InvalidOption as error:
        if named:
            raise
        raise CheckFailed(str(error)) from None


def _manifest_findings(manifest: Manifest, generator: Generator) -> Iterator[str]:
    """What the generator would have written into the manifest otherwise."""
    if generator.name != manifest.generator:
        yield f"{MANIFEST}: generator is {manifest.generator!r}, and not {generator.name!r}"
    if provider(type(generator)) != manifest.distribution:
        yield f"{MANIFEST}: distribution is not the one that has {generator.name}"
    if generator.options() != manifest.options:
        yield f"{MANIFEST}: options are not all there, or not as the generator writes them"
    if generator.sources() != manifest.sources:
        yield f"{MANIFEST}: sources differ from those that are installed, so no row was made anew"
    if generator.withheld(manifest.seed) != manifest.withheld:
        yield f"{MANIFEST}: what is withheld is not what the generator withholds"
    if generator.notes() != manifest.notes:
        yield f"{MANIFEST}: notes are not those that the generator makes"


def _row_findings(folder: Place, manifest: Manifest, scope: Scope, engine: Engine) -> Iterator[str]:
    checks = list(_checks(folder, manifest, scope))
    if len(checks) < _MANY:
        checks = [part for check in checks for part in parts(check)]
    reports: dict[RowPlace, Report] = {}
    for report in engine.map_shards(check_file, checks):
        yield from report.findings
        reports[report.file.split, report.first_row] = report
    for (split, n), (other, m) in _shared(manifest, checks, reports):
        mine, theirs = expected_id(manifest, split, n), expected_id(manifest, other, m)
        yield f"{mine} and {theirs} have the same input: a row in two splits"
    yield from _leaks(manifest, list(reports.values()))


def _checks(folder: Place, manifest: Manifest, scope: Scope) -> Iterator[Check]:
    rows = dict.fromkeys(manifest.splits, 0)
    bare = manifest.model_copy(update={"files": []})  # each check goes to a worker by itself
    for file in manifest.files:
        if file.split in rows:
            yield Check(folder, bare, file, rows[file.split], scope)
            rows[file.split] += file.rows


def _shared(
    manifest: Manifest, checks: list[Check], reports: dict[RowPlace, Report]
) -> Iterator[tuple[RowPlace, RowPlace]]:
    """Find inputs that stand in two splits; memory grows with all but the largest split."""
    seen: dict[int, RowPlace] = {}
    by_size = sorted(manifest.splits, key=lambda split: manifest.splits[split])
    for split in by_size:
        for check in checks:
            if check.file.split != split:
                continue
            first = check.rows.start
            for n, fingerprint in enumerate(reports[split, first].prints, first):
                place = seen.get(fingerprint)
                if place and place[0] != split:
                    yield place, (split, n)
                elif fingerprint and split != by_size[-1]:
                    seen[fingerprint] = (split, n)


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
