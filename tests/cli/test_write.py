"""Default numbers of rows."""

from pathlib import Path

import pytest

import relsmith
from relsmith.capabilities import Limited


@pytest.mark.parametrize(
    ("name", "words", "rows"),
    [
        ("comparatives", [], {"train": 1000}),
        ("cloze", [], {"train": 2000}),
        ("cloze", ["--rows", "20"], {"train": 20}),
        ("cloze", ["--split", "train=0.5,test=0.5"], None),
    ],
)
def test_all_rows_is_the_default_where_a_generator_declares_it(
    gen, tmp_path: Path, name: str, words: list[str], rows: dict[str, int] | None
) -> None:
    assert gen(name, *words, "--out", "out").returncode == 0
    if rows is None:  # shares of the capacity of the smaller split
        capacity = Limited.of(relsmith.make(name)).capacity(("train", "test"), 0)
        rows = dict.fromkeys(capacity, min(capacity.values()))
    assert relsmith.Dataset(tmp_path / "out").manifest.splits == rows
