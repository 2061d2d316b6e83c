import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_generator import Tiny

import relsmith
from relsmith.errors import InvalidOption, NotFound
from relsmith.testing.profile import scaled
from relsmith_comparatives import Comparatives

SPLITS = ("train", "test")
ROWS = list(Tiny().examples(700, seed=3, split="test", splits=SPLITS))
FEW = Comparatives(people=3, dimensions=("age",), ask="most")
END = FEW.capacity(("train",), 0)["train"]


def slices(last: int) -> st.SearchStrategy[slice]:
    numbers = st.integers(0, last)
    return st.builds(slice, st.none() | numbers, numbers, st.none() | st.integers(1, 300))


@settings(max_examples=scaled(60))
@given(st.integers(0, 699) | slices(700))
def test_rows_are_those_of_the_split_and_seed_by_number(key):
    assert Tiny().split("test", splits=SPLITS, seed=3)[key] == ROWS[key]


def test_a_generator_is_its_rows_of_seed_0():
    tiny = Tiny()
    assert tiny[5] == tiny[:9][5] == list(tiny.examples(6))[5]
    assert [row.id for row, _ in zip(tiny, range(300), strict=False)] == [
        row.id for row in tiny[:300]
    ]


def test_a_distant_row_is_made_alone():
    assert Tiny()[900_000_007].id == "tiny-v1-s0-train-900000007"


@pytest.mark.parametrize("key", [-1, slice(None), slice(5, None), slice(-3, 9), slice(0, -1)])
def test_negative_indices_of_unlimited_rows_are_refused(key):
    with pytest.raises(IndexError, match="tiny has no last row; use indices from 0"):
        Tiny()[key]


def test_rows_end_with_the_generator():
    assert FEW[-1] == FEW[END - 1]
    assert FEW[END - 3 : END + 100] == FEW[-3:]
    with pytest.raises(IndexError, match=f"has {END} rows for 'train', no row {END}"):
        FEW[END]


def test_iteration_ends_with_the_generator():
    pairs = relsmith.make("cloze", form="one", difficulty=False)
    assert len(list(pairs)) == pairs.capacity(("train",), 0)["train"]


def test_a_split_must_be_one_of_the_splits():
    with pytest.raises(InvalidOption, match="expected a split of train, test, but got 'dev'"):
        Tiny().split("dev", splits=SPLITS)


def test_generators_are_made_by_name_with_options_as_keywords():
    made = relsmith.make("comparatives", people="3..4", extra=1)
    assert made == Comparatives(people="3..4", extra=1)


@pytest.mark.parametrize(
    ("error", "words", "name", "options"),
    [
        (NotFound, "did you mean 'comparatives'", "comparative", {}),
        (
            InvalidOption,
            "comparatives: people: expected low..high",
            "comparatives",
            {"people": "4..3"},
        ),
        (InvalidOption, "comparatives: peple", "comparatives", {"peple": 3}),
    ],
)
def test_impossible_rows_are_one_line(error, words, name, options):
    with pytest.raises(error) as caught:
        relsmith.make(name, **options)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
