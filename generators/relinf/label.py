"""The three labels an annotator can give, and the ways they are written."""

from typing import Literal

Label = Literal["yes", "no", "nonsense"]

LABELS: dict[Label, str] = {
    "yes": "The sentence answers the question.",
    "no": "The sentence does not answer the question.",
    "nonsense": "The sentence does not make sense, or is severely ungrammatical.",
}

WRITTEN: dict[str, Label] = {
    **dict.fromkeys(("yes", "true", "it follows", "answers"), "yes"),
    **dict.fromkeys(("no", "false", "does not follow", "does not", "does not answer"), "no"),
    **dict.fromkeys(("nonsense", "makes no sense", "does not make sense", "no sense"), "nonsense"),
}
_WRITTEN: dict[str, Label] = WRITTEN | {
    **dict.fromkeys(("y", "1", "✓", "✔"), "yes"),
    **dict.fromkeys(("n", "0", "✗", "x"), "no"),
    "?": "nonsense",
}


def read_label(text: str) -> Label | None:
    """The label that was meant, if any."""
    return _WRITTEN.get(" ".join(text.lower().split()).rstrip("."))
