"""The view of a cloze row: its blanks and their answers."""

import re

from ...example import Example
from ...view import Blank, View
from .tokens import MARK

_GAP = re.compile(rf"{MARK}(?: {MARK})*")


def view(example: Example) -> View:
    """Return the positions of the blanks in the input, with their answers."""
    metadata = example.metadata
    gaps = [gap.span() for gap in _GAP.finditer(example.input)]
    accepted = list(zip(metadata["answers"], metadata["alternatives"], strict=True))
    if len(gaps) != len(accepted):  # the text itself contains the mark
        return View()
    pairs = zip(gaps, accepted, strict=True)
    return View(blanks=[Blank(*span, answer, others) for span, (answer, others) in pairs])
