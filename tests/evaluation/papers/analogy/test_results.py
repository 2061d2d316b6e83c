"""From a folder to results, and from results to tables."""

import json
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest
import torch
from torch import Tensor

from relsmith.errors import InvalidOption, NotFound
from relsmith.evaluation.model import RunContext
from relsmith.evaluation.papers.analogy.baselines import AnalogyMajority, WordsOnly
from relsmith.evaluation.papers.analogy.embedding import Embedding
from relsmith.evaluation.papers.analogy.encoder import ContextualEncoder
from relsmith.evaluation.papers.analogy.model import AnalogyModel
from relsmith.evaluation.papers.analogy.perplexity import Perplexity
from relsmith.evaluation.papers.analogy.task import (
    AnalogyLabels,
    AnalogyRow,
    AnalogyTask,
    WordQuad,
    accuracy_by_group,
    compare_negatives,
)
from relsmith.evaluation.papers.analogy.vectors import Vectors
from relsmith.evaluation.report import paper
from relsmith.evaluation.result import DataInfo, Result, RowLabels, Run, load, pack_columns
from relsmith.evaluation.runner import EvalConfig, Evaluation, evaluate, run_one
from relsmith.evaluation.statistics import Estimate
from relsmith.evaluation.task import TaskRows, label_columns
from relsmith.evaluation.training import Training

from ...conftest import made_setup


@contextmanager
def silent(what: str, total: int) -> Iterator[Callable[[int], None]]:
    yield lambda done: None


def order(folder: Path, out: Path, seeds: int = 1, **more: Any) -> EvalConfig:
    limits = {"epochs": 2, "batch": 100}
    given: dict[str, Any] = {"bar": silent, "limits": limits, **more}
    return EvalConfig(path=folder, out=out, seeds=seeds, device="cpu", **given)


def run(model: AnalogyModel, folder: Path, out: Path, seeds: int = 1, **more: Any) -> Result:
    (result,) = evaluate([model], order(folder, out, seeds, **more))
    return result


