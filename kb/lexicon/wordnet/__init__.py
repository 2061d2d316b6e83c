"""WordNet: its location on this machine, and base forms of words."""

from .location import locate, source
from .morphology import PartOfSpeech, lemmatise
from .reader import nltk_reader

__all__ = ["PartOfSpeech", "lemmatise", "locate", "nltk_reader", "source"]
