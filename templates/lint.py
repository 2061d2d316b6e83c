"""The linter of sentence banks: frames that state too much or too little, or read wrong."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain

from ..kb.lexicon import english
from ..kb.worlds.languages import find_language
from ..tables import load_tables
from .bank import Bank
from .coherence import coherence_mistakes
from .frame import Frame
from .language import OPENING_SIGNS, words_of
from .samples import possible_genders, render
from .stitcher import Stitcher
from .tokens import GenderedWord, LexicalSlot, Noun, PlainText, flatten

MAX_SENTENCE_WORDS = 45
NEAR_DUPLICATE_OVERLAP = 0.6  # share of common words


@cache
def lexicon(bank: Bank) -> dict[str, set[tuple[str, str]]]:
    """Return the predicates, with gender or empty, that each relation noun can mean."""
    meanings: dict[str, set[tuple[str, str]]] = {}
    for name, predicate in bank.world.predicates.items():
        for gender in bank.world.genders:
            meanings.setdefault(predicate.word(gender), set()).add((name, gender))
    for word, uses in bank.header.nouns.items():
        for use in uses:
            name, _, gender = use.partition(" ")
            meanings.setdefault(word, set()).add((name, gender))
    return meanings


@dataclass(frozen=True)
class FrameFinding:
    """A mistake in a frame or list."""

    kind: str
    frame: str
    message: str

    def __str__(self) -> str:
        return f"{self.frame}: {self.kind}: {self.message}"


def lint(bank: Bank, advance: Callable[[int], None] = lambda done: None) -> list[FrameFinding]:
    """Return all findings: frame by frame, then those about lists and pairs of frames.

    `advance` is called with the number of frames done.
    """
    linter = _Linter(bank)
    findings: list[FrameFinding] = []
    for number, frame in enumerate(bank.frames):
        findings += [FrameFinding(kind, frame.id, what) for kind, what in linter.frame(frame)]
        advance(number + 1)
    return [*findings, *linter.lists(), *linter.duplicates()]


_Mistakes = Iterator[tuple[str, str]]


class _Linter:
    def __init__(self, bank: Bank) -> None:
        self.bank, self.header, self.world = bank, bank.header, bank.world
        self.stitcher = Stitcher(bank)
        self.determiners = {
            word
            for determiner in bank.header.determiners.values()
            for words in (determiner.words, *determiner.holder.values())
            for word in words.values()
        }
        # In languages with determiners, many pronouns are articles, too.
        self.pronouns = {
            word
            for pronoun in bank.language.pronouns.values()
            for word in pronoun.words.values()
            if not self.determiners
        }
        self.lexicon = lexicon(bank)
        self.articles = {rule.word for rule in bank.header.articles}
        self.texts = find_language(bank.world.language).texts
        stories = bank.world.stories
        names = [name for group in stories.names for name in group] if stories else []
        # Names of things; those of people are capitalized.
        self.thing_names = frozenset(name for name in names if name.islower())

    def frame(self, frame: Frame) -> _Mistakes:
        yield from self._relations(frame)
        yield from self._words(frame)
        yield from self._determiners(frame)
        yield from self._reading(frame)
        yield from self._list_words(frame)
        yield from coherence_mistakes(self.bank, frame)

    def _relations(self, frame: Frame) -> _Mistakes:
        roles = self._roles(frame)
        stated = {
            min(frame.path.index(holder), frame.path.index(token.slot))
            for token in flatten(frame.tokens)
            if isinstance(token, Noun)
            for holder in (token.holder, token.also or token.holder)
        }
        for word, gender in _frame_words(frame, self.world.genders):
            uses = self.lexicon.get(word)
            if uses is None:
                continue
            facts = {
                fact
                for fact, name, known in roles
                for use, wanted in uses
                if use == name and (not wanted or wanted in (known, gender) or known == "any")
            }
            if not facts:
                yield "undeclared relation", f"{word!r} is in no fact of the frame"
            stated |= facts
        for fact in range(len(frame.predicates)):
            if fact not in stated:
                pair = f"{frame.path[fact]} and {frame.path[fact + 1]}"
                yield "unstated fact", f"no word states the relation of {pair}"

    def _roles(self, frame: Frame) -> set[tuple[int, str, str | None]]:
        """Return (fact, predicate, gender if known) for the roles that people certainly have."""
        roles: set[tuple[int, str, str | None]] = set()
        for fact, predicates in enumerate(frame.predicates):
            if len(predicates) != 1:
                continue
            (name,) = predicates
            before, after = frame.required_genders[fact : fact + 2]
            if name in self.header.opposite:
                before = after = "any"
            roles.add((fact, name, after))
            if inverse := self.world.inverse(name):
                roles.add((fact, inverse, before))
        return roles

    def _words(self, frame: Frame) -> _Mistakes:
        gendered = {
            word
            for token in frame.tokens
            if isinstance(token, GenderedWord)
            for word in token.words
        }
        for word, _ in _frame_words(frame, self.world.genders):
            if word in self.header.banned:
                yield "banned word", f"{word!r} says more than the facts"
            if word in self.pronouns - gendered and not all(frame.required_genders):
                yield "fixed pronoun", f"{word!r}; write a slot for it"
            if self.bank.vocabulary and word not in self.bank.vocabulary:
                yield "unknown word", f"{word!r}; fix it, or add it to vocabulary.yaml"
            if word in self.thing_names:
                yield "name", f"{word!r} is also the name of a thing"
        for article in self.articles:
            for match in re.finditer(rf"\b{re.escape(article)} \{{[a-z->]{{2,}}\}}", frame.text):
                yield "fixed article", f"{match[0]!r}; write {{an ...}}"
        before = "|".join(map(re.escape, self.header.banned_before))
        nouns = "|".join(map(re.escape, sorted(self.lexicon, key=len, reverse=True)))
        if before:
            pattern = rf"\b({before}) (\{{[a-z]>[a-z]\}}|(?:{nouns})\b)"
            for match in re.finditer(pattern, frame.text, re.IGNORECASE):
                yield "banned word", f"{match[1]!r} before a relation"

    def _determiners(self, frame: Frame) -> _Mistakes:
        """Find determiners that a preposition does not govern, or that are literal text."""
        for match in re.finditer(r"\b(\w+) \{(\w+) [a-z]>[a-z]\}", frame.text):
            fitting = self.header.governs.get(match[1].lower())
            if fitting is not None and match[2] not in fitting:
                yield "wrong case", f"{match[0]!r}; write one of {', '.join(fitting)}"
        for match in re.finditer(r"\b(\w+) \{[a-z]>[a-z]\}", frame.text):
            if match[1].lower() in self.determiners:
                yield "fixed determiner", f"{match[0]!r}; write it inside the braces"

    def _reading(self, frame: Frame) -> _Mistakes:
        """Check renderings: punctuation and length of one, repeated names for all genders."""
        clause = [min(predicates) for predicates in frame.predicates]
        names = [f"Name{chr(65 + n)}" for n in range(len(frame.path))]
        possible = (some[: len(names)] for some in possible_genders(self.bank, clause))
        texts = (
            render(self.stitcher, frame, False, clause, some, names)
            for some in possible
            if frame.fits(some)
        )
        text = next(texts, None)
        if text is None:
            yield "never fits", "no genders of its people are possible"
            return
        for what, pattern in load_tables(__package__, "spacing.yaml").items():
            if re.search(pattern, text):
                yield "punctuation", f"{what} in {text!r}"
        if not re.search(rf"(?:{self.header.sentence_end})$", text):
            yield "punctuation", f"no full stop ends {text!r}"
        if not text.lstrip(OPENING_SIGNS)[:1].isupper():
            yield "punctuation", f"no capital opens {text!r}"
        if text.count('"') % 2:
            yield "punctuation", f"a quotation is never closed in {text!r}"
        for sentence in self.bank.language.sentences(text):
            if len(sentence.split()) > MAX_SENTENCE_WORDS:
                yield "long sentence", f"{len(sentence.split())} words"
        if not self.world.genders:
            return  # things have no pronouns
        for each in chain([text], texts):
            for sentence in self.bank.language.sentences(each):
                if any(sentence.count(name) > 1 for name in names):
                    yield "echo", f"a name occurs twice in {sentence!r}"
                    return

    def _list_words(self, frame: Frame) -> _Mistakes:
        """Check each word of the lists in the frame: repeated words, articles that do not fit."""
        written = _frame_words(frame, self.world.genders)
        lemmas = {lemma for word, _ in written for lemma in self._lemmas(word)}
        before = ""
        for token in flatten(frame.tokens):
            if isinstance(token, LexicalSlot):
                for words in self.bank.language.lists[token.list_name]:
                    for what in self._misfits(words, token.article, before, lemmas):
                        yield "odd fill", f"{words!r} in {{{token.list_name}}}: {what}"
            before = token.text if isinstance(token, PlainText) else ""

    def _misfits(self, phrase: str, article: bool, before: str, lemmas: set[str]) -> Iterator[str]:
        words = words_of(phrase)
        articles = self.articles | {self.texts.thing_article.strip()}
        has_article = bool(articles.intersection(words[:1]))
        if has_article and (article or articles.intersection(words_of(before)[-1:])):
            yield "two articles"
        if article and "inflection" in self.texts.features and _is_plural(phrase):
            yield "an article before a plural"
        repeated = [
            word
            for word in words
            if len(word) > _MAX_SHORT_WORD
            and word not in english.words("stop")
            and self._lemmas(word) & lemmas
        ]
        if repeated:
            yield f"{min(repeated)!r} is in the frame as well"

    def _lemmas(self, word: str) -> set[str]:
        return {*english.bases(word)} if "inflection" in self.texts.features else {word}

    def lists(self) -> Iterator[FrameFinding]:
        """Find unused lists, and words in lists that are unknown, banned or name a relation."""
        used = {
            token.list_name
            for frame in self.bank.frames
            for token in flatten(frame.tokens)
            if isinstance(token, LexicalSlot)
        }
        for name, entries in self.bank.language.lists.items():
            where = f"list {name}"
            if name not in used:
                yield FrameFinding("unused list", where, "no frame has a slot for it; delete it")
            for word in [word for entry in entries for word in words_of(entry)]:
                if self.bank.vocabulary and word not in self.bank.vocabulary:
                    yield FrameFinding("unknown word", where, repr(word))
                if word in self.header.banned or word in self.pronouns:
                    yield FrameFinding("banned word", where, repr(word))
                if word in self.lexicon:
                    yield FrameFinding("undeclared relation", where, repr(word))
                if word in self.thing_names:
                    yield FrameFinding("name", where, repr(word))

    def duplicates(self) -> Iterator[FrameFinding]:
        """Find pairs of frames with nearly the same words."""
        seen: list[tuple[Frame, int, int]] = []
        numbers: dict[str, int] = {}
        for frame in self.bank.frames:
            mask = 0
            for word in _TOKENS.findall(frame.text.lower()):
                mask |= 1 << numbers.setdefault(word, len(numbers))
            size = mask.bit_count()
            key = (frame.predicates, frame.required_genders)
            for earlier, other_mask, other_size in seen:
                shared = (mask & other_mask).bit_count()
                if shared > NEAR_DUPLICATE_OVERLAP * (size + other_size - shared) and key == (
                    earlier.predicates,
                    earlier.required_genders,
                ):
                    kind: str = "duplicate" if frame.text == earlier.text else "near-duplicate"
                    yield FrameFinding(kind, frame.id, f"much like {earlier.id}: {earlier.text}")
            seen.append((frame, mask, size))


_MAX_SHORT_WORD = 3  # letters; shorter words may be repeated
_TOKENS = re.compile(r"\{[^}]*\}|\w+")


def _is_plural(phrase: str) -> bool:
    """Return whether the head noun of an English phrase is plural."""
    head = re.split(r" (?:of|and|in|for|with) ", phrase)[0]
    return english.inflection(head.split()[-1]) == "s" if head else False


def _frame_words(frame: Frame, genders: tuple[str, ...]) -> Iterator[tuple[str, str | None]]:
    """Yield the words of a frame, each with its gender if it is a gendered word."""
    for token in flatten(frame.tokens):
        if isinstance(token, PlainText):
            yield from ((word, None) for word in words_of(token.text))
        elif isinstance(token, GenderedWord):
            for gender, words in zip(genders, token.words, strict=True):
                yield from ((word, gender) for word in words_of(words))
