"""The facts that come with relsmith, written by us, a file for each topic.

A line gives alternatives between slashes; every combination of them is a triple:
`aspirin / ibuprofen | relieves / eases | headache`.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from ..triple import Triple

FOLDER = Path(__file__).parent
NONSENSE = FOLDER / "nonsense.txt"


def facts() -> Iterator[Triple]:
    """Yield all our triples except nonsense, in the order of the files."""
    for path in sorted(FOLDER.glob("*.txt")):
        if path != NONSENSE:
            yield from _read(path)


def nonsense() -> Iterator[Triple]:
    """Yield triples that make no sense, such as extraction errors produce."""
    return _read(NONSENSE)


def _read(path: Path) -> Iterator[Triple]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield from _triples(line)


def _triples(line: str) -> Iterator[Triple]:
    parts = (
        [alternative.strip() for alternative in part.split(" / ")] for part in line.split(" | ")
    )
    for arg1, relation, arg2 in product(*parts):
        yield Triple(arg1, relation, arg2)
