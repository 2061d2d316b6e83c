"""Rows of our datasets and of official files, and the thesis' tables."""

import ast
import csv
import re
from collections import Counter
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pytest

from relsmith import Dataset, write
from relsmith.errors import InvalidOption, NotADataset, NotFound
from relsmith.evaluation.model import RunContext
from relsmith.evaluation.papers.stories.baselines import RuleSolver
from relsmith.evaluation.papers.stories.task import (
    NOISE,
    QUERY_BLIND,
    StoryRow,
    StoryTask,
    accuracy_by_k,
    generalization,
    noise_of,
    robustness,
    tokenize,
)
from relsmith.evaluation.plots import draw_curves, draw_matrix
from relsmith.evaluation.report import interval_note
from relsmith.evaluation.result import DataInfo, Ratio, Result, RowLabels, Run, pack_columns
from relsmith.evaluation.runner import run_one
from relsmith.evaluation.statistics import Estimate
from relsmith.evaluation.task import TaskRows
from relsmith.evaluation.trainer import split_validation
from relsmith.exporting.exporter import export
from relsmith.generators.clutrr import Clutrr
from relsmith_comparatives import Comparatives

from ...conftest import made_setup

OFFICIAL = Path(__file__).parents[5] / "shared" / "data" / "clutrr"
published = pytest.mark.skipif(not OFFICIAL.exists(), reason="no public data beside the checkout")


def read(folder: Path, split: str = "test") -> list[StoryRow]:
    return StoryTask().read(folder, split).rows


def test_words_names_and_facts_are_those_of_the_row(noisy_stories: Path) -> None:
    examples = Dataset(noisy_stories).rows("test")
    for row, story in zip(examples, read(noisy_stories), strict=True):
        told = [story.names[word] if isinstance(word, int) else word for word in story.words]
        shown = row.input[: row.metadata["starts"][-1]]
        text = re.sub(r"\s", "", shown).lower()
        assert text.endswith("".join(told).lower())
        assert text.removesuffix("".join(told).lower()).endswith("siblings'spouses.")
        assert [story.names[entity] for entity in story.query] == row.metadata["query"]
        noise = [fact for path in chain(*row.metadata["noise_facts"]) for fact in path]
        named = {(story.names[x], relation, story.names[y]) for x, relation, y in story.facts}
        core = [*row.metadata["facts"], *row.metadata["side_facts"]]
        assert named == {tuple(fact) for fact in [*core, *noise]}
        assert not {word for word in story.words if isinstance(word, str)} & {
            name.lower() for name in story.names
        }


def test_the_question_is_not_part_of_the_story(clean_stories: Path) -> None:
    for story in read(clean_stories):
        asked = {("how", "is"), ("how", "are")}  # a story may end in another question
        assert not asked & set(pairwise(story.words[-12:]))


def test_names_are_found_whole_and_longest_first() -> None:
    entities = {"Ann": 0, "Ann Lee": 1, "the box": 2}
    text = "Ann Lee's mother-in-law met Ann; Annie put the box. The box fell."
    assert tokenize(text, entities) == (
        [1, "'", "s", "mother-in-law", "met", 0, ";", "annie", "put", 2, ".", 2, "fell", "."]
    )


def test_the_order_of_facts_reveals_nothing(noisy_stories: Path) -> None:
    for story in read(noisy_stories):
        assert story.facts == sorted(story.facts)
        assert story.names == sorted(story.names)


