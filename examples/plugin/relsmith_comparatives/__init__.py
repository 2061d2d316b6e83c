"""Comparative chains: an example of a relsmith plugin."""

from .generator import Comparatives

__all__ = ["Comparatives"]
