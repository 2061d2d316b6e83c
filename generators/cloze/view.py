"""A cloze test to look at: its blanks, to be filled in."""

import re

from ...example import Example
from ...view import Blank, View
from .tokens import MARK

_GAP = re.compile(rf"{MARK}(?: {MARK})*")


def view(example: Example) -> View:
    """Where the blanks stand in the input, and what belongs there."""
    known = example.metadata
    gaps = [gap.span() for gap in _GAP.finditer(example.input)]
    accepted = list(zip(known["answers"], known["alternatives"], strict=True))
    if len(gaps) != len(accepted):  # the text itself has such a mark
        return View()
    pairs = zip(gaps, accepted, strict=True)
    return View(blanks=[Blank(*span, answer, others) for span, (answer, others) in pairs])
