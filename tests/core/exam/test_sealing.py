"""Secrets, ids, orders and rows of exams."""

import re
from collections import Counter
from pathlib import Path

import pytest

from relsmith import Score, score
from relsmith.dataset.suite import Suite
from relsmith.errors import CheckFailed, InvalidInput, InvalidSuite, NotFound, RelsmithError
from relsmith.exam import sealing
from relsmith.exam.holder import SECRET, Holder
from relsmith.exam.sealing import Description, Secret, describe, hide_seeds, seal
from relsmith.generator import Generator
from relsmith.testing.profile import thinned
from relsmith_comparatives import Comparatives

from .conftest import SUITE, create, engines

KEY = Secret(bytes(range(32)))


def test_derived_values_are_pinned() -> None:
    """Exams that were published must verify with later versions."""
    assert KEY.derive("id", "short", "0").hex()[:16] == "ccd7c94aed417d60"
    assert (
        KEY.seed("short")
        == 14339602617161150889152175643588062219304666132273895238201432341267766135704
    )
    assert KEY.derive("canary").hex()[:16] == "432109fa908c8dd1"
    assert KEY.digest() == ("33a904425c8cba2935d2fece80d6d9241f9e98edd2a1f7e5b583238062de7245")
    assert [KEY.wording(name, "x", 2) for name in ("Ann", " ANN ", "Bo")] == [1, 1, 0]


def test_values_differ_by_secret_and_purpose() -> None:
    values = [
        KEY.derive("id", "a", "b"),
        KEY.derive("id", "ab"),
        KEY.derive("ida", "b"),
        KEY.derive("salt", "a", "b"),
        Secret(bytes(32)).derive("id", "a", "b"),
    ]
    assert len(set(values)) == len(values)


def test_a_secret_is_not_shown() -> None:
    assert "Secret()" == repr(KEY) == str(KEY)
    with pytest.raises(InvalidInput) as raised:
        Secret.parse(KEY.key.hex()[1:], Path("secret"))
    assert KEY.key.hex()[1:] not in str(raised.value)


def test_files_of_the_holder_are_private(holder: Holder) -> None:
    assert holder.folder.stat().st_mode & 0o077 == 0
    assert (holder.folder / SECRET).stat().st_mode & 0o777 == 0o600
    (holder.folder / SECRET).write_text("00" * 32)
    with pytest.raises(InvalidInput, match="is not the seed of"):
        Holder(holder.folder)
    (holder.folder / SECRET).unlink()
    with pytest.raises(NotFound, match="restore it from a backup"):
        Holder(holder.folder)


def test_order_and_choices_do_not_follow_the_rows(made: Path) -> None:
    questions = list(Holder(made / "exam").sealed.questions())
    assert [each.id for each in questions] == sorted(each.id for each in questions)
    numbers = [
        int(each.rows[0].id.rpartition("-")[2]) for each in questions if each.dataset == "short"
    ]
    assert sorted(numbers) == [*range(30)] != numbers
    assert [each.dataset for each in questions] != sorted(each.dataset for each in questions)
    places = Counter(each.rows[0].choices.index(each.rows[0].target) for each in questions)
    assert len(places) > 2


EVERY: dict[str, dict[str, object]] = {
    "analogy": {"only": ["animal"], "probe": "random", "choices": 3, "form": "question"},
    "clutrr": {"k": "2,3", "noise": "supporting", "choices": "3"},
    "cloze": {"distractors": 3},
    "comparatives": {},
}


