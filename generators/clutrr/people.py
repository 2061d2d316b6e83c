"""Who may occur in stories: names from a file, and decks that names are drawn from."""

import re
from pathlib import Path

from ...errors import InvalidOption
from ...kb.stories import Pool
from ...seed import Stream
from ...text import numbered_lines

SHIPPED = "shipped"
"""For names and sentences: the world's own."""


def read_names(path: Path, *, gendered: bool = True) -> Pool:
    """Names from a file: one on each line, and after a comma or tab whether female or male.

    In a world without genders nothing stands after the name.
    """
    kinds: dict[str, list[str]] = {"female": [], "male": []}
    seen: set[str] = set()
    for number, line in numbered_lines(path, "give a file", "names"):
        name, _, gender = (part.strip() for part in re.split(r"([,\t]|$)", line, maxsplit=1))
        if not name:
            continue
        if not gendered and not gender:
            gender = "female"
        if not _NAME.fullmatch(name) or gender not in list(kinds)[: 1 + gendered]:
            raise InvalidOption(
                f"names: {path}:{number}: expected a name of letters"
                f"{' and female or male after a comma' * gendered}, but got {line[:80]!r}"
            )
        if name in seen:
            raise InvalidOption(f"names: {path}:{number}: {name!r} stands twice; delete one")
        seen.add(name)
        kinds[gender].append(name)
    return Pool(tuple(kinds["female"]), tuple(kinds["male"]))


_NAME = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*")

PLACEHOLDERS = tuple(f"@entity-{number}" for number in range(60))
"""What stands for names in an anonymised story."""


class Deck:
    """Names dealt out row by row, shuffled anew when too few are left for another row."""

    def __init__(self, pool: Pool, stream: Stream) -> None:
        self._pool, self._stream = pool, stream
        self._left: list[list[str]] = [[], []]

    def draw(self, male: list[bool], taken: list[str]) -> list[str]:
        """A name for each of these, none twice and none that is taken."""
        men = 0
        for is_male in male:
            men += is_male
        names: list[str] = []
        female_left = self._at_least(0, len(male) - men + len(taken))
        male_left = self._at_least(1, men + len(taken))
        for is_male in male:
            left = male_left if is_male else female_left
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
