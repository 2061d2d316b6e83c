"""Other forms of a dataset, for programs that were written for something else."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ..block import ROWS_PER_BLOCK
from ..dataset import Dataset
from ..engines.engine import Engine, Tick
from ..errors import NotFound, nearest
from ..example import Example
from ..registry import Registry
from ..storage import files
from ..storage.store import Place

T = TypeVar("T")


@dataclass(frozen=True)
class Exporter:
    """A form that datasets can be written in.

    `write` makes one file or one folder at the path it is given, where nothing is yet, and says
    which files it wrote. No `generators` means that the rows of every generator will do. `push`,
    where there is one, takes the name of a place elsewhere, sees that one may write there, and
    gives what sends a folder to it and says where that is. What is `by_row` takes rows by
    `dataset.mapped` alone, with a function that can be pickled, so that workers can share them.
    """

    name: str
    summary: str
    write: Callable[[Dataset, Path], list[Path]]
    generators: tuple[str, ...] = ()
    push: Callable[[str], Callable[[Path], str]] | None = None
    by_row: bool = False

    def reads(self, generator: str) -> bool:
        """Whether rows of that generator can be written so."""
        return not self.generators or generator in self.generators


def check_exporter(name: str, plugin: object) -> Exporter:
    """Say why the object cannot be the exporter of that name, or hand it back."""
    if not isinstance(plugin, Exporter):
        raise TypeError(f"expected a relsmith.Exporter, but got {plugin!r}")
    if plugin.name != name:
        raise ValueError(
            f"the entry point is {name!r} but the exporter is called {plugin.name!r}; "
            f"they must be the same"
        )
    return plugin


EXPORTERS = Registry("relsmith.exporters", "exporter", check_exporter)


def exporters(generator: str) -> list[Exporter]:
    """The forms that rows of a generator can be written in; broken plugins are left out."""
    return [exporter for exporter in EXPORTERS.working().values() if exporter.reads(generator)]


def find_exporter(name: str, generator: str) -> Exporter:
    """The form of that name, where it fits the generator."""
    fitting = ", ".join(exporter.name for exporter in exporters(generator)) or "none"
    if name not in EXPORTERS.entries:
        raise NotFound(
            f"no form is called {name!r}; {nearest(name, EXPORTERS.entries)}for rows of "
            f"{generator} there are: {fitting}"
        )
    exporter = EXPORTERS.get(name)
    if not exporter.reads(generator):
        raise NotFound(
            f"{name} takes rows of {' or '.join(exporter.generators)}, but these are of "
            f"{generator}; there are: {fitting}"
        )
    return exporter


def export(
    folder: str | Place,
    to: str,
    out: str | Path,
    *,
    force: bool = False,
    tick: Tick = lambda done: None,
    engine: Engine | None = None,
) -> list[Path]:
    """Write a dataset in another form, whole or not at all, and name the files.

    An `engine` shares the rows among its workers, where the form is written by the row.
    """
    dataset, out = _Counted(folder, tick, engine), Path(out)
    exporter = find_exporter(to, dataset.manifest.generator)
    with (
        files.replacing(out, force=force, inputs=[dataset.folder]) as successor,
        dataset.damage_explained(),
    ):
        written = exporter.write(dataset, successor)
    return [out / file.relative_to(successor) for file in written]


class _Counted(Dataset):
    """A dataset that says how many of its rows have been read, here or by an engine's workers."""

    def __init__(self, folder: str | Place, tick: Tick, engine: Engine | None) -> None:
        super().__init__(folder)
        self._tick, self._done, self._engine = tick, 0, engine

    def mapped(self, function: Callable[[Example], T | None], split: str) -> Iterator[T]:
        if self._engine is None:
            yield from super().mapped(function, split)
            return
        files = [file for file in self.manifest.files if file.split == split]
        specs = [_Mapping(self.only(file), n, function) for n, file in enumerate(files)]
        early: dict[int, list[T]] = {}
        following = 0
        for number, made in self._engine.map_shards(_map_file, specs):
            early[number] = made
            while following in early:
                yield from early.pop(following)
                following += 1

    def rows(self, split: str | None = None) -> Iterator[Example]:
        for example in super().rows(split):
            yield example
            self._done += 1
            if self._done % ROWS_PER_BLOCK == 0:
                self._tick(self._done)


@dataclass(frozen=True)
class _Mapping:
    """A file of a dataset for a worker, and what is made of its rows."""

    dataset: Dataset
    number: int
    function: Callable[[Example], Any]

    @property
    def made_by(self) -> str:
        return self.dataset.manifest.generator


def _map_file(spec: _Mapping, tick: Tick) -> tuple[int, list[Any]]:
    made = []
    with spec.dataset.damage_explained():
        for number, row in enumerate(spec.dataset, 1):
            if (one := spec.function(row)) is not None:
                made.append(one)
            if number % ROWS_PER_BLOCK == 0:
                tick(number)
    tick(len(spec.dataset))
    return spec.number, made
