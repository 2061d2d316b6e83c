"""Official CLUTRR files: CSV with the columns of the original, or of the one on Hugging Face."""

from collections.abc import Iterator
from pathlib import Path

from ....kb.worlds.kinship import official
from ....storage.text import open_plain
from .case import Case, Row, readings
from .settings import Settings


def fits(path: Path, first: object) -> bool:
    """Return whether a file has the columns."""
    return official.is_official(path)


def rows(path: Path, settings: Settings) -> Iterator[tuple[float, Row]]:
    """Yield the rows of a file; all are readable, or the file is refused."""
    settings.check()
    world = settings.find_world("kinship")
    every = 1
    for number, row in enumerate(official.read(path), 1):
        if number == 1:
            every = max(1, _count_lines(path))
        text = f"{row.story} How is {row.query[1]} related to {row.query[0]}?"
        case = Case(row.query, readings(world, row.facts, row.target), world, row.genders)
        yield min(1.0, number / every), Row(text, row.target, f"k = {row.k}", case.outcome)


def _count_lines(path: Path) -> int:
    with open_plain(path) as file:
        return sum(part.count(b"\n") for part in iter(lambda: file.read(1 << 20), b""))
