"""Results: packing, choice of rows, and refusal of invalid files in one line."""

import copy
import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.errors import InvalidOption, NotADataset, NotFound, RelsmithError
from relsmith.evaluation.papers.analogy import task as analogy
from relsmith.evaluation.papers.cloze import task as cloze
from relsmith.evaluation.papers.inference import task as inference
from relsmith.evaluation.papers.stories import task as stories
from relsmith.evaluation.result import (
    DataInfo,
    Ratio,
    Result,
    RowLabels,
    Run,
    Scalar,
    Setup,
    check_setup,
    encoded,
    file_name,
    load,
    pack,
    pack_columns,
    unpack,
)
from relsmith.evaluation.training import Training
from relsmith.testing.profile import thinned

from .conftest import made_setup

NUMBER = st.floats(width=64) | st.integers(-(2**40), 2**40).map(float) | st.just(float("nan"))


@given(st.lists(NUMBER) | st.lists(st.integers(-300, 300).map(float)))
def test_packed_numbers_round_trip(rows: list[float]) -> None:
    numbers = np.array(rows, float)
    again = unpack(pack(numbers))
    assert again.shape == numbers.shape
    np.testing.assert_array_equal(again, numbers)


def test_a_column_with_few_values_is_stored_compactly() -> None:
    right = (np.arange(100_000) % 3 == 0).astype(float)
    assert len(pack(right)) < 1000


KINDS: list[st.SearchStrategy[Any]] = [
    st.text(max_size=3),
    st.integers(-3, 3),
    st.floats(-1, 1),
    st.booleans(),
    st.none() | st.integers(0, 3),
    st.none() | st.text(max_size=1),
]


@given(st.sampled_from(KINDS).flatmap(lambda kind: st.lists(kind, max_size=30)))
def test_a_column_groups_rows(values: list[Scalar]) -> None:
    labels = RowLabels.of({"label": values})
    again = RowLabels.model_validate(orjson.loads(orjson.dumps(labels.model_dump(mode="json"))))
    assert again == labels
    column = again.columns["label"]
    assert set(map(type, column.values)) == set(map(type, values))
    assert len(column.values) == len(set(values))
    for value in column.values:
        assert column.where(value).tolist() == [other == value for other in values]
    assert not column.where("none of them").any()


def data(columns: dict[str, list[Scalar]], rows: int, **other: Any) -> DataInfo:
    named = {"name": "rows", "split": "test", "digest": "0" * 64} | other
    return DataInfo(rows=rows, labels=RowLabels.of(columns), **named)


@given(st.lists(st.tuples(st.integers(2, 4), st.sampled_from("ab")), max_size=20))
def test_rows_are_chosen_by_all_columns_named(rows: list[tuple[int, str]]) -> None:
    kinds = data({"k": [k for k, _ in rows], "noise": [noise for _, noise in rows]}, len(rows))
    assert kinds.mask({}).tolist() == [True] * len(rows)
    assert kinds.mask({"k": 2}).tolist() == [k == 2 for k, _ in rows]
    assert kinds.mask({"k": 3, "noise": "a"}).tolist() == [row == (3, "a") for row in rows]
    assert not kinds.mask({"k": 7}).any()
    assert not kinds.mask({"k": 2, "colour": "red"}).any()


def setup(**other: Any) -> Setup:
    made: dict[str, Any] = {
        "task": "stories",
        "hyperparameters": {"rounds": 3},
        "train": data({}, 9, name="made", split="train"),
        "tests": [data({"k": [2, 2, 3, 3]}, 4), data({}, 2, name="other")],
        "files": {"vectors": "1" * 64},
        "versions": {"relsmith": "1"},
    }
    return made_setup("gat", **made | other)


@pytest.fixture
def result() -> Result:
    nan = float("nan")
    first = np.array([[1, 2, nan], [0, 2, 1], [3, 3, 1], [nan, nan, nan]], float)
    second = np.array([[2, 2, nan], [0, 2, 1], [1, 3, 1], [nan, nan, nan]], float)
    other = np.array([[1, 1, 0], [0, 1, 0]], float)
    made = setup()
    return Result(
        setup=made,
        columns=["right", "words", "score"],
        figures={
            "share": Ratio(top="right", bottom="words"),
            "mean": Ratio(top="right", scale=100),
        },
        runs=[
            Run(
                seed=seed,
                folds=[],
                tests=[*map(pack_columns, (numbers, other), (test.labels for test in made.tests))],
            )
            for seed, numbers in enumerate((first, second))
        ],
    )


def test_figures_by_hand(result: Result) -> None:
    assert result.numbers[0].shape == (2, 4, 3)
    assert result.sums("share", 0, {"k": 2}).tolist() == [[[1, 2], [0, 2]], [[2, 2], [0, 2]]]
    assert result.sums("mean", 1).tolist() == [[[100, 1], [0, 1]]] * 2
    summary = result.summary()
    rows, others = summary["tests"]
    assert (summary["model"], summary["seeds"]) == ("gat", 2)
    assert (rows["data"], rows["rows"], others["data"]) == ("rows (test)", 4, "other (test)")
    assert rows["share"][0] == pytest.approx((4 / 7 + 3 / 7) / 2)
    assert rows["mean"][0] == pytest.approx(100 * (4 / 3 + 3 / 3) / 2)
    assert others["share"][0] == 0.5


