"""Tables of hand-made results."""

from typing import Any

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from relsmith.clusters import RowClusters
from relsmith.errors import InvalidOption, NotFound
from relsmith.evaluation import report
from relsmith.evaluation.plots import look
from relsmith.evaluation.report import (
    Table,
    by,
    compared,
    figure,
    interval_note,
    line,
    with_notes,
)
from relsmith.evaluation.result import DataInfo, Ratio, Result, RowLabels, Run, pack_columns

from .conftest import made_setup

FIGURES = {
    "accuracy": Ratio(top="right"),
    "recall": Ratio(top="hits", bottom="wanted", scale=100),
}


def a_result(
    model: str,
    rows: list[tuple[int, str, list[float]]],
    *,
    seeds: int = 1,
    trained: str | None = "data",
    digest: str = "same",
    baseline: bool = False,
    clauses: str = "",
    **options: Any,
) -> Result:
    """Make a result of rows with k, noise, and numbers: right, hits and wanted."""
    columns = {
        "k": [k for k, _, _ in rows],
        "noise": [noise for _, noise, _ in rows],
    }
    train = trained and DataInfo(name=trained, split="train", digest="", rows=1)
    drawn = RowClusters("clauses", list(clauses)) if clauses else None
    labels = RowLabels.of(columns, drawn)
    test = DataInfo(name="data", split="test", digest=digest, rows=len(rows), labels=labels)
    numbers = pack_columns(np.array([values for _, _, values in rows]), test.labels)
    return Result(
        setup=made_setup(
            model,
            task="made",
            baseline=baseline,
            hyperparameters=options,
            train=train or None,
            tests=[test],
        ),
        columns=["right", "hits", "wanted"],
        figures=FIGURES,
        runs=[Run(seed=seed, folds=[], tests=[numbers]) for seed in range(seeds)],
    )


def rows_with(*right: int, k: int = 2, noise: str = "none") -> list[tuple[int, str, list[float]]]:
    return [(k, noise, [float(was), float(was), 2.0]) for was in right]


GOOD = [*rows_with(1, 1, 1, 0), *rows_with(1, 0, k=3), *rows_with(0, 0, k=3, noise="much")]
BAD = [*rows_with(1, 0, 0, 0), *rows_with(0, 0, k=3), *rows_with(0, 0, k=3, noise="much")]


def means(table: Table) -> dict[str, list[float | None]]:
    return {
        line.model: [cell and round(cell.mean, 6) for cell in line.cells] for line in table.lines
    }


def test_figures_are_grouped_by_any_column() -> None:
    results = [
        a_result("zero", BAD, baseline=True),
        a_result("good", GOOD, seeds=2),
        a_result("bad", BAD),
    ]
    (table,) = by(results, ["k"])
    assert table.title == "accuracy on data (test), trained on data"
    assert table.columns == ["k=2", "k=3"]
    assert list(means(table)) == ["bad", "good", "zero"]
    assert means(table)["good"] == [0.75, 0.25]
    assert table.note == interval_note(results)
    (table,) = by(results, ["k", "noise"], "recall")
    assert table.columns == ["k=2 none", "k=3 much", "k=3 none"]
    assert means(table)["good"] == [37.5, 0.0, 25.0]
    (table,) = by(results, [])
    assert table.columns == ["accuracy"]
    assert means(table)["good"] == [0.5]


def test_figures_above_or_below_a_model_are_marked() -> None:
    """Check that p values of several comparisons are corrected as by statsmodels."""
    shares = {"low": [3, 3, 3, 3], "rising": [4, 7, 10, 16], "high": [16, 13, 14, 15]}
    rows = {
        name: [
            row
            for k, right in enumerate(some)
            for row in rows_with(*(int(n * 7 % 20 < right) for n in range(20)), k=k)
        ]
        for name, some in shares.items()
    }
    results = [a_result(name, some) for name, some in rows.items()]
    (table,) = by(results, ["k"], versus="rising")
    chances, differences = [], []
    for other in (2, 0):
        for found in compared(results[1:2], [results[other]], ["k"], None):
            chances.append(found.difference.p)
            differences.append(found.difference.difference)
    rejected = multipletests(chances, 0.05, "holm")[0]
    expected = [
        ("\u2191" if by_much > 0 else "\u2193") if is_shown else ""
        for is_shown, by_much in zip(rejected, differences, strict=True)
    ]
    marks = {line.model: list(line.marks) for line in table.lines}
    assert [*marks["high"], *marks["low"]] == expected
    assert marks["rising"] == [""] * 4
    assert {*expected} == {"", "\u2191", "\u2193"}
    assert [chance < 0.05 for chance in chances] != list(rejected)  # the correction matters
    assert "below or above rising (p < .05 over 20 rows, corrected" in table.note
    with pytest.raises(
        InvalidOption, match="no model 'risen' to compare with; did you mean 'rising'"
    ):
        by(results, ["k"], versus="risen")
    alone = by([*results, a_result("other", GOOD, trained="more")], ["k"], versus="rising")
    assert [bool(each.note.startswith("\u2193")) for each in alone[:1]] == [True]
    assert not any(any(row.marks) for row in alone[1].lines)  # its table lacks the model


