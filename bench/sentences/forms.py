"""The linguistic form in which a frame states each fact, and its sentences without facts.

Both follow from the positions of noun, name and possessor in the frame's text.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from relsmith.templates.bank import Bank
from relsmith.templates.frame import Frame
from relsmith.templates.language import words_of
from relsmith.templates.lint import lexicon
from relsmith.templates.tokens import (
    GenderedWord,
    Name,
    Noun,
    PlainText,
    Pronoun,
    Token,
    flatten,
)

Form = str
EXAMPLES: dict[Form, str] = {
    "possessive": "his sister Ann, Bob's sister Ann",
    "relative": "whose sister Ann",
    "of": "Ann, the sister of Bob",
    "apposition": "Ann, his sister",
    "predicate": "Ann is his sister",
    "distant": "his sister is here, that is, Ann",
    "across": "Bob waited for Ann. She is his sister.",
    "later": "his sister. Her name is Ann.",
    "shared": "their sister Ann",
    "speech": '"My sister Ann"',
    "question": "Is Ann his sister?",
    "list": "his sisters Ann and Eve",
    "word": "Ann married Bob",
    "event": "no word for the relation",
}
"""Examples of the forms."""

FORMS: tuple[Form, ...] = tuple(EXAMPLES)


class _SentenceToken(NamedTuple):
    """A token of a frame with its sentence; plain text is split by sentences."""

    token: Token
    sentence: int
    quoted: bool


def _sentence_tokens(frame: Frame) -> Iterator[_SentenceToken]:
    sentence, quotes = 0, 0
    for token in flatten(frame.tokens):
        if not isinstance(token, PlainText):
            yield _SentenceToken(token, sentence, quotes % 2 == 1)
            continue
        for n, words in enumerate(frame.language.sentences(token.text)):
            sentence += n > 0
            if words:
                yield _SentenceToken(PlainText(words), sentence, quotes % 2 == 1)
                quotes += sum(words.count(mark) for mark in _QUOTES)


_QUOTES = '"“”«»'


@cache
def forms(bank: Bank, frame: Frame) -> tuple[Form, ...]:
    """Return the form in which a frame states each of its facts."""
    pieces = list(_sentence_tokens(frame))
    return tuple(
        _fact_form(bank, frame, pieces, frame.path[n], frame.path[n + 1], names)
        for n, names in enumerate(frame.predicates)
    )


def _fact_form(
    bank: Bank, frame: Frame, pieces: list[_SentenceToken], x: str, y: str, names: frozenset[str]
) -> Form:
    for place, piece in enumerate(pieces):
        token = piece.token
        if isinstance(token, Noun) and {x, y} in (
            {token.slot, token.holder},
            {token.slot, token.also},
        ):
            return _noun_form(pieces, place, token)
    stated = names | _inverses(bank, names)
    uses = [
        (place, word)
        for place, piece in enumerate(pieces)
        for word in _words(piece.token)
        if stated & {name for name, _ in lexicon(bank).get(word, ())}
    ]
    return _word_form(bank, frame, pieces, uses, stated) if uses else "event"


def _word_form(
    bank: Bank,
    frame: Frame,
    pieces: list[_SentenceToken],
    uses: list[tuple[int, str]],
    stated: frozenset[str],
) -> Form:
    """Return the form of a fact that plain text states, by the uses of relation words."""
    relation_nouns = [
        (place, word) for place, word in uses if _is_relation_noun(bank, word, stated)
    ]
    plural = any(_PLURAL_ENDING.search(word) for _, word in relation_nouns)
    if plural and len(frame.predicates) > 1 and _has_single_relation(bank, frame.predicates):
        return "list"
    for place, word in uses:
        named, apart = _name_after(pieces, place, word)
        if not named or not (apart or (place, word) in relation_nouns):
            continue
        if _PLURAL_ENDING.search(word) and _is_enumeration(pieces, place + 1):
            return "list"
        if place and isinstance(pieces[place - 1].token, Name | Pronoun):
            return "possessive"
        if any(gender for _, gender in lexicon(bank)[word]):
            return "apposition"
    return "predicate" if len(relation_nouns) == len(uses) else "word"


_PLURAL_ENDING = re.compile("(s|children|s-in-law)$")


def _is_relation_noun(bank: Bank, word: str, stated: frozenset[str]) -> bool:
    """Return whether a word names the relation itself; `parents` does not, for siblings."""
    uses = bank.header.nouns.get(word)
    return uses is None or (word not in bank.header.events and uses[0].partition(" ")[0] in stated)


def _has_single_relation(bank: Bank, facts: tuple[frozenset[str], ...]) -> bool:
    """Return whether several people have the same relation to one person."""
    return len({facts[0], *[_inverses(bank, names) for names in facts[1:]]}) == 1


def _inverses(bank: Bank, names: frozenset[str]) -> frozenset[str]:
    return frozenset(inverse for name in names if (inverse := bank.world.inverse(name)))


def _is_enumeration(pieces: list[_SentenceToken], place: int) -> bool:
    """Return whether another name follows the one at this place directly."""
    following = pieces[place + 1 : place + 3]
    if len(following) < 2 or not isinstance(following[1].token, Name):
        return False
    return _text(following[0]).strip(" ,") in ("", "and")


def _noun_form(pieces: list[_SentenceToken], place: int, noun: Noun) -> Form:
    sentence = pieces[place].sentence
    in_sentence = [piece for piece in pieces if piece.sentence == sentence]
    names = [n for n, piece in enumerate(pieces) if piece.token == Name(noun.slot)]
    if pieces[place].quoted or noun.also:
        return "speech" if pieces[place].quoted else "shared"
    if _text(in_sentence[-1]).rstrip(_QUOTES).endswith("?"):
        return "question"
    if pieces[names[0]].sentence > sentence:
        return "later"
    names = [n for n in names if pieces[n].sentence == sentence]
    if not names:
        tokens = [piece.token for piece in in_sentence]
        return "across" if _has_outside_pronoun(tokens, noun) else "distant"
    following = [piece.token for piece in pieces[place + 1 : place + 3]]
    if following[1:] == [Name(noun.holder)]:
        return "of"
    before = [n for n in names if n < place]
    return (
        _form_after_name(pieces[before[-1] + 1 : place], noun)
        if before
        else _form_before_name(pieces, place, noun, following)
    )


def _form_before_name(
    pieces: list[_SentenceToken], place: int, noun: Noun, following: list[Token]
) -> Form:
    if following[1:] != [Name(noun.slot)] or len(_words(following[0])) > 1:
        return "distant"
    if _words(following[0]):  # `called`
        return "predicate"
    return "possessive" if _has_possessor(pieces, place, noun) else "relative"


def _has_outside_pronoun(tokens: list[Token], noun: Noun) -> bool:
    """Return whether a pronoun refers to one of the two, who is named in other sentences only."""
    return any(
        isinstance(token, Pronoun)
        and token.slot in (noun.slot, noun.holder)
        and Name(token.slot) not in tokens
        for token in tokens
    )


def _form_after_name(between: list[_SentenceToken], noun: Noun) -> Form:
    others = any(
        not isinstance(piece.token, PlainText) and getattr(piece.token, "slot", "") != noun.holder
        for piece in between
    )
    if others or sum(len(_words(piece.token)) for piece in between) > _MAX_WORDS_BETWEEN:
        return "distant"
    return "apposition" if _text(between[0]).startswith(",") else "predicate"


_MAX_WORDS_BETWEEN = 3  # between a name and its noun, as in `Ann, who is also his`


def _has_possessor(pieces: list[_SentenceToken], place: int, noun: Noun) -> bool:
    """Return whether the holder is right before the noun, except for words like `own`."""
    if place < 2 or getattr(pieces[place - 2].token, "slot", None) != noun.holder:
        return False
    return not _text(pieces[place - 1]).startswith(",")


def _text(piece: _SentenceToken) -> str:
    return piece.token.text if isinstance(piece.token, PlainText) else ""


def _words(token: Token) -> list[str]:
    texts = token.words if isinstance(token, GenderedWord) else ()
    if isinstance(token, PlainText):
        texts = (token.text,)
    return [word for text in texts for word in words_of(text)]


def _name_after(pieces: list[_SentenceToken], place: int, word: str) -> tuple[bool, bool]:
    """Return whether a name follows a word, and whether more than a space separates them."""
    after = _text(pieces[place]).lower().rpartition(word)[2]
    name = place + 1 < len(pieces) and isinstance(pieces[place + 1].token, Name)
    return name and not after.strip(" ,:"), bool(after.strip())


@cache
def sentences_state_facts(bank: Bank, frame: Frame) -> tuple[bool, ...]:
    """Return for each sentence of a frame whether it states a fact or part of one.

    It does if it has a relation word or names somebody mentioned before. A fact without a relation
    word is in the sentences that name people.
    """
    stated = forms(bank, frame)
    states: dict[int, bool] = {}
    named: set[str] = set()
    mentioned: set[str] = set()
    for piece in _sentence_tokens(frame):
        token = piece.token
        fact = any(word in lexicon(bank) for word in _words(token)) and bool(stated)
        if isinstance(token, Noun):
            fact = True
            mentioned.add(token.slot)
        elif isinstance(token, Name):
            fact = token.slot in mentioned - named or "event" in stated
            named.add(token.slot)
        states[piece.sentence] = states.get(piece.sentence, False) or fact
    return tuple(states.values())
