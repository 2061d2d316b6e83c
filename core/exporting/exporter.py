"""Exporters: write a dataset in the format of another program."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ..block import ROWS_PER_BLOCK
from ..dataset import Dataset
from ..dataset.manifest import SUITE
from ..engines.engine import Engine, Tick
from ..errors import NotFound, did_you_mean
from ..example import Example
from ..registry import Registry
from ..storage import files
from ..storage.files import local_path

T = TypeVar("T")


@dataclass(frozen=True)
class Exporter:
    """An export format.

    `write` makes one file or folder at a path that does not exist and returns the files it wrote.
    Empty `generators` means rows of every generator. A `by_row` exporter reads rows only with
    `dataset.map_rows` and functions that can be pickled, so that workers can share them.
    `write_suite(folder, path)` exports all datasets of a suite together.
    """

    name: str
    summary: str
    write: Callable[[Dataset, Path], list[Path]]
    generators: tuple[str, ...] = ()
    by_row: bool = False
    write_suite: Callable[[Path, Path], list[Path]] | None = None

    def supports(self, generator: str | None) -> bool:
        """Return whether rows of the generator, or suites (None), can be exported."""
        if generator is None:
            return self.write_suite is not None
        return not self.generators or generator in self.generators


def check_exporter(name: str, plugin: object) -> Exporter:
    """Return the plugin if it can be the exporter `name`; raise TypeError or ValueError if not."""
    if not isinstance(plugin, Exporter):
        raise TypeError(f"expected a relsmith.Exporter, but got {plugin!r}")
    if plugin.name != name:
        raise ValueError(
            f"the entry point is {name!r} but the exporter is called {plugin.name!r}; "
            f"they must be the same"
        )
    return plugin


EXPORTERS = Registry("relsmith.exporters", "exporter", check_exporter)


def exporters(generator: str | None) -> list[Exporter]:
    """Return the exporters for rows of a generator, or for suites (None); none that is broken."""
    return [each for each in EXPORTERS.load_working().values() if each.supports(generator)]


def find_exporter(name: str, generator: str | None) -> Exporter:
    """Return the exporter `name` for rows of a generator, or for suites (None), or NotFound."""
    fitting = ", ".join(exporter.name for exporter in exporters(generator)) or "none"
    if name not in EXPORTERS.entries:
        raise NotFound(
            f"no exporter is called {name!r}; {did_you_mean(name, EXPORTERS.entries)}for "
            f"{f'rows of {generator}' if generator else 'suites'} there are: {fitting}"
        )
    exporter = EXPORTERS.get(name)
    if generator is None and exporter.write_suite is None:
        raise NotFound(f"{name} takes one dataset of a suite; for suites there are: {fitting}")
    if not exporter.supports(generator):
        raise NotFound(
            f"{name} takes rows of {' or '.join(exporter.generators)}, but these are of "
            f"{generator}; there are: {fitting}"
        )
    return exporter


def export(
    folder: str | Path,
    to: str,
    out: str | Path,
    *,
    force: bool = False,
    tick: Tick = lambda done: None,
    engine: Engine | None = None,
) -> list[Path]:
    """Export a dataset or a suite atomically to the format `to`; return the files.

    The workers of an `engine` share the rows if the exporter is `by_row`.
    """
    folder, out = local_path(folder), Path(out)
    with ExitStack() as stack:
        if (folder / SUITE).exists():
            write = partial(_write_suite, find_exporter(to, None), folder)
        else:
            dataset = _CountingDataset(folder, tick, engine)
            exporter = find_exporter(to, dataset.manifest.generator)
            write = partial(exporter.write, dataset)
            stack.enter_context(dataset.explain_damage())
        successor = stack.enter_context(files.replacing(out, force=force, inputs=[folder]))
        written = write(successor)
    return [out / file.relative_to(successor) for file in written]


def _write_suite(exporter: Exporter, folder: Path, out: Path) -> list[Path]:
    assert exporter.write_suite, "found for suites"
    return exporter.write_suite(folder, out)


class _CountingDataset(Dataset):
    """A dataset that reports progress and maps rows with an engine."""

    def __init__(self, folder: str | Path, tick: Tick, engine: Engine | None) -> None:
        super().__init__(folder)
        self._tick, self._done, self._engine = tick, 0, engine

    def map_rows(self, function: Callable[[Example], T | None], split: str) -> Iterator[T]:
        if self._engine is None:
            yield from super().map_rows(function, split)
            return
        files = [file for file in self.manifest.files if file.split == split]
        specs = [_FileMapping(self.with_file(file), n, function) for n, file in enumerate(files)]
        finished: dict[int, list[T]] = {}
        following = 0
        for number, results in self._engine.map_shards(_map_file, specs):
            finished[number] = results
            while following in finished:
                yield from finished.pop(following)
                following += 1

    def rows(self, split: str | None = None) -> Iterator[Example]:
        for example in super().rows(split):
            yield example
            self._done += 1
            if self._done % ROWS_PER_BLOCK == 0:
                self._tick(self._done)


@dataclass(frozen=True)
class _FileMapping:
    """The task to map the rows of one file."""

    dataset: Dataset
    number: int
    function: Callable[[Example], Any]

    @property
    def generator_name(self) -> str:
        return self.dataset.manifest.generator


def _map_file(spec: _FileMapping, tick: Tick) -> tuple[int, list[Any]]:
    results = []
    with spec.dataset.explain_damage():
        for number, row in enumerate(spec.dataset, 1):
            if (result := spec.function(row)) is not None:
                results.append(result)
            if number % ROWS_PER_BLOCK == 0:
                tick(number)
    tick(len(spec.dataset))
    return spec.number, results
