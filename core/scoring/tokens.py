"""Tokens of an answer: lower-case words, possessive endings and signs."""

import re
from functools import lru_cache

from ..tables import Patterns
from .extraction import plain

_P = Patterns(__package__, "patterns.yaml", "tokens")
_NUMBERS = {"1": "one", "2": "two", "3": "three"}
_CONTRACTIONS = (
    (re.compile(r"\b(she|he|it|that|this|there|what|who|here|one)'s\b"), r"\1 is"),
    (re.compile(r"\b(i|you|he|she|it|we|they|that|who)'d\b"), r"\1 would"),
    (re.compile(r"\b(you|we|they)'re\b"), r"\1 are"),
    (re.compile(r"\b(\w+)'ll\b"), r"\1 will"),
    (re.compile(r"\b(is|was|are|were)n't\b"), r"\1 not"),
    (re.compile(r"\bi'm\b"), "i am"),
    (re.compile(r"\b(i|you|we|they)'ve\b"), r"\1 have"),
)
ARTICLES = frozenset({"a", "an", "the"})
POSSESSIVES = frozenset("my your his her its our their".split())
_DETERMINERS = ARTICLES | POSSESSIVES | {"some"}


def _split(text: str) -> tuple[str, ...]:
    text = plain(text).replace("_", " ").casefold()
    for pattern, words in _CONTRACTIONS:
        text = pattern.sub(words, text)
    text = _P.great.sub("great-grand", _P.grand.sub(r"\1", text))
    text = _P.one_of.sub(r"\1", _P.towards.sub(" ", text))
    text = _P.more_steps.sub("more than ", _P.emphasis.sub("", text))
    return tuple(_P.token.findall(_P.steps.sub(lambda match: _NUMBERS[match[0]], text)))


_MAX_SHORT = 1000
"""Characters of a short text: of longer ones few are kept, so that memory is limited."""
_short_tokens = lru_cache(maxsize=4096)(_split)
_long_tokens = lru_cache(maxsize=8)(_split)


def tokenize(text: str) -> list[str]:
    """Return the tokens of a text; `grand mother` is one, `she's` are two."""
    return list(_short_tokens(text) if len(text) <= _MAX_SHORT else _long_tokens(text))


def is_word(token: str) -> bool:
    """Return whether a token is a word, not a sign or an ending."""
    return token[0].isalnum() or token[0] == "@"


def trimmed(tokens: list[str]) -> list[str]:
    """Return the tokens without signs at both ends."""
    start, end = 0, len(tokens)
    while start < end and not is_word(tokens[start]):
        start += 1
    while start < end and not tokens[end - 1][-1].isalnum():
        end -= 1
    return tokens[start:end]


def normalized(text: str) -> str:
    """Return the text in lower case, without leading articles, outer signs and double spaces."""
    words, start = trimmed(tokenize(text)), 0
    while start < len(words) and words[start] in _DETERMINERS:
        start += 1
    return " ".join(words[start:])
