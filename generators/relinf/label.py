"""The three labels an annotator can give, and the ways they are written."""

from typing import Literal

Label = Literal["yes", "no", "nonsense"]

LABELS: dict[Label, str] = {
    "yes": "The sentence answers the question.",
    "no": "The sentence does not answer the question.",
    "nonsense": "The sentence does not make sense, or is severely ungrammatical.",
}

_WRITTEN: dict[str, Label] = {
    **dict.fromkeys(("yes", "y", "true", "1", "answers", "✓", "✔"), "yes"),
    **dict.fromkeys(("no", "n", "false", "0", "does not", "does not answer", "✗", "x"), "no"),
    **dict.fromkeys(("nonsense", "?", "makes no sense", "no sense"), "nonsense"),
}


def read_label(text: str) -> Label | None:
    """The label that was meant, if any."""
    return _WRITTEN.get(" ".join(text.lower().split()).rstrip("."))
