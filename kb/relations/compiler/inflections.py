"""Forms of nouns, verbs and adjectives, by lemminflect's dictionary."""

from collections.abc import Iterator
from functools import cache

from ..relation import Pair, Relation
from .vocabulary import SEEN, frequent, need, zipf

_SOURCE = "lemminflect's dictionary, for words that wordfreq calls frequent"
_LICENCE = "lemminflect: MIT; wordfreq: Apache-2.0 and CC BY-SA 4.0"
# Function words, and words whose forms are better known as something else.
_LEFT_OUT = {
    "NOUN": "all and any but doe few find folk for how keep make mean more most much not off one "
    "out over own pant person same single some take than then there they this try under very what "
    "when where who why with yes".split(),
    "ADJ": "damp far flip game little many more much numb super tan well wrong".split(),
    "VERB": "be can could crow dare do fee found have lade may might must need ought rid shall "
    "should stave wee will would".split(),
}
_MISSPELT = ("occured", "staid")

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
_MOST = 400


def inflections() -> Iterator[Relation]:
    """The inflectional relations."""
    for name, part, head, tail in _KINDS:
        pairs = tuple(_pairs(part, head, tail))
        types = (f"{part} {head}".lower(), part.lower())
        yield Relation(
            name, "inflectional", pairs, types=types, source=_SOURCE, licence=_LICENCE, kind=name
        )


def _pairs(part: str, head: str, tail: str) -> Iterator[Pair]:
    """Pairs of forms that differ, so that each can be told from the other."""
    paired = [
        [(first, second) for first in forms.get(head, ()) for second in forms.get(tail, ())]
        for forms in _paradigms(part)
    ]
    differing = [pairs for pairs in paired if pairs and all(a != b for a, b in pairs)]
    for pairs in differing[:_MOST]:
        yield from pairs


@cache
def _paradigms(part: str) -> list[dict[str, tuple[str, ...]]]:
    """The forms of all words of that part of speech, those of the most frequent forms first."""
    lemmas = (lemma for lemma in frequent() if lemma not in _LEFT_OUT[part])
    paradigms = [forms for lemma in lemmas if (forms := _forms(lemma, part))]
    main = _MAIN[part]
    return sorted(paradigms, key=lambda forms: -zipf(forms[main][0]))


_MAIN = {"NOUN": "NNS", "ADJ": "JJR", "VERB": "VBD"}
"""The form by which one sees that a word is of that part of speech."""


def _forms(lemma: str, part: str) -> dict[str, tuple[str, ...]] | None:
    """All forms in use of a word whose main form is its own and well known."""
    lemminflect = need("lemminflect")
    if lemminflect.getAllLemmas(lemma, upos=part).get(part, ()) != (lemma,):
        return None
    inflected = lemminflect.getAllInflections(lemma, upos=part)
    forms = {tag: _in_use(lemma, words) for tag, words in inflected.items()}
    if part == "VERB" and not forms.get("VBN"):
        forms["VBN"] = forms.get("VBD", ())
    main = forms.get(_MAIN[part], ())
    if not main or main[0] == lemma or zipf(main[0]) < SEEN + 0.5:
        return None
    return {tag: words for tag, words in forms.items() if words}


def _in_use(lemma: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the variants that people use; one like the lemma only where there is no other."""
    used = [word for word in words if zipf(word) >= SEEN and word not in _MISSPELT]
    used = [word for word in used if word != lemma] or used
    most = max(map(zipf, used), default=0)
    return tuple(sorted((word for word in used if zipf(word) >= most - 2), key=zipf, reverse=True))
