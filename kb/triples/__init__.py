"""Triples: assertions of a relation between two arguments, read from many formats and indexed."""

from .argument import STOP_WORDS, argument_key
from .store import TripleStore, open_store
from .triple import Triple

__all__ = ["STOP_WORDS", "Triple", "TripleStore", "argument_key", "open_store"]
