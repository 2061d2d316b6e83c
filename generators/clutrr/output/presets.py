"""Cells of curricula; presets: the thesis's datasets in their sizes, and one per extension.

References: section 3.3.3 of the CLUTRR thesis: 5,000 stories for each k in training and 100 in
testing, a fifth of the paraphrases and a tenth of the clauses held out.
"""

from typing import Final

from ....generator import Preset

CELL_LENGTHS: Final = ("2", "3", "4", "5", "6", "8", "10")
CELL_NOISE: Final = ("none", "supporting", "all")
"""Lengths and noise of the cells of a curriculum."""

# Chains alone, stated from x of the query to y: `gen stats` prints how much the story reveals
# without the question.
_THESIS = {
    "side_facts": "0",
    "direction": "forward",
    "hold_out": "templates,clauses",
    "conventions": "none",
}


def _generalization(train: str, rows: int) -> Preset:
    return Preset(
        summary=f"train on k = {train}, test on k = 2..10",
        options={"train_k": train, "k": "2..10", **_THESIS},
        split=f"train={rows},test=900",
    )


def _robustness(noise: str) -> Preset:
    return Preset(
        summary=f"train and test on k = 2,3 with {noise.replace('none', 'no')} noise",
        options={"k": "2,3", "noise": noise, **_THESIS},
        split="train=10000,test=200",
    )


_SIBLINGS = Preset(
    summary="k = 2..6, each story in a group of seven that differ in one thing each",
    options={
        "k": "2..6",
        "noise": "supporting",
        "siblings": "words,names,order,noise,inverse,gender",
    },
    split="test=3500",
)

_QUESTIONS = Preset(
    summary="k = 2..6, three questions about each story, so that no guess gets more than one",
    options={"k": "2..6", "questions": "3"},
    split="test=1500",
)

_LONG = Preset(
    summary="k = 2..6 in stories of 2,000 words of which few are needed",
    options={"k": "2..6", "noise": "all", "words": "2000"},
    split="test=500",
)

PRESETS = {
    "gen-train23": _generalization("2,3", 10_000),
    "gen-train234": _generalization("2,3,4", 15_000),
    "robust-clean": _robustness("none"),
    "robust-supporting": _robustness("supporting"),
    "robust-irrelevant": _robustness("irrelevant"),
    "robust-disconnected": _robustness("disconnected"),
    "siblings": _SIBLINGS,
    "questions": _QUESTIONS,
    "long": _LONG,
}
