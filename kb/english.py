"""English words by rule: which base forms a word may have, how it is inflected, what kind it is.

No dictionary is needed: where spelling leaves the base form open (`taping`: tape or tap), a word
has several, and two words count as one where any base form is common to both. That errs on the
side of taking words for related, which is the safe side when asking whether a word is new.
"""

from functools import cache
from importlib.resources import files
from typing import Any, Literal

import yaml

Inflection = Literal["base", "s", "ing", "ed", "er", "est", "ly"]

_VOWELS = frozenset("aeiouy")
_DOUBLED = frozenset("bdgklmnprtvz")
_LONG = 3


@cache
def _data() -> dict[str, Any]:
    text = (files(__package__) / "english.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.safe_load(text)
    return found


@cache
def words(kind: Literal["stop", "numbers", "units", "plain", "compared"]) -> frozenset[str]:
    """Stop words, number words, units, words that only look inflected, or adjectives."""
    return frozenset(_data()[kind].split())


@cache
def _irregular() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for base, forms in _data()["irregular"].items():
        for form in forms.split():
            found[form] = (*found.get(form, ()), base)
    return found


@cache
def bases(word: str) -> frozenset[str]:
    """Every base form that the word may be a form of, itself among them."""
    word = word.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").removesuffix("'s")
    found = {word, *_irregular().get(word, ())}
    if word not in words("plain"):
        for _, stems in _endings(word):
            found.update(stems)
    return frozenset(found)


@cache
def inflection(word: str) -> Inflection:
    """The ending that the word has beyond its base form; `base` where none."""
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
    """The ending that the word has, if any, with the base forms it may stand on."""
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
        return [] if word.endswith(("ss", "us", "is")) or len(stem) < _LONG else _singular(word)
    if ending == "ly":
        return [] if len(stem) < _LONG else [stem, word[:-1] + "e", stem[:-1] + "y"]
    return _verbal(ending, stem)


def _verbal(ending: Inflection, stem: str) -> list[str]:
    """`stirr`, `bak`, `mix`, `dri`: without the doubled letter, with an e, as it is, with a y."""
    if len(stem) < 2 or not _VOWELS & set(stem):
        return []
    if ending == "ed" and stem.endswith("i"):
        return [stem[:-1] + "y", stem + "e"]
    if ending == "ed" and len(stem) == 2 and stem[-1] in _VOWELS:
        return []
    stems = [stem, stem + "e"]
    if len(stem) > _LONG and stem[-1] == stem[-2] and stem[-1] in _DOUBLED:
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
