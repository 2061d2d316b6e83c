"""Assignment of rows to splits by groups of questions, so that no text is in two splits.

Within a split the rows come in sheets: up to 24 rows of one question. So a few hundred rows make
full questionnaires instead of a sentence or two of every question.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from ...errors import InvalidOption
from ...seed import Stream
from ...splits import TRAIN

MAX_SENTENCES = 24
"""Most sentences of a questionnaire: fewer than 25, as in the paper."""

RowIndex = tuple[int, int]
"""A question and the number of one of its rows."""


class QuestionSizes(NamedTuple):
    """The number of rows of each question, and the group of each; groups stay in one split."""

    rows: tuple[int, ...]
    groups: tuple[int, ...]


HoldOut = Literal["none", "relations"]
HOLD_OUT = "what splits do not share besides texts: relations of questions"


def check_hold_out(splits: Sequence[str]) -> None:
    """Raise InvalidOption unless there is a split to hold relations out of."""
    if TRAIN not in splits or len(splits) < 2:
        raise InvalidOption(
            f"hold_out: needs a split called {TRAIN!r} and another, but got {', '.join(splits)}; "
            f"write for example --split train=1000,test=1000"
        )


def held_out_relations(
    by_split: Mapping[str, Sequence[RowIndex]], relations: Sequence[str]
) -> dict[str, list[str]]:
    """Return the relations of questions outside `train`, for the manifest."""
    held_out = {
        relations[question]
        for split, rows in by_split.items()
        if split != TRAIN
        for question, _ in rows
    }
    return {"relations": sorted(held_out)}


def question_groups(keys_by_question: Iterable[Iterable[Hashable]]) -> tuple[int, ...]:
    """Return a group number for each question; questions with a common key are of one group."""
    groups: list[int] = []
    first_with: dict[Hashable, int] = {}

    def group_of(question: int) -> int:
        while groups[question] != question:
            question = groups[question]
        return question

    for question, keys in enumerate(keys_by_question):
        groups.append(question)
        for key in keys:
            other = group_of(first_with.setdefault(key, question))
            groups[max(other, group_of(question))] = min(other, group_of(question))
    return tuple(map(group_of, range(len(groups))))


def assign_rows(
    sizes: QuestionSizes,
    splits: Sequence[str],
    seed: int,
    shares: Mapping[str, Fraction] | None = None,
) -> dict[str, list[RowIndex]]:
    """Return the rows of each split, sheet by sheet; equal parts without `shares`.

    Each group of questions goes to the split that lacks most of its share, so that every split
    ends up within one group of it.
    """
    members: dict[int, list[int]] = {}
    for question, (size, group) in enumerate(zip(*sizes, strict=True)):
        if size:
            members.setdefault(group, []).append(question)
    order = list(members)
    Stream("relinf", "deal", seed).shuffle(order)
    share = {split: (shares or {}).get(split, Fraction(1, len(splits))) for split in splits}
    counts = dict.fromkeys(splits, 0)
    assigned: dict[str, list[int]] = {split: [] for split in splits}
    for group in order:
        split = min(splits, key=lambda name: counts[name] / share[name])
        assigned[split] += members[group]
        counts[split] += sum(sizes.rows[question] for question in members[group])
    return {split: _by_sheet(questions, sizes.rows, seed) for split, questions in assigned.items()}


def _by_sheet(questions: Sequence[int], sizes: Sequence[int], seed: int) -> list[RowIndex]:
    """Return the rows of each question, shuffled and cut into sheets, in random order of sheets."""
    sheets: list[list[RowIndex]] = []
    for question in questions:
        size = sizes[question]
        rows = [(question, number) for number in range(size)]
        Stream("relinf", "sentences", seed, question).shuffle(rows)
        parts = -(-size // MAX_SENTENCES)
        sheets += [rows[size * n // parts : size * (n + 1) // parts] for n in range(parts)]
    Stream("relinf", "sheets", seed).shuffle(sheets)
    return [row for sheet in sheets for row in sheet]


def min_split_size(sizes: QuestionSizes, splits: int) -> int:
    """Return a lower bound of the rows in each of some equal splits, for any seed."""
    by_group = dict.fromkeys(sizes.groups, 0)
    for size, group in zip(*sizes, strict=True):
        by_group[group] += size
    return max(0, (sum(sizes.rows) - (splits - 1) * max(by_group.values(), default=0)) // splits)
