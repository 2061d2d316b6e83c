"""Linting a bank: where a frame says too much or too little, or reads wrong."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ..kb.lexicon import english
from .bank import Bank
from .forms import lexicon
from .frame import Frame
from .language import words_of
from .statistics import Advance, genders, render
from .stitcher import Stitcher
from .tokens import Choice, Filler, Noun, Words, flat
from .wording import Genders

Kind = Literal[
    "undeclared relation",
    "unstated fact",
    "banned word",
    "fixed pronoun",
    "fixed article",
    "never fits",
    "unknown word",
    "name",
    "punctuation",
    "long sentence",
    "duplicate",
    "near-duplicate",
    "echo",
    "odd fill",
    "unused list",
]

LONGEST_SENTENCE = 45  # words
NEAR = 0.6  # of the words shared

_SPACING = (
    (re.compile(r"  "), "two spaces"),
    (re.compile(r"\s[,.;:!?]"), "a space before punctuation"),
    (re.compile(r"[,.;:!?]{2,}"), "doubled punctuation"),
    (re.compile(r"[,;:!?][^\W\d]"), "no space after punctuation"),
    (re.compile(r"^\s|\s$"), "a space at the edge"),
    (re.compile(r"[.!?] [a-z]"), "no capital after a full stop"),
)


@dataclass(frozen=True)
class Finding:
    """Something wrong with a frame."""

    kind: Kind
    frame: str
    message: str

    def __str__(self) -> str:
        return f"{self.frame}: {self.kind}: {self.message}"


def lint(bank: Bank, advance: Advance = lambda done: None) -> list[Finding]:
    """All findings, frame by frame, then those about lists and pairs of frames.

    `advance` is told how many frames are done.
    """
    linter = _Linter(bank)
    findings: list[Finding] = []
    for number, frame in enumerate(bank.frames):
        findings += linter.frame(frame)
        advance(number + 1)
    return [*findings, *linter.lists(), *linter.duplicates()]


class _Linter:
    def __init__(self, bank: Bank) -> None:
        self.bank = bank
        self.stitcher = Stitcher(bank)
        self.pronouns = {
            word for pronoun in bank.language.pronouns.values() for word in pronoun.words.values()
        }

    @cached_property
    def lexicon(self) -> dict[str, set[tuple[str, str]]]:
        """What each relation noun can mean: predicate, and gender or nothing."""
        return lexicon(self.bank)

    def frame(self, frame: Frame) -> Iterator[Finding]:
        yield from self._relations(frame)
        yield from self._words(frame)
        yield from self._reading(frame)
        yield from self._echo(frame)
        yield from self._fills(frame)

    def _relations(self, frame: Frame) -> Iterator[Finding]:
        roles = self._roles(frame)
        stated = {
            min(frame.path.index(holder), frame.path.index(token.slot))
            for token in flat(frame.tokens)
            if isinstance(token, Noun)
            for holder in (token.holder, token.also or token.holder)
        }
        for word, gender in _written(frame, self.bank.world.genders):
            uses = self.lexicon.get(word)
            if uses is None:
                continue
            facts = {
                fact
                for fact, name, kind in roles
                for use, wanted in uses
                if use == name and (not wanted or wanted in (kind, gender) or kind == "any")
            }
            if not facts:
                yield Finding(
                    "undeclared relation", frame.id, f"{word!r} is in no fact that it states"
                )
            stated |= facts
        for fact in range(len(frame.predicates)):
            if fact not in stated:
                pair = f"{frame.path[fact]} and {frame.path[fact + 1]}"
                yield Finding("unstated fact", frame.id, f"nothing says what {pair} are")

    def _roles(self, frame: Frame) -> set[tuple[int, str, str | None]]:
        """What somebody surely is in the frame: the fact, the predicate, the gender if known."""
        roles: set[tuple[int, str, str | None]] = set()
        for fact, able in enumerate(frame.predicates):
            if len(able) != 1:
                continue
            (name,) = able
            before, after = frame.demands[fact : fact + 2]
            if name in self.bank.head.opposite:
                before = after = "any"
            roles.add((fact, name, after))
            inverse = self.bank.world.inverse(name)
            if inverse:
                roles.add((fact, inverse, before))
        return roles

    @cached_property
    def called(self) -> frozenset[str]:
        """What things are called in stories; people's names are not written like words."""
        stories = self.bank.world.stories
        names = [name for group in stories.names for name in group] if stories else []
        return frozenset(name for name in names if name.islower())

    def _words(self, frame: Frame) -> Iterator[Finding]:
        head = self.bank.head
        for word, _ in _written(frame, self.bank.world.genders):
            if word in head.banned:
                yield Finding("banned word", frame.id, f"{word!r} says more than the facts")
            fixed = word in self.pronouns and not _chosen(frame, word)
            if fixed and not all(frame.demands):
                yield Finding("fixed pronoun", frame.id, f"{word!r}; write a slot for it")
            if self.bank.vocabulary and word not in self.bank.vocabulary:
                yield Finding(
                    "unknown word", frame.id, f"{word!r}; mend it, or add it to vocabulary.yaml"
                )
            if word in self.called:
                yield Finding("name", frame.id, f"{word!r} is also what something may be called")
        for article in {rule.word for rule in head.articles}:
            for match in re.finditer(rf"\b{re.escape(article)} \{{[a-z->]{{2,}}\}}", frame.text):
                yield Finding("fixed article", frame.id, f"{match[0]!r}; write {{an ...}}")
        before = "|".join(map(re.escape, head.banned_before))
        nouns = "|".join(map(re.escape, sorted(self.lexicon, key=len, reverse=True)))
        if before:
            pattern = rf"\b({before}) (\{{[a-z]>[a-z]\}}|(?:{nouns})\b)"
            for match in re.finditer(pattern, frame.text, re.IGNORECASE):
                yield Finding("banned word", frame.id, f"{match[1]!r} before a relation")

    def _reading(self, frame: Frame) -> Iterator[Finding]:
        clause = [min(able) for able in frame.predicates]
        people = len(frame.path)
        possible = (some[:people] for some in genders(self.bank, clause))
        kinds = next((some for some in possible if frame.fits(some)), None)
        if kinds is None:
            yield Finding("never fits", frame.id, "no genders of its people are possible")
            return
        names = [f"Name{chr(65 + n)}" for n in range(len(kinds))]
        text = render(self.stitcher, frame, False, clause, kinds, names)
        for pattern, what in _SPACING:
            if pattern.search(text):
                yield Finding("punctuation", frame.id, f"{what} in {text!r}")
        if not re.search(rf"(?:{self.bank.head.sentence_end})$", text):
            yield Finding("punctuation", frame.id, f"no full stop ends {text!r}")
        if not text.lstrip("\"'“«(")[:1].isupper():
            yield Finding("punctuation", frame.id, f"no capital opens {text!r}")
        if text.count('"') % 2:
            yield Finding("punctuation", frame.id, f"a quotation is never closed in {text!r}")
        for sentence in self.bank.language.split(text):
            if len(sentence.split()) > LONGEST_SENTENCE:
                yield Finding("long sentence", frame.id, f"{len(sentence.split())} words")

    def _echo(self, frame: Frame) -> Iterator[Finding]:
        """Somebody is named twice within a sentence, for some genders."""
        if not self.bank.world.genders:
            return  # things have no pronouns
        names = [f"Name{chr(65 + n)}" for n in range(len(frame.path))]
        for kinds, clause in self._possible(frame):
            text = render(self.stitcher, frame, False, clause, kinds, names)
            for sentence in self.bank.language.split(text):
                if any(sentence.count(name) > 1 for name in names):
                    yield Finding("echo", frame.id, f"a name stands twice in {sentence!r}")
                    return

    def _possible(self, frame: Frame) -> Iterator[tuple[Genders, list[str]]]:
        """The genders that a frame fits, each with a clause."""
        clause = [min(able) for able in frame.predicates]
        for some in genders(self.bank, clause):
            kinds = some[: len(frame.path)]
            if frame.fits(kinds):
                yield kinds, clause

    def _fills(self, frame: Frame) -> Iterator[Finding]:
        """The frame read with each fill: what stands twice, and articles that do not fit."""
        written = {base for word, _ in self._own_words(frame) for base in self._bases(word)}
        before = ""
        for token in flat(frame.tokens):
            if isinstance(token, Filler):
                for fill in self.bank.language.lists[token.words]:
                    for what in self._odd(fill, token.article, before, written):
                        yield Finding(
                            "odd fill", frame.id, f"{fill!r} in {{{token.words}}}: {what}"
                        )
            before = token.text if isinstance(token, Words) else ""

    def _odd(self, fill: str, article: bool, before: str, written: set[str]) -> Iterator[str]:
        first = words_of(fill)[:1]
        articles = self.articles | {"the"} if self.bank.head.language == "en" else self.articles
        leads = bool(first) and first[0] in articles
        if leads and (article or set(words_of(before)[-1:]) & articles):
            yield "two articles"
        if article and self.bank.head.language == "en" and _is_plural(fill):
            yield "an article before many"
        twice = sorted(
            word
            for word in words_of(fill)
            if len(word) > _SHORT and word not in _stop_words() and self._bases(word) & written
        )
        if twice:
            yield f"{twice[0]!r} stands in the frame as well"

    @cached_property
    def articles(self) -> set[str]:
        """The articles that `{an ...}` may write."""
        return {rule.word for rule in self.bank.head.articles}

    def _own_words(self, frame: Frame) -> Iterator[tuple[str, str | None]]:
        return _written(frame, self.bank.world.genders)

    def _bases(self, word: str) -> set[str]:
        """A word as it may be meant: in English without its endings."""
        return {*english.bases(word)} if self.bank.head.language == "en" else {word}

    def lists(self) -> Iterator[Finding]:
        """Words of the lists that are unknown, banned or name a relation."""
        used = {
            token.words
            for frame in self.bank.frames
            for token in flat(frame.tokens)
            if isinstance(token, Filler)
        }
        for name, entries in self.bank.language.lists.items():
            if name not in used:
                yield Finding(
                    "unused list", f"list {name}", "no frame has a slot for it; delete it"
                )
            for entry in entries:
                for word in words_of(entry):
                    if self.bank.vocabulary and word not in self.bank.vocabulary:
                        yield Finding("unknown word", f"list {name}", repr(word))
                    if word in self.bank.head.banned or word in self.pronouns:
                        yield Finding("banned word", f"list {name}", repr(word))
                    if word in self.lexicon:
                        yield Finding("undeclared relation", f"list {name}", repr(word))
                    if word in self.called:
                        yield Finding("name", f"list {name}", repr(word))

    def duplicates(self) -> Iterator[Finding]:
        """Pairs of frames that say nearly the same."""
        seen: list[tuple[Frame, int, int]] = []
        numbers: dict[str, int] = {}
        for frame in self.bank.frames:
            mask = 0
            for word in _TOKENS.findall(frame.text.lower()):
                mask |= 1 << numbers.setdefault(word, len(numbers))
            size = mask.bit_count()
            for earlier, their_mask, their_size in seen:
                shared = (mask & their_mask).bit_count()
                if shared > NEAR * (size + their_size - shared):
                    kind: Kind = "duplicate" if frame.text == earlier.text else "near-duplicate"
                    if frame.predicates == earlier.predicates and frame.demands == earlier.demands:
                        yield Finding(kind, frame.id, f"much like {earlier.id}: {earlier.text}")
            seen.append((frame, mask, size))


_SHORT = 3  # words of so many letters may stand twice


def _stop_words() -> frozenset[str]:
    return english.words("stop")


def _is_plural(fill: str) -> bool:
    """Whether an English phrase speaks of many, by its last noun."""
    head = re.split(r" (?:of|and|in|for|with) ", fill)[0]
    return english.inflection(head.split()[-1]) == "s" if head else False


_TOKENS = re.compile(r"\{[^}]*\}|\w+")


def _chosen(frame: Frame, word: str) -> bool:
    return any(isinstance(token, Choice) and word in token.words for token in frame.tokens)


def _written(frame: Frame, kinds: tuple[str, ...]) -> Iterator[tuple[str, str | None]]:
    """The words that stand in a frame, with a gender where they are chosen by it."""
    for token in flat(frame.tokens):
        if isinstance(token, Words):
            yield from ((word, None) for word in words_of(token.text))
        elif isinstance(token, Choice):
            for kind, words in zip(kinds, token.words, strict=True):
                yield from ((word, kind) for word in words_of(words))
