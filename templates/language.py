"""The language of a sentence bank: `bank.yaml`, sentence splitting and word lists."""

import re
from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from ..kb.worlds.languages import Word
from .tokens import ARTICLE, capitalize

Text = Annotated[str, Field(min_length=1)]

OPENING_SIGNS = "\"'“«(„¿¡— "
"""Signs before the first letter of a sentence."""
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, without possessive 's."""
    return [word.lower().removesuffix("'s") for word in _WORD.findall(text)]


class BankModel(BaseModel):
    """Base of the models of bank files; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class PronounWords(BankModel):
    """A pronoun by gender, and the replacement where it is ambiguous, with {} for the name.

    A gender without a pronoun gets the name.
    """

    words: dict[str, Text]
    instead: str | None = None

    @model_validator(mode="after")
    def _instead_has_name(self) -> Self:
        if self.instead is not None and self.instead.count("{}") != 1:
            raise ValueError("'instead' needs one {} for the name")
        return self


class Determiner(BankModel):
    """A word before a relation noun that agrees with it, and the form that the noun has then.

    `words` are by the gender of the noun. A possessive has `holder` instead: by the gender of the
    person whose relative is named, the words by the gender of the noun.
    """

    words: dict[str, Text] = {}
    holder: dict[str, dict[str, Text]] = {}
    form: str = ""


def _one_or_many(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class BankHeader(BankModel):
    """`bank.yaml`: the language, sets of predicates, and words that frames may not use."""

    format: Literal[1]
    world: Annotated[tuple[Text, ...], BeforeValidator(_one_or_many)]
    language: Text
    summary: Text
    sentence_end: Text = r'[.!?]["”»]?'
    pronouns: dict[str, PronounWords] = {}
    articles: tuple[Word, ...] = ()
    forms: dict[str, dict[str, Text]] = {}
    """Inflected forms of relation nouns by name: by word, where they differ from it."""
    determiners: dict[str, Determiner] = {}
    """Words such as articles and possessives, written as in `{der a>b}`."""
    governs: dict[str, tuple[Text, ...]] = {}
    """By preposition, the determiners that may follow it; the linter refuses others."""
    sets: dict[str, tuple[Text, ...]] = {}
    opposite: tuple[Text, ...] = ()
    nouns: dict[str, Annotated[tuple[Text, ...], BeforeValidator(_one_or_many)]] = {}
    events: tuple[Text, ...] = ()
    bystanders: tuple[Text, ...] = ()
    banned: tuple[Text, ...] = ()
    banned_before: tuple[Text, ...] = ()


class Language:
    """The language of a bank, with the word lists for lexical slots.

    `word_lists` holds the lists in the forms in use, numbered by `word_list`.
    """

    def __init__(
        self, header: BankHeader, genders: tuple[str, ...], lists: dict[str, tuple[str, ...]]
    ):
        self.genders = genders
        self.pronouns = {
            case: pronoun.model_copy(
                update={"words": {g: word for g, word in pronoun.words.items() if g in genders}}
            )
            for case, pronoun in header.pronouns.items()
        }
        self.lists = lists
        self.word_lists: list[tuple[str, ...]] = []
        self._articles = [(re.compile(rule.before), rule.word) for rule in header.articles]
        self.possessives = {
            name: determiner.holder
            for name, determiner in header.determiners.items()
            if determiner.holder
        }
        self._inflected = header.forms
        self.forms = ["", *header.forms, ARTICLE]
        """The forms of relation nouns; the last is that with an article."""
        self._list_numbers: dict[tuple[str, bool, bool], int] = {}
        self._end = re.compile(rf"(?:{header.sentence_end})( +)(?=\Z|\S)")
        self.cached_sentences = cache(self.sentences)  # for texts of frames, which recur

    def with_article(self, words: str) -> str:
        """Return the words with their indefinite article; unchanged if no rule matches."""
        for pattern, article in self._articles:
            if pattern.match(words):
                return f"{article} {words}"
        return words

    def noun_forms(self, word: str) -> tuple[str, ...]:
        """Return all forms of a relation noun, in the order of `forms`."""
        return tuple(
            self.with_article(word)
            if form == ARTICLE
            else self._inflected.get(form, {}).get(word, word)
            for form in self.forms
        )

    def is_neutral(self, case: str) -> bool:
        """Return whether a pronoun or possessive is the same for persons of all genders."""
        if case in self.possessives:
            every = [tuple(words.values()) for words in self.possessives[case].values()]
        else:
            every = [(word,) for word in self.pronouns[case].words.values()]
        return len(self.genders) > 1 and len(set(every)) == 1

    def word_list(self, name: str, *, article: bool, capital: bool) -> int:
        """Return the number of a list with or without article and capital; add it if new."""
        key = (name, article, capital)
        if key not in self._list_numbers:
            words = self.lists[name]
            if article:
                words = tuple(map(self.with_article, words))
            if capital:
                words = tuple(map(capitalize, words))
            self._list_numbers[key] = len(self.word_lists)
            self.word_lists.append(words)
        return self._list_numbers[key]

    def sentences(self, text: str) -> list[str]:
        """Split text after each sentence end; the last item is what follows, perhaps empty."""
        sentences, start = [], 0
        for end in self._end.finditer(text):
            after = text[end.end() :].lstrip(OPENING_SIGNS)[:1]
            if not after or after.isupper():
                sentences.append(text[start : end.start(1)])
                start = end.end()
        return [*sentences, text[start:]]
