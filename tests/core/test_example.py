import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith import Example

ROW = {"id": "r", "input": "Q?", "choices": ["a"], "target": "a", "metadata": {"n": 1}}
TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)


@given(st.builds(Example, TEXT, TEXT, st.lists(TEXT), TEXT, st.dictionaries(TEXT, VALUES)))
def test_a_row_round_trips(example):
    line = orjson.dumps(example.record())
    assert Example.parse(line) == example
    assert line == orjson.dumps(example), "a field is left out, or stands elsewhere"


def test_fields_are_read_by_name():
    row = Example(**ROW)
    assert {name: row[name] for name in ROW} == ROW
    with pytest.raises(KeyError, match="no field 'inptu'; did you mean 'input'"):
        row["inptu"]


def test_fields_have_the_documented_order():
    line = orjson.dumps(Example(**ROW).record())
    assert list(json.loads(line)) == ["id", "input", "choices", "target", "metadata"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"target": 5}, "target: expected text, but got 5"),
        ({"choices": "ab"}, "choices: expected a list"),
        ({"extra": 1}, "extra"),
        ({"metadata": None}, "metadata"),
        ({"choices": [1]}, "choices: expected text, but got 1"),
    ],
)
def test_a_row_of_another_shape_is_a_value_error_in_one_line(changes, words):
    with pytest.raises(ValueError, match=words) as caught:
        Example.parse(json.dumps(ROW | changes))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ROW)
def test_a_missing_field_is_named(name):
    with pytest.raises(ValueError, match=f"{name}: "):
        Example.parse(json.dumps({key: value for key, value in ROW.items() if key != name}))


@pytest.mark.parametrize("line", [b"", b"\n", b"{", b"[]", b"null", b"\xff", b'{"id": "\\ud800"}'])
def test_other_json_is_a_value_error(line):
    with pytest.raises(ValueError, match=r"\w") as caught:
        Example.parse(line)
    assert "\n" not in str(caught.value)
