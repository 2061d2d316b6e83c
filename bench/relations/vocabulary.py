"""Frequent words by wordfreq, without offensive ones."""

from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import wordfreq
import yaml

MIN_ZIPF_KNOWN = 3.0
"""Minimum Zipf frequency of a word that people know: once in a million words."""

MIN_ZIPF_IN_USE = 2.3
"""Minimum Zipf frequency of a form that is in use."""


@cache
def table(name: str) -> Any:
    """Return the content of a YAML file beside this one; it must not be changed."""
    return yaml.safe_load(Path(__file__).with_name(f"{name}.yaml").read_text("utf-8"))


@cache
def word_list(name: str, key: str = "") -> tuple[str, ...]:
    """Return a list of words.yaml, or one of a group of lists."""
    words = table("words")[name]
    return tuple((words[key] if key else words).split())


@lru_cache(maxsize=1 << 17)
def zipf(word: str) -> float:
    """Return the Zipf frequency of a word: the logarithm of its uses in a billion words."""
    return float(wordfreq.zipf_frequency(word, "en"))


@lru_cache(maxsize=1)
def frequent(least: float = MIN_ZIPF_KNOWN) -> tuple[str, ...]:
    """Return plain English words, the most frequent first."""
    words = wordfreq.top_n_list("en", 40_000)
    return tuple(word for word in words if zipf(word) >= least and is_plain(word))


def is_plain(word: str) -> bool:
    """Return whether a word has at least three lower-case letters only, and is decent."""
    return (
        word.isascii() and word.isalpha() and word.islower() and len(word) > 2 and is_decent(word)
    )


def is_decent(word: str) -> bool:
    """Return whether no part of a word is vulgar or a slur, or a form of one."""
    return not any(
        part == bad or (part.startswith(bad) and part[len(bad) :] in _ENDINGS)
        for part in word.lower().replace("-", " ").split()
        for bad in word_list("vulgar")
    )


_ENDINGS = ("s", "es", "er", "ers", "ed", "ing", "y", "ies", "ty", "ual", "ier", "iest", "less")
