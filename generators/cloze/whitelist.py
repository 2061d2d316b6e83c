"""The whitelist: words that may be blanked, with reasons, and collocations."""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from ...errors import InvalidInput
from ...kb.lexicon import english
from ...storage import files
from ...storage.text import explain_read_errors, numbered_lines, open_plain, read_limited
from ...tables import load_tables
from .corpus import BadLines, BuiltInCorpus, Corpus, Units, open_corpus
from .novelty import Novelty, all_forms, spacy_stop_words, word_forms

COLUMNS = ("word", "novel", "concrete", "abstract", "share", "npmi", "kept")
YES = "yes"

Bigram = tuple[str, str]


@dataclass(frozen=True, slots=True)
class WhitelistEntry:
    """A word, or a phrase of two, with its counts; `kept` is yes or the reason why not."""

    word: str
    novel: int
    concrete: int
    abstract: int
    share: float
    npmi: float | None
    kept: str

    def line(self) -> str:
        """Return the entry as a line of the file."""
        npmi = "" if self.npmi is None else f"{self.npmi:.3f}"
        counts = f"{self.novel}\t{self.concrete}\t{self.abstract}"
        return f"{self.word}\t{counts}\t{self.share:.3f}\t{npmi}\t{self.kept}\n"


class Whitelist:
    """Words that may be blanked, with their counts where they are known."""

    def __init__(self, digest: str, kept: Iterable[tuple[str, int]]) -> None:
        self.digest = digest
        self.novel: dict[str, int] = {}
        links = set[Bigram]()
        for word, novel in kept:
            if " " in word:
                links.update(pairwise(word.split(" ")))
            else:
                self.novel[word] = novel
        self.links: frozenset[Bigram] = frozenset(links)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that may be blanked."""
        return frozenset(self.novel) | {word for link in self.links for word in link}


def _kept_words(name: str, data: bytes) -> Iterator[tuple[str, int]]:
    """Yield each word that is kept, with how often it is novel; 0 in a plain list."""
    try:
        lines = data.decode().splitlines()
    except UnicodeDecodeError:
        raise InvalidInput(f"{name} is not UTF-8; save it as UTF-8") from None
    header = "\t".join(COLUMNS)
    if not lines or lines[0] != header:
        if any("\t" in line for line in lines):
            raise InvalidInput(
                f"{name}: expected a plain list of words, or a table that begins with "
                f"{' '.join(COLUMNS)}, as gen cloze-whitelist writes it"
            )
        for line in lines:
            if line.strip():
                yield " ".join(line.split()), 0
        return
    for number, line in enumerate(lines[1:], 2):
        parts = line.split("\t")
        if len(parts) != len(COLUMNS) or not all(map(_COUNT.fullmatch, parts[1:3])):
            raise InvalidInput(f"{name}:{number}: expected {len(COLUMNS)} columns with counts")
        if parts[-1] == YES:
            yield parts[0], int(parts[1])


def read_whitelist(path: str) -> Whitelist:
    """Read a whitelist: a table or a plain list."""
    remedy = "name a file of words"
    with explain_read_errors(Path(path), remedy, "whitelist"), open_plain(Path(path)) as file:
        data = read_limited(file)
    return Whitelist(hashlib.sha256(data).hexdigest(), _kept_words(Path(path).name, data))


@cache
def built_in_whitelist(units: Units = "us") -> Whitelist:
    """Return what built-in pairs mark, as a whitelist."""
    return marked_words(BuiltInCorpus(units))


def marked_words(corpus: Corpus) -> Whitelist:
    """Return what is marked in a corpus, as a whitelist with counts of the marks."""
    marked = Counter[str]()
    for pair in corpus.pairs():
        for place, mark in pair.marks.items():
            if place == mark.start:
                marked[" ".join(pair.concrete.lower[mark.start : mark.end])] += 1
    whitelist = Whitelist(corpus.digest, sorted(marked.items()))
    for phrase, times in sorted(marked.items()):
        for word in phrase.split(" ") if " " in phrase else ():
            whitelist.novel[word] = whitelist.novel.get(word, 0) + times
    return whitelist


_COUNT = re.compile("[0-9]{1,15}")


class WhitelistFit(BaseModel):
    """Settings for making a whitelist from pairs."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    least: int = Field(5, ge=1, description="minimum number of times a word is new")
    share: float = Field(
        0.5,
        ge=0,
        le=1,
        description="minimum share of its occurrences in concrete texts that are new",
    )
    novelty: Novelty = "lemma"
    npmi: float = Field(
        0.35, ge=-1, le=1, description="minimum NPMI of neighbours that make a phrase"
    )
    phrases: bool = True
    spacy_stop: bool = False
    units: bool = True

    def entries(
        self,
        corpora: list[Corpus],
        allow: frozenset[str] = frozenset(),
        deny: frozenset[str] = frozenset(),
    ) -> list[WhitelistEntry]:
        """Return an entry for every word and phrase of the pairs."""
        counts = self._count(corpora)
        words = []
        for word, (novel, concrete, abstract) in counts.items():
            share = novel / concrete
            kept = self._verdict(word, novel, share, allow, deny)
            words.append(WhitelistEntry(word, novel, concrete, abstract, share, None, kept))
        entries = sorted(words, key=lambda entry: (-entry.novel, entry.word))
        if self.phrases:
            words_kept = frozenset(entry.word for entry in words if entry.kept == YES)
            entries += self._phrases(corpora, words_kept, counts, deny)
        return entries

    def _count(self, corpora: list[Corpus]) -> dict[str, tuple[int, int, int]]:
        """Return for each word how often it is new, in a concrete text, in an abstract."""
        forms = word_forms(self.novelty)
        novel, concrete, abstract = Counter[str](), Counter[str](), Counter[str]()
        for corpus in corpora:
            for pair in corpus.pairs():
                in_abstract = all_forms(pair.abstract.lower, forms)
                abstract.update(pair.abstract.lower)
                concrete.update(pair.concrete.lower)
                novel.update(
                    word for word in pair.concrete.lower if in_abstract.isdisjoint(forms(word))
                )
        return {word: (novel[word], concrete[word], abstract[word]) for word in concrete}

    def _verdict(
        self, word: str, novel: int, share: float, allow: frozenset[str], deny: frozenset[str]
    ) -> str:
        unit = self.units and word in english.words("units")
        number = word.isnumeric() or (self.units and word in english.words("numbers"))
        stop = spacy_stop_words() if self.spacy_stop else english.words("stop")
        reasons = {
            "denied": word in deny,
            YES: word in allow,
            "number": number and not unit,
            "no word": not _is_word(word, self.units),
            "stop word": word in stop and not unit,
            "rare": novel < self.least,
            "often in the abstract": share < self.share and not unit,
        }
        return next((reason for reason, holds in reasons.items() if holds), YES)

    def _phrases(
        self,
        corpora: list[Corpus],
        kept: frozenset[str],
        counts: dict[str, tuple[int, int, int]],
        deny: frozenset[str],
    ) -> list[WhitelistEntry]:
        """Return entries for neighbouring kept words, by normalised PMI."""
        forms = word_forms(self.novelty)
        novel, concrete = Counter[Bigram](), Counter[Bigram]()
        for corpus in corpora:
            for pair in corpus.pairs():
                in_abstract = all_forms(pair.abstract.lower, forms)
                for one, other in pairwise(pair.concrete.lower):
                    if one in kept and other in kept:
                        concrete[one, other] += 1
                        if in_abstract.isdisjoint(forms(one) | forms(other)):
                            novel[one, other] += 1
        total = sum(count for _, count, _ in counts.values())
        found = []
        for (one, other), together in concrete.items():
            npmi = _npmi(together, counts[one][1], counts[other][1], total)
            phrase = f"{one} {other}"
            why = (
                "denied"
                if phrase in deny
                else "rare"
                if novel[one, other] < self.least
                else "loose"
                if npmi < self.npmi
                else YES
            )
            share = novel[one, other] / together
            found.append(WhitelistEntry(phrase, novel[one, other], together, 0, share, npmi, why))
        return sorted(found, key=lambda entry: (-entry.novel, entry.word))


