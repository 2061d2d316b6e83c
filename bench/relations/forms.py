"""Inflections by lemminflect's dictionary, and derivations by an affix where it has both words."""

from collections.abc import Callable, Iterator
from functools import cache

import lemminflect
from vocabulary import MIN_ZIPF_IN_USE, frequent, table, word_list, zipf

from relsmith.kb.lexicon.english import suffixed
from relsmith.kb.relations import Pair, Relation

_SOURCE = "lemminflect's dictionary, for words that are frequent by wordfreq (Robyn Speer)"
_LICENCE = "lemminflect: MIT; wordfreq: Apache-2.0 and CC BY-SA 4.0"
# name, part of speech, form of the head, form of the tail
_KINDS = (
    ("noun - plural", "NOUN", "NN", "NNS"),
    ("adjective - comparative", "ADJ", "JJ", "JJR"),
    ("adjective - superlative", "ADJ", "JJ", "JJS"),
    ("comparative - superlative", "ADJ", "JJR", "JJS"),
    ("verb - third person", "VERB", "VB", "VBZ"),
    ("verb - ing form", "VERB", "VB", "VBG"),
    ("verb - past", "VERB", "VB", "VBD"),
    ("verb - participle", "VERB", "VB", "VBN"),
    ("ing form - third person", "VERB", "VBG", "VBZ"),
    ("ing form - past", "VERB", "VBG", "VBD"),
    ("third person - past", "VERB", "VBZ", "VBD"),
    ("past - participle", "VERB", "VBD", "VBN"),
)
_MAX_PAIRS = 400


_VOWELS = "aeiou"


def inflections() -> Iterator[Relation]:
    """Yield the inflectional relations."""
    for name, part, head, tail in _KINDS:
        pairs = tuple(_pairs(part, head, tail))
        types = (f"{part} {head}".lower(), part.lower())
        yield Relation(
            name,
            "inflectional",
            pairs,
            types=types,
            source=_SOURCE,
            licence=_LICENCE,
            kind=name,
            canonical=True,
            closed="the dictionary, with every form in use",
        )


def _pairs(part: str, head: str, tail: str) -> Iterator[Pair]:
    """Yield the usual head form with all tail forms, if the usual tail form is another word."""
    count = 0
    for forms in _paradigms(part):
        (first, *_), tails = forms.get(head) or [""], forms.get(tail, ())
        if not (first and tails) or tails[0] == first or count == _MAX_PAIRS:
            continue
        count += 1
        yield from ((first, second) for second in tails if second != first)


@cache
def _paradigms(part: str) -> list[dict[str, tuple[str, ...]]]:
    """Return the forms of all words of that part of speech, by frequency of their main form."""
    lemmas = (lemma for lemma in frequent() if lemma not in word_list("no_lemmas", part))
    paradigms = [forms for lemma in lemmas if (forms := _forms(lemma, part))]
    main = _MAIN[part]
    return sorted(paradigms, key=lambda forms: -zipf(forms[main][0]))


_MAIN = {"NOUN": "NNS", "ADJ": "JJR", "VERB": "VBD"}
"""The form that shows that a word is of that part of speech."""


def _forms(lemma: str, part: str) -> dict[str, tuple[str, ...]] | None:
    """Return all forms in use of a lemma; None if its main form is not its own or rare."""
    if lemminflect.getAllLemmas(lemma, upos=part).get(part, ()) != (lemma,):
        return None
    inflected = lemminflect.getAllInflections(lemma, upos=part)
    forms = {tag: _in_use(lemma, words) for tag, words in inflected.items()}
    if part == "VERB" and not forms.get("VBN"):
        forms["VBN"] = forms.get("VBD", ())
    pasts = table("words")["pasts"]
    if part == "VERB" and lemma in pasts:
        past, participle = pasts[lemma].split("/")
        forms["VBD"], forms["VBN"] = tuple(past.split()), tuple(participle.split())
    main = forms.get(_MAIN[part], ())
    if not main or main[0] == lemma or zipf(main[0]) < MIN_ZIPF_IN_USE + 0.5:
        return None
    return {tag: words for tag, words in forms.items() if words}


def _in_use(lemma: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the variants in use; one equal to the lemma only if there is no other."""
    used = [
        word
        for word in words
        if zipf(word) >= MIN_ZIPF_IN_USE and word not in word_list("misspelt")
    ]
    used = [word for word in used if word != lemma] or used
    most = max(map(zipf, used), default=0)
    return tuple(sorted((word for word in used if zipf(word) >= most - 2), key=zipf, reverse=True))


def affixes() -> Iterator[Relation]:
    """Yield the derivational relations that need no WordNet."""
    for name, head, tail, derive in (
        ("adjective + ly", "ADJ", "ADV", _ly),
        ("adjective + ness", "ADJ", "NOUN", lambda word: suffixed(word, "ness")),
        ("un + adjective", "ADJ", "ADJ", lambda word: "un" + word),
        ("noun + less", "NOUN", "ADJ", lambda word: word + "less"),
        ("noun + ful", "NOUN", "ADJ", lambda word: suffixed(word, "ful")),
    ):
        pairs = tuple(_affix_pairs(name, head, tail, derive))
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


def _affix_pairs(name: str, head: str, tail: str, derive: Callable[[str], str]) -> Iterator[Pair]:
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
    return word in lemminflect.getAllLemmas(word, upos=part).get(part, ())


def _ly(word: str) -> str:
    if word.endswith("ic"):
        return word + "ally"
    if word.endswith("le") and word[-3] not in _VOWELS:
        return word[:-1] + "y"
    return word + "y" if word.endswith("ll") else suffixed(word, "ly")
