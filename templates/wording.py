"""A frame put together for people of given genders: words with holes, ready to be filled."""

from collections.abc import Collection, Sequence

from .language import Language
from .tokens import Choice, Filler, Name, Noun, Option, Pronoun, Token, Words, capital

Genders = tuple[str | None, ...]

# For each fact: the noun forwards, backwards, and both once more with an article.
NOUNS_PER_FACT = 4

# Words as they stand, or the number of what fills a hole: people, nouns and fillers in a row.
_Piece = str | int


class Wording:
    """A frame for given genders and options: words with holes, and the number of what fills each.

    `fillers` has the numbers of the lists that fill its lexical slots, `shows` those along the
    path whose gender the text shows, and once more counted from the end.
    """

    __slots__ = ("_codes", "_holes", "_words", "fillers", "shows")

    def __init__(
        self, pieces: list[_Piece], fillers: list[int], shows: list[frozenset[int]]
    ) -> None:
        self._words = [piece if isinstance(piece, str) else "" for piece in pieces]
        self._holes = [n for n, piece in enumerate(pieces) if isinstance(piece, int)]
        self._codes = [piece for piece in pieces if isinstance(piece, int)]
        self.fillers, self.shows = fillers, shows

    def fill(self, values: list[str]) -> str:
        """The text with people, nouns and fillers, given in a row."""
        words, codes = self._words.copy(), self._codes
        for n, hole in enumerate(self._holes):
            words[hole] = values[codes[n]]
        return "".join(words)


def worded(
    tokens: Sequence[Token],
    path: tuple[str, ...],
    genders: Genders,
    shown: Collection[str],
    unshown: Collection[str],
    language: Language,
) -> list[Wording]:
    """Tokens put together for people of these genders, with every choice of the options.

    There is none where a pronoun could be misread. The gender of the slots in `shown` is taken to
    show anyway, but for those in `unshown`.
    """
    maker = _Maker(path, genders, language)
    seen = (maker.shown(tokens) | set(shown)) - set(unshown) if language.genders else set()
    places = [n for n, slot in enumerate(path) if slot in seen]
    shows = [frozenset(places), frozenset([len(path) - 1 - n for n in places])]
    options = sum([isinstance(token, Option) for token in tokens])
    try:
        return [maker.wording(_chosen(tokens, choice), shows) for choice in range(1 << options)]
    except _Misread:
        return []


class _Misread(Exception):
    """A pronoun has two possible antecedents and no name can stand in for it."""


def _chosen(tokens: Sequence[Token], choice: int) -> list[Token]:
    """The tokens with those options that this number has a bit for."""
    chosen: list[Token] = []
    option = 0
    for token in tokens:
        if isinstance(token, Option):
            if choice >> option & 1:
                chosen += token.tokens
            option += 1
        else:
            chosen.append(token)
    return chosen


class _Maker:
    """Puts tokens together for given genders."""

    def __init__(self, path: tuple[str, ...], genders: Genders, language: Language) -> None:
        self.language = language
        self.place = {slot: n for n, slot in enumerate(path)}
        self.gender = dict(zip(path, genders, strict=True))
        self.people = len(path)

    def wording(self, tokens: list[Token], shows: list[frozenset[int]]) -> Wording:
        """The text, with people, nouns and fillers by number."""
        pieces: list[_Piece] = []
        fillers: list[int] = []
        named: list[str] = []
        opens = True
        for token in tokens:
            if isinstance(token, Words):
                # Sentences end in words as written; what a slot gives never ends one.
                for n, words in enumerate(self.language.split(token.text)):
                    if n:
                        pieces.append(" ")
                        opens = True
                    if words:
                        pieces.append(capital(words) if opens else words)
                        opens = False
                continue
            if isinstance(token, Name):
                if token.slot not in named:
                    named.append(token.slot)
                pieces.append(self.place[token.slot])
            elif isinstance(token, Noun):
                pieces.append(self._noun(token))
            elif isinstance(token, Choice):
                gender = self.language.genders.index(self.gender[token.slot] or "")
                pieces.append(capital(token.words[gender]) if opens else token.words[gender])
            elif isinstance(token, Pronoun):
                pieces += self._pronoun(token, named, opens)
            elif isinstance(token, Filler):
                pieces.append(self.people + NOUNS_PER_FACT * (self.people - 1) + len(fillers))
                fillers.append(
                    self.language.filler(token.words, article=token.article, first=opens)
                )
            opens = False
        if pieces and pieces[-1] == " ":
            pieces.pop()
        return Wording(pieces, fillers, shows)

    def shown(self, tokens: Sequence[Token]) -> set[str]:
        """The slots whose gender a noun, a pronoun or a choice of words shows."""
        shown: set[str] = set()
        named: list[str] = []
        for token in tokens:
            if isinstance(token, Name):
                if token.slot not in named:
                    named.append(token.slot)
            elif isinstance(token, Noun | Choice) or (
                isinstance(token, Pronoun) and self._is_clear(token, named)
            ):
                shown.add(token.slot)
        return shown

    def _noun(self, noun: Noun) -> int:
        holder, person = self.place[noun.holder], self.place[noun.slot]
        first = self.people + NOUNS_PER_FACT * min(holder, person)
        return first + (1 if holder > person else 0) + (2 if noun.article else 0)

    def _is_clear(self, token: Pronoun, named: list[str]) -> bool:
        """Whether exactly one of those named so far is of the pronoun's gender."""
        gender = self.gender[token.slot]
        return sum([self.gender[slot] == gender for slot in named]) == 1

    def _pronoun(self, token: Pronoun, named: list[str], opens: bool) -> list[_Piece]:
        """The pronoun, or the name where it could be misread; a large letter opens a sentence."""
        pronoun = self.language.pronouns[token.case]
        if self._is_clear(token, named):
            word = pronoun.words[self.gender[token.slot] or ""]
            return [capital(word) if opens else word]
        if pronoun.instead is None:
            raise _Misread
        before, after = pronoun.instead.split("{}")
        pieces: list[_Piece] = [capital(before) if opens else before] if before else []
        pieces.append(self.place[token.slot])
        return [*pieces, after] if after else pieces
