from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.errors import InvalidOption
from relsmith.splits import DEFAULT_ROWS, parse_splits
from relsmith.splits import test_split as split_to_test_on


@st.composite
def shares(draw):
    """Decimal shares that add up to 1."""
    weights = draw(st.lists(st.integers(1, 999), min_size=1, max_size=5))
    parts = [weight * 10**6 // sum(weights) for weight in weights]
    parts[0] += 10**6 - sum(parts)
    return [f"{part // 10**6}.{part % 10**6:06}" for part in parts]


@given(shares(), st.integers(1, 10**7))
def test_shares_add_up_to_the_rows_and_are_rounded_by_less_than_one(shares, rows):
    text = ",".join(f"s{at}={share}" for at, share in enumerate(shares))
    try:
        counts = parse_splits(text, rows)
    except InvalidOption as error:
        assert "empty; ask for more --rows" in str(error)
        assert min(Fraction(share) * rows for share in shares) < 1
        return
    assert sum(counts.values()) == rows
    assert list(counts) == [f"s{at}" for at in range(len(shares))]
    for share, count in zip(shares, counts.values(), strict=True):
        assert abs(Fraction(share) * rows - count) < 1


@pytest.mark.parametrize(
    ("text", "rows", "counts"),
    [
        ("train=0.8,test=0.2", 10, {"train": 8, "test": 2}),
        ("train=0.8,test=0.2", None, {"train": 800, "test": 200}),
        ("train=5000,test=100", None, {"train": 5000, "test": 100}),
        ("train=50, test=10", 60, {"train": 50, "test": 10}),
        ("a=.5,b=.5", 3, {"a": 2, "b": 1}),
        ("a=1.", 3, {"a": 3}),
        ("a=0.333,b=0.333,c=0.334", 100, {"a": 33, "b": 33, "c": 34}),
        ("a=1", None, {"a": 1}),
    ],
)
def test_splits_in_other_spellings(text, rows, counts):
    assert parse_splits(text, rows) == counts


def test_without_a_split_all_is_train():
    assert parse_splits() == {"train": DEFAULT_ROWS}
    assert parse_splits(rows=7) == {"train": 7}


@pytest.mark.parametrize(
    ("text", "rows", "words"),
    [
        ("train=1.0", 0, "--rows: expected at least 1, but got 0"),
        ("train=1.0", -1, "--rows: expected at least 1, but got -1"),
        ("", 5, "but got ''"),
        ("train", 5, "but got 'train'"),
        ("Train=1.0", 5, "lower-case letters"),
        ("../x=1.0", 5, "lower-case letters"),
        ("train=0.5,train=0.5", 5, "each name may occur once"),
        ("train=0.5,test=5", 5, "all rows"),
        ("train=x", 5, "all rows"),
        ("train=-5", 5, "all rows"),
        ("train=1e3", None, "all rows"),
        ("train=", 5, "all rows"),
        ("train=5,", 5, "but got 'train=5,'"),
        ("train=0,test=5", None, "at least one row"),
        ("train=5,test=5", 11, "adds up to 10 rows, but --rows says 11"),
        ("train=0.8,test=0.1", 10, "adds up to 0.9"),
        ("train=0.9,test=0.1", 3, "leaves 'test' empty"),
    ],
)
def test_messages_are_one_line_with_the_value(text, rows, words):
    with pytest.raises(InvalidOption) as caught:
        parse_splits(text, rows)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_models_are_tested_on_test_or_the_last_split():
    assert split_to_test_on(["test", "train", "valid"]) == "test"
    assert split_to_test_on(["train", "valid"]) == "valid"
