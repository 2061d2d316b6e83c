"""What two arguments have in common: a key that ignores stop words and inflections."""

import re
from functools import cache
from unicodedata import normalize

from ..lexicon.wordnet import locate
from ..lexicon.wordnet.morphology import RULES, Morphology, morphology

STOP_WORDS = frozenset(
    """
    a an the this that these those such some any each every either all both few many much more
    most several other another own same no not nor
    and or but as if than so too very just only also
    of in on at by for with from to into onto upon about against between among through during
    before after above below over under again toward towards within along across off per via
    he him his she her hers it its they them their theirs we our ours you your yours my mine me
    himself herself itself themselves ourselves yourself yourselves myself
    who whom whose which what when where why how there here
    is are was were be been being am has have had having do does did doing done
    """.split()
)
"""Words that say nothing about what an argument is: as in the paper, `no rash` is about rashes."""

_ABBREVIATION = re.compile(r"\b(?:[^\W\d_]\.){2,}")
_POSSESSIVE = re.compile(r"['\u2019](?:s\b)?")
_ENDINGS = tuple(sorted({ending for ending, _ in RULES["n"]}))
_WORD = re.compile(r"[^\W_]+[+#]*")


def argument_key(text: str) -> str:
    """What an argument is about: its lemmas, each once and sorted, with a space between.

    A stop word does not count unless it comes last, where no article or preposition stands
    (vitamin A, the Who); then it comes last in the key too, so that a key has itself as key.
    """
    if text.isascii() and text.isalpha():  # most arguments, and much quicker
        return _lemma(text.lower())
    text = _ABBREVIATION.sub(lambda match: match[0].replace(".", ""), normalize("NFKC", text))
    words = _WORD.findall(_POSSESSIVE.sub("", text.lower()))
    lemmas = sorted({_lemma(word) for word in words if word not in STOP_WORDS})
    if words and words[-1] in STOP_WORDS:
        lemmas.append(words[-1])
    return " ".join(lemmas) or " ".join(text.lower().split())


def _lemma(word: str) -> str:
    """The shortest base form (WordNet has `cows` as well as `cow`), the first of equals.

    Words of three letters have no ending to lose: gas, bus, us.
    """
    nouns = _nouns()
    irregular = word in nouns.exceptions["n"]
    regular = len(word) > 3 and word.endswith(_ENDINGS)
    if word in STOP_WORDS or not (irregular or regular):
        return word
    return min(nouns.base_forms(word, "n"), key=len, default=word)


@cache
def _nouns() -> Morphology:
    return morphology(locate())