@pytest.fixture(scope="module")
def results(
    folder: Path, faithful: Path, vectors: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The results of vectors and baselines, on both kinds of negatives."""
    out = tmp_path_factory.mktemp("results")
    models = [Vectors(vectors=str(vectors)), AnalogyMajority(), WordsOnly()]
    for data in (folder, faithful):
        evaluate(models, order(data, out, 2))
    return out


class Counting(Embedding):
    """Random vectors that count the embedded quads."""

    name: ClassVar = "counting"
    loaded: ClassVar[list[set[str]]] = []
    asked: ClassVar[list[WordQuad]] = []

    def load(self, device: torch.device, words: Collection[str]) -> "Counting":
        self.loaded.append(set(words))
        return self

    def embed(self, quads: Sequence[WordQuad]) -> Tensor:
        self.asked.extend(quads)
        generator = torch.Generator().manual_seed(len(quads))
        return torch.randn(len(quads), 2, 4, generator=generator)


@pytest.fixture
def counting() -> Counting:
    Counting.asked.clear()
    Counting.loaded.clear()
    return Counting()


def test_every_quad_is_embedded_once_for_all_probes_settings_and_seeds(
    folder: Path, words: list[str], counting: Counting, tmp_path: Path
) -> None:
    result = run(counting, folder, tmp_path, 2)
    assert len(result.setup.tests[0].kinds("relation", "setting", "probe")) == 12
    assert set(Counter(Counting.asked).values()) == {1}
    (loaded_for,) = Counting.loaded
    assert {*words, *(word for quad in Counting.asked for word in quad)} == loaded_for
    first, second = result.numbers[0]
    assert not np.isnan([first, second]).any()
    unsupervised = result.setup.tests[0].mask({"setting": "unsupervised"})
    assert (first[unsupervised] == second[unsupervised]).all()
    assert (first != second).any()


@pytest.mark.slow
def test_finished_runs_are_not_repeated(folder: Path, counting: Counting, tmp_path: Path) -> None:
    first = run(counting, folder, tmp_path)
    run(counting, folder, tmp_path)
    assert len(Counting.loaded) == 1
    second = run(counting, folder, tmp_path, 2)
    assert len(Counting.loaded) == 2
    assert second.runs[0] == first.runs[0]
    (path,) = tmp_path.iterdir()
    assert path.name == "sound-counting.json"
    with pytest.raises(InvalidOption, match=r"another setup \(training differs\)"):
        run(counting, folder, tmp_path, limits={"epochs": 3})


class Killed(Exception):
    pass


@contextmanager
def deadly(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Raised in the middle of a run."""

    def advance(done: int) -> None:
        if done > total / 2:
            raise Killed

    yield advance


def one_relation(folder: Path) -> list[TaskRows[AnalogyRow]]:
    """Training and test rows of one relation."""
    whole = [AnalogyTask().read(folder, split) for split in ("train", "test")]
    return [next(iter(AnalogyTask().folds(None, [rows]))).tests[0] for rows in whole]


@pytest.mark.parametrize("relations", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_killed_run_resumes(folder: Path, vectors: Path, tmp_path: Path, relations: int) -> None:
    train, test = (AnalogyTask().read(folder, split) for split in ("train", "test"))
    if relations == 1:
        train, test = one_relation(folder)
        labels = RowLabels.of(label_columns(row.labels._asdict() for row in test.rows))
        data = test.data.model_copy(update={"rows": len(test), "labels": labels})
        test = TaskRows(data, test.ids, test.rows)
    job = RunContext(training=Training(epochs=8, batch=50))
    evaluation = Evaluation(Vectors(vectors=str(vectors)), train, [test], job)
    with pytest.raises(Killed):
        evaluation.run(order(folder, tmp_path / "killed", bar=deadly))
    resumed = evaluation.run(order(folder, tmp_path / "killed"))
    assert resumed == evaluation.run(order(folder, tmp_path / "whole"))
    assert resumed.runs == [evaluation.seed(job)]


def test_progress_only_grows(folder: Path, counting: Counting) -> None:
    train, test = one_relation(folder)
    shares: list[float] = []
    job = RunContext(training=Training(epochs=3, batch=100), advance=shares.append)
    (fold,) = AnalogyTask().folds(train, [test])
    counting.fit(fold, job)
    assert len(shares) > 3
    assert shares == sorted(shares)
    assert shares[-1] == 1


@pytest.mark.slow
def test_the_same_evaluation_gives_the_same_numbers(
    folder: Path, vectors: Path, tmp_path: Path
) -> None:
    model = Vectors(vectors=str(vectors))
    first, second = (run(model, folder, tmp_path / name, 2) for name in ("first", "second"))
    assert first == second


def test_answers_are_stored_by_row(folder: Path, results: Path) -> None:
    (result,) = load([results / "sound-analogy-words.json"])
    assert len(result.runs) == 1
    train, test = (AnalogyTask().read(folder, split).rows for split in ("train", "test"))
    right = result.numbers[0][0, :, 0]
    for kind in {row.labels[:3] for row in test}:
        rows = [row for row in test if row.labels[:3] == kind]
        guesses = WordsOnly().predict([row for row in train if row.labels[:3] == kind], rows)
        expected = [row.target == predict for row, predict in zip(rows, guesses, strict=True)]
        assert [right[n] for n, row in enumerate(test) if row.labels[:3] == kind] == expected


def test_predictions_say_true_false_or_a_pair(folder: Path, tmp_path: Path) -> None:
    run(WordsOnly(), folder, tmp_path, predictions=True)
    lines = (tmp_path / "sound-analogy-words.seed0.predictions.jsonl").read_text().splitlines()
    answers = {line["id"]: line["answer"] for line in map(json.loads, lines)}
    test = AnalogyTask().read(folder, "test")
    assert set(answers) == set(test.ids)
    for name, row in zip(test.ids, test.rows, strict=True):
        said = (
            {"true", "false"} if row.supervised else {" : ".join(pair) for pair in row.candidates}
        )
        assert answers[name] in said


def test_a_model_can_be_tested_on_other_negatives(
    folder: Path, faithful: Path, vectors: Path, tmp_path: Path
) -> None:
    result = run(Vectors(vectors=str(vectors)), folder, tmp_path, test_on=(faithful,))
    assert [data.name for data in result.setup.tests] == ["sound", "faithful"]
    assert not np.isnan(result.numbers[1]).any()
    assert "faithful (test), trained on sound: All (2 relations)" in [
        table.title for table in accuracy_by_group([result])
    ]
    with pytest.raises(NotFound, match="both kinds of negatives"):
        compare_negatives([result])


def shuffled(rows: TaskRows[AnalogyRow]) -> TaskRows[AnalogyRow]:
    """Rows with shuffled targets."""
    chance = random.Random(0)
    drawn: dict[AnalogyLabels, list[int]] = {}
    for row in rows.rows:
        drawn.setdefault(row.labels, []).append(row.target)
    for targets in drawn.values():
        chance.shuffle(targets)
    changed = [row._replace(target=drawn[row.labels].pop()) for row in rows.rows]
    return TaskRows(rows.data, rows.ids, changed)


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("encoder", marks=pytest.mark.slow),
        "vectors",
        pytest.param("perplexity", marks=pytest.mark.slow),
        "words",
        "majority",
    ],
)
def test_shuffled_targets_give_chance(
    kind: str, folder: Path, masked: Path, causal: Path, vectors: Path
) -> None:
    models: dict[str, AnalogyModel] = {
        "encoder": ContextualEncoder(encoder=str(masked)),
        "vectors": Vectors(vectors=str(vectors)),
        "perplexity": Perplexity(lm=str(causal)),
        "words": WordsOnly(),
        "majority": AnalogyMajority(),
    }
    train, test = (shuffled(AnalogyTask().read(folder, split)) for split in ("train", "test"))
    model, job = models[kind], RunContext(training=Training(epochs=3, batch=50))
    _, done = run_one(model, train, [test], job)
    right = done.numbers(0, test.data.labels)[:, 0]
    for setting in ("supervised", "unsupervised"):
        answer_by_probe = right[test.data.mask({"setting": setting})]
        if kind == "perplexity" and setting == "supervised":
            assert np.isnan(answer_by_probe).all()
            continue
        assert len(answer_by_probe) > 500
        assert answer_by_probe.mean() == pytest.approx(0.5, abs=0.06)


