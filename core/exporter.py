"""Other forms of a dataset, for programs that were written for something else."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from . import files
from .block import ROWS_PER_BLOCK
from .dataset import Dataset
from .engine import Tick
from .errors import NotFound, nearest
from .example import Example
from .registry import Registry


@dataclass(frozen=True)
class Exporter:
    """A form that datasets can be written in.

    `write` makes one file or one folder at the path it is given, where nothing is yet, and says
    which files it wrote. No `generators` means that the rows of every generator will do. `push`,
    where there is one, takes the name of a place elsewhere, sees that one may write there, and
    gives what sends a folder to it and says where that is.
    """

    name: str
    summary: str
    write: Callable[[Dataset, Path], list[Path]]
    generators: tuple[str, ...] = ()
    push: Callable[[str], Callable[[Path], str]] | None = None

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
    folder: str | Path,
    to: str,
    out: str | Path,
    *,
    force: bool = False,
    tick: Tick = lambda done: None,
) -> list[Path]:
    """Write a dataset in another form, whole or not at all, and name the files."""
    dataset, out = _Counted(folder, tick), Path(out)
    exporter = find_exporter(to, dataset.manifest.generator)
    with (
        files.replacing(out, force=force, inputs=[Path(folder)]) as successor,
        dataset.damage_explained(),
    ):
        written = exporter.write(dataset, successor)
    return [out / file.relative_to(successor) for file in written]


class _Counted(Dataset):
    """A dataset that says how many of its rows have been read."""

    def __init__(self, folder: str | Path, tick: Tick) -> None:
        super().__init__(folder)
        self._tick, self._done = tick, 0

    def rows(self, split: str | None = None) -> Iterator[Example]:
        for example in super().rows(split):
            yield example
            self._done += 1
            if self._done % ROWS_PER_BLOCK == 0:
                self._tick(self._done)
