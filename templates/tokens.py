"""The tokens of frame texts: plain text, slots and optional parts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class PlainText:
    """Text without slots."""

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
    """`{a>b}`: the relation noun of b to a, by b's gender; `{an a>b}` with an article.

    `{a+c>b}` has two holders: b is the same to a and to c.
    """

    holder: str
    slot: str
    article: bool
    also: str | None = None


@dataclass(frozen=True)
class GenderedWord:
    """`{a:boy|girl}`: one word for each gender of a."""

    slot: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class LexicalSlot:
    """`{food}`: a word or phrase from a word list; `{an food}` with an article."""

    list_name: str
    article: bool


@dataclass(frozen=True)
class OptionalPart:
    """`[, {when}]`: an optional part."""

    tokens: "tuple[Token, ...]"


Token = PlainText | Name | Pronoun | Noun | GenderedWord | LexicalSlot | OptionalPart

_TOKEN = re.compile(r"\{([^{}\[\]]*)\}|(\[)|(\])|([^{}\[\]]+)|(.)", re.DOTALL)
_SLOT_PARSERS = (
    (re.compile(r"([a-z])"), lambda m: Name(m[1])),
    (re.compile(r"([a-z])\.([a-z]+)"), lambda m: Pronoun(m[1], m[2])),
    (
        re.compile(r"(an )?([a-z])(?:\+([a-z]))?>([a-z])"),
        lambda m: Noun(m[2], m[4], bool(m[1]), m[3]),
    ),
    (re.compile(r"([a-z]):([^{}]+)"), lambda m: GenderedWord(m[1], tuple(m[2].split("|")))),
    (re.compile(r"(an )?([a-z][a-z-]+)"), lambda m: LexicalSlot(m[2], bool(m[1]))),
)


def parse_tokens(text: str) -> tuple[Token, ...]:
    """Return the tokens of a frame's text; raise ValueError if it is malformed."""
    parts: list[Token] = []
    optional: list[Token] | None = None
    for match in _TOKEN.finditer(text):
        slot, opens, closes, words, stray = match.groups()
        target = parts if optional is None else optional
        if words is not None:
            target.append(PlainText(words))
        elif opens and optional is None:
            optional = []
        elif closes and optional is not None:
            parts.append(OptionalPart(tuple(optional)))
            optional = None
        elif slot is not None:
            target.append(_parse_slot(slot))
        else:
            raise ValueError(f"{stray or opens or closes!r} has no partner in {text!r}")
    if optional is not None:
        raise ValueError(f"'[' is never closed in {text!r}")
    return tuple(parts)


def _parse_slot(inside: str) -> Token:
    for pattern, make in _SLOT_PARSERS:
        if match := pattern.fullmatch(inside):
            return make(match)
    raise ValueError(
        f"{{{inside}}} is not a slot; write {{a}}, {{a.they}}, {{a>b}}, {{a:x|y}} or {{list}}"
    )


def flatten(parts: Sequence[Token]) -> Iterator[Token]:
    """Yield all tokens, those of optional parts included."""
    for token in parts:
        if isinstance(token, OptionalPart):
            yield from flatten(token.tokens)
        else:
            yield token


def capitalize(text: str) -> str:
    """Return the text with its first letter in upper case; text that begins with a digit stays."""
    for n, letter in enumerate(text):
        if letter.isalpha():
            return text[:n] + letter.upper() + text[n + 1 :]
        if letter.isdigit():
            break
    return text
