"""Triples: assertions of a relation between two arguments, read from many formats and indexed."""

from .argument import argument_key, stop_words
from .store import TripleStore, open_store
from .triple import Triple

__all__ = ["Triple", "TripleStore", "argument_key", "open_store", "stop_words"]