def test_a_story_and_its_mirror_image_are_validated_together(
    clean_stories: Path,
) -> None:
    """A block of 32 rows has each plan twice, the second time with genders mirrored."""
    examples = list(Dataset(clean_stories).rows("train"))
    stories = read(clean_stories, "train")
    plots: dict[object, list[int]] = {}
    for number, row in enumerate(examples):
        male = tuple(gender == "male" for _, gender in row.metadata["genders"])
        either = frozenset([male, tuple(not is_male for is_male in male)])
        plots.setdefault((number // 32, *row.metadata["clause"], either), []).append(number)
    assert sum(len(rows) > 1 for rows in plots.values()) > 250
    kept, learnt = split_validation([story.group for story in stories], 0.1, 0)
    assert len(kept) == 80
    sides = (set(kept.tolist()), set(learnt.tolist()))
    assert not [rows for rows in plots.values() if all(side & set(rows) for side in sides)]


def test_rows_have_labels_for_k_noise_and_target(noisy_stories: Path) -> None:
    rows = StoryTask().read(noisy_stories, "test")
    assert set(rows.data.columns) == {"k", "noise", "target"}
    assert rows.data.columns["noise"].values == ["supporting"]
    ks = [story.k for story in rows.rows]
    assert rows.data.mask({"k": 2}).tolist() == [k == 2 for k in ks]
    assert rows.data.options["noise"] == ["supporting"]


def test_rows_of_other_generators_are_refused(tmp_path: Path) -> None:
    write(Comparatives(), tmp_path / "other", {"test": 3})
    assert not StoryTask().fits(tmp_path / "other")
    with pytest.raises(NotADataset, match="not a story with facts and a query"):
        read(tmp_path / "other")
    write(Clutrr.configure({"answer": "yes-no"}), tmp_path / "asked", {"test": 3})
    with pytest.raises(NotADataset, match=r"row 'clutrr-.*-test-0' does not ask for a relation"):
        read(tmp_path / "asked")


def test_siblings_are_validated_together(tmp_path: Path) -> None:
    options = {"k": "2", "noise": "supporting", "siblings": "names,noise,inverse"}
    write(Clutrr.configure(options), tmp_path / "groups", {"train": 40})
    group = {
        row.id: (row.metadata["group"], story.group)
        for row, story in zip(
            Dataset(tmp_path / "groups").rows("train"),
            read(tmp_path / "groups", "train"),
            strict=True,
        )
    }
    assert len({first for first, _ in group.values()}) == 10
    assert all(together == group[first][1] for first, together in group.values())
    assert len({together for _, together in group.values()}) > 5


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same stories as a dataset, in CLUTRR's files and in Hugging Face's."""
    folder = tmp_path_factory.mktemp("exported")
    options = {"k": "2..4", "train_k": "2,3", "noise": "irrelevant"}
    write(Clutrr.configure(options), folder / "data", {"train": 60, "test": 30})
    for form in ("clutrr-csv", "clutrr-hf"):
        export(folder / "data", form, folder / form)
    return {path.name: path for path in folder.iterdir()}


@pytest.mark.parametrize("form", ["clutrr-csv", "clutrr-hf"])
def test_official_files_are_read_as_the_rows_they_were_made_of(
    form: str, exported: dict[str, Path]
) -> None:
    folder = exported[form]
    assert StoryTask().fits(folder)
    for split in ("train", "test"):
        ours, theirs = (StoryTask().read(exported[name], split) for name in ("data", form))
        assert len(theirs) == len(ours)
        assert theirs.data.label == f"{form} ({split})"
        assert theirs.data.generator is None
        assert theirs.data.columns["noise"].values == ["irrelevant"]
        assert len(set(theirs.ids)) == len(theirs)
        told = {(tuple(s.words), tuple(s.names), s.query, s.k, s.target) for s in ours.rows}
        assert told == {
            (tuple(s.words), tuple(s.names), s.query, s.k, s.target) for s in theirs.rows
        }
    assert StoryTask().read(folder, "test").data.columns["k"].values == [2, 3, 4]


def test_files_of_a_folder_may_be_named_in_either_way(
    exported: dict[str, Path], tmp_path: Path
) -> None:
    text = exported["clutrr-hf"] / "test.csv"
    for name in ("gen_train23_test2to10.test.csv", "task_1.2_test.csv", "test.csv"):
        (tmp_path / name).write_text(text.read_text())
    assert len(read(tmp_path)) == 3 * len(read(exported["data"]))
    assert len(read(tmp_path / "test.csv")) == len(read(exported["data"]))
    assert StoryTask().read(tmp_path / "test.csv", "test").data.label == "test"
    with pytest.raises(NotFound, match=r"no name ends in train\.csv; give a folder of CLUTRR's"):
        read(tmp_path, "train")
    with pytest.raises(NotFound, match=r"no name ends in train\.csv"):
        read(tmp_path / "test.csv", "train")


def test_people_of_noise_without_facts_in_a_file_have_no_name(
    exported: dict[str, Path], tmp_path: Path
) -> None:
    """As in the published files: they name the people of noise, but not their relations."""
    with (exported["clutrr-hf"] / "test.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        k = int(row["task_name"].partition(".")[2])
        row["edge_types"] = str(ast.literal_eval(row["edge_types"])[:k])
    with (tmp_path / "test.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    for whole, cut in zip(read(exported["clutrr-hf"]), read(tmp_path), strict=True):
        assert (cut.words, cut.names, cut.query) == (whole.words, whole.names, whole.query)
        assert len(cut.facts) == cut.k < len(whole.facts)


def test_an_unofficial_table_is_refused(exported: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "test.csv").write_text("id,story\n1,Ann met Bob.\n")
    assert not StoryTask().fits(tmp_path)
    with pytest.raises(InvalidOption, match=r"test\.csv has no column 'query'; give an official"):
        read(tmp_path)
    lines = (exported["clutrr-hf"] / "test.csv").read_text()
    (tmp_path / "test.csv").write_text(re.sub(r"task_3\.\d", "rubbish", lines, count=1))
    with pytest.raises(InvalidOption, match="row 1: task_name is 'rubbish'"):
        read(tmp_path)


@pytest.mark.slow
@published
def test_published_stories_have_no_names_left() -> None:
    for place in ("", "robust-clean", "hf"):
        for story in read(OFFICIAL / place):
            names = {name.lower() for name in story.names}
            assert not names & {word for word in story.words if isinstance(word, str)}
            assert set(story.query) <= {word for word in story.words if isinstance(word, int)}
            assert "[" not in story.words


@pytest.mark.slow
@published
def test_published_files_have_labels_for_k_and_noise() -> None:
    train, test = (StoryTask().read(OFFICIAL, split) for split in ("train", "test"))
    assert (len(train), len(test)) == (10_094, 1_146)
    assert train.data.columns["k"].values == [2, 3]
    assert test.data.columns["k"].values == list(range(2, 11))
    robust = StoryTask().read(OFFICIAL / "robust-clean", "test").data
    assert robust.columns["noise"].values == sorted(NOISE)
    assert int(robust.mask({"noise": "irrelevant"}).sum()) == 100
    hugging = StoryTask().read(OFFICIAL / "hf", "test").data
    with next((OFFICIAL / "hf").iterdir()).open(newline="") as file:
        tasks = Counter(row["task_name"] for row in csv.DictReader(file))
    assert int(hugging.mask({"noise": "supporting", "k": 3}).sum()) == tasks["task_2.3"]


@pytest.mark.slow
@published
def test_rules_learnt_from_published_stories_solve_those_that_are_longer() -> None:
    train, test = (StoryTask().read(OFFICIAL, split) for split in ("train", "test"))
    setup, run = run_one(RuleSolver(), train, [test], RunContext())
    result = Result(setup=setup, columns=["right"], figures=dict(StoryTask.figures), runs=[run])
    assert float(np.nanmean(result.numbers[0])) > 0.9


def a_result(
    model: str, trained: str, right: dict[tuple[int, str], float], seeds: int = 1, **options: object
) -> Result:
    """A result with these shares of right answers, of ten rows for each k and noise."""
    cells = [(k, noise, n < share * 10) for (k, noise), share in right.items() for n in range(10)]
    columns = {
        "k": [k for k, _, _ in cells],
        "noise": [noise for _, noise, _ in cells],
    }
    noise = {"noise": [] if trained == "clean" else [trained]}
    train = DataInfo(
        name=trained, split="train", digest="", rows=9, generator="clutrr", options=noise
    )
    test = DataInfo(
        name="tested", split="test", digest="", rows=len(cells), labels=RowLabels.of(columns)
    )
    baseline = model in ("majority", QUERY_BLIND)
    data = {"train": train, "tests": [test]}
    setup = made_setup(model, task="stories", baseline=baseline, hyperparameters=options, **data)
    numbers = pack_columns(np.array([[float(was)] for _, _, was in cells]), test.labels)
    runs = [Run(seed=seed, folds=[], tests=[numbers]) for seed in range(seeds)]
    return Result(
        setup=setup, columns=["right"], figures={"accuracy": Ratio(top="right")}, runs=runs
    )


def means(cells: list[Estimate | None]) -> list[float | None]:
    return [cell and round(cell.mean, 6) for cell in cells]


def test_the_noise_matrix_has_every_setting_of_a_model() -> None:
    results = [
        a_result("gat", "clean", {(2, "clean"): 0.8, (2, "supporting"): 0.3}, rounds=3),
        a_result("gat", "clean", {(2, "clean"): 0.6, (2, "supporting"): 0.5}, rounds=6),
        a_result("gat", "supporting", {(2, "supporting"): 0.9}, rounds=3),
    ]
    clean, supporting = robustness(results)
    assert {line.model: means(line.cells) for line in clean.lines} == {
        "gat (rounds=3)": [0.8, 0.3],
        "gat (rounds=6)": [0.6, 0.5],
    }
    assert [line.model for line in supporting.lines] == ["gat (rounds=3)"]


def test_a_note_says_that_graph_models_do_not_see_the_noise_of_published_files() -> None:
    noisy = {(2, "clean"): 1.0, (2, "supporting"): 1.0}
    results = [a_result(name, "clean", noisy) for name in ("gat", "mac", "rules")]
    note = "gat, rules: see only facts that the files list, and published CLUTRR files list none"
    assert note in accuracy_by_k(results)[-1].note
    assert note in robustness(results)[-1].note
    assert "none of the noise" not in accuracy_by_k(results[1:2])[-1].note
    assert (
        "none of the noise"
        not in accuracy_by_k([a_result("gat", "clean", {(2, "clean"): 1.0})])[-1].note
    )


def test_the_noise_matrix_has_our_figures_and_those_of_the_thesis(tmp_path: Path) -> None:
    results = [
        a_result("gat", "clean", {(2, "clean"): 0.8, (2, "supporting"): 0.3}),
        a_result("majority", "clean", {(2, "supporting"): 0.1}),
        a_result("gat", "irrelevant", {(3, "irrelevant"): 0.9}),
        a_result("gat", "supporting", {(k, "supporting"): 0.9 for k in range(2, 7)}),
    ]
    clean, irrelevant = robustness(results)
    assert (clean.columns, irrelevant.columns) == (["clean", "supporting"], ["irrelevant"])
    gat, majority = clean.lines
    assert (gat.model, majority.model) == ("gat", "majority")
    assert means(gat.cells) == [0.8, 0.3]
    assert gat.paper == [(1.0, 0.0), (0.24, 0.20)]
    assert means(majority.cells) == [None, 0.1]
    assert means(irrelevant.lines[0].cells) == [0.9]
    assert irrelevant.lines[0].paper == [(0.93, 0.01)]
    assert "thesis' table 3.8" in irrelevant.note
    assert irrelevant.note.endswith(interval_note(results))
    draw_matrix([clean, irrelevant], tmp_path / "matrix.png")
    assert (tmp_path / "matrix.png").stat().st_size > 5000
    with pytest.raises(NotFound, match="results on two or more types of noise"):
        robustness(results[1:2])


def test_the_curves_are_by_k(tmp_path: Path) -> None:
    rising = {(k, "clean"): k / 10 for k in range(2, 6)}
    results = [
        a_result("majority", "clean", rising),
        a_result("gat", "clean", rising, seeds=2),
    ]
    (table,) = generalization(results)
    assert table.columns == ["k=2", "k=3", "k=4", "k=5"]
    assert [line.model for line in table.lines] == ["gat", "majority"]
    assert means(table.lines[1].cells) == [0.2, 0.3, 0.4, 0.5]
    assert "thesis, figure 3.5" in table.note
    draw_curves([table], tmp_path / "curves.svg")
    assert "gat" in (tmp_path / "curves.svg").read_text()
    with pytest.raises(NotFound, match="more than three values of k"):
        generalization([a_result("gat", "clean", {(2, "clean"): 1})])


def test_reports_note_the_accuracy_without_the_query() -> None:
    gat = a_result("gat", "clean", {(2, "clean"): 0.7})
    (table,) = accuracy_by_k([gat])
    assert f"evaluate {QUERY_BLIND} too" in table.note
    blind = [a_result(QUERY_BLIND, noise, {(2, noise): 0.3}) for noise in ("clean", "supporting")]
    table = accuracy_by_k([gat, *blind])[-1]
    said = "0.30 on tested (test) after clean, 0.30 on tested (test) after supporting"
    assert f"accuracy without the query: {said} ({QUERY_BLIND})" in table.note


def test_noise_is_read_from_the_manifest() -> None:
    def of(generator: str | None, name: str, **options: object) -> str | None:
        data = DataInfo(
            name=name, split="train", digest="", rows=1, generator=generator, options=options
        )
        return noise_of(data)

    assert of("clutrr", "x", noise=["none"]) == of("clutrr", "x") == "clean"
    assert of("clutrr", "x", noise=["supporting"]) == "supporting"
    assert of("clutrr", "x", noise=["supporting", "irrelevant"]) is None
    assert of(None, "robust-clean") == "clean"
    assert of(None, "data_7c5b0e70") is None


def test_rows_keep_their_ids(clean_stories: Path) -> None:
    rows: TaskRows[StoryRow] = StoryTask().read(clean_stories, "test")
    assert rows.ids == [row.id for row in Dataset(clean_stories).rows("test")]
    assert rows.take([3, 1]).ids == [rows.ids[3], rows.ids[1]]
    assert rows.take(range(len(rows))) is rows
