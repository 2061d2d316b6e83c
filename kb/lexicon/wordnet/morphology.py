"""Base forms by WordNet's morphy: exception lists, then detachment rules."""

from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, TypeVar

from ....storage.text import numbered_lines
from .location import default_folder

T = TypeVar("T")
PartOfSpeech = Literal["n", "v", "a", "r"]

FILE_NAMES: dict[str, str] = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}

# WordNet's rules of detachment (morphy(7WN)): ending to remove, ending to add.
RULES: dict[str, tuple[tuple[str, str], ...]] = {
    pos: tuple((old, new) for old, _, new in (rule.partition(":") for rule in rules.split()))
    for pos, rules in {
        "n": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
        "v": "s: ies:y es:e es: ed:e ed: ing:e ing:",
        "a": "er: est: er:e est:e",
        "r": "",
    }.items()
}


class _ByPart(dict[str, T]):
    """Values by part of speech, read on first use."""

    def __init__(self, read: Callable[[str], T]) -> None:
        self._read = read

    def __missing__(self, pos: str) -> T:
        if pos not in FILE_NAMES:
            raise ValueError(f"pos: expected one of n, v, a, r, but got {pos!r}")
        self[pos] = entry = self._read(FILE_NAMES[pos])
        return entry


class Morphology:
    """The words of one WordNet, with _ for a space, and the bases of irregular forms."""

    def __init__(self, folder: Path) -> None:
        self.words = _ByPart(lambda part: _words(folder / f"index.{part}"))
        self.exceptions = _ByPart(lambda part: _exceptions(folder / f"{part}.exc"))

    def base_forms(self, word: str, pos: PartOfSpeech) -> list[str]:
        """Return every base form in WordNet, the likeliest first; none for an unknown word.

        An irregular form comes after its base (`men` after `man`, although WordNet has the noun
        `men` too); a regular one before, if it is a word itself (`glasses`).
        """
        form = word.lower().replace(" ", "_")
        irregular = self.exceptions[pos].get(form)
        if irregular is not None:
            forms = [*irregular, form]
        else:
            detached = (form[: -len(old)] + new for old, new in RULES[pos] if form.endswith(old))
            forms = [form, *detached]
        return [base.replace("_", " ") for base in dict.fromkeys(forms) if base in self.words[pos]]


@cache
def morphology(folder: Path) -> Morphology:
    """Return the cached morphology of the WordNet in a folder."""
    return Morphology(folder)


def lemmatise(word: str, pos: PartOfSpeech) -> str:
    """Return the base form of a word in lower case; an unknown word itself."""
    return _lemma(default_folder(), word, pos)


@lru_cache(maxsize=1 << 17)
def _lemma(folder: Path, word: str, pos: PartOfSpeech) -> str:
    return next(iter(morphology(folder).base_forms(word, pos)), word.lower())


def _words(index: Path) -> frozenset[str]:
    lines = numbered_lines(index, newline="\n")
    return frozenset(line.partition(" ")[0] for _, line in lines if not line.startswith(" "))


def _exceptions(path: Path) -> dict[str, list[str]]:
    entries = (line.split() for _, line in numbered_lines(path, newline="\n"))
    return {entry[0]: entry[1:] for entry in entries if len(entry) > 1}