def _npmi(together: int, one: int, other: int, total: int) -> float:
    """Return the NPMI, from -1 (never together) to 1 (never apart); Bouma, GSCL 2009."""
    if together == total:
        return 1.0
    return math.log(together * total / (one * other)) / -math.log(together / total)


def _is_word(word: str, hyphens: bool) -> bool:
    return (word.replace("-", "") if hyphens else word).isalpha()


@dataclass(frozen=True)
class WhitelistResult:
    """A new whitelist, with remarks about its making."""

    entries: list[WhitelistEntry]
    digest: str
    remarks: list[str]


def make_whitelist(
    paths: list[str],
    out: Path,
    *,
    profile: str = "default",
    least: int = 5,
    share: float | None = None,
    npmi: float = 0.35,
    allow: Path | None = None,
    deny: Path | None = None,
    fields: tuple[str, ...] = (),
    every_split: bool = False,
    strict: bool = False,
    force: bool = False,
) -> WhitelistResult:
    """Make a whitelist from the pairs in the files, or from built-in ones, and write it."""
    read = [Path(path) for path in paths] + [path for path in (allow, deny) if path]
    profiles = load_tables(__package__, "profiles.yaml")["whitelist"]
    options = {"least": least, "npmi": npmi, **profiles[profile]}
    fit = WhitelistFit(**(options if share is None else {**options, "share": share}))
    with files.replacing(out, force=force, inputs=read) as successor:
        named: list[str | None] = [*paths] or [None]
        corpora = [open_corpus(path, fields, train=not every_split) for path in named]
        remarks = _check_pairs(corpora, strict)
        entries = fit.entries(corpora, _words_in(allow, "--allow"), _words_in(deny, "--deny", 2))
        data = "".join(["\t".join(COLUMNS) + "\n", *(entry.line() for entry in entries)]).encode()
        successor.write_bytes(data)
    return WhitelistResult(entries, hashlib.sha256(data).hexdigest(), remarks)


def _check_pairs(corpora: list[Corpus], strict: bool) -> list[str]:
    """Return remarks about the corpora; raise InvalidInput if none has pairs."""
    remarks, pairs = list[str](), 0
    for corpus in corpora:
        bad = BadLines(corpus.name, strict)
        counted = sum(1 for _ in corpus.pairs(bad=bad))
        remarks += bad.remarks()
        if not counted:
            remarks.append(f"{corpus.name}: none of its pairs is counted; {NO_PAIRS}")
        pairs += counted
    if not pairs:
        raise InvalidInput("; ".join(remarks))
    return remarks


NO_PAIRS = "pairs of other splits than train are left out unless --every-split is given"


def _words_in(path: Path | None, option: str, most: int = 1) -> frozenset[str]:
    """Return the words of a list, or phrases of up to `most` words, one per line."""
    if path is None:
        return frozenset()
    found = set()
    for number, line in numbered_lines(path, "name a list of words", option):
        words = line.lower().split()
        if len(words) > most or "\t" in line.strip():
            each = "word or phrase" if most > 1 else "word"
            raise InvalidInput(f"{path}:{number}: {option} expects one {each} per line; fix it")
        found.add(" ".join(words))
    return frozenset(found)