def test_a_file_holds_the_result_and_its_figures(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_bytes(encoded([result]))
    assert load([path]) == [result]
    assert load([tmp_path], "stories") == [result]
    assert load([path, tmp_path]) == [result, result]
    (again,) = load([path])
    assert again.numbers and result.numbers
    assert again == result != again.model_copy(update={"runs": again.runs[:1]})
    for numbers, expected in zip(again.numbers, result.numbers, strict=True):
        np.testing.assert_array_equal(numbers, expected)
    (written,) = json.loads(path.read_text())["results"]
    assert next(iter(written)) == "summary"
    (tmp_path / "one.json.gz").write_bytes(gzip.compress(encoded([result, again])))
    assert load([tmp_path]) == [result] * 3


def complaint(path: Path) -> str:
    with pytest.raises(RelsmithError) as caught:
        load([path])
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_file_that_is_not_a_result_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="holds no results; make some with gen eval"):
        load([tmp_path])
    with pytest.raises(NotFound, match="No such file"):
        load([tmp_path / "none.json"])
    path = tmp_path / "a.json"
    for rubbish in ("", "{", "[]", "7", "null", '{"format": 3}', '{"results": []}', "\0"):
        path.write_text(rubbish)
        with pytest.raises(NotADataset, match="is not a result of gen eval"):
            load([path])
        assert str(path) in complaint(path)


def test_a_result_of_format_1_is_refused_by_name(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text('{"format": 1, "setup": {}, "runs": []}')
    assert "(written by an earlier version)" in complaint(path)
    path.write_text('{"format": 1, "generator": "clutrr"}')
    assert "(written by an earlier version)" not in complaint(path)


def test_results_of_another_task_are_refused(result: Result, tmp_path: Path) -> None:
    (tmp_path / "one.json").write_bytes(encoded([result]))
    with pytest.raises(NotFound, match="holds results on stories, and none on cloze"):
        load([tmp_path], "cloze")


def places(part: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths to all parts of a JSON document."""
    inner = part.items() if isinstance(part, dict) else enumerate(part)
    ways = [path] if path else []
    for key, value in inner:
        below = isinstance(value, dict | list)
        ways += places(value, (*path, key)) if below else [(*path, key)]
    return ways


def test_a_changed_file_is_refused_or_valid(result: Result, tmp_path: Path) -> None:
    whole = json.loads(encoded([result]))
    path = tmp_path / "meddled.json"
    others = thinned([None, "", "AAAA", "eJwDAAAAAAE=", 7, -1, [], {}, "remove"], least=3)
    refused = 0
    whole["results"][0].pop("summary")
    for way in places(whole):
        for other in others:
            meddled = copy.deepcopy(whole)
            at = meddled
            for key in way[:-1]:
                at = at[key]
            if other == "remove":
                del at[way[-1]]
            else:
                at[way[-1]] = other
            path.write_text(json.dumps(meddled))
            try:
                (loaded,) = load([path])
            except RelsmithError as error:
                assert "\n" not in str(error)
                refused += 1
            else:
                loaded.summary()
                for figure in loaded.figures:
                    loaded.sums(figure, 0, {"k": 2})
                for data in loaded.setup.tests:
                    assert not data.columns or data.kinds(*data.columns)
    assert refused > 300 * len(others) / 9


@pytest.mark.parametrize(
    "report",
    [
        *(stories.accuracy_by_k, stories.robustness, cloze.table_4, inference.inference),
        analogy.accuracy_by_group,
    ],
)
def test_a_report_names_what_a_result_lacks(
    report: Callable[[Sequence[Result]], Any], result: Result
) -> None:
    with pytest.raises(NotFound, match=r"^the (rows|result) of .* (has|have) no "):
        report([result])


@pytest.mark.parametrize(
    "changed",
    [
        {"task": "cloze"},
        {"hyperparameters": {"rounds": 2}},
        {"training": Training(epochs=2)},
        {"tests": [data({}, 4)]},
        {"files": {}},
        {"device": "a GPU"},
        {"versions": {"relsmith": "2"}},
        {"train": None, "baseline": True},
    ],
)
def test_differing_settings_are_named(changed: dict[str, Any]) -> None:
    path = Path("there.json")
    check_setup(path, setup(), setup())
    with pytest.raises(InvalidOption, match=r"there\.json holds a result") as caught:
        check_setup(path, setup(), setup(**changed))
    names = [name for name in Setup.model_fields if name in changed]
    said = f"({names[0]} differs)" if len(names) == 1 else f"({' and '.join(names)} differ)"
    assert said in str(caught.value)


def test_files_are_named_by_data_and_label() -> None:
    assert file_name(setup()) == "made-gat"
    assert file_name(setup(train=None)) == "rows-gat"
    odd = setup(label="lemma + rules x2 + cross-encoder a/b")
    assert file_name(odd) == "made-lemma+rules-x2+cross-encoder-a-b"
