"""Cells of curricula; presets: the thesis's datasets in their sizes, and one per extension.

References: section 3.3.3 of the CLUTRR thesis: 5,000 stories for each k in training and 100 in
testing, a fifth of the paraphrases and a tenth of the clauses held out. Its chains stand alone and
run from x of the query to y: `gen stats` prints how much they reveal without the question.
"""

from importlib.resources import files
from typing import Final

import orjson

from ....generator import Preset

CELL_LENGTHS: Final = ("2", "3", "4", "5", "6", "8", "10")
CELL_NOISE: Final = ("none", "supporting", "all")
"""Lengths and noise of the cells of a curriculum."""

PRESETS = {
    name: Preset(**fields)
    for name, fields in orjson.loads((files(__package__) / "presets.json").read_bytes()).items()
}
