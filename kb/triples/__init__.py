"""Triples: assertions of two arguments and a relation, read from many formats, kept by argument."""

from .argument import STOP_WORDS, argument_key
from .store import TripleStore, open_store
from .triple import Triple

__all__ = ["STOP_WORDS", "Triple", "TripleStore", "argument_key", "open_store"]
