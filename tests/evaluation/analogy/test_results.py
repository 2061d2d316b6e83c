"""From a folder to results, and from results to tables."""

import json
import random
import shutil
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import ClassVar

import pytest
import torch
from torch import Tensor

from relsmith.errors import InvalidOption, NotADataset, NotFound
from relsmith.evaluation.analogy import figures, frequency, paper, reports
from relsmith.evaluation.analogy.encoder import Encoder
from relsmith.evaluation.analogy.model import Embedding
from relsmith.evaluation.analogy.perplexity import Perplexity
from relsmith.evaluation.analogy.results import (
    Cell,
    Evaluation,
    Result,
    Run,
    average,
    load_results,
)
from relsmith.evaluation.analogy.rows import Quad
from relsmith.evaluation.analogy.vectors import Vectors
from relsmith.evaluation.analogy.yardsticks import Majority, WordsOnly
from relsmith.evaluation.training import Training

CPU = torch.device("cpu")
TRAINING = Training(epochs=2, batch=100)


@pytest.fixture(scope="module")
def evaluation(folder: Path) -> Evaluation:
    return Evaluation(folder, ("train", "test"), CPU, training=TRAINING)


@pytest.fixture(scope="module")
def results(
    folder: Path,
    faithful: Path,
    vectors: Path,
    evaluation: Evaluation,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The results of vectors and yardsticks, on both kinds of negatives."""
    out = tmp_path_factory.mktemp("results")
    paper_own = Evaluation(faithful, ("train", "test"), CPU, training=TRAINING)
    for one in (evaluation, paper_own):
        for model in (Vectors(vectors=str(vectors)), Majority(), WordsOnly()):
            one.run(model, 2, out)
    return out


class Counting(Embedding):
    """Random vectors, and a count of what was asked for."""

    name: ClassVar = "counting"
    asked: ClassVar[list[Quad]] = []

    def load(self, device: torch.device, words: Collection[str]) -> "Counting":
        return self

    def embed(self, quads: Sequence[Quad]) -> Tensor:
        self.asked.extend(quads)
        return torch.randn(len(quads), 2, 4)

    def similarity(self, vectors: Tensor) -> Tensor:
        return vectors[:, 0, 0]


def test_every_quad_is_embedded_once_for_all_probes_settings_and_seeds(
    evaluation: Evaluation, tmp_path: Path
) -> None:
    result = evaluation.run(Counting(), 2, tmp_path)
    assert len({cell.relation for cell in result.cells}) == len(evaluation.relations) > 1
    assert len({(cell.setting, cell.probe) for cell in result.cells}) == 6
    assert set(Counter(Counting.asked).values()) == {1}
    seeds = {len(cell.runs) for cell in result.cells if cell.setting == "supervised"}
    assert seeds == {2}


def test_what_is_there_is_not_run_again(
    evaluation: Evaluation, masked: Path, tmp_path: Path
) -> None:
    here = tmp_path / "encoder"
    shutil.copytree(masked, here)
    model = Encoder(encoder=str(here))
    first = evaluation.run(model, 1, tmp_path / "out")
    shutil.rmtree(here)
    assert evaluation.run(model, 1, tmp_path / "out") == first
    with pytest.raises(InvalidOption, match="cannot load"):
        evaluation.run(model, 2, tmp_path / "out")
    shutil.copytree(masked, here)
    second = evaluation.run(model, 2, tmp_path / "out")
    assert [cell.runs[0] for cell in second.cells] == [cell.runs[0] for cell in first.cells]
    (path,) = (tmp_path / "out").iterdir()
    assert path.name == "sound-analogy-encoder-encoder.json"
    assert load_results([tmp_path / "out"]) == [second]
    other = Evaluation(evaluation.folder, ("train", "test"), CPU, training=Training(epochs=3))
    with pytest.raises(InvalidOption, match=r"another setup \(training differs\)"):
        other.run(model, 1, tmp_path / "out")


def test_an_interrupted_run_goes_on(evaluation: Evaluation, vectors: Path, tmp_path: Path) -> None:
    model = Vectors(vectors=str(vectors))
    whole = evaluation.run(model, 1, tmp_path)
    (path,) = tmp_path.iterdir()
    half = Result(setup=whole.setup, cells=whole.cells[: len(whole.cells) // 2])
    half.save(path)
    assert evaluation.run(model, 1, tmp_path) == whole


def test_the_same_evaluation_gives_the_same_numbers(
    evaluation: Evaluation, vectors: Path, tmp_path: Path
) -> None:
    model = Vectors(vectors=str(vectors))
    one, other = (evaluation.run(model, 2, tmp_path / name) for name in ("one", "other"))
    assert one == other


def test_answers_are_kept_row_by_row(evaluation: Evaluation, results: Path) -> None:
    (result,) = load_results([results / "sound-analogy-words.json"])
    for cell in result.cells:
        train, test = (some.by_key[cell.key] for some in (evaluation.train, evaluation.test))
        guesses = WordsOnly().guess(train, test)
        right = [row.target == guess for row, guess in zip(test, guesses, strict=True)]
        assert cell.runs[0].answered(cell.rows) == right
        assert cell.runs[0].right == sum(right)


def shuffled(folder: Path) -> Evaluation:
    """Targets that say nothing, in training and in the test."""
    evaluation = Evaluation(folder, ("train", "test"), CPU, training=Training(epochs=3, batch=50))
    chance = random.Random(0)
    for rows in (evaluation.train, evaluation.test):
        for key, some in rows.by_key.items():
            targets = [row.target for row in some]
            chance.shuffle(targets)
            rows.by_key[key] = [
                row._replace(target=target) for row, target in zip(some, targets, strict=True)
            ]
    return evaluation


@pytest.mark.parametrize("kind", ["encoder", "vectors", "perplexity", "words", "majority"])
def test_shuffled_targets_give_chance(
    kind: str, folder: Path, masked: Path, causal: Path, vectors: Path, tmp_path: Path
) -> None:
    model = {
        "encoder": Encoder(encoder=str(masked)),
        "vectors": Vectors(vectors=str(vectors)),
        "perplexity": Perplexity(lm=str(causal)),
        "words": WordsOnly(),
        "majority": Majority(),
    }[kind]
    result = shuffled(folder).run(model, 1, tmp_path)
    for setting in model.settings:
        cells = [cell for cell in result.cells if cell.setting == setting]
        rows = sum(cell.rows for cell in cells)
        accuracy = sum(cell.runs[0].right for cell in cells) / rows
        assert rows > 500
        assert accuracy == pytest.approx(0.5, abs=0.06)


def test_a_model_without_fitting_rows_is_refused(
    folder: Path, masked: Path, tmp_path: Path
) -> None:
    evaluation = Evaluation(folder, ("train", "test"), CPU)
    for key in [key for key in evaluation.test.by_key if key.setting == "unsupervised"]:
        del evaluation.test.by_key[key]
    with pytest.raises(InvalidOption, match=r"is for unsupervised rows.*--setting all"):
        evaluation.run(Perplexity(lm=str(masked)), 1, tmp_path)


def cell(relation: str, group: str, rights: list[int], **more: object) -> Cell:
    known = {"setting": "supervised", "probe": "random", "symmetric": False, "many": False}
    runs = [Run(seed=seed, epochs=1, right=right, answers="") for seed, right in enumerate(rights)]
    known |= {"rows": 10, "negatives": 5, "flawed": 0, "runs": runs} | more
    return Cell(relation=relation, group=group, **known)


def test_every_relation_counts_alike() -> None:
    cells = [cell("a", "x", [2, 4]), cell("b", "x", [80, 60], rows=100)]
    mean, error = average(cells)
    assert mean == pytest.approx(0.5)
    assert error == pytest.approx(0.0)


def with_cells(results: Path, name: str, cells: list[Cell], **setup: object) -> Result:
    (result,) = load_results([results / f"{name}.json"])
    return result.model_copy(
        update={"cells": cells, "setup": result.setup.model_copy(update=setup)}
    )


def test_tables_by_group_have_the_papers_figures_beside_ours(results: Path) -> None:
    cells = [
        cell("E01 [country - capital]", "encyclopedic", [6]),
        cell("L01 [hypernyms - animals]", "lexicographic", [4], many=True),
        cell("mine", "people", [5]),
    ]
    one = with_cells(results, "sound-analogy-vectors-tiny.vec", cells, model="analogy-relation")
    tables = reports.by_group([one])
    assert [table.title.partition(": ")[2] for table in tables] == [
        "encyclopedic (1 relation)",
        "lexicographic (1 relation)",
        "people (1 relation)",
        "All (3 relations)",
    ]
    assert [table.lines[0].cells for table in tables] == [
        [(60, 0)],
        [(40, 0)],
        [(50, 0)],
        [(50, 0)],
    ]
    assert [table.lines[0].paper for table in tables] == [
        [(72.39, 0)],
        [(76.10, 0)],
        [None],
        [(83.89, 0)],
    ]


def test_tables_by_relation_have_marks_and_averages_without_them(results: Path) -> None:
    cells = [
        cell("L10 [antonyms - binary]", "lexicographic", [9], symmetric=True, many=True),
        cell("E01 [country - capital]", "encyclopedic", [6]),
        cell("E02 [country - language]", "encyclopedic", [3], many=True),
    ]
    (table,) = reports.by_relation(
        [with_cells(results, "sound-analogy-vectors-tiny.vec", cells)], "supervised"
    )
    assert [(line.model, line.cells, line.paper) for line in table.lines] == [
        ("E01 [country - capital]", [(60, 0)], [(77.85, 0)]),
        ("E02 [country - language] *", [(30, 0)], [(67.25, 0)]),
        ("L10 [antonyms - binary] * \u2020", [(90, 0)], [(69.72, 0)]),
        ("average", [(pytest.approx(60), 0)], [None]),
        ("average without marked", [(60, 0)], [(68.5, 0)]),
    ]
    with pytest.raises(NotFound, match="no result is of a unsupervised test"):
        reports.by_relation(
            [with_cells(results, "sound-analogy-vectors-tiny.vec", cells)], "unsupervised"
        )


def test_the_papers_negatives_stand_beside_sound_ones(results: Path, tmp_path: Path) -> None:
    sound = with_cells(results, "sound-analogy-vectors-tiny.vec", [cell("a", "x", [8])])
    theirs = with_cells(
        results, "faithful-analogy-vectors-tiny.vec", [cell("a", "x", [5, 4], flawed=2)]
    )
    (table,) = reports.negatives([sound, theirs])
    line, last = table.lines
    assert [round(figure[0], 6) for figure in line.cells if figure] == [40, 45, 80, 35]
    assert last.cells == line.cells
    with pytest.raises(NotFound, match="both kinds of negatives"):
        reports.negatives([sound])
    figures.draw_negatives([table], tmp_path / "negatives.png")
    assert (tmp_path / "negatives.png").read_bytes().startswith(b"\x89PNG")


def test_reports_of_real_results_can_be_drawn(results: Path, folder: Path, tmp_path: Path) -> None:
    loaded = load_results([results])
    assert len(reports.negatives(loaded)) == 6
    figures.draw_relations(reports.by_relation(loaded), tmp_path / "relations.png")
    (one,) = load_results([results / "sound-analogy-words.json"])
    splits = frequency.splits(one, folder)
    figures.draw_frequency(splits, "frequency", tmp_path / "frequency.png")
    table = frequency.table("frequency", splits)
    assert [line.model for line in table.lines] == [split.relation for split in splits]
    assert all(len(split.right) + len(split.wrong) > 200 for split in splits)
    assert {path.suffix for path in tmp_path.iterdir()} == {".png"}
    with pytest.raises(NotFound, match="no supervised cross results"):
        frequency.splits(one, folder, "cross")
    with pytest.raises(InvalidOption, match="is not the dataset of"):
        frequency.check_dataset(one, folder, "0" * 64)


def test_broken_results_are_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="holds no results"):
        load_results([tmp_path])
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(NotADataset, match=r"a\.json is no result"):
        load_results([tmp_path])
    (tmp_path / "a.json").write_text("no")
    with pytest.raises(NotADataset, match="it is not JSON"):
        load_results([tmp_path])


def test_the_papers_averages_are_those_of_its_groups() -> None:
    for model in {model for _, model in paper.TABLE_1}:
        groups = [paper.TABLE_1[group, model] for group in paper.GROUPS.values()]
        means = [sum(column) / len(column) for column in zip(*groups, strict=True)]
        assert means == pytest.approx(paper.TABLE_1[paper.ALL, model], abs=0.02), model


def test_relations_of_bats_have_their_figures(root: Path) -> None:
    assert len(paper._BY_NAME) == 40
    assert paper.relation_figures("L01 [hypernyms - animals]")["random"] == 47.50
    assert paper.relation_figures("D04 [over+adj_reg]")["type"] == 99.16
    assert paper.relation_figures("friends") == {}
    for path in (root.parent / "shared" / "data" / "bats").rglob("*.txt"):
        assert paper.relation_figures(path.stem)["random"] > 40


def test_results_say_what_they_are_of(results: Path, folder: Path) -> None:
    held = json.loads((results / "faithful-analogy-majority.json").read_text())
    assert held["setup"]["test"]["options"]["paper_faithful"] is True
    assert held["mean"]["supervised random"] == [0.5, 0.0]
    assert held["setup"]["versions"]["transformers"]
