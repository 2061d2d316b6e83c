"""Simulated models: one answers right, some wrong on purpose, and one nonsense.

They share no code with the scorer: wrong answers are made of the targets of other rows, and of
words with similar spelling.
"""

import re
from collections.abc import Callable, Sequence

from relsmith import Example

Respondent = Callable[[Example], str | None]

LONGER = {
    "mother": "grandmother",
    "father": "grandfather",
    "son": "grandson",
    "daughter": "granddaughter",
    "brother": "brother-in-law",
    "sister": "sister-in-law",
    "husband": "ex-husband",
    "wife": "ex-wife",
    "uncle": "great-uncle",
    "aunt": "great-aunt",
    "nephew": "grandnephew",
    "niece": "grandniece",
    "grandmother": "great-grandmother",
    "grandfather": "great-grandfather",
    "grandson": "great-grandson",
    "granddaughter": "great-granddaughter",
}
INVERSE = {
    "mother": "daughter",
    "father": "son",
    "grandmother": "granddaughter",
    "grandfather": "grandson",
    "uncle": "nephew",
    "aunt": "niece",
    "husband": "wife",
    "mother-in-law": "daughter-in-law",
    "father-in-law": "son-in-law",
    "brother-in-law": "sister-in-law",
    "brother": "sister",
    "left": "right",
    "above": "below",
    "yes": "no",
    "true": "false",
}
INVERSE |= {word: other for other, word in INVERSE.items()}
PHRASES = (
    "{}",
    "The answer is {}.",
    "Let me think about it first.\n\nAnswer: {}",
    '{{"answer": "{}"}}',
)


def phrased(row: Example, answer: str) -> str:
    """Return an answer in one of the formats of models."""
    return PHRASES[sum(row.id.encode()) % len(PHRASES)].format(answer)


def oracle(row: Example) -> str:
    return phrased(row, row.target)


def superstring(row: Example) -> str:
    """Return the target within longer words."""
    longer = LONGER.get(row.target) or re.sub(r"\w+", lambda word: f"{word[0]}quux", row.target)
    return phrased(row, longer)


def prefixed(row: Example) -> str:
    return phrased(row, re.sub(r"\w+", lambda word: f"quux{word[0].lower()}", row.target))


def inverse(row: Example) -> str | None:
    turned = re.sub(r"[\w-]+", lambda word: INVERSE.get(word[0], word[0]), row.target)
    return phrased(row, turned) if turned != row.target else None


def another(rows: Sequence[Example]) -> Respondent:
    """Return the right answer of another row."""
    targets = sorted({row.target for row in rows})

    def answer(row: Example) -> str | None:
        others = [target for target in targets if target not in (row.target, *row.target.split())]
        fitting = [target for target in others if not row.choices or target in row.choices]
        return phrased(row, fitting[len(row.input) % len(fitting)]) if fitting else None

    return answer


def garbler(row: Example) -> str:
    """Return texts without an answer."""
    ways = (
        "",
        "zxq wvut, qqq; 17 %&$",
        "I am sorry, but I cannot help with that.",
        " ".join(reversed(row.input)),
        "Answer:",
        "#### \\boxed{}",
    )
    return ways[sum(row.id.encode()) % len(ways)]


def right_letter(row: Example) -> str:
    return phrased(row, letter(row.choices.index(row.target)))


def wrong_letter(row: Example) -> str:
    return phrased(row, letter((row.choices.index(row.target) + 1) % len(row.choices)))


def letter(number: int) -> str:
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number]


def wrong(rows: Sequence[Example]) -> list[Respondent]:
    """Return all respondents that must score 0."""
    return [superstring, prefixed, inverse, another(rows), garbler]
