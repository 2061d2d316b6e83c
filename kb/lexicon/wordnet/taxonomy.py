"""The taxonomy of WordNet's nouns, compiled to arrays once for each WordNet."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from ....errors import InvalidInput, InvalidOption, MissingExtra, install_command, reason
from ....storage import files
from ...cache import cache_folder
from .location import default_folder, source
from .morphology import Morphology, morphology

FORMAT = 3

Wsd = Literal["usual", "lesk", "first", "any"]
MAX_FREQUENT_SENSES = 6
"""Number of senses of a word that count as usual even if they occur in no tagged text."""


@dataclass(frozen=True)
class Term:
    """The longest suffix of a phrase that is a noun in WordNet, and its senses in order."""

    text: str
    senses: tuple[int, ...]
    capital: bool = False


class Taxonomy:
    """Nouns, their senses and hypernyms. A sense is a number."""

    def __init__(self, arrays: Any, words: Morphology) -> None:
        self._arrays, self._words = arrays, words
        self._starts: list[int] = arrays["senses_starts"].tolist()
        self._senses: list[int] = arrays["senses"].tolist()
        self._children_starts: list[int] = arrays["children_starts"].tolist()
        self._children: list[int] = arrays["children"].tolist()
        lemmas = _words(arrays["lemmas"])
        self._lemmas = dict(zip(lemmas, range(len(lemmas)), strict=True))
        self._glosses: dict[int, frozenset[str]] = {}
        self.size = len(arrays["parents_starts"]) - 1

    @cached_property
    def _names(self) -> list[str]:
        return _words(self._arrays["names"])

    @cached_property
    def _vocabulary(self) -> list[str]:
        return _words(self._arrays["vocabulary"])

    def name(self, sense: int) -> str:
        """Return NLTK's name of a sense, such as `country.n.02`."""
        return self._names[sense]

    def senses(self, noun: str) -> tuple[int, ...]:
        """Return all senses of a noun, or of the nouns it is a form of, in NLTK's order."""
        return tuple(sense for lemma in self._entries(noun) for sense in self._senses_of(lemma))

    def tagged_senses(self, noun: str) -> frozenset[int]:
        """Return the senses of a noun that occur in WordNet's tagged texts."""
        tagged = self._arrays["tagged"]
        return frozenset(
            sense
            for lemma in self._entries(noun)
            for sense in self._senses_of(lemma)[: tagged[lemma]]
        )

    def _entries(self, noun: str) -> list[int]:
        """Return the numbers of a noun and of the nouns it is a form of."""
        form = noun.lower().replace(" ", "_")
        irregular = self._words.exceptions["n"].get(form)
        bases = [base.replace(" ", "_") for base in self._words.base_forms(form, "n")]
        if irregular and form in bases:
            bases.sort(key=lambda base: base != form)
        return [self._lemmas[base] for base in bases]

    def _senses_of(self, lemma: int) -> list[int]:
        return self._senses[self._starts[lemma] : self._starts[lemma + 1]]

    def listed_senses(self, noun: str) -> tuple[int, ...]:
        """Return the senses that `senses.txt` lists for a noun, if any."""
        bases = self._words.base_forms(noun, "n")
        names = next((_listed()[base] for base in bases if base in _listed()), ())
        return tuple(self._numbers[name] for name in names if name in self._numbers)

    def term(self, phrase: str) -> Term | None:
        """Return the longest suffix of a phrase that is a noun in WordNet, if any."""
        return _term(self, phrase)

    def kind(self, noun: str, sense: int = 1) -> int:
        """Return a sense of a noun that names a type, by default the first."""
        senses = self.senses(noun)
        if not senses:
            raise InvalidOption(
                f"WordNet has no noun {noun!r}; {self.nearest(noun)} or a plainer word would do"
            )
        if not 1 <= sense <= len(senses):
            raise InvalidOption(
                f"WordNet has {len(senses)} senses of {noun!r}, but {sense} is asked for"
            )
        return senses[sense - 1]

    def nearest(self, noun: str) -> str:
        """Return nouns with a similar spelling, for error messages."""
        form = noun.lower().replace(" ", "_")
        alike = [word for word in self._lemmas if abs(len(word) - len(form)) <= 2]
        near = difflib.get_close_matches(form, alike, n=3, cutoff=0.5)
        return ", ".join(repr(word.replace("_", " ")) for word in near) or "another"

    def path(self, sense: int, kind: int) -> list[int]:
        """Return a shortest path from a sense to a hypernym, both included."""
        came_from: dict[int, int] = {sense: sense}
        queue = [sense]
        for lower in queue:
            if lower == kind:
                break
            for parent in self._parents(lower):
                if parent not in came_from:
                    came_from[parent] = lower
                    queue.append(parent)
        if kind not in came_from:
            raise ValueError(f"{self.name(sense)} is not a kind of {self.name(kind)}")
        path = [kind]
        while path[-1] != sense:
            path.append(came_from[path[-1]])
        return path[::-1]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: sense for sense, name in enumerate(self._names)}

    def parents(self, name: str) -> list[str]:
        """Return the names of the hypernyms of a sense, by its name; none if unknown."""
        sense = self._numbers.get(name)
        return [] if sense is None else [self.name(parent) for parent in self._parents(sense)]

    def _parents(self, sense: int) -> list[int]:
        starts = self._arrays["parents_starts"]
        above: list[int] = self._arrays["parents"][starts[sense] : starts[sense + 1]].tolist()
        return above

    def lesk(self, context: Iterable[str], senses: Sequence[int]) -> int:
        """Return the sense whose definition shares most words with the context, ties by order.

        Lesk (1986) as in `nltk.wsd.lesk`: words are separated by spaces, without normalisation.
        """
        if len(senses) == 1:
            return senses[0]
        words = frozenset(context)
        best, most = senses[0], -1
        for sense in senses:
            shared = len(words & self._gloss(sense))
            if shared > most:
                best, most = sense, shared
        return best

    def _gloss(self, sense: int) -> frozenset[str]:
        if sense not in self._glosses:
            starts = self._arrays["glosses_starts"]
            words = self._arrays["glosses"][starts[sense] : starts[sense + 1]].tolist()
            self._glosses[sense] = frozenset(self._vocabulary[word] for word in words)
        return self._glosses[sense]

    def choose(self, term: Term, kind: int, wsd: Wsd, context: Iterable[str]) -> int | None:
        """Return the sense by which a term is of a kind, chosen by `wsd`; None if it is not."""
        senses, below = term.senses, _mask_bytes(self, kind)
        if wsd == "usual":
            return next((sense for sense in _usual_senses(self, term) if below[sense]), None)
        if wsd == "first":
            return senses[0] if below[senses[0]] else None
        for sense in senses:
            if below[sense]:
                break
        else:
            return None
        if wsd == "lesk":
            sense = self.lesk(context, senses)
        return sense if below[sense] else None

    def mask(self, kind: int) -> Any:
        """Return, by sense, whether it is of the kind, with a False at the end, for -1."""
        return _mask(self, kind)


