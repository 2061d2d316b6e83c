"""Frames realized for given relations and genders, and the words of a bank: for checks of banks."""

from collections.abc import Iterator, Sequence
from itertools import product

from ..seed import hash_key
from .bank import Bank
from .frame import Frame
from .language import words_of
from .realization import Genders
from .stitcher import Stitcher
from .tokens import GenderedWord, PlainText, flatten


def possible_genders(bank: Bank, clause: Sequence[str]) -> Iterator[Genders]:
    """Yield the possible genders of the people of a clause."""
    each: Genders = bank.world.genders or (None,)
    for genders in product(each, repeat=len(clause) + 1):
        if not any(
            name in bank.header.opposite and genders[n] == genders[n + 1]
            for n, name in enumerate(clause)
        ):
            yield genders


def render(
    stitcher: Stitcher,
    frame: Frame,
    backwards: bool,
    clause: Sequence[str],
    genders: Genders,
    names: Sequence[str],
) -> str:
    """Return a clause realized by a frame, with all optional parts; list words depend on its id."""
    if backwards:
        inverse = stitcher.bank.world.inverse
        clause = [inverse(name) or name for name in reversed(clause)]
        genders, names = genders[::-1], names[::-1]
    realization = frame.realizations(genders)[-1]
    word_lists = stitcher.bank.language.word_lists
    number = hash_key("filler", frame.id) >> 128
    chosen = [word_lists[n][number % len(word_lists[n])] for n in realization.word_lists]
    return realization.fill([*names, *stitcher.nouns(clause, genders), *chosen])


def vocabulary(bank: Bank) -> set[str]:
    """Return every word that the bank can produce, in lower case."""
    texts = [words for some in bank.language.lists.values() for words in some]
    for frame in bank.frames:
        for token in flatten(frame.tokens):
            if isinstance(token, PlainText):
                texts.append(token.text)
            elif isinstance(token, GenderedWord):
                texts += token.words
    for pronoun in bank.header.pronouns.values():
        texts += pronoun.words.values()
    for predicate in bank.world.predicates.values():
        words = predicate.words
        texts += words.values() if isinstance(words, dict) else [words]
    return {word for text in texts for word in words_of(text)}
