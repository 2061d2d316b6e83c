"""Submissions are limited, logged and scored once."""

import hashlib
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import pytest

from relsmith.errors import CheckFailed, InvalidInput, InvalidOption
from relsmith.exam import holder as holder_module
from relsmith.exam.grading import grade
from relsmith.exam.holder import Holder
from relsmith.exam.publishing import QUESTIONS
from relsmith.storage import database

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


@pytest.mark.parametrize("name", ["ann é", " Ann  É ", "Ann E\u0301", "\uff21NN é"])
def test_another_spelling_is_the_same_candidate(name: str, holder: Holder) -> None:
    holder.check("Ann É", {"x": "y"})
    assert holder.check(name, {"y": "z"})["candidate"] == "Ann É"
    with pytest.raises(InvalidOption, match="Ann É has used all 2"):
        holder.check(name, {})
    assert holder.candidates() == ["Ann É"]
    assert holder.sealed.secret.wording(name, "x", 2) == holder.sealed.secret.wording(
        "Ann É", "x", 2
    )


def test_others_can_write_while_a_submission_is_scored(
    holder: Holder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scoring(*given: Any) -> Any:
        with closing(Holder(holder.folder).database) as other:
            other.write(lambda connection: connection.execute("UPDATE candidates SET expires = 1"))
        return grade(*given)

    monkeypatch.setattr(database, "_BUSY_SECONDS", 0.01)
    monkeypatch.setattr(holder_module, "grade", scoring)
    assert holder.check("Ann", {})["number"] == 1


DAMAGES: dict[str, Callable[[list[Any]], Any]] = {
    "lost": lambda lines: lines.pop(),
    "repeated": lambda lines: lines.append(lines[-1]),
    "changed": lambda lines: lines[3]["rows"][0].update(target="nobody"),
    "no question": lambda lines: lines[2].pop("rows"),
    "empty": lambda lines: lines.clear(),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_questions_are_not_used(name: str, holder: Holder, tmp_path: Path) -> None:
    for path in holder.sealed.folder.iterdir():
        lines = read_lines(path)
        DAMAGES[name](lines)
        write_lines(path, lines)
    for use in (
        lambda: holder.check("Ann", {}),
        lambda: holder.publish(tmp_path / "published"),
        lambda: holder.reveal(tmp_path / "revealed"),
    ):
        with pytest.raises(CheckFailed, match="is not what was sealed; restore it"):
            use()
    assert holder.log() == [] and not {*tmp_path.iterdir()} - {holder.folder}


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


def test_a_failed_reveal_does_not_end_the_exam(
    holder: Holder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder.check("Ann", {})
    with monkeypatch.context() as broken, pytest.raises(CheckFailed):
        broken.setattr(holder_module, "write_revealed", lambda *given: 1 / 0)
        holder.reveal(tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert holder.check("Bo", {})["number"] == 2


def test_a_log_without_the_scores_of_its_answers_is_not_published(
    holder: Holder, tmp_path: Path
) -> None:
    for name in ("Ann", "Bo"):
        holder.check(name, right_answers(holder))
    entry = holder.log()[1]
    entry["scores"]["long"]["score"] = 99
    line = "UPDATE submissions SET entry = ? WHERE number = 2"
    holder.database.write(lambda connection: connection.execute(line, [orjson.dumps(entry)]))
    with pytest.raises(CheckFailed, match="the log entry of submission 2 does not follow"):
        holder.reveal(tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert holder.check("Ann", {})["number"] == 3


def test_a_long_answer_is_refused(holder: Holder, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    write_lines(path, [{"id": id, "answer": "x" * 4001} for id in list(holder.ids)[:1]])
    with pytest.raises(InvalidInput, match=r"jsonl:1: the answer has 4001 characters, but at most"):
        holder.read_answers(path)


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
