"""The three labels of annotators, and their spellings."""

from typing import Literal

Label = Literal["yes", "no", "nonsense"]

LABELS: dict[Label, str] = {
    "yes": "The sentence answers the question.",
    "no": "The sentence does not answer the question.",
    "nonsense": "The sentence does not make sense, or is severely ungrammatical.",
}

INSTRUCTIONS = (
    "A word in square brackets stands for something that you are not told. If the sentence is "
    "true of it, is it an answer to the question? Go by the words alone, whatever you know of the "
    "matter yourself."
)
EXAMPLE = "Which animal guards houses?"
EXAMPLE_SENTENCES = (
    ("[ANIMAL] protects houses.", "It answers the question: to protect is to guard."),
    ("[ANIMAL] lives in houses.", "It does not: it may live there and guard nothing."),
    ("[ANIMAL] runs from houses.", "It does not: rather the contrary."),
    ("[ANIMAL] is spelled over houses.", "It makes no sense."),
)
CONVENTIONS = (
    "Active and passive say the same: houses are guarded by it, it guards houses.",
    "An answer has the tense of its question: what once guarded houses need not guard them now.",
    "What preys on an animal or hunts it also catches, kills, attacks and eats it; what chases "
    "or bites it need not.",
    "Who raises, keeps, guards or protects a living thing looks after it; what eats it, cuts it "
    "down or destroys it damages it.",
    "What is put into food is contained in it; what contains a thing need not be made from it.",
    "What can cause a thing, or sometimes causes it, is an answer to what causes it.",
    "A country that produces a crop grows it; one that sells a thing exports it; one that buys it "
    "imports it.",
)
"""Doubtful cases that annotators should decide alike; expected labels follow them."""

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
