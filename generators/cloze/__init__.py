"""Cloze tests in the manner of KidsCook: what a concrete text adds to its abstract."""

from .generator import Cloze

__all__ = ["Cloze"]
