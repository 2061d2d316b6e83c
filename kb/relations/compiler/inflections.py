"""Forms of nouns, verbs and adjectives, by lemminflect's dictionary."""

from collections.abc import Iterator
from functools import cache

from ..relation import Pair, Relation
from .vocabulary import SEEN, frequent, need, zipf

_SOURCE = "lemminflect's dictionary, for words that wordfreq calls frequent"
_LICENCE = "lemminflect: MIT; wordfreq: Apache-2.0 and CC BY-SA 4.0"
# Function words, and words whose forms are better known as something else.
_LEFT_OUT = {
    "NOUN": "all and any but care die doe few find folk for help hold how keep leave lie make mean "
    "more most much not off one other out over own pant person same serve single some support take "
    "than then there they this try under very what when where who why with yes".split(),
    "ADJ": "common damp far few fit flip game ill late little many more much numb rainy super tan "
    "well wrong".split(),
    "VERB": "be bear bust can could crow dare do fee found have lade may might must need ought rid "
    "shall should slay stave wed wee will would".split(),
}
_MISSPELT = ("occured", "occuring", "staid", "staves", "leafs")
# Past and participle of verbs with several, as dictionaries have them, the usual ones first.
_PASTS = {
    "burn": ("burned burnt", "burned burnt"),
    "channel": ("channeled channelled", "channeled channelled"),
    "dial": ("dialed dialled", "dialed dialled"),
    "dive": ("dived dove", "dived"),
    "dream": ("dreamed dreamt", "dreamed dreamt"),
    "get": ("got", "gotten got"),
    "hang": ("hung hanged", "hung hanged"),
    "lean": ("leaned leant", "leaned leant"),
    "leap": ("leaped leapt", "leaped leapt"),
    "learn": ("learned learnt", "learned learnt"),
    "lie": ("lay", "lain"),
    "light": ("lit lighted", "lit lighted"),
    "prove": ("proved", "proved proven"),
    "sew": ("sewed", "sewn sewed"),
    "shine": ("shone shined", "shone shined"),
    "show": ("showed", "shown showed"),
    "shrink": ("shrank shrunk", "shrunk shrunken"),
    "smell": ("smelled smelt", "smelled smelt"),
    "spell": ("spelled spelt", "spelled spelt"),
    "spill": ("spilled spilt", "spilled spilt"),
    "spoil": ("spoiled spoilt", "spoiled spoilt"),
    "strike": ("struck", "struck stricken"),
    "swell": ("swelled", "swollen swelled"),
    "tear": ("tore", "torn"),
    "wake": ("woke waked", "woken waked"),
    "wind": ("wound winded", "wound winded"),
}

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
    """The usual form of one kind with all of the other, if its usual one is another word."""
    count = 0
    for forms in _paradigms(part):
        (first, *_), tails = forms.get(head) or [""], forms.get(tail, ())
        if not (first and tails) or tails[0] == first or count == _MOST:
            continue
        count += 1
        yield from ((first, second) for second in tails if second != first)


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
    if part == "VERB" and lemma in _PASTS:
        forms["VBD"], forms["VBN"] = (tuple(words.split()) for words in _PASTS[lemma])
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