def test_a_model_without_fitting_rows_is_refused(folder: Path, masked: Path) -> None:
    test = AnalogyTask().read(folder, "test")
    supervised = [place for place, row in enumerate(test.rows) if row.supervised]
    with pytest.raises(InvalidOption, match=r"can answer no row of sound .*gen analogy"):
        run_one(Perplexity(lm=str(masked)), None, [test.take(supervised)], RunContext())


def test_missing_training_rows_are_an_error(folder: Path, counting: Counting) -> None:
    train, test = (AnalogyTask().read(folder, split) for split in ("train", "test"))
    lacking = [n for n, row in enumerate(train.rows) if row.labels.probe != "type"]
    with pytest.raises(NotFound, match="no supervised type rows of 'country - capital' to train"):
        run_one(counting, train.take(lacking), [test], RunContext())


class Cell:
    """Rows with the same labels, with numbers of right ones by seed."""

    def __init__(
        self,
        relation: str,
        group: str,
        rights: list[int],
        rows: int = 10,
        false_negative: int = 0,
        **more: Any,
    ) -> None:
        kind = {"setting": "supervised", "probe": "random", "symmetric": False, "many": False}
        kind |= {"relation": relation, "group": group, **more}
        self.kinds = [
            AnalogyLabels(**kind, negative=row < rows // 2, flawed=row < false_negative)
            for row in range(rows)
        ]
        self.numbers = [(np.arange(rows) < right).astype(float)[:, None] for right in rights]


def made(cells: list[Cell], name: str = "analogy-vectors", **options: Any) -> Result:
    """A result with these numbers of right rows."""
    columns = zip(*(kind for cell in cells for kind in cell.kinds), strict=True)
    data = DataInfo(
        name="mine",
        split="test",
        digest="0",
        rows=sum(len(cell.kinds) for cell in cells),
        options=options,
        labels=RowLabels.of(dict(zip(AnalogyLabels._fields, columns, strict=True))),
    )
    setup = made_setup(name, task="analogies", tests=[data])
    seeds = zip(*(cell.numbers for cell in cells), strict=True)
    runs = [
        Run(seed=seed, folds=[], tests=[pack_columns(np.concatenate(tables), data.labels)])
        for seed, tables in enumerate(seeds)
    ]
    figures = dict(AnalogyTask.figures)
    return Result(setup=setup, columns=list(AnalogyTask.columns), figures=figures, runs=runs)


def means(cells: Sequence[Estimate | None]) -> list[float | None]:
    return [cell and round(cell.mean, 6) for cell in cells]


def test_relations_have_equal_weight() -> None:
    (*_, table) = accuracy_by_group(
        [made([Cell("a", "x", [2, 4]), Cell("b", "x", [80, 60], rows=100)])]
    )
    (cell,) = table.lines[0].cells
    assert cell
    assert cell.mean == pytest.approx(50)
    assert cell.low < 50 < cell.high


def test_rows_that_a_seed_lacks_are_left_out() -> None:
    begun = Cell("b", "x", [0, 0])
    begun.numbers[1][:] = np.nan
    (_, table) = accuracy_by_group([made([Cell("a", "x", [2, 4]), begun])])
    assert means(table.lines[0].cells) == [30]


def test_tables_by_group_show_the_papers_figures() -> None:
    cells = [
        Cell("D04 [over+adj_reg]", "derivational", [6]),
        Cell("L01 [hypernyms - animals]", "lexicographic", [4], many=True),
        Cell("mine", "people", [5], probe="cross"),
    ]
    tables = accuracy_by_group([made(cells, "analogy-relation")])
    assert [table.title.partition(": ")[2] for table in tables] == [
        "lexicographic (1 relation)",
        "derivational (1 relation)",
        "people (1 relation)",
        "All (3 relations)",
    ]
    assert tables[0].columns == ["supervised random", "supervised cross"]
    assert [means(table.lines[0].cells) for table in tables] == [
        [40, None],
        [60, None],
        [None, 50],
        [50, 50],
    ]
    assert [table.lines[0].paper for table in tables] == [
        [(76.10, 0), None],
        [(95.64, 0), None],
        [None, None],
        [(83.89, 0), None],
    ]


def test_the_papers_negatives_are_compared_with_sound_ones(tmp_path: Path) -> None:
    cells = [Cell("a", "x", [8]), Cell("only here", "x", [1])]
    sound = made(cells, tuples=9, probe=["random", "mismatch"])
    other = made([Cell("a", "x", [1])], tuples=7, probe=["random"])
    false_negative = [Cell("a", "x", [5, 4], false_negative=2)]
    theirs = made(false_negative, tuples=9, probe=["random"], paper_faithful=True)
    (table,) = compare_negatives([other, sound, theirs])
    assert [(line.model, means(line.cells)) for line in table.lines] == [
        ("a", [40, 45, 80, 35]),
        ("average", [40, 45, 80, 35]),
    ]
    _, faithful, ours, difference = table.lines[0].cells
    assert faithful
    assert ours
    assert difference
    assert max(faithful.half, ours.half) < difference.half < faithful.half + ours.half
    with pytest.raises(NotFound, match="both kinds of negatives"):
        compare_negatives([sound])


def test_frequencies_are_those_of_right_and_of_wrong_answers(
    frequency: ModuleType, results: Path, folder: Path, faithful: Path, tmp_path: Path
) -> None:
    (result,) = load([results / "sound-analogy-vectors-tiny.vec.json"])
    rows = AnalogyTask().read(folder, "test").rows
    right = result.numbers[0][0, :, 0]
    for split in frequency.splits(result, folder, "reverse"):
        asked = [
            n
            for n, row in enumerate(rows)
            if row.labels[:3] == (split.relation, "supervised", "reverse")
        ]
        wrong = [frequency.pair_frequency(rows[n].judged_pair) for n in asked if not right[n]]
        assert split.wrong == wrong
        assert len(split.right) + len(wrong) == len(asked) > 200
        assert len(split.right_pairs) + len(split.wrong_pairs) == len(
            {rows[n].judged_pair for n in asked}
        )
    with pytest.raises(SystemExit, match="no supervised cross results"):
        frequency.splits(result, folder, "cross")
    with pytest.raises(SystemExit, match="is not the dataset of"):
        frequency.splits(result, faithful)
    frequency.draw_frequency(
        frequency.splits(result, folder), "frequency", tmp_path / "frequency.png"
    )
    assert (tmp_path / "frequency.png").exists()


def test_the_papers_averages_are_those_of_its_groups() -> None:
    table = dict(paper("analogy")["table_1"])
    overall = table.pop("All")
    for model, averages in overall.items():
        columns = zip(*(figures[model] for figures in table.values()), strict=True)
        assert [sum(column) / 4 for column in columns] == pytest.approx(averages, abs=0.02), model


def test_results_record_their_setup(results: Path) -> None:
    held = json.loads((results / "faithful-analogy-vectors-tiny.vec.json").read_text())["results"][
        0
    ]
    assert held["setup"]["tests"][0]["options"]["paper_faithful"] is True
    assert held["setup"]["hyperparameters"]["learning_rate"] == 0.001
    assert len(held["setup"]["files"]["vectors"]) == 64
    assert [fold["epochs"] for fold in held["runs"][0]["folds"]] == [2, 2]
