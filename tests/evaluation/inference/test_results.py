"""From a file to results, and from results to a table and a figure."""

import json
from pathlib import Path

import pytest

from relsmith.errors import InvalidOption, NotADataset, NotFound
from relsmith.evaluation.relinf import reports
from relsmith.evaluation.relinf.layered import RuleList
from relsmith.evaluation.relinf.lemma import Lemma
from relsmith.evaluation.relinf.model import Machine
from relsmith.evaluation.relinf.pairs import read_pairs
from relsmith.evaluation.relinf.results import Result, data_of, load_results, run

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


def made(path: Path, model: Lemma | RuleList, machine: Machine) -> Result:
    read = read_pairs(path, "test")
    return run(model, data_of(path, "test", read), read, machine, path.parent / "out")


def test_figures_by_hand(pairs: Path, machine: Machine) -> None:
    lemma = made(pairs, Lemma(), machine).summary()
    assert (lemma["tp"], lemma["predicted"], lemma["implied"], lemma["pairs"]) == (1, 2, 3, 6)
    assert (lemma["precision"], lemma["recall"]) == (0.5, pytest.approx(1 / 3))
    model = RuleList(rules=(pairs.parent / "rules.tsv",))
    result = made(pairs, model, machine)
    assert result.points == [(1, 1), (2, 1)]
    assert result.summary()["recall_at_0.8"] == pytest.approx(1 / 3)
    assert (result.tp, result.predicted) == (1, 2)


def test_a_result_says_all_that_it_depends_on(pairs: Path, machine: Machine) -> None:
    model = RuleList(rules=(pairs.parent / "rules.tsv",), lemma=True)
    result = made(pairs, model, machine)
    out = pairs.parent / "out"
    (path,) = out.iterdir()
    assert path.name == "pairs-lemma+rules.json"
    held = json.loads(path.read_text())
    assert held["setup"]["hyperparameters"]["rules"] == ["rules.tsv"]
    assert held["setup"]["data"]["pairs"] == 6
    digests = [held["setup"]["wordnet"], held["setup"]["data"]["sha256"]]
    ((name, digest),) = held["setup"]["sources"]
    assert name == "rules.tsv"
    assert all(len(one) == 64 for one in [*digests, digest])
    assert "relsmith" in held["setup"]["versions"]
    assert str(pairs.parent) not in path.read_text()
    assert "aspirin" not in path.read_text()
    assert load_results([out]) == [result]
    assert made(pairs, model, machine) == result
    (pairs.parent / "rules.tsv").write_text("stop\ttreat\n")
    with pytest.raises(InvalidOption, match=r"another setup \(sources differs\)"):
        made(pairs, model, machine)


def test_a_kept_result_is_not_made_again(pairs: Path, machine: Machine) -> None:
    made(pairs, Lemma(), machine)
    (path,) = (pairs.parent / "out").iterdir()
    held = json.loads(path.read_text())
    path.write_text(json.dumps({**held, "tp": 2}))
    assert made(pairs, Lemma(), machine).tp == 2


def test_the_table_and_the_figure(pairs: Path, machine: Machine, tmp_path: Path) -> None:
    rules = (pairs.parent / "rules.tsv",)
    models = [RuleList(rules=rules, lemma=True), RuleList(rules=rules), Lemma()]
    results = [made(pairs, model, machine) for model in models]
    (table,) = reports.inference(results)
    assert [line.model for line in table.lines] == ["lemma", "rules", "lemma + rules"]
    assert table.title == "pairs: 3 of 6 pairs are implied"
    assert table.lines[0].cells[0] == (0.5, 0.0)
    assert "0.25 at a precision of 0.8" in table.note
    reports.draw(results, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10_000
    with pytest.raises(InvalidOption, match="cannot draw to"):
        reports.draw(results, tmp_path / "figure.nonsense")
    other = tmp_path / "other.tsv"
    other.write_text(PAIRS + PAIRS)
    with pytest.raises(InvalidOption, match="one set of pairs, but these are of other, pairs"):
        reports.draw([*results, made(other, Lemma(), machine)], tmp_path / "figure.png")


def test_files_that_are_no_results(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="holds no results"):
        load_results([tmp_path])
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(NotADataset, match="it is not JSON"):
        load_results([tmp_path])
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(NotADataset, match="is no result of gen eval"):
        load_results([tmp_path])


def test_the_page_says_what_the_results_say(root: Path) -> None:
    page = (root / "docs" / "evaluation-relinf.md").read_text().replace("**", "")
    results = load_results([root / "docs" / "results" / "relinf"])
    assert len(results) == 10
    for result in results:
        found = result.summary()
        names = ("precision", "recall", "area", "recall_at_0.8")
        figures = " | ".join(f"{found[name]:.3f}" for name in names)
        assert f"| {found['tp']} of {found['predicted']} | {figures} |" in page, found["model"]