@lru_cache(1 << 16)
def _term(taxonomy: Taxonomy, phrase: str) -> Term | None:
    words = phrase.split()
    for start in range(len(words)):
        end = " ".join(words[start:])
        if senses := taxonomy.senses(end):
            return Term(end.lower(), senses, words[start][:1].isupper())
    return None


@lru_cache(1 << 16)
def _usual_senses(taxonomy: Taxonomy, term: Term) -> tuple[int, ...]:
    """Return the senses that a reader thinks of, the most frequent first.

    `senses.txt` lists them for some words. For others these are the first six and those in tagged
    texts, without senses that do not fit the word: a capitalised word is a name, and another is
    none unless its first sense is a name (some texts have no capitals). A word whose first sense is
    a named place or an animal is no person; another whose first sense is no person is one only in
    senses that occur in tagged texts or are names.
    """
    if listed := taxonomy.listed_senses(term.text):
        return listed
    named, senses = taxonomy._arrays["named"], list(term.senses)
    names = [sense for sense in senses if named[sense]]
    if term.capital and names:
        senses = names
    elif not named[senses[0]]:
        senses = [sense for sense in senses if not named[sense]]
    person = taxonomy.mask(taxonomy.kind("person"))
    place, animal = (taxonomy.mask(taxonomy.kind(kind)) for kind in ("location", "animal"))
    first, tagged = senses[0], taxonomy.tagged_senses(term.text)
    if animal[first] or (place[first] and named[first]):
        senses = [sense for sense in senses if not person[sense]]
    elif not person[first]:
        senses = [s for s in senses if not person[s] or s in tagged or named[s]]
    return tuple(
        sense for n, sense in enumerate(senses) if n < MAX_FREQUENT_SENSES or sense in tagged
    )


@lru_cache(256)
def _mask(taxonomy: Taxonomy, kind: int) -> Any:
    import numpy as np

    return np.frombuffer(_mask_bytes(taxonomy, kind), dtype=bool)


@lru_cache(256)
def _mask_bytes(taxonomy: Taxonomy, kind: int) -> bytes:
    children, starts = taxonomy._children, taxonomy._children_starts
    mask, pending = bytearray(taxonomy.size + 1), [kind]
    while pending:
        sense = pending.pop()
        if not mask[sense]:
            mask[sense] = True
            pending += children[starts[sense] : starts[sense + 1]]
    return bytes(mask)


@cache
def _listed() -> dict[str, tuple[str, ...]]:
    lines = (resources.files(__package__) / "senses.txt").read_text(encoding="utf-8").splitlines()
    entries = (line.split(":") for line in lines if line and not line.startswith("#"))
    return {word: tuple(names.split()) for word, names in entries}


def _words(packed: Any) -> list[str]:
    return str(packed.tobytes().decode()).split("\n")


def taxonomy(folder: Path | None = None) -> Taxonomy:
    """Return the taxonomy of the WordNet in a folder, by default of the one `locate` finds."""
    return _taxonomy(folder or default_folder())


@cache
def _taxonomy(folder: Path) -> Taxonomy:
    if find_spec("numpy") is None:
        raise MissingExtra(f"the taxonomy needs numpy: {install_command('wordnet')}")
    compiled = cache_folder("wordnet") / f"nouns-{FORMAT}-{source(folder).digest[:24]}.npz"
    try:
        arrays = _read(compiled)
    except (OSError, ValueError, KeyError):
        from .compiler import compile_nouns

        try:
            arrays = compile_nouns(folder)
        except (ValueError, IndexError, KeyError) as error:
            raise InvalidInput(
                f"the WordNet in {folder} is damaged ({type(error).__name__}: {reason(error)}); "
                f"get it anew"
            ) from None
        _keep(compiled, arrays)
    return Taxonomy(arrays, morphology(folder))


def _read(path: Path) -> dict[str, Any]:
    import zipfile

    import numpy as np

    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as packed:
            return {name: packed[name] for name in packed.files}
    except (zipfile.BadZipFile, EOFError) as error:
        raise ValueError(str(error)) from None


def _keep(path: Path, arrays: dict[str, Any]) -> None:
    """Write the arrays to the cache atomically, if it is writable."""
    import numpy as np

    try:
        with files.cache_path(path) as unfinished, unfinished.open("wb") as file:
            np.savez(file, **arrays)
    except OSError:
        return
