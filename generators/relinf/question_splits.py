"""Assignment of rows to splits by question, so that no question is in two splits.

Within a split the rows of each question are spread evenly, in random order: any tenth of the rows
has about a tenth of each question's.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ...seed import Stream

RowIndex = tuple[int, int]
"""A question and the number of one of its rows."""


def assign_rows(
    sizes: Sequence[int],
    splits: Sequence[str],
    seed: int,
    shares: Mapping[str, Fraction] | None = None,
) -> dict[str, list[RowIndex]]:
    """Return the rows of each split, spread over its questions; equal parts without `shares`.

    Each question goes to the split that lacks most of its share, so that every split ends up
    within one question of it.
    """
    order = [question for question, size in enumerate(sizes) if size]
    Stream("relinf", "deal", seed).shuffle(order)
    share = {split: (shares or {}).get(split, Fraction(1, len(splits))) for split in splits}
    counts = dict.fromkeys(splits, 0)
    assigned: dict[str, list[int]] = {split: [] for split in splits}
    for question in order:
        split = min(splits, key=lambda name: counts[name] / share[name])
        assigned[split].append(question)
        counts[split] += sizes[question]
    return {split: _spread(questions, sizes, seed) for split, questions in assigned.items()}


def _spread(questions: Sequence[int], sizes: Sequence[int], seed: int) -> list[RowIndex]:
    """Return the rows in random order, those of each question at equal distances."""
    placed: list[tuple[float, RowIndex]] = []
    for question in questions:
        stream = Stream("relinf", "spread", seed, question)
        size = sizes[question]
        rows = list(range(size))
        stream.shuffle(rows)
        start = stream.below(1 << 20) / (1 << 20)
        placed += [((n + start) / size, (question, row)) for n, row in enumerate(rows)]
    return [index for _, index in sorted(placed)]


def min_split_size(sizes: Sequence[int], splits: int) -> int:
    """Return a lower bound of the rows in each of some equal splits, for any seed."""
    return max(0, (sum(sizes) - (splits - 1) * max(sizes, default=0)) // splits)
