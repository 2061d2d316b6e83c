"""Word analogies from relation sets, with negatives that are truly negative."""

from .generator import Analogy

__all__ = ["Analogy"]
