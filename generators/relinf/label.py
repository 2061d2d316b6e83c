"""The three labels of annotators, and their spellings."""

from typing import Literal

Label = Literal["yes", "no", "nonsense"]

LABELS: dict[Label, str] = {
    "yes": "The sentence answers the question.",
    "no": "The sentence does not answer the question.",
    "nonsense": "The sentence does not make sense, or is severely ungrammatical.",
}

ANSWER_WORDS: dict[str, Label] = {
    **dict.fromkeys(("yes", "true", "it follows", "answers"), "yes"),
    **dict.fromkeys(("no", "false", "does not follow", "does not", "does not answer"), "no"),
    **dict.fromkeys(("nonsense", "makes no sense", "does not make sense", "no sense"), "nonsense"),
}
_LABEL_SPELLINGS: dict[str, Label] = ANSWER_WORDS | {
    **dict.fromkeys(("y", "1", "✓", "✔"), "yes"),
    **dict.fromkeys(("n", "0", "✗", "x"), "no"),
    "?": "nonsense",
}


def parse_label(text: str) -> Label | None:
    """Return the label for a spelling; None if it is unknown."""
    return _LABEL_SPELLINGS.get(" ".join(text.lower().split()).rstrip("."))
