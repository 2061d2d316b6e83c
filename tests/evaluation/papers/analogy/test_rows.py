"""Parsing of rows, and folds."""

from pathlib import Path

import pytest

from relsmith import Dataset, write
from relsmith.errors import NotADataset, NotFound
from relsmith.evaluation.papers.analogy.model import number_quads
from relsmith.evaluation.papers.analogy.task import AnalogyRow, AnalogyTask
from relsmith.evaluation.task import TaskRows
from relsmith.generators.analogy import Analogy as Generator
from relsmith_comparatives import Comparatives


def test_every_row_is_parsed(folder: Path, rows: TaskRows[AnalogyRow]) -> None:
    examples = list(Dataset(folder).rows("train"))
    assert rows.ids == [example.id for example in examples]
    for example, row in zip(examples, rows.rows, strict=True):
        metadata = example.metadata
        said = [metadata[name] for name in ("relation", "setting", "probe", "group")]
        assert list(row.labels[:4]) == said
        assert list(row.query) == metadata["query"]
        if row.supervised:
            assert bool(row.target) == (example.target == "true")
            assert list(row.candidates[0]) == (metadata["positive"] or metadata["negative"])
        else:
            assert list(row.candidates[row.target]) == metadata["positive"]
            assert list(row.candidates) == sorted(row.candidates)
            assert len(row.candidates) == 2


def test_the_index_of_the_right_candidate_is_balanced(rows: TaskRows[AnalogyRow]) -> None:
    places = [row.target for row in rows.rows if not row.supervised]
    assert 0.35 < sum(places) / len(places) < 0.65


def test_quads_are_numbered_once(rows: TaskRows[AnalogyRow]) -> None:
    numbers = number_quads([*rows.rows, *rows.rows])
    assert sorted(numbers.values()) == list(range(len(numbers)))
    assert set(numbers) == {quad for row in rows.rows for quad in row.quads}


def test_negatives_that_are_true_are_marked(tmp_path: Path) -> None:
    options = {"only": "continent", "tuples": "12", "probe": "random", "paper_faithful": True}
    generator = Generator.configure(options)
    write(generator, tmp_path / "few", generator.capacity(("train", "test"), 0))
    rows = AnalogyTask().read(tmp_path / "few", "test").rows
    examples = Dataset(tmp_path / "few").rows("test")
    assert [row.labels.flawed for row in rows] == [
        row.metadata["false_negative"] for row in examples
    ]
    assert any(row.labels.flawed for row in rows)
    for row in rows:
        assert AnalogyTask().numbers(row, row.target) == (1,)
        assert row.labels.flawed <= row.labels.negative == (not (row.supervised and row.target))


def test_a_fold_is_a_relation(folder: Path, rows: TaskRows[AnalogyRow]) -> None:
    test = AnalogyTask().read(folder, "test")
    folds = list(AnalogyTask().folds(rows, [test]))
    assert [fold.key for fold in folds] == test.data.columns["relation"].values
    for fold in folds:
        assert fold.train
        assert {row.labels.relation for row in fold.train.rows} == {fold.key}
        assert fold.tests[0].rows == [test.rows[place] for place in fold.places[0]]
        assert fold.tests[0].whole is test
    assert sorted(n for fold in folds for n in fold.places[0]) == list(range(len(test)))


def test_rows_of_another_kind_are_refused(tmp_path: Path, folder: Path) -> None:
    write(Comparatives(), tmp_path / "other", {"train": 3})
    task = AnalogyTask()
    assert task.fits(folder)
    assert not task.fits(tmp_path / "other")
    with pytest.raises(NotADataset, match=r"is not a word analogy .* gen analogy"):
        task.read(tmp_path / "other", "train")
    with pytest.raises(NotFound, match="no split 'dev'"):
        task.read(folder, "dev")
