"""Kinship stories in the manner of CLUTRR, with answers that their facts entail."""

from .generator import Clutrr

__all__ = ["Clutrr"]
