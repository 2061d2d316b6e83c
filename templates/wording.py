"""A frame put together for people of given genders: words with holes, ready to be filled."""

from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from .tokens import Choice, Filler, Name, Noun, Option, Pronoun, Token, Words, capital

if TYPE_CHECKING:
    from .bank import Language

Genders = tuple[str | None, ...]

# For each fact: the noun forwards, backwards, and both once more with an article.
NOUNS_PER_FACT = 4

# Words as they stand, or the number of what fills a hole: people, nouns and fillers in a row.
_Piece = str | int


class Text:
    """Words with holes, and the number of what fills each."""

    __slots__ = ("_codes", "_holes", "_words")

    def __init__(self, pieces: list[_Piece]) -> None:
        self._words = [piece if isinstance(piece, str) else "" for piece in pieces]
        self._holes = [n for n, piece in enumerate(pieces) if isinstance(piece, int)]
        self._codes = _codes(pieces)

    def fill(self, values: list[str]) -> str:
        """The text with people, nouns and fillers, given in a row."""
        return "".join(self._filled(values))

    def _filled(self, values: list[str]) -> list[str]:
        words, codes = self._words.copy(), self._codes
        for n, hole in enumerate(self._holes):
            words[hole] = values[codes[n]]
        return words


class Sentence(Text):
    """A sentence for given genders, and the numbers of the facts it states."""

    __slots__ = ("_people", "facts")

    def __init__(self, pieces: list[_Piece], people: int, facts: list[int]) -> None:
        super().__init__(pieces)
        self._people, self.facts = people, facts

    def mentions(self, values: list[str], at: int) -> list[tuple[int, int, str]]:
        """Start and end of every name, and the name, where the sentence starts at some place."""
        words = self._filled(values)
        ends = list(accumulate(map(len, words), initial=at))
        return [
            (ends[hole], ends[hole + 1], words[hole])
            for hole, code in zip(self._holes, self._codes, strict=True)
            if code < self._people
        ]


class Variant(Text):
    """A frame for given genders and options: the numbers of its fillers, and its sentences."""

    __slots__ = ("_people", "_sentences", "fillers")

    def __init__(self, people: int, sentences: list[list[_Piece]], fillers: list[int]) -> None:
        whole: list[_Piece] = []
        for pieces in sentences:
            if whole:
                whole.append(" ")
            whole += pieces
        super().__init__(whole)
        self._people, self._sentences, self.fillers = people, sentences, fillers

    @property
    def sentences(self) -> list[Sentence]:
        """Its sentences one by one."""
        return [
            Sentence(pieces, self._people, facts)
            for pieces, facts in zip(self._sentences, self._stated(), strict=True)
        ]

    def _stated(self) -> list[list[int]]:
        """In which sentence each fact is stated: where its noun stands, or both people do."""
        codes = [set(_codes(pieces)) for pieces in self._sentences]
        stated: list[list[int]] = [[] for _ in codes]
        for fact in range(self._people - 1):
            first = self._people + NOUNS_PER_FACT * fact
            nouns, both = set(range(first, first + NOUNS_PER_FACT)), {fact, fact + 1}
            where = [n for n, found in enumerate(codes) if nouns & found]
            where += [n for n, found in enumerate(codes) if both <= found]
            stated[where[0] if where else -1].append(fact)
        return stated


class Wording:
    """A frame for given genders: a variant for each choice of its options, mostly the only one.

    `shows` has those along the path whose gender the text shows, and once more counted from
    the end.
    """

    __slots__ = ("only", "shows", "variants")

    def __init__(self, variants: list[Variant], shown: frozenset[int], people: int) -> None:
        self.variants = variants
        self.only = variants[0] if len(variants) == 1 else None
        self.shows = [shown, frozenset([people - 1 - n for n in shown])]


def agrees(demands: Genders, genders: Genders) -> bool:
    """Whether the genders are those demanded, where some are."""
    return all(want is None or want == genders[at] for at, want in enumerate(demands))


