"""Datasets as folders: write, read, verify and compare them."""

from .difference import diff
from .manifest import Manifest
from .reader import Dataset
from .verifier import verify
from .writer import write

__all__ = ["Dataset", "Manifest", "diff", "verify", "write"]
