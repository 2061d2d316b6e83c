"""What frames are written in: words, slots and options, read from a frame's text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """Text that stands there as it is."""

    text: str


@dataclass(frozen=True)
class Name:
    """`{a}`: a person's name."""

    slot: str


@dataclass(frozen=True)
class Pronoun:
    """`{a.their}`: a pronoun for a person, or the name where a pronoun could be misread."""

    slot: str
    case: str


@dataclass(frozen=True)
class Noun:
    """`{a>b}`: what b is to a, by b's gender; `{an a>b}` with an article.

    `{a+c>b}` is said of two holders at once: what b is to a, and to c as well.
    """

    holder: str
    slot: str
    article: bool
    also: str | None = None


@dataclass(frozen=True)
class Choice:
    """`{a:boy|girl}`: one word for each gender of a."""

    slot: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Filler:
    """`{food}`: a word or phrase from a list; `{an food}` with an article."""

    words: str
    article: bool


@dataclass(frozen=True)
class Option:
    """`[, {when}]`: words that may as well be left out."""

    tokens: "tuple[Token, ...]"


Token = Words | Name | Pronoun | Noun | Choice | Filler | Option

_PIECE = re.compile(r"\{([^{}\[\]]*)\}|(\[)|(\])|([^{}\[\]]+)|(.)", re.DOTALL)
_SLOTS = (
    (re.compile(r"([a-z])"), lambda m: Name(m[1])),
    (re.compile(r"([a-z])\.([a-z]+)"), lambda m: Pronoun(m[1], m[2])),
    (
        re.compile(r"(an )?([a-z])(?:\+([a-z]))?>([a-z])"),
        lambda m: Noun(m[2], m[4], bool(m[1]), m[3]),
    ),
    (re.compile(r"([a-z]):([^{}]+)"), lambda m: Choice(m[1], tuple(m[2].split("|")))),
    (re.compile(r"(an )?([a-z][a-z-]+)"), lambda m: Filler(m[2], bool(m[1]))),
)


def tokens(text: str) -> tuple[Token, ...]:
    """Take a frame's text apart, or raise ValueError that says what is wrong with it."""
    parts: list[Token] = []
    optional: list[Token] | None = None
    for piece in _PIECE.finditer(text):
        inside, opens, closes, words, odd = piece.groups()
        here = parts if optional is None else optional
        if words is not None:
            here.append(Words(words))
        elif opens and optional is None:
            optional = []
        elif closes and optional is not None:
            parts.append(Option(tuple(optional)))
            optional = None
        elif inside is not None:
            here.append(_slot(inside))
        else:
            raise ValueError(f"{odd or opens or closes!r} has no partner in {text!r}")
    if optional is not None:
        raise ValueError(f"'[' is never closed in {text!r}")
    return tuple(parts)


def _slot(inside: str) -> Token:
    for pattern, make in _SLOTS:
        match = pattern.fullmatch(inside)
        if match:
            return make(match)
    raise ValueError(
        f"{{{inside}}} is no slot; write {{a}}, {{a.they}}, {{a>b}}, {{a:x|y}} or {{list}}"
    )


def flat(parts: Sequence[Token]) -> Iterator[Token]:
    """All tokens, those within options too."""
    for token in parts:
        if isinstance(token, Option):
            yield from flat(token.tokens)
        else:
            yield token


def capital(text: str) -> str:
    """The text with its first letter large, behind quotation marks if need be."""
    for n, letter in enumerate(text):
        if letter.isalpha():
            return text[:n] + letter.upper() + text[n + 1 :]
        if letter.isdigit():
            break
    return text
