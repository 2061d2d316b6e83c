"""Realization of frames for people of given genders: text with numbered holes."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from ..kb.worlds.world import UNSTATED
from ..seed import Stream
from .language import Language
from .tokens import (
    GenderedWord,
    LexicalSlot,
    Name,
    Noun,
    OptionalPart,
    PlainText,
    Pronoun,
    Token,
    capitalize,
)

Genders = tuple[str | None, ...]
_LETTER: Final = re.compile(r"\w")

# Text, or the number of the value of a hole; people come first, then nouns, then list words. For
# each fact and form there are two nouns: forwards and backwards.
_Piece = str | int


class Realization:
    """A frame for given genders and optional parts: a text with holes and their value numbers.

    `word_lists` has the numbers of the lists for its lexical slots, `revealed` the positions along
    the path whose gender the text reveals, counted from the start and from the end.

    There are thousands of these objects with random access: one string and one bytes object are
    better for the processor cache than lists of words.
    """

    __slots__ = ("_codes", "_first_list_word", "_people", "_text", "revealed", "word_lists")

    def __init__(
        self,
        pieces: list[_Piece],
        people: int,
        first_list_word: int,
        word_lists: list[int],
        revealed: list[frozenset[int]],
    ) -> None:
        parts = [p.replace("%", "%%") if isinstance(p, str) else "%s" for p in pieces]
        self._text = "".join(parts)
        self._codes = bytes([piece for piece in pieces if isinstance(piece, int)])
        self._people, self._first_list_word = people, first_list_word
        self.word_lists, self.revealed = word_lists, revealed

    def fill(self, values: list[str]) -> str:
        """Return the text with these people, nouns and list words, in this order."""
        return self._text % tuple([values[code] for code in self._codes])

    def realize(
        self,
        people: list[str],
        first: int,
        step: int,
        nouns: list[str],
        word_lists: list[tuple[str, ...]],
        stream: Stream,
    ) -> str:
        """Return the text with every `step`-th person from `first` on and random list words.

        Equivalent to `fill`, without building the list of all values.
        """
        codes = self._codes
        values: list[str] = []
        for n in range(len(codes)):
            code = codes[n]
            if code < self._people:
                values.append(people[first + step * code])
            elif code < self._first_list_word:
                values.append(nouns[code - self._people])
            else:
                words = word_lists[self.word_lists[code - self._first_list_word]]
                values.append(words[int(stream.random() * len(words))])
        return self._text % tuple(values)


def realize_variants(
    variants: "list[Variant]",
    path: tuple[str, ...],
    genders: Genders,
    required: Collection[str],
    unrevealed: Collection[str],
    language: Language,
) -> list[Realization]:
    """Return the realization of each variant for these genders; none if a pronoun is ambiguous.

    The gender of the slots in `required` counts as revealed, except for those in `unrevealed`.
    """
    realizer = _FrameRealizer(path, genders, language)
    clear: list[list[bool]] = []
    for _, mentions in variants:
        clear_pronouns = _clear_pronouns(mentions, realizer.gender)
        if clear_pronouns is None:
            return []
        clear.append(clear_pronouns)
    slots: set[str] = set()
    if language.genders:
        slots = (_revealed(variants[0][0], clear[0], language) | set(required)) - set(unrevealed)
    places = [n for n, slot in enumerate(path) if slot in slots]
    revealed = [frozenset(places), frozenset([len(path) - 1 - n for n in places])]
    return [realizer.realize(v[0], clear[n], revealed) for n, v in enumerate(variants)]


def unambiguous_genders(
    variants: "list[Variant]", path: tuple[str, ...], possible: Iterable[Genders]
) -> frozenset[Genders]:
    """Return those of the possible genders along the path for which no pronoun is ambiguous."""
    # What is unambiguous for people who may all be of one gender is so for any genders.
    same: dict[str, str | None] = dict.fromkeys(path, UNSTATED)
    if all(_clear_pronouns(mentions, same) is not None for _, mentions in variants):
        return frozenset(possible)
    fitting: list[Genders] = []
    for genders in possible:
        gender = dict(zip(path, genders, strict=True))
        if all(_clear_pronouns(mentions, gender) is not None for _, mentions in variants):
            fitting.append(genders)
    return frozenset(fitting)


# Kinds of mentions: a name, a noun, a pronoun that a name can replace, one that no name can
# replace, one that none can and that is the same for all genders, one for stated genders only. The
# end of a sentence stands between them.
_NAME, _NOUN, _PRONOUN, _BARE_PRONOUN, _NEUTRAL_PRONOUN, _STATED_PRONOUN, _SENTENCE_END = range(7)
_Mentions = list[tuple[int, str]]


def _mentions(tokens: Sequence[Token], language: Language) -> _Mentions:
    mentions: _Mentions = []
    for token in tokens:
        if isinstance(token, Name):
            mentions.append((_NAME, token.slot))
        elif isinstance(token, Noun):
            mentions.append((_NOUN, token.slot))
        elif isinstance(token, Pronoun) and token.agrees:
            is_neutral = language.is_neutral(token.case)
            mentions.append((_NEUTRAL_PRONOUN if is_neutral else _BARE_PRONOUN, token.slot))
        elif isinstance(token, Pronoun):
            pronoun = language.pronouns[token.case]
            kind = _BARE_PRONOUN if pronoun.instead is None else _PRONOUN
            if language.is_neutral(token.case):
                kind = _NEUTRAL_PRONOUN
            if UNSTATED in language.genders and UNSTATED not in pronoun.words:
                kind = _STATED_PRONOUN
            mentions.append((kind, token.slot))
        elif isinstance(token, PlainText) and len(language.cached_sentences(token.text)) > 1:
            mentions.append((_SENTENCE_END, ""))
    return mentions


def _clear_pronouns(mentions: _Mentions, gender: Mapping[str, str | None]) -> list[bool] | None:
    """Return for each pronoun whether it is clear; if not, a name replaces it.

    A pronoun is clear if nobody else who may have its gender was mentioned before. None if a name
    cannot replace an unclear one: it occurs in the sentence already, or not before the pronoun.
    """
    mentioned: list[str] = []
    named: list[str] = []
    in_sentence: list[str] = []
    clear: list[bool] = []
    for kind, slot in mentions:
        if kind == _SENTENCE_END:
            in_sentence.clear()
            continue
        if kind == _NAME:
            named.append(slot)
            in_sentence.append(slot)
        elif kind != _NOUN:
            own = gender[slot]
            same = [gender[other] == own or UNSTATED in (gender[other], own) for other in mentioned]
            is_clear = (same.count(True) if kind != _NEUTRAL_PRONOUN else len(same)) == 1
            if kind == _STATED_PRONOUN and own == UNSTATED:
                is_clear = False
            if not is_clear:
                bare = kind in (_BARE_PRONOUN, _NEUTRAL_PRONOUN)
                if bare or slot in in_sentence or slot not in named:
                    return None
                in_sentence.append(slot)
            clear.append(is_clear)
        if slot not in mentioned:
            mentioned.append(slot)
    return clear


Variant = tuple[list[Token], _Mentions]
"""The tokens of a frame with some of its optional parts, and the mentions in them."""


def option_variants(tokens: Sequence[Token], language: Language) -> list[Variant]:
    """Return the variants with each combination of optional parts, that without any first."""
    options = sum([isinstance(token, OptionalPart) for token in tokens])
    variants = [_with_options(tokens, mask) for mask in range(1 << options)]
    return [(variant, _mentions(variant, language)) for variant in variants]


def _with_options(tokens: Sequence[Token], mask: int) -> list[Token]:
    chosen: list[Token] = []
    option = 0
    for token in tokens:
        if isinstance(token, OptionalPart):
            if mask >> option & 1:
                chosen += token.tokens
            option += 1
        else:
            chosen.append(token)
    return chosen


def _revealed(tokens: list[Token], clear: list[bool], language: Language) -> set[str]:
    """Return the slots whose gender a noun, a clear pronoun or a gendered word reveals."""
    revealed: set[str] = set()
    pronouns = 0
    for token in tokens:
        if isinstance(token, Noun | GenderedWord):
            revealed.add(token.slot)
        elif isinstance(token, Pronoun):
            if clear[pronouns] and not language.is_neutral(token.case):
                revealed.add(token.slot)
            pronouns += 1
    return revealed


class _FrameRealizer:
    def __init__(self, path: tuple[str, ...], genders: Genders, language: Language) -> None:
        self.language = language
        self.place = {slot: n for n, slot in enumerate(path)}
        self.gender = dict(zip(path, genders, strict=True))
        self.people = len(path)
        self.nouns_per_fact = 2 * len(language.forms)
        self.first_list_word = self.people + self.nouns_per_fact * max(0, self.people - 1)

    def realize(
        self, tokens: list[Token], clear: list[bool], revealed: list[frozenset[int]]
    ) -> Realization:
        pieces: list[_Piece] = []
        word_lists: list[int] = []
        pronouns = 0
        at_start = True
        for token in tokens:
            if isinstance(token, PlainText):
                # Only plain text ends sentences; the value of a slot never does.
                for n, words in enumerate(self.language.cached_sentences(token.text)):
                    if n:
                        pieces.append(" ")
                        at_start = True
                    if words:
                        pieces.append(capitalize(words) if at_start else words)
                        at_start = at_start and not _LETTER.search(words)
                continue
            if isinstance(token, Name):
                pieces.append(self.place[token.slot])
            elif isinstance(token, Noun):
                pieces.append(self._noun(token))
            elif isinstance(token, GenderedWord):
                word = token.words[self.language.genders.index(self.gender[token.slot] or "")]
                pieces.append(capitalize(word) if at_start else word)
            elif isinstance(token, Pronoun):
                pieces += self._pronoun(token, clear[pronouns], at_start)
                pronouns += 1
            elif isinstance(token, LexicalSlot):
                pieces.append(self.first_list_word + len(word_lists))
                word_lists.append(
                    self.language.word_list(
                        token.list_name, article=token.article, capital=at_start
                    )
                )
            at_start = False
        if pieces and pieces[-1] == " ":
            pieces.pop()
        return Realization(pieces, self.people, self.first_list_word, word_lists, revealed)

    def _noun(self, noun: Noun) -> int:
        holder, person = self.place[noun.holder], self.place[noun.slot]
        first = self.people + self.nouns_per_fact * min(holder, person)
        return first + (1 if holder > person else 0) + 2 * self.language.forms.index(noun.form)

    def _pronoun(self, token: Pronoun, clear: bool, at_start: bool) -> list[_Piece]:
        """Return the pronoun, or its replacement with the name if it is not clear."""
        if token.agrees:
            by_noun = self.language.possessives[token.case][self.gender[token.slot] or ""]
            word = by_noun[self.gender[token.agrees] or ""]
            return [capitalize(word) if at_start else word]
        pronoun = self.language.pronouns[token.case]
        if clear or pronoun.instead is None:
            word = pronoun.words[self.gender[token.slot] or ""]
            return [capitalize(word) if at_start else word]
        before, after = pronoun.instead.split("{}")
        pieces: list[_Piece] = [capitalize(before) if at_start else before] if before else []
        pieces.append(self.place[token.slot])
        return [*pieces, after] if after else pieces
