"""Builder of stores: parts are read in parallel into sorted runs, and runs are merged into blocks.

Finished parts stay in the work folder until the store is complete, so a killed build can resume.
Memory does not grow with the input.
"""

import json
import sqlite3
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from ...engines.engine import Engine, Local, Tick
from ...errors import AlreadyExists, InvalidInput, InvalidOption
from ...storage import files
from .formats import READERS, split_source
from .source import MAX_EXAMPLES, ReadReport, SourcePart, TripleSource
from .store import TripleStore, encode_triple, encoded_key, is_store, open_store, write_store
from .triple import Triple

_MAX_TRIPLES_IN_MEMORY = 300_000
_MAX_BYTES_IN_MEMORY = 1 << 26
_MAX_RUNS = 200
_REQUEST = "request.json"
_READY = "placed.json"
_STORE = "store"


@dataclass(frozen=True)
class _ReadTask:
    """A part to read, and the folder for its runs."""

    part: SourcePart
    number: int
    work: Path

    @property
    def record(self) -> Path:
        return self.work / f"part-{self.number:06}.json"


def build(
    sources: Sequence[TripleSource], out: Path, *, engine: Engine | None = None, force: bool = False
) -> TripleStore:
    """Read all sources into one store, or resume a build that was killed."""
    work = out.with_name(f"{out.name}.unfinished")
    busy = f"another run builds in {work}; wait for it"
    with files.explain_write_errors(out, resumable=True), files.locked(work, busy):
        if (work / _READY).exists():
            _resume(work)
        files.check_inputs(out, (source.path for source in sources))
        _check_out(out, force)
        _claim(work, sources, force)
        try:
            parts = [part for source in sources for part in split_source(source)]
            tasks = [_ReadTask(part, number, work) for number, part in enumerate(parts)]
            records = list((engine or Local()).map_shards(_read_part, tasks))
            records.sort(key=lambda record: record["number"])
            _write_store(work, out, _summary(tasks, records), records)
        except (InvalidInput, InvalidOption):  # it would fail again
            _clear(work, _REQUEST)
            raise
        _clear(work, _READY)
    return open_store(out)


def _check_out(out: Path, force: bool) -> None:
    if out.exists() and not force:
        raise AlreadyExists(f"{out} exists; pass --force to replace it or choose another --out")
    if out.exists() and not is_store(out):
        raise AlreadyExists(
            f"{out} is no triple store, so --force does not replace it; choose another --out"
        )


def _claim(work: Path, sources: Sequence[TripleSource], force: bool) -> None:
    """Claim the work folder; the file that identifies it is written first and deleted last."""
    request = json.dumps(
        [
            (
                *(str(source.path.resolve()), files.stamp(source.path)),
                *(source.format, source.columns, source.pipeline),
            )
            for source in sources
        ]
    ).encode()
    path = work / _REQUEST
    files.remove_temporary(
        work, "" if path.exists() else _REQUEST
    )  # else the folder may not be ours
    if path.exists() and path.read_bytes() == request:
        return
    if path.exists() and not force:
        raise AlreadyExists(
            f"{work} holds an unfinished store of other files or options; run that command "
            f"again to finish it, or pass --force to discard it"
        )
    others = {file.name for file in work.iterdir()} - {files.LOCK}
    if others and not path.exists():
        raise AlreadyExists(
            f"{work} is where the store is built, but holds {min(others)!r}; move that elsewhere"
        )
    files.start_work(work, _REQUEST, request)


def _resume(work: Path) -> None:
    """Resume a build that was killed before or after it moved the finished store into place."""
    if (work / _STORE).exists():
        (work / _READY).replace(work / _REQUEST)
    else:
        _clear(work, _READY)


def _clear(work: Path, note: str) -> None:
    """Empty the work folder; the file that identifies it is deleted last."""
    files.clear(work, note)
    (work / note).unlink()


def _read_part(task: _ReadTask, tick: Tick) -> dict[str, Any]:
    """Read a part into sorted runs, unless it is finished already."""
    record = _finished_record(task)
    if record is None:
        report = ReadReport()
        triples = READERS[task.part.source.format](task.part, report, tick)
        runs = [run.name for run in _runs(task, triples)]
        record = {
            "number": task.number,
            "lines": report.lines,
            "problems": report.problems,
            "examples": report.examples,
            "runs": runs,
        }
        files.write(task.record, json.dumps(record).encode())
    tick(task.part.size)
    return record


def _finished_record(task: _ReadTask) -> dict[str, Any] | None:
    try:
        record: dict[str, Any] = json.loads(task.record.read_bytes())
    except OSError:
        return None
    return record


