"""Who may occur in stories: names from a file, and decks that names are drawn from."""

import re
from collections.abc import Collection
from pathlib import Path

from ....errors import InvalidOption
from ....kb.worlds.stories import Pool
from ....seed import Stream
from ....storage.text import numbered_lines


def read_names(
    path: Path, genders: Collection[str] = ("female", "male"), things: Collection[str] = ()
) -> Pool:
    """Names from a file: one on each line, and after a comma or tab the gender, as in female.

    In a world without genders nothing stands after the name, but in one with several kinds of
    things the kind.
    """
    kinds: dict[str, list[str]] = {kind: [] for kind in things or ("female", "male", "unstated")}
    genders = things or genders
    seen: set[str] = set()
    for number, line in numbered_lines(path, "give a file", "names"):
        name, _, gender = (part.strip() for part in re.split(r"([,\t]|$)", line, maxsplit=1))
        if not name:
            continue
        if not genders and not gender:
            gender = "female"
        if not _NAME.fullmatch(name) or gender not in (genders or ("female",)):
            listed = " or ".join(kind for kind in kinds if kind in genders)
            after = f" and {listed} after a comma" if genders else ""
            raise InvalidOption(
                f"names: {path}:{number}: expected a name of letters{after}, but got {line[:80]!r}"
            )
        if name in seen:
            raise InvalidOption(f"names: {path}:{number}: {name!r} stands twice; delete one")
        seen.add(name)
        kinds[gender].append(name)
    return Pool(*map(tuple, kinds.values()))


_NAME = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*")

PLACEHOLDERS = tuple(f"@entity-{number}" for number in range(60))
"""What stands for names in an anonymised story."""


class Deck:
    """Names dealt out row by row, shuffled anew when too few are left for another row."""

    def __init__(self, pool: Pool, stream: Stream) -> None:
        self._pool, self._stream = pool, stream
        self._left: list[list[str]] = [[] for _ in pool]

    def draw(self, genders: list[int], taken: list[str]) -> list[str]:
        """A name for each of these, none twice and none that is taken."""
        wanted = [len(taken), len(taken), len(taken)]
        for gender in genders:
            wanted[gender] += 1
        names: list[str] = []
        left_of = [self._at_least(kind, wanted[kind]) for kind in range(len(self._left))]
        for gender in genders:
            left = left_of[gender]
            name = left.pop()
            while name in taken:
                name = left.pop()
            names.append(name)
        return names

    def _at_least(self, kind: int, wanted: int) -> list[str]:
        """What is left of a kind, where that may be enough."""
        left = self._left[kind]
        if wanted > len(left):
            left[:] = self._pool[kind]
            self._stream.shuffle(left)
        return left
