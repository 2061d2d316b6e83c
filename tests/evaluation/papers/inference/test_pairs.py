"""Pairs are parsed, and bad lines are named."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith import Dataset, write
from relsmith.errors import InvalidInput, NotADataset, NotFound
from relsmith.evaluation.papers.inference.task import Assertion, InferencePair, InferenceTask, _pair
from relsmith.generators.relinf import Relinf, RelinfAggregate

READ = InferenceTask().read
# No comma before a space, which is the separator.
PART = st.from_regex(r"[a-z0-9'é-]{1,8}( [a-z0-9]{1,6}){0,3}", fullmatch=True)
ASSERTION = st.builds(Assertion, PART, PART, PART)
LABELS = {True: ["True", "y", "yes", "Y"], False: ["False", "n", "no", "N"]}


@given(ASSERTION, ASSERTION, st.booleans(), st.integers(0, 3))
def test_the_hypothesis_comes_first(
    premise: Assertion, hypothesis: Assertion, implied: bool, at: int
) -> None:
    line = f"{', '.join(hypothesis)}\t{', '.join(premise)}\t{LABELS[implied][at]}"
    assert _pair(line, "here:1") == InferencePair(premise, hypothesis, implied)


@given(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"])))
def test_any_other_line_is_named(line: str) -> None:
    try:
        found = _pair(line, "here:7")
    except InvalidInput as error:
        assert str(error).startswith("here:7: ")
        assert "\n" not in str(error)
    else:
        assert line.count("\t") == 2
        assert all(found.premise) and all(found.hypothesis)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a, b, c\td, e, f", "2 columns instead of 3"),
        ("a, b, c\td, e, f\ty\tmore", "4 columns instead of 3"),
        ("a, b, c\td, e, f\tmaybe", "the label is 'maybe'"),
        ("a, b\td, e, f\ty", "'a, b' is not three parts"),
        ("a, b, c\td, e, f, g\ty", "'d, e, f, g' is not three parts"),
        ("a, b, \td, e, f\ty", "is not three parts"),
    ],
)
def test_bad_lines_are_named(line: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text(f"x, likes, y\tx, loves, y\ty\n\n{line}\n")
    with pytest.raises(InvalidInput) as caught:
        READ(path, "test")
    assert str(caught.value).startswith(f"{path}:3: ")
    assert said in str(caught.value)


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="No such file"):
        READ(tmp_path / "none.tsv", "test")
    (tmp_path / "empty.tsv").write_text("\n")
    with pytest.raises(InvalidInput, match="has no pairs"):
        READ(tmp_path / "empty.tsv", "test")
    (tmp_path / "binary.tsv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="is not UTF-8"):
        READ(tmp_path / "binary.tsv", "test")
    with pytest.raises(NotADataset, match="not a finished dataset"):
        READ(tmp_path, "test")
    for name in ("none.tsv", "empty.tsv", "binary.tsv", "."):
        assert not InferenceTask().fits(tmp_path / name)


def test_windows_line_ends_and_byte_order_marks(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_bytes("\ufeffdrug, treats, pain\taspirin, stops, pain\ty\r\n".encode())
    (pair,) = READ(path, "test").rows
    assert pair == InferencePair(
        Assertion("aspirin", "stops", "pain"), Assertion("drug", "treats", "pain"), True
    )
    assert InferenceTask().fits(path)


def test_the_public_file(levy_holt: list[InferencePair]) -> None:
    assert len(levy_holt) == 5486
    assert sum(pair.implied for pair in levy_holt) == 1085


@pytest.mark.slow
def test_datasets_of_our_own(tmp_path: Path) -> None:
    candidates, folder = tmp_path / "candidates", tmp_path / "pairs"
    write(Relinf(reversed=True), candidates, {"train": 100})
    write(RelinfAggregate(candidates=str(candidates), simulated=5), folder, {"train": 30})
    rows = list(Dataset(folder).rows("train"))
    read = READ(folder, "train")
    pairs = read.rows
    assert read.ids == [row.id for row in rows]
    assert InferenceTask().fits(folder)
    assert len(pairs) == len(rows) == 30
    assert {bool(row.metadata["reversed"]) for row in rows} == {False, True}
    for row, pair in zip(rows, pairs, strict=True):
        argument = row.metadata["question"]["argument"]
        assert all(argument in (said.arg1, said.arg2) for said in (pair.premise, pair.hypothesis))
        assert pair.implied == (row.target == "yes")
    assert not InferenceTask().fits(candidates)
    with pytest.raises(NotADataset, match="is not a labelled pair"):
        READ(candidates, "train")
