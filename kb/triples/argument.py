"""Keys of arguments, which ignore stop words and inflections."""

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
"""Words that do not count in keys; as in the paper, `no rash` is about rashes."""

_ABBREVIATION = re.compile(r"\b(?:[^\W\d_]\.){2,}")
_POSSESSIVE = re.compile(r"['\u2019](?:s\b)?")
_ENDINGS = tuple(sorted({ending for ending, _ in RULES["n"]}))
_WORD = re.compile(r"[^\W_]+[+#]*")


def argument_key(text: str) -> str:
    """Return the key of an argument: its distinct lemmas, sorted and separated by spaces.

    A stop word only counts at the end of an argument, where it is no article or preposition
    (vitamin A, the Who); then it also ends the key, so that the key of a key is the key itself.
    """
    if text.isascii() and text.isalpha():  # most arguments, and much faster
        return _lemma(text.lower())
    text = _ABBREVIATION.sub(lambda match: match[0].replace(".", ""), normalize("NFKC", text))
    words = _WORD.findall(_POSSESSIVE.sub("", text.lower()))
    lemmas = sorted({_lemma(word) for word in words if word not in STOP_WORDS})
    if words and words[-1] in STOP_WORDS:
        lemmas.append(words[-1])
    return " ".join(lemmas) or " ".join(text.lower().split())


def _lemma(word: str) -> str:
    """Return the shortest base form (WordNet has `cows` as well as `cow`), ties by order.

    Words of three letters keep their ending: gas, bus, us.
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
