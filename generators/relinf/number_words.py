"""Word lists for grammatical number, shared by the generator and its judge."""

from functools import cache

from ...tables import load_tables


@cache
def word_list(kind: str) -> frozenset[str]:
    """Return a word list of number_words.yaml."""
    words = load_tables(__package__, "number_words.yaml")[kind].split()
    return frozenset(word.replace("_", " ") for word in words)
