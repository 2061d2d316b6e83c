"""Whole questions go to one split, and splits have their minimum size."""

from fractions import Fraction
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from relsmith.generators.relinf.question_splits import (
    MAX_SENTENCES,
    QuestionSizes,
    assign_rows,
    min_split_size,
    question_groups,
)

sizes = st.lists(st.integers(0, 40), max_size=60)


def _ungrouped(rows: list[int]) -> QuestionSizes:
    return QuestionSizes(tuple(rows), tuple(range(len(rows))))


@given(sizes, st.integers(1, 5), st.integers(0, 9))
def test_every_row_is_assigned_once_and_questions_stay_whole(
    sizes: list[int], splits: int, seed: int
) -> None:
    names = [f"s{n}" for n in range(splits)]
    rows_by_split = assign_rows(_ungrouped(sizes), names, seed)
    every = [card for hand in rows_by_split.values() for card in hand]
    assert sorted(every) == [(q, at) for q, size in enumerate(sizes) for at in range(size)]
    owners = {
        q: {name for name, hand in rows_by_split.items() for card in hand if card[0] == q}
        for q, _ in every
    }
    assert all(len(names) == 1 for names in owners.values())
    assert all(
        len(hand) >= min_split_size(_ungrouped(sizes), splits) for hand in rows_by_split.values()
    )


@given(st.lists(st.integers(1, 10), min_size=60, max_size=90), st.integers(0, 9))
def test_shares_come_out_within_a_question(sizes: list[int], seed: int) -> None:
    shares = {"train": Fraction("0.8"), "dev": Fraction("0.1"), "test": Fraction("0.1")}
    rows_by_split = assign_rows(_ungrouped(sizes), list(shares), seed, shares)
    for split, share in shares.items():
        assert abs(len(rows_by_split[split]) - share * sum(sizes)) <= 2 * max(sizes)


def test_seeds_change_the_order() -> None:
    sizes = _ungrouped([3] * 30)
    assert assign_rows(sizes, ["train"], 0) != assign_rows(sizes, ["train"], 1)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=40), st.integers(0, 9))
def test_rows_come_in_sheets_of_one_question(sizes: list[int], seed: int) -> None:
    (rows,) = assign_rows(_ungrouped(sizes), ["train"], seed).values()
    assert sorted(rows) == [(q, n) for q, size in enumerate(sizes) for n in range(size)]
    changes = sum(one[0] != other[0] for one, other in pairwise(rows))
    assert changes < sum(-(-size // MAX_SENTENCES) for size in sizes)


KEYS = st.lists(st.frozensets(st.integers(0, 12), max_size=3), min_size=1, max_size=25)


@given(KEYS, st.integers(1, 3), st.integers(0, 9))
def test_questions_with_a_common_key_are_in_one_split(
    keys: list[frozenset[int]], splits: int, seed: int
) -> None:
    sizes = QuestionSizes((2,) * len(keys), question_groups(keys))
    names = [f"s{n}" for n in range(splits)]
    rows_by_split = assign_rows(sizes, names, seed)
    used = [{key for q, _ in rows for key in keys[q]} for rows in rows_by_split.values()]
    assert sum(map(len, used)) == len(set().union(*used))
    assert all(len(rows) >= min_split_size(sizes, splits) for rows in rows_by_split.values())


def test_questions_without_a_common_key_are_apart() -> None:
    assert question_groups([{1}, {2}, {3, 1}, set(), {3}]) == (0, 1, 0, 3, 0)
