"""Submissions are limited, logged and scored once."""

import hashlib
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from relsmith.errors import CheckFailed, InvalidInput, InvalidOption
from relsmith.exam import holder as holder_module
from relsmith.exam.holder import Holder
from relsmith.exam.publishing import QUESTIONS

from .conftest import read_lines, right_answers, write_lines


def test_a_score_says_only_shares(holder: Holder) -> None:
    right = right_answers(holder)
    entry = holder.check("Ann", right)
    assert set(entry) == {"number", "candidate", "time", "answers", "scores", "receipt"}
    assert set(entry["scores"]) == {"all", "short", "long"}
    assert entry["scores"]["all"] == {"questions": 40, "score": 100, "low": 91, "high": 100}
    half = dict(list(right.items())[:17])
    assert holder.check("Bo", half)["scores"]["all"]["score"] == 43, "42.5 is rounded"
    assert holder.check("Ann", {})["scores"]["all"]["score"] == 0


def test_candidates_have_a_limit_each(holder: Holder) -> None:
    for n in range(2):
        holder.check("Ann", {"x" * n: "y"})
    with pytest.raises(InvalidOption, match="Ann has used all 2 submissions"):
        holder.check(" Ann  ", {"z": "y"})
    assert holder.check("Bo", {})["number"] == 3
    with pytest.raises(InvalidOption, match="expected a name"):
        holder.check("../Ann", {})


def test_the_same_answers_are_one_submission(holder: Holder) -> None:
    first = holder.check("Ann", {"a": "b"})
    assert [holder.check("Ann", {"a": "b"}) for _ in range(4)] == [first] * 4
    assert len(holder.log()) == 1


def test_a_crash_while_scoring_costs_nothing(
    holder: Holder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(holder_module, "grade", lambda *given: 1 / 0)
        for n in range(3):
            with pytest.raises(CheckFailed):
                holder.check("Ann", {"a": str(n)})
    assert holder.log() == []
    assert [holder.check("Ann", {"a": str(n)})["number"] for n in range(2)] == [1, 2]


def test_many_at_once_keep_the_limit_and_the_chain(holder: Holder) -> None:
    def submit(n: int) -> int:
        try:
            return int(holder.check("Ann Bo"[4 * (n % 2) :][:3], {"a": str(n // 4)})["number"])
        except InvalidOption:
            return 0

    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(submit, range(32)))
    log = holder.log()
    assert {number for number in numbers if number} == {1, 2, 3, 4}
    assert [entry["number"] for entry in log] == [1, 2, 3, 4]
    assert len({entry["receipt"] for entry in log}) == 4


def test_after_the_reveal_no_submission_is_taken(holder: Holder, tmp_path: Path) -> None:
    holder.check("Ann", {})
    holder.reveal(tmp_path / "out")
    with pytest.raises(InvalidOption, match="has been revealed"):
        holder.check("Bo", {})
    with pytest.raises(InvalidOption, match="has been revealed"):
        holder.check("Ann", {})
    holder.reveal(tmp_path / "again")
    assert (tmp_path / "out/log.jsonl").read_bytes() == (tmp_path / "again/log.jsonl").read_bytes()


def test_answers_are_read_from_files(holder: Holder, tmp_path: Path) -> None:
    (first, *_, last) = right_answers(holder)
    path = tmp_path / "answers.jsonl"
    commitment = holder.exam.commitment()
    write_lines(
        path, [{"id": f"{first}@{commitment[:12]}", "answer": "x"}, {"id": last, "reply": None}]
    )
    assert holder.read_answers(path) == {first: "x"}
    write_lines(path, [{"id": "0" * 32, "answer": "x"}])
    with pytest.raises(InvalidInput, match="has no row '0000"):
        holder.read_answers(path)
    (tmp_path / "answers.csv").write_bytes(f"id,answer\n{first},\xff\n".encode("latin-1"))
    with pytest.raises(InvalidInput):
        holder.check("Ann", holder.read_answers(tmp_path / "answers.csv"))


def test_each_candidate_is_scored_on_the_own_wording(worded: Holder, tmp_path: Path) -> None:
    holder = Holder(Path(shutil.copytree(worded.folder, tmp_path / "exam")))
    with pytest.raises(InvalidOption, match="--candidate"):
        holder.publish(tmp_path / "none")
    texts = {}
    for name in ("Ann", "Bo"):
        holder.publish(tmp_path / name, name)
        lines = read_lines(tmp_path / name / QUESTIONS)
        texts[name] = [each["input"] for each in lines]
        assert len(lines) == len({each["id"] for each in lines}) == 16
    differing = sum(one != two for one, two in zip(*texts.values(), strict=True))
    assert 0 < differing < 16
    assert holder.candidates() == ["Ann", "Bo"]
    right = right_answers(holder)
    for name in ("Ann", "Bo"):
        assert holder.check(name, right)["scores"]["all"]["score"] == 100
    for question in holder.sealed.questions():
        assert len({row.target for row in question.rows}) == 1
        assert len({row.input for row in question.rows}) == 2
    digests = {hashlib.sha256((tmp_path / n / QUESTIONS).read_bytes()).hexdigest() for n in texts}
    assert len(digests) == 2
    holder.database.close()
