from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, ValidationError

from relsmith import GENERATORS, CommaSeparated, External, Range
from relsmith.options import Mix, external_options, validation_messages


class Options(BaseModel):
    model_config = ConfigDict(extra="forbid")

    k: Range = Range(2, 10)
    words: CommaSeparated[str] = ()
    numbers: CommaSeparated[int] = ()
    ranges: CommaSeparated[Range] = ()
    mix: Mix = Mix.parse("2..4")


RANGES = st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)).map(
    lambda ends: Range(min(ends), max(ends))
)


def said(**options: object) -> list[str]:
    with pytest.raises(ValidationError) as caught:
        Options.model_validate(options)
    return validation_messages(caught.value, Options)


@given(RANGES)
def test_range_round_trip(value):
    assert Range.parse(str(value)) == value
    assert Range.parse(value) is value


@given(RANGES)
def test_range_holds_both_ends(value):
    if len(value) < 1000:
        assert list(value) == list(range(value.low, value.high + 1))
    assert len(value) == value.high - value.low + 1


@pytest.mark.parametrize(
    ("written", "value"),
    [("2..10", Range(2, 10)), (" 2 .. 10 ", Range(2, 10)), ("3", Range(3, 3)), (3, Range(3, 3))],
)
def test_range_in_other_spellings(written, value):
    assert Range.parse(written) == value


def test_range_of_one_number_is_written_as_a_number():
    assert str(Range(3, 3)) == "3"


def test_reversed_range_gets_a_suggestion():
    assert said(k="10..2") == ["k: expected low..high, but got '10..2'; did you mean '2..10'?"]


@pytest.mark.parametrize(
    "value", [True, False, "", "2..", "..3", "2-3", "-1", -1, 2.0, "1..2..3", None, [2, 3], "a"]
)
def test_an_invalid_range_is_refused_with_its_value(value):
    (complaint,) = said(k=value)
    assert complaint.startswith("k: expected a whole number such as 3 or a range such as 2..10")
    assert complaint.endswith(f"but got {value!r}")


@pytest.mark.parametrize(
    ("written", "value"),
    [("a,b", ("a", "b")), (" a , b", ("a", "b")), ("a", ("a",)), ("", ()), (["a,b"], ("a,b",))],
)
def test_listed_in_other_spellings(written, value):
    assert Options(words=written).words == value


def test_listed_holds_items_of_its_type():
    assert Options(numbers="1,2").numbers == (1, 2)
    assert said(numbers="1,x") == ["numbers: expected a whole number, but got 'x'"]


@pytest.mark.parametrize(
    "options", [{"k": "2..3"}, {"words": "a,b"}, {"numbers": "1,2"}, {"ranges": "2..3,5"}]
)
def test_options_come_back_from_json(options):
    made = Options.model_validate(options)
    assert Options.model_validate(made.model_dump(mode="json")) == made


def test_messages_name_the_field_and_not_the_library():
    assert said(q=1) == ["q: no such field; there are: k, words, numbers, ranges, mix"]
    (complaint,) = said(words=5)
    assert complaint == "words: expected a list such as a,b, but got 5"


def test_messages_cut_long_values_and_stay_on_one_line():
    (complaint,) = said(numbers={"line\n" * 100: 1})
    assert "\n" not in complaint
    assert complaint.endswith("...")
    assert len(complaint) < 200


MIXES = st.dictionaries(st.integers(0, 99), st.integers(1, 9), min_size=1, max_size=6).map(
    lambda weights: Mix(tuple(weights.items()))
)


@given(MIXES)
def test_mix_round_trip(value):
    assert Mix.parse(str(value)) == value
    assert Mix.parse(value) is value


@given(MIXES)
def test_a_mix_follows_its_weights(value):
    assert Counter(value.cycle) == dict(value.weights)
    assert (value.low, value.high) == (min(value), max(value))
    half = value.cycle[: len(value.cycle) // 2]
    for number, weight in value.weights:
        assert abs(half.count(number) - weight / 2) <= 1, "one number comes much earlier"


@pytest.mark.parametrize(
    ("written", "weights", "again"),
    [
        ("2..4", {2: 1, 3: 1, 4: 1}, "2..4"),
        ("2,3,5", {2: 1, 3: 1, 5: 1}, "2,3,5"),
        ("4,3,2", {4: 1, 3: 1, 2: 1}, "4,3,2"),
        (" 2 = 3 , 3..4 ", {2: 3, 3: 1, 4: 1}, "2=3,3=1,4=1"),
        ("2..3=2", {2: 2, 3: 2}, "2=2,3=2"),
        ("2=0,3", {3: 1}, "3"),
        (7, {7: 1}, "7"),
        ([2, 3], {2: 1, 3: 1}, "2..3"),
        (range(2, 5), {2: 1, 3: 1, 4: 1}, "2..4"),
    ],
)
def test_mix_in_other_spellings(written, weights, again):
    assert dict(Mix.parse(written).weights) == weights
    assert str(Mix.parse(written)) == again


@pytest.mark.parametrize(
    "value", [True, "", "2,", "2..", "a", "2=x", "2=-1", "2=1.5", "2=", -1, None]
)
def test_an_invalid_mix_is_refused_with_its_value(value):
    (complaint,) = said(mix=value)
    assert complaint.startswith("mix: expected numbers such as 2..10")
    assert complaint.endswith(f"but got {value!r}")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("2,2", "mix: 2 occurs twice in '2,2'"),
        ("2..4,3=5", "mix: 3 occurs twice"),
        ("2=0", "mix: expected a weight above 0"),
        ("4..2", "did you mean '2..4'?"),
        ("2..1000000000000", "mix: expected at most 1000 numbers"),
        ("2=1000000000000", "mix: expected at most 1000 numbers and weights up to 1000"),
    ],
)
def test_an_impossible_mix_is_refused_at_once(value, words):
    (complaint,) = said(mix=value)
    assert words in complaint


class Reading(BaseModel):
    folder: External[str]
    names: External[str] = "shipped"
    model: External[str | None] = None
    lists: External[CommaSeparated[str]] = ()
    title: str = ""


@pytest.mark.parametrize(
    "named", [{"names": "/etc/shadow"}, {"model": "m"}, {"lists": ["a", "b"]}, {"names": 7}]
)
def test_outside_sources_of_options_are_known_before_reading(named):
    ours = {"folder": "", "names": "shipped", "model": None, "lists": [], "title": "/etc/passwd"}
    assert external_options(Reading, ours) == {}
    assert external_options(Reading, {}) == {}
    assert external_options(Reading, ours | named) == named
    assert external_options(Reading, {"folder": "d"}) == {"folder": "d"}


@pytest.mark.parametrize("name", ["analogy", "clutrr", "cloze", "relinf", "relinf-aggregate"])
def test_our_options_for_files_and_models_declare_it(name):
    kind = GENERATORS.get(name)
    every = external_options(kind, dict.fromkeys(kind.model_fields, "elsewhere"))
    words = ("file", "folder", "model ", "store", "pipeline", "from gen ")
    assert set(every) == {
        option
        for option, field in kind.model_fields.items()
        if any(word in field.description for word in words) and option != "order"
    }
