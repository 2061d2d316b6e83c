"""A reward for reinforcement learning, with parts for the answer, its format and its steps."""

from .errors import InvalidOption
from .example import Example
from .scoring.extraction import Unreadable, passages
from .scoring.scorer import score
from .scoring.scorer import steps as judged
from .scoring.steps import OPEN_ANSWERS


def reward(
    row: Example, text: str, *, answer: float = 1.0, format: float = 0.0, steps: float = 0.0
) -> float:
    """Return the mean of three parts, each from 0 to 1, with these weights.

    `answer`: 1 for a right answer. `format`: 1 if the text marks its answer, as in `Answer: aunt`.
    `steps`: 0 unless the answer is right by sound steps; then the share of claims that lead to it,
    so that the shortest sound derivation earns most, and true but useless claims cost. It is left
    out for rows whose right answer is open, since no claims lead to such an answer.
    """
    if min(answer, format, steps) < 0 or not answer + format + steps:
        raise InvalidOption(
            f"expected weights of 0 or more, not all 0, but got answer={answer}, format={format}, "
            f"steps={steps}"
        )
    parts = {"answer": (answer, score(row, text).value), "format": (format, _is_marked(text))}
    if steps and row.target not in OPEN_ANSWERS:
        parts["steps"] = steps, judged(row, text).economy
    total = sum(weight for weight, _ in parts.values())
    return sum(weight * value for weight, value in parts.values()) / total if total else 0.0


def _is_marked(text: str) -> float:
    try:
        return float(passages(text)[0].marked)
    except Unreadable:
        return 0.0
