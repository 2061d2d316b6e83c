from dataclasses import replace

import pytest
from tiny_generator import Tiny

from relsmith import Example
from relsmith.validation import findings

ROW = next(Tiny().examples(1))


class Crashing(Tiny):
    """Raise an exception."""

    def problems(self, example: Example) -> list[str]:
        raise KeyError("line one\nline two")


class CrashingAtLength(Tiny):
    """Raise an exception with a long message, as pydantic does."""

    def problems(self, example: Example) -> list[str]:
        raise ValueError("line one\nline two")


def test_a_sound_row_has_no_findings():
    assert findings(Tiny(), ROW) == []


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"input": ""}, ["input is empty"]),
        ({"target": ""}, ["target is empty"]),
        ({"input": "", "target": ""}, ["input is empty", "target is empty"]),
        (
            {"choices": [ROW.target, "a", "a"]},
            [f"choices repeat themselves: ['{ROW.target}', 'a', 'a']"],
        ),
        ({"choices": ["a"]}, [f"target '{ROW.target}' is not among the choices ['a']"]),
    ],
)
def test_shape(changes, found):
    assert findings(Tiny(), replace(ROW, **changes)) == found
    assert findings(Crashing(), replace(ROW, **changes)) == found


@pytest.mark.parametrize(
    ("metadata", "found"),
    [
        ({"a": 1}, "metadata.b: missing; add it"),
        ({"a": 1, "b": "2"}, "metadata.b: expected a whole number, but got '2'"),
        ({"a": 1, "b": True}, "metadata.b: expected a whole number, but got True"),
        ({"a": 1, "b": 2, "c": 3}, "metadata.c: no such field"),
    ],
)
def test_schema(metadata, found):
    assert findings(Tiny(), replace(ROW, metadata=metadata)) == [found]


def test_findings_of_the_judge_come_last():
    assert findings(Tiny(), replace(ROW, target="5")) == ["target '5' is not the sum"]


def test_a_judge_that_raises_is_a_finding():
    (found,) = findings(Crashing(), ROW)
    assert found.startswith("damaged, or its judge failed (KeyError: ")


def test_a_judge_that_ends_the_program_is_a_finding():
    class Leaving(Tiny):
        """Generator of sums."""

        def problems(self, example):
            raise SystemExit(0)

    assert findings(Leaving(), ROW) == ["damaged, or its judge failed (SystemExit: 0)"]


def test_a_long_exception_of_a_judge_is_one_line():
    (found,) = findings(CrashingAtLength(), ROW)
    assert "\n" not in found
    assert "line two" in found
