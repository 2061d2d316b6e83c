"""Diagnostic datasets for relational language understanding."""

from .block import Block
from .dataset import Dataset, Manifest, diff, verify, write
from .engine import Engine, Local
from .example import Example
from .generator import Generator, Source
from .options import Listed, Range
from .registry import GENERATORS, WORLDS
from .seed import Deal, Stream

__all__ = [
    "GENERATORS",
    "WORLDS",
    "Block",
    "Dataset",
    "Deal",
    "Engine",
    "Example",
    "Generator",
    "Listed",
    "Local",
    "Manifest",
    "Range",
    "Source",
    "Stream",
    "diff",
    "verify",
    "write",
]
