"""Whole questions dealt to splits, so that no question is in two of them.

Within a split the rows of a question are spread evenly, in a random order: the first tenth of the
rows has a tenth of each question's, and so something of every question with ten rows.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ...seed import Stream

Card = tuple[int, int]


def deal(
    sizes: Sequence[int],
    splits: Sequence[str],
    seed: int,
    shares: Mapping[str, Fraction] | None = None,
) -> dict[str, list[Card]]:
    """The rows of each split as (question, row of the question), spread over its questions.

    Each question goes to the split that lacks most of its share, so that none ends up more than
    a question away from it.
    """
    order = [question for question, size in enumerate(sizes) if size]
    Stream("relinf", "deal", seed).shuffle(order)
    share = {split: (shares or {}).get(split, Fraction(1, len(splits))) for split in splits}
    held = dict.fromkeys(splits, 0)
    dealt: dict[str, list[int]] = {split: [] for split in splits}
    for question in order:
        poorest = min(splits, key=lambda split: held[split] / share[split])
        dealt[poorest].append(question)
        held[poorest] += sizes[question]
    return {split: _spread(questions, sizes, seed) for split, questions in dealt.items()}


def _spread(questions: Sequence[int], sizes: Sequence[int], seed: int) -> list[Card]:
    """Each question's rows at equal distances, from a start of its own, in a random order."""
    placed: list[tuple[float, Card]] = []
    for question in questions:
        stream = Stream("relinf", "spread", seed, question)
        size = sizes[question]
        rows = list(range(size))
        stream.shuffle(rows)
        start = stream.below(1 << 20) / (1 << 20)
        placed += [((n + start) / size, (question, row)) for n, row in enumerate(rows)]
    return [card for _, card in sorted(placed)]


def least(sizes: Sequence[int], splits: int) -> int:
    """How many rows each of so many equal splits has at least, whatever the order."""
    return max(0, (sum(sizes) - (splits - 1) * max(sizes, default=0)) // splits)
