"""The words that people know, by wordfreq; and those that no dataset of ours should have."""

from functools import lru_cache
from typing import Any

from ....errors import MissingExtra, install

KNOWN = 3.0
"""Zipf frequency of a word that people know: once in a million words."""

SEEN = 2.3
"""Zipf frequency of a form that is in use."""

_VULGAR = (
    "arse ass bastard bitch bloody bollock boob bugger cock coon cum cunt damn dick dyke fag "
    "fuck gook gypsy homo jap kike milf negro nigga nigger nude orgasm orgy paki penis piss porn "
    "prick pussy queer rape rapist retard semen sex shit slut spastic spic suck tit tranny turd "
    "twat vagina wank whore"
).split()


def need(package: str) -> Any:
    """Import a package of the extra, or say how to get it."""
    from importlib import import_module

    try:
        return import_module(package)
    except ImportError:
        name = package.partition(".")[0]
        raise MissingExtra(f"gen relations build needs {name}: {install('analogy')}") from None


@lru_cache(maxsize=1 << 17)
def zipf(word: str) -> float:
    """How frequent a word is: the logarithm of its uses in a billion words."""
    return float(need("wordfreq").zipf_frequency(word, "en"))


@lru_cache(maxsize=1)
def frequent(least: float = KNOWN) -> tuple[str, ...]:
    """Plain English words, the most frequent first."""
    words = need("wordfreq").top_n_list("en", 40_000)
    return tuple(word for word in words if zipf(word) >= least and is_plain(word))


def is_plain(word: str) -> bool:
    """Whether it is a word of small letters, at least three, that nobody minds."""
    return (
        word.isascii() and word.isalpha() and word.islower() and len(word) > 2 and is_decent(word)
    )


def is_decent(word: str) -> bool:
    """Whether no part of it is vulgar or a slur, or a form of one."""
    return not any(
        part == bad or (part.startswith(bad) and part[len(bad) :] in _ENDINGS)
        for part in word.lower().replace("-", " ").split()
        for bad in _VULGAR
    )


_ENDINGS = ("s", "es", "er", "ers", "ed", "ing", "y", "ies", "ty", "ual", "ier", "iest", "less")
