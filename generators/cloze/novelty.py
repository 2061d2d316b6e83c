"""What it means that a word of the concrete text is not in the abstract."""

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from typing import Any, Literal

from ...errors import MissingExtra, install
from ...kb.lexicon import english

Novelty = Literal["lemma", "lookup", "surface"]
Notion = Callable[[str], frozenset[str]]
"""The forms under which a word is known; two words with one in common count as the same."""


def notion(novelty: Novelty) -> Notion:
    """By base forms found by rule, by spaCy's look-up table, or by the word as it stands."""
    return {"lemma": english.bases, "lookup": _looked_up, "surface": _as_it_stands}[novelty]


def all_forms(tokens: Iterable[str], forms: Notion) -> set[str]:
    """Every form under which one of the tokens is known."""
    return set().union(*map(forms, tokens))


@cache
def _as_it_stands(word: str) -> frozenset[str]:
    return frozenset((word,))


@cache
def _looked_up(word: str) -> frozenset[str]:
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
    """The stop words of spaCy's English."""
    try:
        listed: Any = import_module("spacy.lang.en.stop_words")
    except ImportError:
        raise missing_extra("spaCy's stop words") from None
    return frozenset(listed.STOP_WORDS)


def missing_extra(what: str) -> MissingExtra:
    """Say what to install."""
    return MissingExtra(f"cloze needs {what} for that; {install('cloze')}")
