"""Findings of the judge about cloze tests."""

import relsmith


def test_more_blanks_than_asked_for_are_found() -> None:
    two, one = (relsmith.make("cloze", most=most) for most in ("2", "1"))
    row = next(row for row in map(two.__getitem__, range(9)) if len(row.metadata["blanks"]) > 1)
    assert list(two.problems(row)) == []
    assert "2 different answers, more than 1" in list(one.problems(row))
