import pytest
from broken_generators import Exiting, Misnamed, Short, Silent, Uncertified
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_generator import Tiny

from relsmith import Generator
from relsmith.errors import CheckFailed, InvalidOption
from relsmith.testing.profile import scaled
from relsmith_comparatives import Comparatives

ROWS = list(Tiny().examples(700, seed=3))


@settings(max_examples=scaled(60))
@given(st.integers(0, 700), st.integers(0, 700))
def test_any_start_and_stop_give_the_same_rows(start, stop):
    assert list(Tiny().examples(stop, start=start, seed=3)) == ROWS[start:stop]


@pytest.mark.parametrize("start", [0, 5, 256, 300])
def test_zero_rows_are_allowed(start):
    assert list(Tiny().examples(start, start=start)) == []


def test_rows_are_the_same_when_made_again():
    assert list(Tiny().examples(300)) == list(Tiny().examples(300))


def test_options_do_not_change_unrelated_draws():
    few, many = Tiny(most=1).examples(300), Tiny(most=9).examples(300)
    assert [row.metadata["a"] for row in few] == [row.metadata["a"] for row in many]


def test_seeds_and_splits_share_no_row():
    splits = ("train", "test")
    inputs = [
        {row.input for row in Tiny().examples(500, seed=seed, split=split, splits=splits)}
        for seed in (42, 43)
        for split in splits
    ]
    assert len(set().union(*inputs)) == 2000


def test_a_block_that_lacks_a_row_is_refused():
    assert len(list(Short().examples(255))) == 255
    with pytest.raises(CheckFailed, match=r"stopped after row tiny-v1-s0-train-254; rows\(\) must"):
        list(Short().examples(256))
    with pytest.raises(CheckFailed, match="must yield the whole block"):
        list(Short().examples(600))
    with pytest.raises(CheckFailed, match="must yield the whole block"):
        list(Short().examples(256, start=255))


def test_an_empty_block_is_refused():
    with pytest.raises(CheckFailed, match="must yield the whole block"):
        list(Silent().examples(1))


def test_system_exit_of_a_generator_is_caught():
    with pytest.raises(CheckFailed, match=r"tiny tried to end the program \(SystemExit: 0\)"):
        list(Exiting().examples(1))


def test_a_wrong_id_is_refused():
    with pytest.raises(
        CheckFailed, match="gave row tiny-v1-s0-train-3 the id 'tiny-v1-s0-train-2'"
    ):
        list(Misnamed().examples(4))
    with pytest.raises(CheckFailed, match=r"use block\.id"):
        list(Misnamed().examples(4, start=3))


def test_a_failing_certificate_is_refused():
    rows = Uncertified().examples(10)
    assert [next(rows).id for _ in range(5)][-1] == "tiny-v1-s0-train-4"
    with pytest.raises(CheckFailed, match=r"^tiny-v1-s0-train-5: the sum is \d+$"):
        next(rows)


def test_options_are_those_of_the_manifest():
    made = Comparatives.configure({"people": "3..4", "dimensions": "age,luck", "extra": "1"})
    assert made.options() == {
        "people": "3..4",
        "dimensions": ["age", "luck"],
        "ask": "both",
        "extra": 1,
        "order": "shuffled",
    }
    assert Comparatives.configure(made.options()) == made


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"people": "10..2"}, "comparatives: people: expected low..high, but got '10..2'"),
        ({"peple": 3}, "comparatives: peple"),
        ({"ask": "worst"}, "but got 'worst'"),
        ({"extra": -1}, "but got -1"),
        ({"people": 3, "extra": 9}, "extra: 3 people leave only 1"),
        ({"dimensions": ""}, "dimensions: "),
    ],
)
def test_bad_options_are_refused_in_one_line(options, words):
    with pytest.raises(InvalidOption) as caught:
        Comparatives.configure(options)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_generator_cannot_be_changed():
    with pytest.raises(ValueError, match="frozen"):
        Tiny().most = 3


def test_summary_is_the_first_line():
    assert Comparatives.summary().endswith("who is the tallest?")


def test_a_method_of_a_capability_needs_the_capability() -> None:
    with pytest.raises(TypeError, match=r"Countless defines capacity .* relsmith.capabilities.Lim"):

        class Countless(Generator):
            def capacity(self, splits: tuple[str, ...], seed: int) -> dict[str, int]:
                return dict.fromkeys(splits, 1)
