"""From a file to results, and from results to a table and a figure."""

import json
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from typing_extensions import override

from relsmith.errors import InvalidOption
from relsmith.evaluation.model import RunContext
from relsmith.evaluation.papers.inference.curve import counts, curve, draw, ranking
from relsmith.evaluation.papers.inference.layered import RuleList
from relsmith.evaluation.papers.inference.lemma import Lemma
from relsmith.evaluation.papers.inference.model import InferenceModel
from relsmith.evaluation.papers.inference.task import (
    Assertion,
    InferenceAnswer,
    InferencePair,
    InferenceTask,
    inference,
)
from relsmith.evaluation.papers.inference.word_embeddings import WordEmbeddings
from relsmith.evaluation.result import Result, load
from relsmith.evaluation.runner import EvalConfig, evaluate

PAIRS = """\
drug, treats, pain\taspirin, is treating, the pain\ty
drug, treats, pain\taspirin, never treats, pain\tn
drug, treats, pain\taspirin, stops, pain\ty
drug, treats, pain\taspirin, causes, pain\tn
pain, is treated by, drug\taspirin, treats, pain\tn
pain, ends in, death\tpain, wins over, death\ty
"""


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text(PAIRS)
    (tmp_path / "rules.tsv").write_text("stop\ttreat\t2\ncause\ttreat\t1\n")
    return path


def made(
    path: Path,
    *models: InferenceModel,
    test_on: tuple[Path, ...] = (),
    predictions: bool = False,
    seeds: int = 1,
) -> list[Result]:
    order = EvalConfig(
        path,
        lambda *_: nullcontext(lambda _: None),
        path.parent / "out",
        test_on=test_on,
        device="cpu",
        predictions=predictions,
        seeds=seeds,
    )
    return evaluate(models, order)


def test_figures_by_hand(pairs: Path) -> None:
    rules = RuleList(rules=(pairs.parent / "rules.tsv",))
    lemma, ruled = made(pairs, Lemma(), rules)
    assert counts(lemma) == (6, 3, 2, 1)
    (figures,) = lemma.summary()["tests"]
    assert (figures["precision"][0], figures["recall"][0]) == (0.5, pytest.approx(1 / 3))
    assert (figures["taken"][0], figures["implied"][0]) == (pytest.approx(1 / 3), 0.5)
    drawn = curve(ruled)
    assert (drawn.predicted.tolist(), drawn.right.tolist()) == ([1, 2], [1, 1])
    assert counts(ruled) == (6, 3, 2, 1)
    area, recall = ranking(ruled)
    assert area.mean == recall.mean == pytest.approx(1 / 3)
    assert 0 <= recall.low < recall.mean < recall.high <= 1


def test_a_pair_below_the_threshold_is_only_on_the_curve(pairs: Path) -> None:
    vectors = pairs.parent / "vectors.txt"
    vectors.write_text("treats 1 0\nstops 4 3\ncauses 1 0\n")
    (result,) = made(pairs, WordEmbeddings(vectors=vectors, threshold=0.9))
    scores = result.numbers[0][0, :, result.columns.index("score")].tolist()
    assert scores == pytest.approx([np.nan, 1, 0.8, 1, np.nan, np.nan], nan_ok=True)
    assert counts(result) == (6, 3, 2, 0)
    assert curve(result).predicted.tolist() == [2, 3]
    assert curve(result).right.tolist() == [0, 1]


@pytest.mark.slow
def test_intervals_equal_a_bootstrap_over_pairs(pairs: Path) -> None:
    random = np.random.default_rng(3)
    vectors = pairs.parent / "vectors.txt"
    far = {f"w{number}": random.random() for number in range(300)}
    vectors.write_text("said 1 0\n" + "".join(f"{word} 1 {y}\n" for word, y in far.items()))
    labels = {word: "yn"[random.random() > (0.95 if y < 0.2 else 0.3)] for word, y in far.items()}
    pairs.write_text("".join(f"a, said, b\ta, {word}, b\t{labels[word]}\n" for word in far))
    (result,) = made(pairs, WordEmbeddings(vectors=vectors))
    score, implied = (result.of_rows(name)[0] for name in ("score", "implied"))

    def figures(rows: np.ndarray) -> tuple[float, float]:
        area = best = before = 0.0
        for threshold in sorted(set(score[rows]), reverse=True):
            right = implied[rows][score[rows] >= threshold]
            recall, precision = right.sum() / implied[rows].sum(), right.mean()
            area += (recall - before) * precision * (precision >= 0.5)
            best = max(best, recall * (precision >= 0.8))
            before = recall
        return area, best

    samples = [figures(random.integers(0, 300, 300)) for _ in range(300)]
    expected = 1.96 * np.std(samples, axis=0)
    found = ranking(result)
    assert [estimate.mean for estimate in found] == pytest.approx(figures(np.arange(300)))
    assert [estimate.half for estimate in found] == pytest.approx(expected.tolist(), rel=0.2)


class Drawn(Lemma):
    """A method whose predictions depend on the seed."""

    name: ClassVar = "drawn"
    random: ClassVar = True

    @override
    def scores(self, pairs: Sequence[InferencePair], job: RunContext) -> list[float | None]:
        return [1.0 if number % 3 == job.seed else None for number in range(len(pairs))]


