"""Whole questions dealt to splits, so that no question is in two of them."""

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
    """The rows of each split as (question, row of the question), in a random order of questions.

    Each question goes to the split that lacks most of its share, so that none ends up more than
    a question away from it.
    """
    order = [question for question, size in enumerate(sizes) if size]
    Stream("relinf", "deal", seed).shuffle(order)
    share = {split: (shares or {}).get(split, Fraction(1, len(splits))) for split in splits}
    hands: dict[str, list[Card]] = {split: [] for split in splits}
    for question in order:
        poorest = min(splits, key=lambda split: Fraction(len(hands[split])) / share[split])
        hands[poorest] += [(question, row) for row in range(sizes[question])]
    return hands


def least(sizes: Sequence[int], splits: int) -> int:
    """How many rows each of so many equal splits has at least, whatever the order."""
    return max(0, (sum(sizes) - (splits - 1) * max(sizes, default=0)) // splits)
