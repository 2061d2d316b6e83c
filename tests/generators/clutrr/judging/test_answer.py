"""Findings of the judge about the measures of a row."""

from dataclasses import replace

import relsmith


def test_another_clause_is_found() -> None:
    stories = relsmith.make("clutrr", k="3")
    row = next(row for row in map(stories.__getitem__, range(9)) if _changes(row))
    assert list(stories.problems(row)) == []
    clause = row.metadata["clause"][::-1]
    damaged = replace(row, metadata={**row.metadata, "clause": clause})
    assert any(f"not {clause}" in problem for problem in stories.problems(damaged))


def _changes(row: relsmith.Example) -> bool:
    clause = row.metadata["clause"]
    return bool(clause != clause[::-1])