def drawn_lines(result: Result, folder: Path) -> int:
    draw([result], folder / "figure.svg")
    return (folder / "figure.svg").read_text().count('id="line2d')


@pytest.mark.slow
def test_figures_are_means_over_seeds_and_each_seed_has_its_curve(pairs: Path) -> None:
    (first,) = made(pairs, Drawn(), seeds=1)
    (result,) = made(pairs, Drawn(), seeds=3)
    found = [counts(result, run=run) for run in range(3)]
    assert found == [(6, 3, 2, 1), (6, 3, 2, 0), (6, 3, 2, 2)]
    (figures,) = result.summary()["tests"]
    assert figures["recall"][0] == pytest.approx(1 / 3)
    alone = [
        (curve(result, run=run).area(), curve(result, run=run).recall_at(0.8)) for run in range(3)
    ]
    assert alone == [
        (pytest.approx(1 / 6), 0),
        (0, 0),
        (pytest.approx(2 / 3), pytest.approx(2 / 3)),
    ]
    assert [one.mean for one in ranking(result)] == pytest.approx(np.mean(alone, axis=0).tolist())
    assert drawn_lines(result, pairs.parent) - drawn_lines(first, pairs.parent) == 2


def test_a_result_records_everything_it_depends_on(pairs: Path) -> None:
    rules = pairs.parent / "rules.tsv"
    (pairs.parent / "more").mkdir()
    (pairs.parent / "more" / "rules.tsv").write_text("end\tbegin\n")
    model = RuleList(rules=(rules, pairs.parent / "more" / "rules.tsv"), lemma=True)
    (result,) = made(pairs, model)
    out = pairs.parent / "out"
    (path,) = out.iterdir()
    assert path.name == "pairs-lemma+rules,rules.json"
    setup = json.loads(path.read_text())["results"][0]["setup"]
    assert setup["hyperparameters"]["rules"] == ["rules.tsv", "rules.tsv"]
    assert setup["tests"][0]["rows"] == 6
    assert set(setup["files"]) == {"WordNet", "rules[0]", "rules[1]"}
    digests = {setup["tests"][0]["digest"], *setup["files"].values()}
    assert len(digests) == 4
    assert all(len(digest) == 64 for digest in digests)
    assert "relsmith" in setup["versions"]
    assert str(pairs.parent) not in path.read_text()
    assert "aspirin" not in path.read_text()
    assert load([out], "inferences") == [result]
    assert made(pairs, model) == [result]
    rules.write_text("stop\ttreat\n")
    with pytest.raises(InvalidOption, match=r"another setup \(files differs\)"):
        made(pairs, model)


def test_a_stored_result_is_not_remade(pairs: Path) -> None:
    made(pairs, Lemma())
    (path,) = (pairs.parent / "out").iterdir()
    held = json.loads(path.read_text())
    held["results"][0]["runs"][0]["folds"][0]["epochs"] = 17
    path.write_text(json.dumps(held))
    assert made(pairs, Lemma())[0].runs[0].folds[0].epochs == 17


def test_answers_are_stored(pairs: Path) -> None:
    made(pairs, Lemma(), predictions=True)
    (path,) = (pairs.parent / "out").glob("*.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["id"] for line in lines] == [f"pairs/{number}" for number in range(1, 7)]
    assert [line["answer"] for line in lines] == ["yes", "no", "no", "no", "yes", "no"]
    assert [line["score"] for line in lines] == [1, None, None, None, 1, None]


def test_numbers_of_a_row() -> None:
    said = Assertion("a", "is", "b")
    for implied in (False, True):
        pair = InferencePair(said, said, implied)
        assert InferenceTask().numbers(pair, InferenceAnswer(0.5, True)) == (1, implied, 0.5)
        *rest, score = InferenceTask().numbers(pair, InferenceAnswer(None, False))
        assert rest == [0, 0]
        assert np.isnan(score)


def test_the_table_and_the_figure(pairs: Path, tmp_path: Path) -> None:
    rules = (pairs.parent / "rules.tsv",)
    other = tmp_path / "other.tsv"
    other.write_text(PAIRS + PAIRS)
    models = [RuleList(rules=rules, lemma=True), RuleList(rules=rules), Lemma()]
    results = made(pairs, *models, test_on=(other,))
    table, twice = inference(results)
    assert [line.model for line in table.lines] == ["lemma", "rules", "lemma + rules"]
    assert table.title == "pairs: 3 of 6 pairs are implied"
    assert twice.title == "other: 6 of 12 pairs are implied"
    precision = table.lines[0].cells[0]
    assert precision and precision.mean == 0.5
    assert "predicting every pair as implied has precision 0.500" in table.note
    assert "0.25 at a precision of 0.8" in twice.note
    draw(results, tmp_path / "figure.svg")
    svg = (tmp_path / "figure.svg").read_text()
    for said in (table.title, twice.title, "lemma + rules", "every pair"):
        assert f"<!-- {said} -->" in svg
    with pytest.raises(InvalidOption, match="cannot draw to"):
        draw(results, tmp_path / "figure.nonsense")
