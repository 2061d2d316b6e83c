"""In which form a frame states each of its facts, and which of its sentences state none.

Both are told from the frame's text: where the noun stands, where the name, and where the possessor.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple, get_args

from .bank import Bank
from .frame import Frame
from .language import words_of
from .tokens import Choice, Name, Noun, Pronoun, Token, Words, flat

Form = Literal[
    "possessive",
    "relative",
    "of",
    "apposition",
    "predicate",
    "distant",
    "across",
    "later",
    "shared",
    "speech",
    "question",
    "list",
    "word",
    "event",
]

FORMS: tuple[Form, ...] = get_args(Form)

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


class _Piece(NamedTuple):
    """A token of a frame, its words cut by sentences."""

    token: Token
    sentence: int
    quoted: bool


def _pieces(frame: Frame) -> Iterator[_Piece]:
    sentence, quotes = 0, 0
    for token in flat(frame.tokens):
        if not isinstance(token, Words):
            yield _Piece(token, sentence, quotes % 2 == 1)
            continue
        for n, words in enumerate(frame.language.split(token.text)):
            sentence += n > 0
            if words:
                yield _Piece(Words(words), sentence, quotes % 2 == 1)
                quotes += sum(words.count(mark) for mark in _QUOTES)


_QUOTES = '"“”«»'


@cache
def lexicon(bank: Bank) -> dict[str, set[tuple[str, str]]]:
    """What each relation noun can mean: predicate, and gender or nothing."""
    meanings: dict[str, set[tuple[str, str]]] = {}
    for name, predicate in bank.world.predicates.items():
        for gender in bank.world.genders:
            meanings.setdefault(predicate.word(gender), set()).add((name, gender))
    for word, uses in bank.head.nouns.items():
        for use in uses:
            name, _, gender = use.partition(" ")
            meanings.setdefault(word, set()).add((name, gender))
    return meanings


@cache
def forms(bank: Bank, frame: Frame) -> tuple[Form, ...]:
    """The form in which a frame states each of its facts."""
    pieces = list(_pieces(frame))
    return tuple(
        _form(bank, frame, pieces, frame.path[n], frame.path[n + 1], names)
        for n, names in enumerate(frame.predicates)
    )


def _form(
    bank: Bank, frame: Frame, pieces: list[_Piece], x: str, y: str, names: frozenset[str]
) -> Form:
    for place, piece in enumerate(pieces):
        token = piece.token
        if isinstance(token, Noun) and {x, y} in (
            {token.slot, token.holder},
            {token.slot, token.also},
        ):
            return _form_of_noun(pieces, place, token)
    told = names | _inverses(bank, names)
    uses = [
        (place, word)
        for place, piece in enumerate(pieces)
        for word in _words(piece.token)
        if told & {name for name, _ in lexicon(bank).get(word, ())}
    ]
    return _form_of_words(bank, frame, pieces, uses, told) if uses else "event"


def _form_of_words(
    bank: Bank,
    frame: Frame,
    pieces: list[_Piece],
    uses: list[tuple[int, str]],
    told: frozenset[str],
) -> Form:
    """The form of a fact for which the frame has words of its own, in these places."""
    kin = [(place, word) for place, word in uses if _is_kin(bank, word, told)]
    plural = any(_PLURAL.search(word) for _, word in kin)
    if plural and len(frame.predicates) > 1 and _are_alike(bank, frame.predicates):
        return "list"
    for place, word in uses:
        named, apart = _name_after(pieces, place, word)
        if not named or not (apart or (place, word) in kin):
            continue
        if _PLURAL.search(word) and _lists(pieces, place + 1):
            return "list"
        if _is_slot(pieces, place - 1):
            return "possessive"
        if any(gender for _, gender in lexicon(bank)[word]):
            return "apposition"
    return "predicate" if len(kin) == len(uses) else "word"


_PLURAL = re.compile("(s|children|s-in-law)$")


def _is_kin(bank: Bank, word: str, told: frozenset[str]) -> bool:
    """Whether a word says by itself what two people are: `parents` does not, of siblings."""
    uses = bank.head.nouns.get(word)
    return uses is None or (word not in bank.head.events and uses[0].partition(" ")[0] in told)


def _are_alike(bank: Bank, facts: tuple[frozenset[str], ...]) -> bool:
    """Whether all people are the same to somebody, or somebody is the same to all."""
    return len({facts[0], *[_inverses(bank, names) for names in facts[1:]]}) == 1


def _inverses(bank: Bank, names: frozenset[str]) -> frozenset[str]:
    return frozenset(inverse for name in names if (inverse := bank.world.inverse(name)))


def _is_slot(pieces: list[_Piece], place: int) -> bool:
    return place >= 0 and isinstance(pieces[place].token, Name | Pronoun)


def _lists(pieces: list[_Piece], place: int) -> bool:
    """Whether somebody else is named right after the one who is named here."""
    following = pieces[place + 1 : place + 3]
    if len(following) < 2 or not isinstance(following[1].token, Name):
        return False
    return _text(following[0]).strip(" ,") in ("", "and")


def _form_of_noun(pieces: list[_Piece], place: int, noun: Noun) -> Form:
    sentence = pieces[place].sentence
    bearers = [
        (n, piece.sentence) for n, piece in enumerate(pieces) if piece.token == Name(noun.slot)
    ]
    if pieces[place].quoted or noun.also:
        return "speech" if pieces[place].quoted else "shared"
    if _asks(pieces, sentence):
        return "question"
    if all(where > sentence for _, where in bearers):
        return "later"
    here = [n for n, where in bearers if where == sentence]
    if not here:
        return "across" if _refers_back(pieces, sentence, noun) else "distant"
    before = [n for n in here if n < place]
    if before:
        return _form_after_name(pieces, max(before), place, noun)
    return _form_before_name(pieces, place, noun)


def _refers_back(pieces: list[_Piece], sentence: int, noun: Noun) -> bool:
    """Whether a pronoun stands for one of the two who is named in other sentences only."""
    here = [piece.token for piece in pieces if piece.sentence == sentence]
    return any(
        isinstance(token, Pronoun)
        and token.slot in (noun.slot, noun.holder)
        and Name(token.slot) not in here
        for token in here
    )


def _form_after_name(pieces: list[_Piece], name: int, place: int, noun: Noun) -> Form:
    if _holder_follows(pieces, place, noun):
        return "of"
    between = pieces[name + 1 : place]
    others = [p for p in between if not isinstance(p.token, Words) and not _is_holder(p, noun)]
    if others or sum(len(_words(piece.token)) for piece in between) > _NEAR:
        return "distant"
    return "apposition" if _text(between[0]).startswith(",") else "predicate"


_NEAR = 3  # so many words at most stand between a name and its noun, as in `Ann, who is also his`


def _is_holder(piece: _Piece, noun: Noun) -> bool:
    return getattr(piece.token, "slot", None) == noun.holder


def _form_before_name(pieces: list[_Piece], place: int, noun: Noun) -> Form:
    if _holder_follows(pieces, place, noun):
        return "of"
    following = pieces[place + 1 : place + 3]
    near = [piece.token for piece in following[1:]] == [Name(noun.slot)]
    if not near or len(_words(following[0].token)) > 1:
        return "distant"
    if _words(following[0].token):  # `called`
        return "predicate"
    return "possessive" if _has_possessor(pieces, place, noun) else "relative"


def _holder_follows(pieces: list[_Piece], place: int, noun: Noun) -> bool:
    following = pieces[place + 1 : place + 3]
    return len(following) == 2 and following[1].token == Name(noun.holder)


def _has_possessor(pieces: list[_Piece], place: int, noun: Noun) -> bool:
    """Whether the holder stands right before the noun, but for words like `own` between."""
    if place < 2 or getattr(pieces[place - 2].token, "slot", None) != noun.holder:
        return False
    return not _text(pieces[place - 1]).startswith(",")


def _asks(pieces: list[_Piece], sentence: int) -> bool:
    last = [piece for piece in pieces if piece.sentence == sentence][-1]
    return _text(last).rstrip(_QUOTES).endswith("?")


def _text(piece: _Piece) -> str:
    return piece.token.text if isinstance(piece.token, Words) else ""


def _words(token: Token) -> list[str]:
    texts = token.words if isinstance(token, Choice) else ()
    if isinstance(token, Words):
        texts = (token.text,)
    return [word for text in texts for word in words_of(text)]


def _name_after(pieces: list[_Piece], place: int, word: str) -> tuple[bool, bool]:
    """Whether a name follows a word, and whether more than a space is between them."""
    after = _text(pieces[place]).lower().rpartition(word)[2]
    name = place + 1 < len(pieces) and isinstance(pieces[place + 1].token, Name)
    return name and not after.strip(" ,:"), bool(after.strip())


@cache
def stating(bank: Bank, frame: Frame) -> tuple[bool, ...]:
    """For each sentence of a frame whether it states a fact, or a part of one.

    It does where it has a word for a relation, or tells the name of somebody spoken of before. A
    fact that no word tells is in the sentences that name people.
    """
    pieces = list(_pieces(frame))
    told = forms(bank, frame)
    states: dict[int, bool] = {}
    named: set[str] = set()
    spoken_of: set[str] = set()
    for piece in pieces:
        token = piece.token
        fact = any(word in lexicon(bank) for word in _words(token)) and bool(told)
        if isinstance(token, Noun):
            fact = True
            spoken_of.add(token.slot)
        elif isinstance(token, Name):
            fact = token.slot in spoken_of - named or "event" in told
            named.add(token.slot)
        states[piece.sentence] = states.get(piece.sentence, False) or fact
    return tuple(states.values())
