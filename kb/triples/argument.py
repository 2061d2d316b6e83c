"""Keys of arguments, which ignore stop words and inflections."""

import re
from functools import cache
from unicodedata import normalize

from ...tables import fill_template
from ..lexicon.wordnet import locate
from ..lexicon.wordnet.morphology import RULES, Morphology, morphology

_ABBREVIATION = re.compile(r"\b(?:[^\W\d_]\.){2,}")
_POSSESSIVE = re.compile(r"['\u2019](?:s\b)?")
_ENDINGS = tuple(sorted({ending for ending, _ in RULES["n"]}))
_WORD = re.compile(r"[^\W_]+[+#]*")


@cache
def stop_words() -> frozenset[str]:
    """Return the words that do not count in keys; as in the paper, `no rash` is about rashes."""
    return frozenset(fill_template(__package__, "stop_words.txt").split())


def argument_key(text: str) -> str:
    """Return the key of an argument: its distinct lemmas, sorted and separated by spaces.

    A stop word only counts at the end of an argument, where it is no article or preposition
    (vitamin A, the Who); then it also ends the key, so that the key of a key is the key itself.
    """
    if text.isascii() and text.isalpha():  # most arguments, and much faster
        return _lemma(text.lower())
    text = _ABBREVIATION.sub(lambda match: match[0].replace(".", ""), normalize("NFKC", text))
    words = _WORD.findall(_POSSESSIVE.sub("", text.lower()))
    lemmas = sorted({_lemma(word) for word in words if word not in stop_words()})
    if words and words[-1] in stop_words():
        lemmas.append(words[-1])
    return " ".join(lemmas) or " ".join(text.lower().split())


def _lemma(word: str) -> str:
    """Return the shortest base form (WordNet has `cows` as well as `cow`), ties by order.

    Words of three letters keep their ending: gas, bus, us.
    """
    nouns = _nouns()
    irregular = word in nouns.exceptions["n"]
    regular = len(word) > 3 and word.endswith(_ENDINGS)
    if word in stop_words() or not (irregular or regular):
        return word
    return min(nouns.base_forms(word, "n"), key=len, default=word)


@cache
def _nouns() -> Morphology:
    return morphology(locate())
