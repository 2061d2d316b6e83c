"""Names: read from a file, and drawn from shuffled decks."""

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from ....errors import InvalidOption
from ....kb.worlds.stories import NamePool
from ....seed import Stream
from ....storage.text import numbered_lines


def read_names(
    path: Path, genders: Collection[str] = ("female", "male"), things: Collection[str] = ()
) -> NamePool:
    """Read names from a file: one per line, and after a comma or tab the gender, as in female.

    In a world with several kinds of things (`things`) the kind takes the place of the gender; in
    one without genders nothing follows the name.
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
            raise InvalidOption(f"names: {path}:{number}: {name!r} occurs twice; delete one")
        seen.add(name)
        kinds[gender].append(name)
    return NamePool(*map(tuple, kinds.values()))


_NAME = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*")


class Deck:
    """A deck of names, reshuffled when too few are left for another row.

    Where names fall into groups, a row has names of one group, chosen at random.
    """

    def __init__(
        self, pool: NamePool, stream: Stream, groups: Sequence[Collection[str]] = ()
    ) -> None:
        self._stream, self._groups = stream, groups
        self._pools = [*(pool.only(group) for group in groups), pool]
        self._left: list[list[list[str]]] = [[[] for _ in each] for each in self._pools]

    def draw(self, genders: list[int], taken: list[str]) -> list[str]:
        """Draw a name for each gender, none twice and none that is taken."""
        wanted = [len(taken), len(taken), len(taken)]
        for gender in genders:
            wanted[gender] += 1
        number = self._pool_number({gender: wanted[gender] for gender in genders}, taken)
        names: list[str] = []
        left_of = [self._refilled(number, kind, wanted[kind]) for kind in range(len(wanted))]
        for gender in genders:
            left = left_of[gender]
            name = left.pop()
            while name in taken:
                name = left.pop()
            names.append(name)
        return names

    def _pool_number(self, wanted: dict[int, int], taken: list[str]) -> int:
        """Return the group of the names that are taken, or a random one; the last holds all."""
        last = len(self._groups)
        if last == 0:
            return last
        number = self._stream.below(last)
        if taken:
            fitting = [n for n in range(last) if all(name in self._groups[n] for name in taken)]
            number = fitting[0] if fitting else last
        pool = self._pools[number]
        enough = all(count <= len(pool[kind]) for kind, count in wanted.items())
        return number if enough else last

    def _refilled(self, number: int, kind: int, wanted: int) -> list[str]:
        left = self._left[number][kind]
        if wanted > len(left):
            left[:] = self._pools[number][kind]
            self._stream.shuffle(left)
        return left
