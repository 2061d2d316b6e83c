"""Kinship stories in the manner of CLUTRR, with answers that their facts entail."""

from .generator import Clutrr
from .graph import graph

__all__ = ["Clutrr", "graph"]
