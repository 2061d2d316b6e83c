"""Write a dataset: shards into a work folder, then all into place, the manifest last."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ..capabilities import Groups
from ..engines.engine import Engine, Local
from ..errors import AlreadyExists, InvalidOption
from ..generator import Generator
from ..options import external_options
from ..storage import files
from ..storage.files import local_path
from .card import CARD, card
from .encoding import check_encoding
from .manifest import (
    MANIFEST,
    Encoding,
    Manifest,
    is_dataset,
    is_shard_name,
    shard_bounds,
    shard_name,
)
from .manifest import WORK_FOLDER as _WORK
from .plan import plan_manifest
from .shard import PLACED, REQUEST, Shard, make_shard, read_note
from .sharding import Shards, shard_counts

_MAX_FILES = 100_000


def write(
    generator: Generator,
    out: str | Path,
    splits: Mapping[str, int],
    *,
    seed: int = 0,
    shards: Shards = None,
    encoding: Encoding = "jsonl",
    judge: bool = False,
    force: bool = False,
    engine: Engine | None = None,
) -> Manifest:
    """Write `splits` (rows by name) into the folder `out`, or resume a run that was killed.

    The bytes do not depend on the engine or the workers. An existing dataset is replaced only
    with `force`, and only when the new one is complete.
    """
    out = local_path(out)
    plan = plan_manifest(generator, splits, seed)
    tasks = list(_shards(generator, out / _WORK, plan, shards, encoding, judge))
    files.check_inputs(out, _inputs(generator))
    request = _request(plan, tasks)
    digest = hashlib.sha256(request).hexdigest()
    tasks = [replace(task, request=digest) for task in tasks]
    written = (engine or Local()).map_shards(make_shard, tasks)
    busy = f"another run is writing into {out}; wait for it or choose another --out"
    with files.explain_write_errors(out, resumable=True), files.locked(out / _WORK, busy):
        if not _claim(out, request, force):
            records = {record.file.name: record for record in written}
            shards_made = [records[task.name].file for task in tasks]
            plan = plan.model_copy(update={"files": shards_made})
            _put_in_place(out, plan)
        files.clear(out / _WORK, PLACED)
    _remove_work_folder(out / _WORK)
    return Manifest.load(out)


def _inputs(generator: Generator) -> Iterator[Path]:
    for value in external_options(type(generator), generator.options()).values():
        for name in [value] if isinstance(value, str) else value:
            if Path(name).exists():
                yield Path(name)


def _shards(
    generator: Generator,
    work: Path,
    plan: Manifest,
    shards: Shards,
    encoding: Encoding,
    judge: bool,
) -> Iterator[Shard]:
    def shard(split: str, start: int, stop: int, name: str) -> Shard:
        splits = tuple(plan.splits)
        return Shard(generator, plan.seed, splits, split, start, stop, name, encoding, work, judge)

    check_encoding(encoding, type(generator))
    size = Groups.of(generator).group_size
    first, rows = next(iter(plan.splits.items()))
    counts = shard_counts(shards, plan.splits, size, shard(first, 0, rows, "").examples())
    if sum(counts.values()) > _MAX_FILES:
        raise InvalidOption(
            f"these rows make {sum(counts.values()):,} files, more than {_MAX_FILES:,}; ask for "
            f"fewer --rows, or for fewer files with --shards"
        )
    for split, count in counts.items():
        for index in range(count):
            start, stop = shard_bounds(plan.splits[split], size, index, count)
            yield shard(split, start, stop, shard_name(split, index, count, encoding))


def _request(plan: Manifest, tasks: list[Shard]) -> bytes:
    """Return everything that the dataset's bytes depend on, and whether rows are judged."""
    shards = sorted({(task.split, task.name.rpartition("-")[2], task.judge) for task in tasks})
    return plan.json_bytes() + repr(shards).encode()


def _claim(out: Path, request: bytes, force: bool) -> bool:
    """Claim the work folder; true if a killed run had only cleaning up left to do."""
    work = out / _WORK
    placed = read_note(work / PLACED) == request
    ours = placed or read_note(work / REQUEST) == request
    finished = is_dataset(out)
    if finished and placed:
        return True
    if finished and not force:
        raise AlreadyExists(
            f"{out} already holds a dataset; pass --force to replace it or choose another --out"
        )
    if not finished and not _is_ours(work):
        raise AlreadyExists(
            f"{out} is not empty and not a dataset, so --force does not replace it; "
            f"choose another --out"
        )
    if not ours:
        if _has_request(work) and not force:
            raise AlreadyExists(
                f"{out} holds an unfinished dataset made with other options; run that command "
                f"again to finish it, or pass --force to discard it"
            )
        if (work / PLACED).exists():
            (work / PLACED).replace(work / REQUEST)
        files.start_work(work, REQUEST, request)
    files.remove_temporary(work)
    return False


def _has_request(work: Path) -> bool:
    return (work / REQUEST).exists() or (work / PLACED).exists()


def _is_ours(work: Path) -> bool:
    """Return whether `gen` left the work folder, even if killed before it wrote its request."""
    begun = {path.suffix for path in work.iterdir() if path.name != files.LOCK}
    alone = all(path == work for path in work.parent.iterdir())
    return _has_request(work) or (alone and begun <= {files.TEMPORARY_SUFFIX})


def _put_in_place(out: Path, manifest: Manifest) -> None:
    work = out / _WORK
    names = {file.name for file in manifest.files}
    (out / MANIFEST).unlink(missing_ok=True)
    for path in out.iterdir():
        if is_shard_name(path.name) and path.name not in names:
            path.unlink()
    for path in list(work.iterdir()):
        if path.name in names:
            path.replace(out / path.name)
    files.write(out / CARD, card(manifest).encode(), work)
    if (work / REQUEST).exists():
        (work / REQUEST).replace(work / PLACED)
    files.sync(out)
    files.write(out / MANIFEST, manifest.json_bytes(), work)
    files.sync(out)


def _remove_work_folder(work: Path) -> None:
    """Remove the note that all is in place last, so that a killed run can be resumed."""
    (work / PLACED).unlink(missing_ok=True)
    with suppress(OSError):  # the next run may already use it
        work.rmdir()


def recover(out: Path, *, discard: bool = False) -> None:
    """Clean up after a run that was killed when its dataset was in place.

    The unfinished files of a run that was replacing the dataset are removed only with `discard`.
    """
    work = out / _WORK
    if is_dataset(out) and work.is_dir():
        with suppress(AlreadyExists), files.locked(work):
            if discard or (work / PLACED).exists():
                files.clear(work, PLACED, REQUEST)
                (work / REQUEST).unlink(missing_ok=True)
                (work / PLACED).unlink(missing_ok=True)
