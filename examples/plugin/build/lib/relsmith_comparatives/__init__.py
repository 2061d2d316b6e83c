"""Comparative chains: a relsmith plugin, and the pattern to write your own by."""

from .generator import Comparatives

__all__ = ["Comparatives"]