def _runs(task: _ReadTask, triples: Iterator[Triple]) -> Iterator[Path]:
    counts: dict[tuple[str, ...], int] = {}
    number = 0
    for triple in triples:
        key = triple[:3]
        counts[key] = counts.get(key, 0) + triple.count
        if len(counts) >= _MAX_TRIPLES_IN_MEMORY:
            yield _write_run(task, number, counts)
            number += 1
            counts.clear()
    if counts:
        yield _write_run(task, number, counts)


def _write_run(task: _ReadTask, number: int, counts: dict[tuple[str, ...], int]) -> Path:
    run = task.work / f"part-{task.number:06}-{number:06}.run"
    key = cache(encoded_key)
    sorted_lines: list[bytes] = []
    for (arg1, relation, arg2), count in counts.items():
        sorted_lines += encode_triple(arg1, relation, arg2, count, key)
    sorted_lines.sort()
    _write_lines(run, sorted_lines)
    return run


def _write_lines(run: Path, sorted_lines: Iterable[bytes]) -> None:
    with files.atomic_path(run) as unfinished, unfinished.open("wb", buffering=1 << 20) as file:
        file.writelines(sorted_lines)


def merged(runs: Sequence[Path]) -> Iterator[bytes]:
    """Yield the sorted lines of sorted runs; a part of each run is in memory at a time."""
    return chain.from_iterable(_batches(runs))


def _batches(runs: Sequence[Path]) -> Iterator[list[bytes]]:
    """Yield sorted lists of lines in ascending order.

    All lines up to the smallest of the last lines in memory are concatenated and sorted: Python's
    sort finds the runs in them and merges those, much faster than a heap.
    """
    share = max(1 << 14, _MAX_BYTES_IN_MEMORY // max(1, len(runs)))
    with ExitStack() as stack:
        opened = [stack.enter_context(run.open("rb", buffering=1 << 16)) for run in runs]
        ahead = [(file, file.readlines(share)) for file in opened]
        ahead = [(file, chunk) for file, chunk in ahead if chunk]
        while ahead:
            bound = min(chunk[-1] for _, chunk in ahead)
            ready: list[bytes] = []
            left = []
            for file, chunk in ahead:
                cut = bisect_right(chunk, bound)
                ready += chunk[:cut]
                rest = chunk[cut:] if cut < len(chunk) else file.readlines(share)
                if rest:
                    left.append((file, rest))
            ahead = left
            ready.sort()
            yield ready


def _write_store(
    work: Path, out: Path, about: dict[str, Any], records: Sequence[dict[str, Any]]
) -> None:
    runs = [work / name for record in records for name in record["runs"]]
    if not runs:
        raise InvalidOption(
            f"there is no triple in {', '.join(source['name'] for source in about['sources'])}"
            f"{'; ' + '; '.join(about['problems']) if about['problems'] else ''}; see --format"
        )
    level = 0
    while len(runs) > _MAX_RUNS:
        groups = [runs[at : at + _MAX_RUNS] for at in range(0, len(runs), _MAX_RUNS)]
        runs = []
        for number, group in enumerate(groups):
            run = work / f"merged-{level}-{number:06}.run"
            _write_lines(run, merged(group))
            runs.append(run)
        level += 1
    finished = work / _STORE
    with (
        files.atomic_path(finished) as unfinished,
        closing(sqlite3.connect(unfinished)) as connection,
    ):
        write_store(connection, merged(runs), about)
    (work / _REQUEST).replace(work / _READY)
    finished.replace(out)
    files.sync(out.parent)


def _summary(tasks: Sequence[_ReadTask], records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the metadata of a store: its sources, and examples of their problems."""
    sources: list[dict[str, Any]] = []
    places: dict[str, list[str]] = {}
    before: TripleSource | None = None
    for task, record in zip(tasks, records, strict=True):
        source = task.part.source
        if source is not before:
            before = source
            sources.append(
                {"name": source.path.name, "format": source.format, "lines": 0, "problems": {}}
            )
        entry = sources[-1]
        for kind, count in record["problems"].items():
            entry["problems"][kind] = entry["problems"].get(kind, 0) + count
            for line, what in record["examples"][kind]:
                place = f"{source.path.name}:{entry['lines'] + line}: {kind}: {what!r}"
                places.setdefault(kind, []).append(place)
        entry["lines"] += record["lines"]
    problems = [place for of_kind in places.values() for place in of_kind[:MAX_EXAMPLES]]
    return {"sources": sources, "problems": problems}
