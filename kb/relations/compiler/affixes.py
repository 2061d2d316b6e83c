"""Derivations by an affix, where lemminflect has both words with the right part of speech."""

from collections.abc import Callable, Iterator

from ...lexicon.english import suffixed
from ..relation import Pair, Relation
from .vocabulary import MIN_ZIPF_IN_USE, frequent, import_extra, word_list, zipf

_SOURCE = "lemminflect's dictionary, for words that wordfreq calls frequent"
_LICENCE = "lemminflect: MIT; wordfreq: Apache-2.0 and CC BY-SA 4.0"
_VOWELS = "aeiou"
_MAX_PAIRS = 400


def affixes() -> Iterator[Relation]:
    """Yield the derivational relations that need no WordNet."""
    for name, head, tail, derive in (
        ("adjective + ly", "ADJ", "ADV", _ly),
        ("adjective + ness", "ADJ", "NOUN", lambda word: suffixed(word, "ness")),
        ("un + adjective", "ADJ", "ADJ", lambda word: "un" + word),
        ("noun + less", "NOUN", "ADJ", lambda word: word + "less"),
        ("noun + ful", "NOUN", "ADJ", lambda word: suffixed(word, "ful")),
    ):
        pairs = tuple(_pairs(name, head, tail, derive))
        yield Relation(
            name,
            "derivational",
            pairs,
            kind=name,
            types=(head.lower(), "derived word"),
            source=_SOURCE,
            licence=_LICENCE,
            canonical=True,
            closed="the affix: the tail is the head with it",
        )


def _pairs(name: str, head: str, tail: str, derive: Callable[[str], str]) -> Iterator[Pair]:
    count = 0
    for word in frequent():
        if (
            count == _MAX_PAIRS
            or word in word_list("no_bases", name)
            or not _is_part_of_speech(word, head)
        ):
            continue
        derived = derive(word)
        if zipf(derived) >= MIN_ZIPF_IN_USE and _is_part_of_speech(derived, tail):
            count += 1
            yield word, derived


def _is_part_of_speech(word: str, part: str) -> bool:
    """Return whether the dictionary has the word as a lemma of that part of speech."""
    return word in import_extra("lemminflect").getAllLemmas(word, upos=part).get(part, ())


def _ly(word: str) -> str:
    if word.endswith("ic"):
        return word + "ally"
    if word.endswith("le") and word[-3] not in _VOWELS:
        return word[:-1] + "y"
    return word + "y" if word.endswith("ll") else suffixed(word, "ly")
