"""Tokens of an answer: lower-case words, possessive endings and signs."""

import re
from functools import lru_cache

from .extraction import plain

_TOKEN = re.compile(r"@?\w+(?:-\w+)*n't|@?\w+(?:[-\u2011]\w+)*|'s\b(?!-)|[^\w\s]")
_GRAND = re.compile(
    r"\b(grand)[- ](?=(?:mother|father|parent|son|daughter|child|ma|pa|mom|dad)s?\b)"
)
_GREAT = re.compile(r"\bgreat[- ]?grand(?=\w)")
_EMPHASIS = re.compile(
    r"\b(?:exactly|precisely) (?=(?:one|two|three|\d+)\b)|\bdue (?=(?:north|south|east|west)\b)"
)
"""Words before a number or a direction that change nothing."""
_TOWARDS = re.compile(r"(?<=\bsteps) to the (?=\w)|(?<=\bstep) to the (?=\w)|\bfurther (?=\w)")
_ONE_OF = re.compile(r"\bone of ((?:[\w-]+'s?|her|his|their) (?:[\w-]+ )?[\w-]+?)s\b(?!')")
"""`One of Nora's sisters` is Nora's sister."""
_MORE_STEPS = re.compile(r"(?:> ?|\bover )(?=(?:\d|one|two|three) steps?\b)")
_STEPS = re.compile(r"\b[1-3](?= steps?\b)")
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
    text = _GREAT.sub("great-grand", _GRAND.sub(r"\1", text))
    text = _ONE_OF.sub(r"\1", _TOWARDS.sub(" ", text))
    text = _MORE_STEPS.sub("more than ", _EMPHASIS.sub("", text))
    return tuple(_TOKEN.findall(_STEPS.sub(lambda match: _NUMBERS[match[0]], text)))


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
