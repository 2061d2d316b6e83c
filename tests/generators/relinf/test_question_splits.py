"""Whole questions go to one split, and splits have their minimum size."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from relsmith.generators.relinf.question_splits import assign_rows, min_split_size

sizes = st.lists(st.integers(0, 40), max_size=60)


@given(sizes, st.integers(1, 5), st.integers(0, 9))
def test_every_row_is_assigned_once_and_questions_stay_whole(
    sizes: list[int], splits: int, seed: int
) -> None:
    names = [f"s{n}" for n in range(splits)]
    rows_by_split = assign_rows(sizes, names, seed)
    every = [card for hand in rows_by_split.values() for card in hand]
    assert sorted(every) == [(q, at) for q, size in enumerate(sizes) for at in range(size)]
    owners = {
        q: {name for name, hand in rows_by_split.items() for card in hand if card[0] == q}
        for q, _ in every
    }
    assert all(len(names) == 1 for names in owners.values())
    assert all(len(hand) >= min_split_size(sizes, splits) for hand in rows_by_split.values())


@given(st.lists(st.integers(1, 10), min_size=60, max_size=90), st.integers(0, 9))
def test_shares_come_out_within_a_question(sizes: list[int], seed: int) -> None:
    shares = {"train": Fraction("0.8"), "dev": Fraction("0.1"), "test": Fraction("0.1")}
    rows_by_split = assign_rows(sizes, list(shares), seed, shares)
    for split, share in shares.items():
        assert abs(len(rows_by_split[split]) - share * sum(sizes)) <= 2 * max(sizes)


def test_another_seed_another_order() -> None:
    assert assign_rows([3] * 30, ["train"], 0) != assign_rows([3] * 30, ["train"], 1)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=40), st.integers(0, 9))
def test_rows_are_spread_over_questions(sizes: list[int], seed: int) -> None:
    """Each half of a split has half of every question's rows, within one row."""
    (hand,) = assign_rows(sizes, ["train"], seed).values()
    half = hand[: len(hand) // 2]
    for question, size in enumerate(sizes):
        seen = sum(card[0] == question for card in half)
        assert abs(seen - size / 2) <= 1.5 + len(sizes) / sum(sizes)