def test_other_training_or_test_data_is_another_table() -> None:
    results = [
        a_result("a", GOOD),
        a_result("a", GOOD, trained="more"),
        a_result("b", BAD, trained=None),
    ]
    titles = [table.title for table in by(results, [])]
    assert titles == [
        "accuracy on data (test), trained on data",
        "accuracy on data (test), trained on more",
        "accuracy on data (test)",
    ]


def test_settings_of_one_model_are_labelled_by_differing_options() -> None:
    results = [
        a_result("a", GOOD, size=3, rate=0.1, kind="x"),
        a_result("a", BAD, size=3, rate=0.2, kind=None),
        a_result("b", BAD, size=4, rate=0.3, kind="x"),
        a_result("b", BAD, trained="more", size=4, rate=0.3, kind="x"),
    ]
    (table, other) = by(results, [])
    assert means(table) == {"a (rate=0.1, kind=x)": [0.5], "a (rate=0.2)": [0.125], "b": [0.125]}
    assert list(means(other)) == ["b"]


def test_missing_columns_and_figures_are_named() -> None:
    with pytest.raises(InvalidOption, match="no column 'kk'; choose from k, noise"):
        by([a_result("a", GOOD)], ["kk"])
    with pytest.raises(InvalidOption, match=r"no figure 'precision'; choose from accuracy, recall"):
        by([a_result("a", GOOD)], [], "precision")


def test_parts_have_equal_weight_with_alike() -> None:
    rows = [*rows_with(1, 1, 1, 1, 1, 1), *rows_with(0, 0, k=3)]
    result = a_result("a", rows)
    over_rows = figure(result, "accuracy")
    over_parts = figure(result, "accuracy", average_over="k")
    assert over_rows and over_rows.mean == 0.75
    assert over_parts and over_parts.mean == 0.5
    part = figure(result, "accuracy", where={"k": 2}, average_over="k")
    assert part and part.mean == 1
    assert figure(result, "accuracy", where={"k": 9}) is None


def test_a_line_has_the_published_figures() -> None:
    result = a_result("a", GOOD)
    cells = [figure(result, "accuracy"), None, None]
    assert line(result, cells, [[0.5, 0.1], 0.7, None]).paper == [(0.5, 0.1), (0.7, 0.0), None]
    assert line(result, cells).paper == [None] * 3
    table = Table("title", ["a", "b", "c"], [line(result, cells, [[0.5, 0.1], 0.7, None])])
    (row,) = table.as_json()["rows"]
    assert row["figures"]["a"][0] == 0.5 and row["figures"]["b"] is None
    assert row["paper"] == {"a": (0.5, 0.1), "b": (0.7, 0.0)}
    first, last = with_notes([table, table], [result], "why")
    assert (first.note, last.note) == ("", f"why; {interval_note([result])}")
    assert with_notes([last], [result], "more")[0].note == f"why; more; {interval_note([result])}"


def test_papers_are_data() -> None:
    assert set(report.paper("stories")) == {"table_3_8", "figure_3_5"}


MANY: dict[str, Any] = {
    "better": [*rows_with(*[1] * 30, *[0] * 10), *rows_with(*[1, 0] * 20, k=3)],
    "worse": [*rows_with(*[0] * 30, *[0] * 10), *rows_with(*[1, 0] * 20, k=3)],
}


