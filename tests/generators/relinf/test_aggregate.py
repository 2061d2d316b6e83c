"""Labelled pairs: agreement, splits by question, and the judge."""

import json
import random
from pathlib import Path

import pytest

from relsmith import Dataset, Example, verify, write
from relsmith.errors import Infeasible, InvalidOption
from relsmith.generators.relinf import Relinf, RelinfAggregate
from relsmith.generators.relinf.aggregate import labelled_pairs, rows_by_split
from relsmith.generators.relinf.baseline import partial_inputs
from relsmith.generators.relinf.question_splits import min_split_size
from relsmith.testing import check_generator, golden_digest
from relsmith.testing.profile import scaled, thinned
from relsmith.validation import findings

GOLDEN = "6fc5e3e137cdcc3e7894e5ec9fcb1316675a279bf9ba9b6fa9ce8791cb824821"
CANDIDATES = min(700, scaled(700, least=350))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("small") / "candidates"
    write(Relinf(), folder, {"train": CANDIDATES})
    return str(folder)


@pytest.fixture
def votes(small: str, tmp_path: Path) -> Path:
    """Five workers who mostly agree."""
    rng = random.Random(1)
    path, lines = tmp_path / "votes.jsonl", []
    for task in dict.fromkeys(row.metadata["task"] for row in Dataset(small).rows()):
        opinion = rng.choices(["yes", "no", "nonsense"], [2, 5, 1])[0]
        for worker in "abcde":
            said = opinion if rng.random() < 0.9 else rng.choice(["yes", "no", "nonsense"])
            lines.append(json.dumps({"task": task, "worker": worker, "label": said}))
    path.write_text("\n".join(lines) + "\n")
    return path


def test_conformance(small: str) -> None:
    check_generator(RelinfAggregate, options={"candidates": small, "simulated": 5})


