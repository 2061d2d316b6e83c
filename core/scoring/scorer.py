"""Score an answer to a row; used by commands, exports and rewards."""

import re
from functools import cache
from typing import TYPE_CHECKING

from ..capabilities import Prompts, Reasoning
from ..errors import InvalidInput, RelsmithError
from ..example import Example
from ..generator import Generator
from ..registry import GENERATORS

if TYPE_CHECKING:
    from .answers import AnswerKey, Score
    from .steps import JudgedSteps

_NAME = re.compile(r"(.+)-v\d+-s\d+-.+-\d+", re.DOTALL)


def score(row: Example, text: str, *, english: bool = False) -> "Score":
    """Score a free-text answer to a row; with `english`, it may also be in English."""
    key = prompting(row).english_key(row) if english else answer_key(row)
    return key.score(text)


def steps(row: Example, text: str) -> "JudgedSteps":
    """Judge every claim of a chain of thought about a row, and score its final answer."""
    judged = Reasoning.of_class(generator_class(row)).judge_steps(row, text, score(row, text))
    if judged is None:
        raise InvalidInput(
            f"row {row.id}: the steps of answers to such rows cannot be judged; give rows of "
            f"clutrr that ask about an English story, not about a derivation"
        )
    return judged


def answer_key(row: Example) -> "AnswerKey":
    """Return the answer key of a row."""
    return prompting(row).answer_key(row)


def prompting(row: Example) -> type[Prompts]:
    """Return how the row's generator puts it to language models."""
    return Prompts.of_class(generator_class(row))


def generator_class(row: Example) -> type[Generator]:
    """Return the class of the row's generator; `Generator` if it is not installed."""
    name = _NAME.fullmatch(row.id)
    return generator_named(name[1] if name else "")


@cache
def generator_named(name: str) -> type[Generator]:
    """Return the generator class of this name; `Generator` if it is not installed."""
    try:
        return GENERATORS.get(name)
    except RelsmithError:
        return Generator
