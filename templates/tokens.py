"""The tokens of frame texts: plain text, slots and optional parts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

ARTICLE = "an"
"""The form of a noun with the indefinite article that depends on the word after it."""


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
    """`{a.their}`: a pronoun for a person, or the name where a pronoun could be misread.

    In `{sein a>b}`, a possessive of a, `agrees` is b, with whose gender it agrees.
    """

    slot: str
    case: str
    agrees: str | None = None


@dataclass(frozen=True)
class Noun:
    """`{a>b}`: the relation noun of b to a, by b's gender; `{an a>b}` with an article.

    `form` is the inflected form, empty for that of the world. `{a+c>b}` has two holders: b is the
    same to a and to c.
    """

    holder: str
    slot: str
    form: str
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
    (re.compile(r"([a-z]):([^{}]+)"), lambda m: GenderedWord(m[1], tuple(m[2].split("|")))),
    (re.compile(r"(an )?([a-z][a-z-]+)"), lambda m: LexicalSlot(m[2], bool(m[1]))),
)


_NOUN = re.compile(r"(?:([a-z]+) )?([a-z])(?:\+([a-z]))?>([a-z])")


Determiners = Mapping[str, tuple[tuple[str, ...], str]]
"""By name, the words for each gender of the noun, none for a possessive, and the noun's form."""
_NO_DETERMINERS: Final[Determiners] = {}


def parse_tokens(text: str, determiners: Determiners = _NO_DETERMINERS) -> tuple[Token, ...]:
    """Return the tokens of a frame's text; raise ValueError if it is malformed.

    `determiners` are those that may stand before a relation noun, besides `an`.
    """
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
            target.extend(_parse_noun(slot, determiners) or [_parse_slot(slot)])
        else:
            raise ValueError(f"{stray or opens or closes!r} has no partner in {text!r}")
    if optional is not None:
        raise ValueError(f"'[' is never closed in {text!r}")
    return tuple(parts)


def _parse_noun(inside: str, determiners: Determiners) -> list[Token]:
    """Return a relation noun with what stands before it; nothing if the slot is no such noun."""
    match = _NOUN.fullmatch(inside)
    if match is None:
        return []
    name, holder, also, slot = match.groups()
    if name in (None, ARTICLE) and name not in determiners:
        return [Noun(holder, slot, name or "", also)]
    if name not in determiners:
        known = ", ".join((ARTICLE, *determiners))
        raise ValueError(f"no determiner {name!r} in bank.yaml; known: {known}")
    if also:
        raise ValueError(f"{{{inside}}} has two holders; only {{{ARTICLE} ...}} may stand there")
    words, form = determiners[name]
    before: Token = GenderedWord(slot, words) if words else Pronoun(holder, name, slot)
    return [before, PlainText(" "), Noun(holder, slot, form, also)]


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
