"""Building a store: parts are read in parallel into sorted runs, the runs merged into blocks.

Every finished part stays in the work folder until the store is there, so a killed build goes on
where it stopped. What is held in memory does not grow with the input.
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
from .formats import READERS, parts_of
from .source import EXAMPLES, Part, Report, Source
from .store import TripleStore, encoded_key, fill, is_store, lines, open_store
from .triple import Triple

_TRIPLES_IN_MEMORY = 300_000
_BYTES_IN_MEMORY = 1 << 26
_MOST_RUNS = 200
_REQUEST = "request.json"
_PLACED = "placed.json"
_STORE = "store"


@dataclass(frozen=True)
class _Task:
    """A part, and where its runs go."""

    part: Part
    number: int
    work: Path

    @property
    def record(self) -> Path:
        return self.work / f"part-{self.number:06}.json"


def build(
    sources: Sequence[Source], out: Path, *, engine: Engine | None = None, force: bool = False
) -> TripleStore:
    """Read all sources into one store, or go on where a build of it was killed."""
    work = out.with_name(f"{out.name}.unfinished")
    busy = f"another run builds in {work}; wait for it"
    with files.explained(out, resumable=True), files.alone(work, busy):
        if (work / _PLACED).exists():
            _take_up(work)
        files.check_inputs(out, (source.path for source in sources))
        _check_out(out, force)
        _claim(work, sources, force)
        try:
            parts = [part for source in sources for part in parts_of(source)]
            tasks = [_Task(part, number, work) for number, part in enumerate(parts)]
            records = list((engine or Local()).map_shards(_read_part, tasks))
            records.sort(key=lambda record: record["number"])
            _put_in_place(work, out, _told(tasks, records), records)
        except (InvalidInput, InvalidOption):  # it would fail again
            _tidy(work, _REQUEST)
            raise
        _tidy(work, _PLACED)
    return open_store(out)


def _check_out(out: Path, force: bool) -> None:
    if out.exists() and not force:
        raise AlreadyExists(f"{out} exists; pass --force to replace it or choose another --out")
    if out.exists() and not is_store(out):
        raise AlreadyExists(
            f"{out} is no triple store, so even --force leaves it alone; choose another --out"
        )


def _claim(work: Path, sources: Sequence[Source], force: bool) -> None:
    """Make the work folder ours; what says whose it is goes last and comes first."""
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
    files.sweep(work, "" if path.exists() else _REQUEST)  # else the folder may not be ours
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
    files.begin(work, _REQUEST, request)


def _take_up(work: Path) -> None:
    """Go on where a run was killed that had its store ready: before it was in place, or after."""
    if (work / _STORE).exists():
        (work / _PLACED).replace(work / _REQUEST)
    else:
        _tidy(work, _PLACED)


def _tidy(work: Path, note: str) -> None:
    """Empty the work folder; what says whose it is goes last."""
    files.clear(work, note)
    (work / note).unlink()


def _read_part(task: _Task, tick: Tick) -> dict[str, Any]:
    """Read a part into sorted runs, unless that is done already."""
    record = _finished(task)
    if record is None:
        report = Report()
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


def _finished(task: _Task) -> dict[str, Any] | None:
    try:
        record: dict[str, Any] = json.loads(task.record.read_bytes())
    except OSError:
        return None
    return record


def _runs(task: _Task, triples: Iterator[Triple]) -> Iterator[Path]:
    counts: dict[tuple[str, ...], int] = {}
    number = 0
    for triple in triples:
        said = triple[:3]
        counts[said] = counts.get(said, 0) + triple.count
        if len(counts) >= _TRIPLES_IN_MEMORY:
            yield _write_run(task, number, counts)
            number += 1
            counts.clear()
    if counts:
        yield _write_run(task, number, counts)


def _write_run(task: _Task, number: int, counts: dict[tuple[str, ...], int]) -> Path:
    run = task.work / f"part-{task.number:06}-{number:06}.run"
    key = cache(encoded_key)
    sorted_lines: list[bytes] = []
    for (arg1, relation, arg2), count in counts.items():
        sorted_lines += lines(arg1, relation, arg2, count, key)
    sorted_lines.sort()
    _write_lines(run, sorted_lines)
    return run


def _write_lines(run: Path, sorted_lines: Iterable[bytes]) -> None:
    with files.whole(run) as unfinished, unfinished.open("wb", buffering=1 << 20) as file:
        file.writelines(sorted_lines)


def merged(runs: Sequence[Path]) -> Iterator[bytes]:
    """The lines of sorted runs, sorted; a part of each run is in memory at a time."""
    return chain.from_iterable(_batches(runs))


def _batches(runs: Sequence[Path]) -> Iterator[list[bytes]]:
    """Lists of lines, each sorted, the later ones with later lines.

    All lines up to the least of the last lines at hand are put together and sorted: Python's sort
    finds the runs in them and merges those, far quicker than a heap does.
    """
    share = max(1 << 14, _BYTES_IN_MEMORY // max(1, len(runs)))
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


def _put_in_place(
    work: Path, out: Path, about: dict[str, Any], records: Sequence[dict[str, Any]]
) -> None:
    runs = [work / name for record in records for name in record["runs"]]
    if not runs:
        raise InvalidOption(
            f"there is no triple in {', '.join(source['name'] for source in about['sources'])}"
            f"{'; ' + '; '.join(about['problems']) if about['problems'] else ''}; see --format"
        )
    level = 0
    while len(runs) > _MOST_RUNS:
        groups = [runs[at : at + _MOST_RUNS] for at in range(0, len(runs), _MOST_RUNS)]
        runs = []
        for number, group in enumerate(groups):
            run = work / f"merged-{level}-{number:06}.run"
            _write_lines(run, merged(group))
            runs.append(run)
        level += 1
    finished = work / _STORE
    with (
        files.whole(finished) as unfinished,
        closing(sqlite3.connect(unfinished)) as connection,
    ):
        fill(connection, merged(runs), about)
    (work / _REQUEST).replace(work / _PLACED)
    finished.replace(out)
    files.sync(out.parent)


def _told(tasks: Sequence[_Task], records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What the store keeps of its making: sources, and what could not be read of them."""
    sources: list[dict[str, Any]] = []
    places: dict[str, list[str]] = {}
    before: Source | None = None
    for task, record in zip(tasks, records, strict=True):
        source = task.part.source
        if source is not before:
            before = source
            sources.append(
                {"name": source.path.name, "format": source.format, "lines": 0, "problems": {}}
            )
        told = sources[-1]
        for kind, count in record["problems"].items():
            told["problems"][kind] = told["problems"].get(kind, 0) + count
            for line, what in record["examples"][kind]:
                place = f"{source.path.name}:{told['lines'] + line}: {kind}: {what!r}"
                places.setdefault(kind, []).append(place)
        told["lines"] += record["lines"]
    problems = [place for of_kind in places.values() for place in of_kind[:EXAMPLES]]
    return {"sources": sources, "problems": problems}
