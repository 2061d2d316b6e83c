"""Alignments by transducers: stored with results, and drawn (figure 2).

References: Bisk et al., Benchmarking Hierarchical Script Knowledge, NAACL 2019.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ....errors import InvalidOption, NotADataset, NotFound
from ....storage import text
from ...plots import drawing
from ...result import ResultModel


class Alignment(ResultModel):
    """A pair, and the index of the abstract's word that each concrete word is aligned to."""

    split: str
    abstract: list[str]
    concrete: list[str]
    alignment: list[int]
    blanks: list[tuple[int, int]]


def spans(alignment: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return start, end and aligned index of each run of words aligned to the same word."""
    edges = [0, *(j for j in range(1, len(alignment)) if alignment[j] != alignment[j - 1])]
    return [(start, end, alignment[start]) for start, end in pairwise([*edges, len(alignment)])]


def load_alignments(places: Sequence[Path], model: str, split: str | None) -> list[Alignment]:
    """Load the alignments of a model for one split; by default the split it was trained on."""
    paths = [
        path
        for place in places
        for path in (sorted(place.glob("*.alignments.jsonl")) if place.is_dir() else [place])
        if not place.is_dir() or path.name.endswith(f"-{model}.alignments.jsonl")
    ]
    if not paths:
        raise NotFound(
            f"no alignments by {model} in {', '.join(map(str, places))}; "
            f"gen eval DIR --model {model} writes them"
        )
    alignments = [alignment for path in paths for alignment in _read_alignments(path)]
    names = list(dict.fromkeys(alignment.split for alignment in alignments))
    wanted = split or names[0]
    if wanted not in names:
        raise NotFound(f"split: no alignments of {wanted!r}; choose from {', '.join(names)}")
    return [alignment for alignment in alignments if alignment.split == wanted]


def _read_alignments(path: Path) -> list[Alignment]:
    lines = text.numbered_lines(path, "gen eval writes alignments")
    try:
        return [Alignment.model_validate(text.parse_json(line)) for _, line in lines]
    except (ValidationError, ValueError):
        raise NotADataset(f"{path} holds no alignments of gen eval; rerun gen eval") from None


def draw_alignments(alignments: Sequence[Alignment], path: Path) -> None:
    """Draw figure 2: a panel for each text, its words below, the abstract's at the side."""
    width = max(len(alignment.concrete) for alignment in alignments)
    heights = [len(alignment.abstract) + 3 for alignment in alignments]
    size = (max(6, 0.34 * width + 2), 0.3 * sum(heights) + 0.5 * len(heights))
    layout = {"nrows": len(alignments), "figsize": size, "height_ratios": heights}
    with drawing(path, **layout) as (_, panels):
        for axes, alignment in zip(panels.flat, alignments, strict=True):
            _draw(axes, alignment)


def _draw(axes: Any, aligned: Alignment) -> None:
    blanked = {place for start, end in aligned.blanks for place in range(start, end)}
    for number, (start, end, place) in enumerate(spans(aligned.alignment)):
        colour = ("#4c78a8", "#9ecae9")[number % 2]
        axes.barh(place, end - start, left=start, height=0.9, color=colour)
    axes.set_xticks([place + 0.5 for place in range(len(aligned.concrete))], aligned.concrete)
    axes.tick_params(axis="x", rotation=70, labelsize=8, length=0)
    for place, label in enumerate(axes.get_xticklabels()):
        label.set_ha("right")
        label.set_rotation_mode("anchor")
        label.set_color("#b22222" if place in blanked else "black")
    axes.set_yticks(range(len(aligned.abstract)), aligned.abstract, fontsize=8)
    axes.set_xlim(0, len(aligned.concrete))
    axes.set_ylim(len(aligned.abstract) - 0.5, -0.5)
    axes.set_xticks(range(len(aligned.concrete)), minor=True)
    axes.grid(which="minor", axis="x", alpha=0.2)
    axes.tick_params(which="minor", length=0)


def select_alignments(alignments: Sequence[Alignment], rows: Sequence[int]) -> list[Alignment]:
    """Return these rows, counted from 0; raise InvalidOption if there is no such row."""
    for row in rows:
        if not 0 <= row < len(alignments):
            raise InvalidOption(f"rows: no row {row}; choose from 0 to {len(alignments) - 1}")
    return [alignments[row] for row in rows]