def test_bytes_are_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest covers rows, which contain no folder names."""
    write(Relinf(), tmp_path / "candidates", {"train": 300})
    monkeypatch.chdir(tmp_path)
    generator = RelinfAggregate(candidates="candidates", simulated=5)
    rows = min_split_size(labelled_pairs(generator).sizes, 2)
    splits = {"train": min(rows, 400), "test": min(rows, 200)}
    assert golden_digest(generator, splits) == GOLDEN


@pytest.mark.parametrize("rule", thinned(["all-but-one", "3/5", "majority"], 2))
def test_annotations_become_labels(small: str, votes: Path, tmp_path: Path, rule: str) -> None:
    generator = RelinfAggregate(candidates=small, annotations=(str(votes),), rule=rule)
    rows = generator.capacity(("train",), 0)["train"]
    assert rows > 0.42 * CANDIDATES
    write(generator, tmp_path / "out", {"train": rows}, judge=True)
    for row in Dataset(tmp_path / "out").rows():
        assert row.target in ("yes", "no")
        assert sum(row.metadata["votes"].values()) == 5


def test_splits_by_share(small: str, votes: Path, tmp_path: Path) -> None:
    generator = RelinfAggregate(
        candidates=small, annotations=(str(votes),), shares=("train=0.7", "test=0.3")
    )
    sizes = {s: len(hand) for s, hand in rows_by_split(generator, ("train", "test"), 0).items()}
    write(generator, tmp_path / "out", sizes)
    asked = {
        split: {row.metadata["question"]["number"] for row in Dataset(tmp_path / "out").rows(split)}
        for split in sizes
    }
    assert not asked["train"] & asked["test"]
    assert sizes["train"] / sum(sizes.values()) == pytest.approx(0.7, abs=0.1)
    assert list(verify(tmp_path / "out", trust=True)) == []
    with pytest.raises(Infeasible, match="splits are train, dev"):
        write(generator, tmp_path / "other", {"train": 5, "dev": 5})


def test_other_votes_are_noticed(small: str, votes: Path, tmp_path: Path) -> None:
    generator = RelinfAggregate(candidates=small, annotations=(str(votes),))
    write(generator, tmp_path / "out", {"train": 80})
    votes.write_text(votes.read_text().replace('"yes"', '"no"'))
    said = list(verify(tmp_path / "out", trust=True))
    assert any("sources differ" in one for one in said)
    assert any("annotations are not those of the files" in one for one in said)


def test_the_judge_recounts_votes(small: str, votes: Path) -> None:
    generator = RelinfAggregate(candidates=small, annotations=(str(votes),))
    row = next(generator.examples(1))
    other = "no" if row.target == "yes" else "yes"
    wrong = Example(row.id, row.input, row.choices, other, row.metadata)
    assert any("the annotators say" in one for one in findings(generator, wrong))
    unsure = row.metadata | {"confidence": row.metadata["confidence"] - 0.1}
    wrong = Example(row.id, row.input, row.choices, row.target, unsure)
    assert any("confidence" in one for one in findings(generator, wrong))


def test_simulated_annotators_are_marked(small: str, tmp_path: Path) -> None:
    made = write(RelinfAggregate(candidates=small, simulated=3), tmp_path / "out", {"train": 50})
    assert made.options["simulated"] == 3
    assert "SIMULATED annotators" in {source.name for source in made.sources}
    row = next(Dataset(tmp_path / "out").rows())
    assert {worker for worker, _ in row.metadata["annotations"]} == {
        f"simulated-{n}" for n in (1, 2, 3)
    }


def test_no_agreement_is_an_error(small: str, tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    path.write_text('{"task": "unknown", "worker": "ann", "label": "yes"}\n')
    generator = RelinfAggregate(candidates=small, annotations=(str(path),))
    with pytest.raises(
        Infeasible, match=f"none of {CANDIDATES} candidates; 1 left out: no such task"
    ):
        generator.capacity(("train",), 0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "name files of annotations"),
        ({"simulated": 5, "annotations": "a.csv"}, "name files of annotations"),
        ({"simulated": 5, "rule": "2/9"}, "more than half"),
        ({"simulated": 5, "shares": "train=0.8"}, "add up to 1"),
        ({"simulated": 5, "shares": "train=0.8,test=x"}, "test=x"),
        ({"simulated": 5, "shares": "train=0.5,train=0.5"}, "train=0.5"),
        ({"simulated": 5, "shares": "train=1.0,test=0.0"}, "above 0"),
        ({"simulated": 5, "shares": "../x=1.0"}, "../x=1.0"),
    ],
)
def test_options_are_checked(options: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidOption, match=said):
        RelinfAggregate.configure({"candidates": "c", **options})


def test_candidates_of_another_generator(tmp_path: Path) -> None:
    from relsmith_comparatives import Comparatives

    write(Comparatives(), tmp_path / "c", {"train": 5})
    with pytest.raises(InvalidOption, match="was made by comparatives"):
        RelinfAggregate(candidates=str(tmp_path / "c"), simulated=5).capacity(("train",), 0)


def _row(number: int, hypothesis: str, target: str) -> Example:
    known = {"question": {"number": number}, "hypothesis": hypothesis, "triple": ["a", "is", "b"]}
    return Example("x", "", ["yes", "no"], target, known)


def test_hypotheses_that_reveal_the_label_are_found() -> None:
    rng = random.Random(2)
    words = [f"word{n}" for n in range(40)]
    fair, leaky = [], []
    for n in range(600):
        target = "yes" if rng.random() < 0.4 else "no"
        text = " ".join(rng.sample(words, 4))
        fair.append(_row(n // 6, text, target))
        leaky.append(_row(n // 6, f"{text} {'often' if target == 'yes' else 'never'}", target))
    found = partial_inputs(leaky)
    assert found["hypothesis only, accuracy (%)"] > 95
    assert 50 < found["commonest label, accuracy (%)"] < 70
    assert partial_inputs(fair)["hypothesis only, accuracy (%)"] < 66
    assert set(partial_inputs([]).values()) == {0}


def test_the_check_is_in_the_statistics(small: str, tmp_path: Path) -> None:
    from relsmith.dataset.statistics import compute_statistics

    write(RelinfAggregate(candidates=small, simulated=5), tmp_path / "out", {"train": 100})
    found = compute_statistics(tmp_path / "out")
    assert "hypothesis only, accuracy (%)" in found.measures
    assert found.as_json()["measures"] == found.measures