def test_two_results_on_the_same_rows_are_compared() -> None:
    worse, better = a_result("worse", MANY["worse"]), a_result("better", MANY["better"], seeds=3)
    (whole,) = compared([worse], [better], [], None)
    assert (whole.first, whole.second, whole.rows) == ("worse", "better", 80)
    assert whole.what == "data (test) accuracy"
    assert whole.difference.difference == pytest.approx(30 / 80)
    assert 0.2 < whole.difference.low < 30 / 80 < whole.difference.high < 0.5
    assert whole.corrected == whole.difference.p < 0.001
    first, second = compared([worse], [better], ["k"], "accuracy")
    assert (first.what, second.what) == ("data (test) accuracy k=2", "data (test) accuracy k=3")
    assert second.difference.difference == 0 and second.corrected == 1
    assert first.corrected == pytest.approx(2 * first.difference.p)
    assert first.as_json()["second_figure"] == 0.75


def test_notes_on_intervals() -> None:
    clauses, rows = a_result("a", GOOD, seeds=3, clauses="aabbbbcc"), a_result("b", GOOD)
    over = "\u00b1: half-width of the 95 % interval over "
    assert interval_note([clauses]) == f"{over}clauses and seeds"
    one_seed = " (b: one seed, so other trainings are not covered)"
    assert interval_note([rows]) == f"{over}rows{one_seed}"
    assert interval_note([clauses, rows]) == f"{over}clauses or rows and seeds{one_seed}"
    assert interval_note([a_result("c", GOOD, baseline=True)]) == f"{over}rows"


def test_comparisons_are_over_clauses_and_seeds() -> None:
    rows, clauses = MANY["better"], "abcdefgh" * 10
    better = a_result("better", rows, seeds=3, clauses=clauses)
    worse = a_result("worse", MANY["worse"], seeds=2, clauses=clauses)
    (found,) = compared([worse], [better], [], None)
    assert found.drawn == "8 clauses, 2 + 3 seeds"
    assert found.covers_training
    assert found.as_json() | {"clusters": 8, "seeds": (2, 3), "unit": "clauses"} == found.as_json()
    # Results of an earlier version know only rows.
    old = a_result("worse", MANY["worse"])
    for pair in ([old], [better]), ([better], [old]):
        (mixed,) = compared(*pair, [], None)
        assert (mixed.difference.clusters, mixed.unit) == (8, "clauses")
        assert not mixed.covers_training


def test_models_of_one_name_are_compared_across_setups() -> None:
    first = [a_result("a", MANY["worse"]), a_result("b", MANY["worse"])]
    second = [a_result("b", MANY["better"], trained="more"), a_result("c", MANY["better"])]
    (comparison,) = compared(first, second, [], None)
    assert (comparison.first, comparison.second) == ("b (data)", "b (more)")


def test_settings_of_one_model_are_compared_by_differing_options() -> None:
    first, second = (a_result("a", rows, rate=n, size=1) for n, rows in enumerate((GOOD, BAD)))
    (comparison,) = compared([first], [second], [], None)
    assert (comparison.first, comparison.second) == ("a (rate=0)", "a (rate=1)")


def test_results_on_other_rows_are_not_compared() -> None:
    other = a_result("a", GOOD, digest="other")
    with pytest.raises(NotFound, match="no two results have the same rows and model"):
        compared([a_result("a", GOOD)], [other], [], None)


def test_only_common_figures_and_rows_are_compared() -> None:
    rows = [(2, "clean", [1.0, 1.0, 1.0]), (3, "clean", [0.0, 1.0, 1.0])]
    first, second = a_result("gat", rows), a_result("gat", rows, seeds=2)
    other = Result.model_validate({**second.model_dump(), "figures": {"share": FIGURES["recall"]}})
    for name in ("nope", None):
        with pytest.raises(InvalidOption, match="--figure: no figure"):
            compared([first], [other], [], name)
    with pytest.raises(InvalidOption, match="no figure 'nope'; choose from accuracy, recall"):
        compared([first], [second], [], "nope")
    with pytest.raises(NotFound, match="no two results have the same rows"):
        compared([first], [a_result("gat", rows[:1])], [], None)


def test_lines_of_a_figure_have_different_styles() -> None:
    assert len({(look(number)["color"], look(number)["marker"]) for number in range(40)}) == 40