@pytest.mark.parametrize("name", thinned(EVERY))
def test_seeds_of_256_bits_make_right_rows(name: str, tmp_path: Path) -> None:
    content = {"generator": name, "options": EVERY[name], "rows": 20}
    suite = Suite.model_validate({"name": "all", "datasets": {name: content}})
    exam = describe(suite, submissions=1, wordings=False)
    sealed = seal(exam, KEY, tmp_path / "sealed", engines, judge=True)
    for question in sealed.questions():
        (row,) = question.rows
        assert f"-s{KEY.seed(name)}-" in row.id
        right = [choice for choice in row.choices or [row.target] if score(row, choice).value]
        assert right == [row.target]
        if name == "analogy" and len(row.choices) == 3:
            assert re.findall(r"^([A-Z])\. ", row.input, re.MULTILINE) == row.choices


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_answers_with_wrong_scores_are_not_sealed(
    value: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "score", lambda row, text: Score(value, text, ""))
    with pytest.raises(CheckFailed, match=r"score as right, not '\w+' alone"):
        create(tmp_path / "exam")


def test_many_workers_make_the_same_exam(made: Path, tmp_path: Path) -> None:
    other = create(tmp_path / "other", submissions=2)
    other.database.close()
    assert other.exam == Description.load(made / "exam")


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"seed": 0}, InvalidSuite, "an exam draws its own seed"),
        ({"format": "parquet"}, InvalidSuite, "an exam draws its own seed"),
        (
            {"generator": "clutrr", "options": {"names": "names.txt"}},
            RelsmithError,
            "names.txt",
        ),
        ({"generator": "cloze", "options": {"lm": "model"}}, InvalidInput, "lm names a file or"),
        ({"generator": "relinf", "options": {}}, InvalidSuite, "rows of relinf have no answers"),
        ({"options": {"peopel": 3}}, RelsmithError, "people"),
    ],
)
def test_suites_that_cannot_be_sealed_are_refused(
    change: dict[str, object], error: type[RelsmithError], said: str, tmp_path: Path
) -> None:
    datasets: dict[str, object] = {"short": SUITE["datasets"]["short"] | change}
    with pytest.raises(error, match=re.escape(said)):
        create(tmp_path / "exam", {"name": "x", "datasets": datasets})
    assert not (tmp_path / "exam").exists()


def test_a_dataset_cannot_have_the_name_of_the_total(tmp_path: Path) -> None:
    datasets = {"all": SUITE["datasets"]["short"], "more": SUITE["datasets"]["short"]}
    with pytest.raises(InvalidSuite, match=r"^all: the total score has this name; rename"):
        create(tmp_path / "exam", {"name": "x", "datasets": datasets})


def test_wordings_need_siblings(tmp_path: Path) -> None:
    with pytest.raises(InvalidSuite, match="siblings: words"):
        create(tmp_path / "exam", wordings=True)


def test_an_existing_folder_is_not_replaced(holder: Holder) -> None:
    before = (holder.folder / SECRET).read_bytes()
    with pytest.raises(RelsmithError, match="already exists; choose"):
        create(holder.folder)
    assert (holder.folder / SECRET).read_bytes() == before


@pytest.mark.parametrize("method", ["replay", "problems", "rows"])
def test_errors_do_not_show_a_seed(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds = [str(Secret(b"\1" * 32).seed(name)) for name in ("short", "long")]

    def fail(self: Generator, of: object) -> list[str]:
        if method == "rows":
            raise RuntimeError(f"no rows for {of}")
        return [f"{of} is wrong"]

    monkeypatch.setattr(Comparatives, method, fail)
    with pytest.raises(CheckFailed) as raised:
        create(tmp_path / "exam")
    error = raised.value
    assert "SEED" in str(error)
    assert error.__cause__ is None and error.__suppress_context__
    assert not any(seed in str(error) for seed in seeds)
    assert not (tmp_path / "exam").exists()


def test_seeds_are_removed_from_any_error() -> None:
    with pytest.raises(CheckFailed, match=r"^row x-sSEED-train-1 is odd$"), hide_seeds(["a"], KEY):
        raise RuntimeError(f"row x-s{KEY.seed('a')}-train-1\nis odd")


def test_a_killed_run_leaves_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Comparatives, "rows", lambda self, block: 1 / 0)
    with pytest.raises(CheckFailed):
        create(tmp_path / "exam")
    assert list(tmp_path.rglob("*")) == []
