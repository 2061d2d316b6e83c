"""Where a text names the people of its story, found for all of them at once."""

import re
from collections.abc import Iterable
from typing import Final

_WORD: Final = re.compile(r"([\w@-]+)")

Names = dict[str, list[tuple[str, list[str]]]]
"""By its first word, each name with all its words and what is between them, longest first."""


def names_of(people: Iterable[str]) -> Names:
    """What to look for."""
    names: Names = {}
    for name in people:
        words = [name] if name.isalpha() else _WORD.split(name)[1:-1]
        names.setdefault(words[0], []).append((name, words))
    for some in names.values():
        if len(some) > 1:
            some.sort(key=_length, reverse=True)
    return names


def _length(name: tuple[str, list[str]]) -> int:
    return len(name[1])


def hidden(text: str, names: Names) -> tuple[str, list[str]]:
    """The text with <0>, <1>, ... for the people that it names, and their names, as they come up.

    A text that has such signs already is of no use: it comes back empty, naming nobody.
    """
    if "<" in text:
        return "", []
    pieces: list[str] = _WORD.split(text)
    people: list[str] = []
    place = 1
    while place < len(pieces):
        some = names.get(pieces[place])
        if some is not None:
            for name, words in some:
                if len(words) == 1 or pieces[place : place + len(words)] == words:
                    if name not in people:
                        people.append(name)
                    pieces[place : place + len(words)] = [f"<{people.index(name)}>"]
                    break
        place += 2
    return "".join(pieces), people
