"""English morphology by rule: base forms, inflections, stems and word lists.

No dictionary is needed (`wordnet.lemmatise` uses one): where spelling does not determine the base
form (`taping`: tape or tap), a word has several `bases`, and two words count as the same if they
have one in common. That errs on the side of taking words for related, which is the safe side when
testing whether a word is new. A `stem` is cruder still, and unique for each word.
"""

import unicodedata
from functools import cache, lru_cache
from typing import Literal

from ...tables import load_tables

Inflection = Literal["base", "s", "ing", "ed", "er", "est", "ly"]

_VOWELS = frozenset("aeiouy")
_DOUBLED = frozenset("bdgklmnprtvz")
_MIN_STEM_LENGTH = 3


@cache
def words(kind: Literal["stop", "numbers", "units", "plain", "compared"]) -> frozenset[str]:
    """Return stop words, number words, units, words that only look inflected, or adjectives."""
    return frozenset(load_tables(__package__, "english.yaml")[kind].split())


@cache
def _irregular() -> dict[str, tuple[str, ...]]:
    bases_of: dict[str, tuple[str, ...]] = {}
    for base, forms in load_tables(__package__, "english.yaml")["irregular"].items():
        for form in forms.split():
            bases_of[form] = (*bases_of.get(form, ()), base)
    return bases_of


@cache
def bases(word: str) -> frozenset[str]:
    """Return every possible base form of a word, itself included."""
    word = word.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").removesuffix("'s")
    possible = {word, *_irregular().get(word, ())}
    if word not in words("plain"):
        for _, stems in _endings(word):
            possible.update(stems)
    return frozenset(possible)


@cache
def inflection(word: str) -> Inflection:
    """Return the inflectional ending of a word; `base` if it has none."""
    word = word.lower()
    if word in _irregular() and not word.endswith("ing"):
        return "s" if _irregular()[word][0] in _PLURALS else "ed"
    if word not in words("plain"):
        for ending, _ in _endings(word):
            return ending
    return "base"


_PLURALS = frozenset(
    "child foot goose half knife leaf life loaf man mouse person scarf self shelf thief tooth wife "
    "wolf woman".split()
)


def _endings(word: str) -> list[tuple[Inflection, list[str]]]:
    """Return the ending of a word, if any, with its possible base forms."""
    ending = next((ending for ending in _ENDINGS if word.endswith(ending)), None)
    stems = _stems(word, ending) if ending else []
    return [(ending, stems)] if ending and stems else []


_ENDINGS: tuple[Inflection, ...] = ("ing", "ed", "s", "est", "er", "ly")


def _stems(word: str, ending: Inflection) -> list[str]:
    stem = word[: -len(ending)]
    if ending in ("est", "er"):
        stems = {stem, stem + "e", stem[:-1], stem[:-1] + "y"}
        return sorted(stems & words("compared"))
    if ending == "s":
        return (
            []
            if word.endswith(("ss", "us", "is")) or len(stem) < _MIN_STEM_LENGTH
            else _singular(word)
        )
    if ending == "ly":
        return [] if len(stem) < _MIN_STEM_LENGTH else [stem, word[:-1] + "e", stem[:-1] + "y"]
    return _verbal(ending, stem)


def _verbal(ending: Inflection, stem: str) -> list[str]:
    """Return base forms of `stirr`, `bak`, `mix`, `dri`: undoubled, with e, as it is, with y."""
    if len(stem) < 2 or not _VOWELS & set(stem):
        return []
    if ending == "ed" and stem.endswith("i"):
        return [stem[:-1] + "y", stem + "e"]
    if ending == "ed" and len(stem) == 2 and stem[-1] in _VOWELS:
        return []
    stems = [stem, stem + "e"]
    if len(stem) > _MIN_STEM_LENGTH and stem[-1] == stem[-2] and stem[-1] in _DOUBLED:
        stems.append(stem[:-1])
    return stems


def _singular(word: str) -> list[str]:
    if word.endswith("ies"):
        return [word[:-3] + "y", word[:-1]]
    if word.endswith(("ses", "shes", "ches", "xes", "zes", "oes")):
        return [word[:-2], word[:-1]]
    if word.endswith("ves"):
        return [word[:-1], word[:-3] + "f", word[:-3] + "fe"]
    return [word[:-1]]


def suffixed(word: str, ending: str) -> str:
    """Return the word with an ending, spelt as in `happiness` and `watches`."""
    if word.endswith("y") and word[-2:-1] not in ("", *"aeiou"):
        return word[:-1] + "i" + ("es" if ending == "s" else ending)
    if ending == "s" and word.endswith(("s", "x", "z", "ch", "sh", "o")):
        ending = "es"
    return word + ending


def third_person(verb: str) -> str:
    """Return the third person singular of a verb."""
    return {"be": "is", "have": "has"}.get(verb) or suffixed(verb, "s")


@lru_cache(maxsize=1 << 16)
def spelling(word: str) -> str:
    """Return the word without case, accents, hyphens and spaces."""
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in plain if c.isalnum()) or plain


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the spelling without endings: cruder than a lemma, so that all forms are equal.

    Merging different words only costs a few negatives; splitting one would make false ones.
    """
    form = spelling(word)
    form = SINGULARS.get(form, form)
    while True:
        shorter = _shorter(form)
        if shorter == form:
            return form
        form = shorter


SINGULARS = dict(
    pair.split(":")
    for pair in (
        "children:child feet:foot geese:goose lice:louse men:man mice:mouse oxen:ox people:person "
        "teeth:tooth women:woman"
    ).split()
)
"""Irregular plurals that stems resolve; more would change which words analogies take as equal."""


def _shorter(form: str) -> str:
    for ending, instead in (("ies", "y"), ("ing", ""), ("ed", ""), ("s", ""), ("e", "")):
        kept = len(form) - len(ending) + len(instead) >= _MIN_STEM_LENGTH
        if kept and form.endswith(ending) and not form.endswith("ss"):
            return form[: -len(ending)] + instead
    form = form[:-1] + {"v": "f", "i": "y"}.get(form[-1:], form[-1:])
    doubled = len(form) > _MIN_STEM_LENGTH and form[-1] == form[-2] != "s"
    return form[:-1] if doubled else form