def worded(
    tokens: Sequence[Token],
    path: tuple[str, ...],
    genders: Genders,
    shown: Collection[str],
    unshown: Collection[str],
    language: "Language",
) -> Wording | None:
    """Tokens put together for people of these genders; None where a pronoun could be misread.

    The gender of the slots in `shown` is taken to show anyway, but for those in `unshown`.
    """
    maker = _Maker(path, genders, language)
    options = sum([isinstance(token, Option) for token in tokens])
    try:
        variants = [maker.variant(_chosen(tokens, choice)) for choice in range(1 << options)]
    except _Misread:
        return None
    seen = (maker.shown(tokens) | set(shown)) - set(unshown) if language.genders else set()
    return Wording(
        variants, frozenset([n for n, slot in enumerate(path) if slot in seen]), len(path)
    )


class _Misread(Exception):
    """A pronoun has two possible antecedents and no name can stand in for it."""


def _chosen(tokens: Sequence[Token], choice: int) -> list[Token]:
    found: list[Token] = []
    option = 0
    for token in tokens:
        if isinstance(token, Option):
            if choice >> option & 1:
                found += token.tokens
            option += 1
        else:
            found.append(token)
    return found


class _Maker:
    """Puts tokens together for given genders."""

    def __init__(self, path: tuple[str, ...], genders: Genders, language: "Language") -> None:
        self.language = language
        self.at = {slot: n for n, slot in enumerate(path)}
        self.gender = dict(zip(path, genders, strict=True))
        self.people = len(path)

    def variant(self, tokens: list[Token]) -> Variant:
        """The text, with people, nouns and fillers by number."""
        pieces: list[_Piece] = []
        sentences = [pieces]
        fillers: list[int] = []
        named: list[str] = []
        for token in tokens:
            if isinstance(token, Words):
                # Sentences end in words as written; what a slot gives never ends one.
                *ended, rest = self.language.split(token.text)
                for words in ended:
                    _add(pieces, words)
                    pieces = []
                    sentences.append(pieces)
                _add(pieces, rest)
            elif isinstance(token, Name):
                if token.slot not in named:
                    named.append(token.slot)
                pieces.append(self.at[token.slot])
            elif isinstance(token, Noun):
                pieces.append(self._noun(token))
            elif isinstance(token, Choice):
                genders = self.language.genders
                _add(pieces, token.words[genders.index(self.gender[token.slot] or "")])
            elif isinstance(token, Pronoun):
                self._add_pronoun(pieces, token, named)
            elif isinstance(token, Filler):
                pieces.append(self.people + NOUNS_PER_FACT * (self.people - 1) + len(fillers))
                first = len(pieces) == 1
                fillers.append(
                    self.language.filler(token.words, article=token.article, first=first)
                )
        if not pieces:
            sentences.pop()
        return Variant(self.people, sentences, fillers)

    def shown(self, tokens: Sequence[Token]) -> set[str]:
        """The slots whose gender a noun, a pronoun or a choice of words shows."""
        found: set[str] = set()
        named: list[str] = []
        for token in tokens:
            if isinstance(token, Name):
                if token.slot not in named:
                    named.append(token.slot)
            elif isinstance(token, Noun | Choice) or (
                isinstance(token, Pronoun) and self._is_clear(token, named)
            ):
                found.add(token.slot)
        return found

    def _noun(self, noun: Noun) -> int:
        holder, person = self.at[noun.holder], self.at[noun.slot]
        first = self.people + NOUNS_PER_FACT * min(holder, person)
        return first + (1 if holder > person else 0) + (2 if noun.article else 0)

    def _is_clear(self, token: Pronoun, named: list[str]) -> bool:
        """Whether exactly one of those named so far is of the pronoun's gender."""
        gender = self.gender[token.slot]
        return sum([self.gender[slot] == gender for slot in named]) == 1

    def _add_pronoun(self, pieces: list[_Piece], token: Pronoun, named: list[str]) -> None:
        pronoun = self.language.pronouns[token.case]
        if self._is_clear(token, named):
            _add(pieces, pronoun.words[self.gender[token.slot] or ""])
            return
        if pronoun.instead is None:
            raise _Misread
        before, after = pronoun.instead.split("{}")
        _add(pieces, before)
        pieces.append(self.at[token.slot])
        _add(pieces, after)


def _add(pieces: list[_Piece], words: str) -> None:
    """Words at the end of a sentence, or at its beginning with a large letter."""
    if words:
        pieces.append(words if pieces else capital(words))


def _codes(pieces: list[_Piece]) -> list[int]:
    return [piece for piece in pieces if isinstance(piece, int)]
