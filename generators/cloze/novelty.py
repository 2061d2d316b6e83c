"""Novelty: when a word of the concrete text counts as not in the abstract."""

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from typing import Any, Literal

from ...errors import MissingExtra, install_command
from ...kb.lexicon import english

Novelty = Literal["lemma", "lookup", "surface"]
WordForms = Callable[[str], frozenset[str]]
"""Returns the forms of a word; two words that share one count as the same."""


def word_forms(novelty: Novelty) -> WordForms:
    """Return the forms: base forms by rule, by spaCy's lookup table, or the word itself."""
    return {"lemma": english.bases, "lookup": _lookup_form, "surface": _surface_form}[novelty]


def all_forms(tokens: Iterable[str], forms: WordForms) -> set[str]:
    """Return all forms of the tokens."""
    return set().union(*map(forms, tokens))


@cache
def _surface_form(word: str) -> frozenset[str]:
    return frozenset((word,))


@cache
def _lookup_form(word: str) -> frozenset[str]:
    return frozenset((_lemma_table().get(word, word),))


@cache
def _lemma_table() -> Any:
    try:
        import_module("spacy_lookups_data")  # spaCy looks for it by name
        lookups: Any = import_module("spacy.lookups")
    except ImportError:
        raise missing_extra("spaCy's lemma table") from None
    return lookups.load_lookups("en", ["lemma_lookup"]).get_table("lemma_lookup")


@cache
def spacy_stop_words() -> frozenset[str]:
    """Return spaCy's English stop words."""
    try:
        listed: Any = import_module("spacy.lang.en.stop_words")
    except ImportError:
        raise missing_extra("spaCy's stop words") from None
    return frozenset(listed.STOP_WORDS)


def missing_extra(what: str) -> MissingExtra:
    """Return the error that says what to install."""
    return MissingExtra(f"cloze needs {what} for that; {install_command('cloze')}")
