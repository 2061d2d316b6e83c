"""What a bank says about its language: `bank.yaml`, and what follows from it for any text."""

import re
from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from .tokens import capital

Text = Annotated[str, Field(min_length=1)]

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


def words_of(text: str) -> list[str]:
    """The words of a text in small letters."""
    return [word.lower().removesuffix("'s") for word in _WORD.findall(text)]


class Part(BaseModel):
    """A part of a bank's files: nothing else may stand in it."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class PronounWords(Part):
    """A pronoun for each gender, and what is written where it could be misread.

    Where there is none for no stated gender, the name is written.
    """

    words: dict[str, Text]
    instead: str | None = None

    @model_validator(mode="after")
    def _instead_has_a_place(self) -> Self:
        if self.instead is not None and self.instead.count("{}") != 1:
            raise ValueError("'instead' needs one {} for the name")
        return self


class Article(Part):
    """The article before words that begin so."""

    before: str
    word: str


def _one_or_many(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class Head(Part):
    """`bank.yaml`: the language, and what the frames may and may not say."""

    format: Literal[1]
    world: Annotated[tuple[Text, ...], BeforeValidator(_one_or_many)]
    language: Text
    summary: Text
    sentence_end: Text = r'[.!?]["”»]?'
    pronouns: dict[str, PronounWords] = {}
    articles: tuple[Article, ...] = ()
    sets: dict[str, tuple[Text, ...]] = {}
    opposite: tuple[Text, ...] = ()
    nouns: dict[str, Annotated[tuple[Text, ...], BeforeValidator(_one_or_many)]] = {}
    events: tuple[Text, ...] = ()
    banned: tuple[Text, ...] = ()
    banned_before: tuple[Text, ...] = ()
    names: dict[str, tuple[Text, ...]] | tuple[Text, ...] = ()


class Language:
    """What a bank says about its language, with the lists that fill lexical slots."""

    def __init__(self, head: Head, genders: tuple[str, ...], lists: dict[str, tuple[str, ...]]):
        self.genders = genders
        self.pronouns = {
            case: pronoun.model_copy(
                update={"words": {g: word for g, word in pronoun.words.items() if g in genders}}
            )
            for case, pronoun in head.pronouns.items()
        }
        self.lists = lists
        self.fillers: list[tuple[str, ...]] = []
        self._articles = [(re.compile(rule.before), rule.word) for rule in head.articles]
        self._numbers: dict[tuple[str, bool, bool], int] = {}
        self._end = re.compile(rf"(?:{head.sentence_end})( +)(?=\Z|\S)")
        self.parts = cache(self.split)  # of the words of frames, which are cut again and again

    def with_article(self, words: str) -> str:
        """The words with their indefinite article."""
        for before, article in self._articles:
            if before.match(words):
                return f"{article} {words}"
        return words

    def filler(self, name: str, *, article: bool, first: bool) -> int:
        """The number of a list as it is used: with an article or not, opening a sentence or not."""
        key = (name, article, first)
        if key not in self._numbers:
            words = self.lists[name]
            if article:
                words = tuple(map(self.with_article, words))
            if first:
                words = tuple(map(capital, words))
            self._numbers[key] = len(self.fillers)
            self.fillers.append(words)
        return self._numbers[key]

    def split(self, text: str) -> list[str]:
        """Text cut after every sentence that ends in it; the last piece has not ended."""
        pieces, start = [], 0
        for end in self._end.finditer(text):
            after = text[end.end() :].lstrip("\"'“«(")[:1]
            if not after or after.isupper():
                pieces.append(text[start : end.start(1)])
                start = end.end()
        return [*pieces, text[start:]]
