"""Everybody can verify a revealed exam from its folder, and every forgery is found."""

import hashlib
import hmac
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

import relsmith
from relsmith.errors import InvalidInput, InvalidOption, RelsmithError, Unchecked
from relsmith.exam.holder import Holder
from relsmith.exam.publishing import ANSWERS, LOG, QUESTIONS, REVEAL, write_revealed
from relsmith.exam.sealing import EXAM, Description, SealedExam, _leaf, _root
from relsmith.testing.profile import thinned

from .conftest import Forge, create, read_lines, verified, write_lines


def test_a_published_exam_has_no_answers_and_no_seed(made: Path) -> None:
    holder = Holder(made / "exam")
    published = {path.name: path.read_text() for path in (made / "published").iterdir()}
    assert sorted(published) == [EXAM, QUESTIONS]
    text = "".join(published.values())
    numbers = [str(holder.sealed.secret.seed(name)) for name in holder.exam.suite.datasets]
    for hidden in (
        holder.sealed.secret.key.hex(),
        *numbers,
        "metadata",
        "target",
        "comparatives-v",
    ):
        assert hidden not in text
    questions = read_lines(made / "published" / QUESTIONS)
    assert {frozenset(each) for each in questions} == {
        frozenset(("id", "dataset", "input", "choices", "canary"))
    }
    assert {each["canary"] for each in questions} == {holder.exam.canary}
    assert len(questions) == holder.exam.questions == 40
    assert all(re.fullmatch("[0-9a-f]{32}", each["id"]) for each in questions)


def test_an_exam_verifies_before_and_after_the_reveal(made: Path) -> None:
    commitment = hashlib.sha256((made / "published" / EXAM).read_bytes()).hexdigest()
    before = verified(made / "published", commitment=commitment)
    assert (before.findings, before.is_revealed) == ([], False)
    receipts = [entry["receipt"] for entry in read_lines(made / "revealed" / LOG)]
    after = verified(made / "revealed", commitment=commitment, receipts=receipts)
    assert (after.findings, after.is_revealed) == ([], True)
    assert [each["all"][:2] for each in after.grades.values()] == [(40, 40), (40, 15), (40, 0)]
    for name in (EXAM, QUESTIONS):
        again = (made / "revealed" / name).read_bytes()
        assert again == (made / "published" / name).read_bytes()


def edited(name: str, change: Callable[[dict[str, Any]], Any]) -> Forge:
    """Return a change of a file that holds one object."""

    def forge(folder: Path) -> None:
        content = json.loads((folder / name).read_text())
        change(content)
        option = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        (folder / name).write_bytes(orjson.dumps(content, option=option))

    return forge


def relined(name: str, change: Callable[[list[Any]], Any]) -> Forge:
    """Return a change of the lines of a file."""

    def forge(folder: Path) -> None:
        lines = read_lines(folder / name)
        change(lines)
        write_lines(folder / name, lines)

    return forge


def setting(name: str, value: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda content: content.update({name: value})


def other_answer(lines: list[Any]) -> None:
    lines[7]["target"] = next(
        each["target"] for each in lines if each["target"] != lines[7]["target"]
    )


def add_answer(lines: list[Any]) -> None:
    lines.append(lines[-1] | {"id": "f" * 32})


def swap(lines: list[Any]) -> None:
    lines[3], lines[4] = lines[4], lines[3]


def rename_dataset(content: dict[str, Any]) -> None:
    datasets = content["suite"]["datasets"]
    datasets["other"] = datasets.pop("long")


def swap_datasets(content: dict[str, Any]) -> None:
    datasets = content["suite"]["datasets"]
    content["suite"]["datasets"] = dict(reversed([*datasets.items()]))


def swap_ids(lines: list[Any]) -> None:
    lines[3]["id"], lines[4]["id"] = lines[4]["id"], lines[3]["id"]


def both_flipped(folder: Path) -> None:
    """Flip an answer, and write down the root that an exam with this answer would have."""
    relined(ANSWERS, other_answer)(folder)
    edited(EXAM, setting("root", "ab" * 32))(folder)


def drop_first_entry(folder: Path) -> None:
    relined(LOG, lambda lines: lines.pop(0))(folder)
    for number in (2, 3):
        (folder / f"submissions/{number}.jsonl").replace(folder / f"submissions/{number - 1}.jsonl")


def add_submission(folder: Path) -> None:
    shutil.copy(folder / "submissions/1.jsonl", folder / "submissions/4.jsonl")


def better_answers(folder: Path) -> None:
    shutil.copy(folder / "submissions/1.jsonl", folder / "submissions/2.jsonl")


def link_log(folder: Path) -> None:
    (folder / LOG).symlink_to((folder / LOG).rename(folder.parent / LOG))


def score_of(value: int) -> Callable[[list[Any]], Any]:
    return lambda lines: lines[1]["scores"]["all"].update({"score": value})


FORGERIES: dict[str, tuple[Forge, str]] = {
    "flipped answer": (relined(ANSWERS, other_answer), "answers.jsonl:8: differs"),
    "flipped answer and another root": (both_flipped, "answers.jsonl:8: differs"),
    "added answer": (relined(ANSWERS, add_answer), "answers.jsonl:41: differs"),
    "removed answer": (relined(ANSWERS, lambda lines: lines.pop()), "answers.jsonl:40: differs"),
    "other row of an answer": (
        relined(ANSWERS, lambda lines: lines[0].update(rows=lines[1]["rows"])),
        "answers.jsonl:1: differs",
    ),
    "changed question": (
        relined(QUESTIONS, lambda lines: lines[2].update(input=lines[2]["input"] + " ")),
        "questions.jsonl:3: differs",
    ),
    "choices in another order": (
        relined(QUESTIONS, lambda lines: lines[5]["choices"].append("nobody")),
        "questions.jsonl:6: differs",
    ),
    "added question": (relined(QUESTIONS, add_answer), "questions.jsonl:41: differs"),
    "removed question": (
        relined(QUESTIONS, lambda lines: lines.pop(0)),
        "questions.jsonl:1: differs",
    ),
    "swapped questions": (relined(QUESTIONS, swap), "questions.jsonl:4: differs"),
    "swapped ids": (relined(QUESTIONS, swap_ids), "questions.jsonl:4: differs"),
    "changed canary of a question": (
        relined(QUESTIONS, lambda lines: lines[9].update(canary="none")),
        "questions.jsonl:10: differs",
    ),
    "changed canary": (edited(EXAM, setting("canary", "none")), "exam.json:"),
    "changed option": (
        edited(
            EXAM,
            lambda content: content["suite"]["datasets"]["short"]["options"].update(people="3..5"),
        ),
        "questions.jsonl:",
    ),
    "changed number of rows": (
        edited(
            EXAM, lambda content: content["suite"]["datasets"]["short"].update(split="train=29")
        ),
        "exam.json:",
    ),
    "changed split": (
        edited(
            EXAM,
            lambda content: content["suite"]["datasets"]["long"].update(split="test=20,train=10"),
        ),
        "questions.jsonl:",
    ),
    "changed splits": (
        edited(EXAM, lambda content: content["suite"]["datasets"]["long"].update(split="test=10")),
        "exam.json:",
    ),
    "changed number of questions": (edited(EXAM, setting("questions", 39)), "exam.json:"),
    "renamed dataset": (
        edited(EXAM, rename_dataset),
        "questions.jsonl:",
    ),
    "swapped datasets": (edited(EXAM, swap_datasets), "exam.json:"),
    "changed package version": (
        edited(EXAM, lambda content: content["packages"].update(relsmith="9.9")),
        "exam.json:",
    ),
    "changed limit": (edited(EXAM, setting("submissions", 9)), "exam.json:"),
    "changed summary": (
        edited(EXAM, lambda content: content["suite"].update(summary="Better.")),
        "exam.json:",
    ),
    "changed name": (
        edited(EXAM, lambda content: content["suite"].update(name="better")),
        "exam.json:",
    ),
    "changed wordings": (edited(EXAM, setting("wordings", True)), "exam.json:"),
    "changed digest of the seed": (edited(EXAM, setting("seed_digest", "0" * 64)), "exam.json:"),
    "changed root": (edited(EXAM, setting("root", "0" * 64)), "exam.json:"),
    "other seed": (edited(REVEAL, setting("seed", "0" * 64)), "questions.jsonl:1: differs"),
    "changed score": (relined(LOG, score_of(99)), "log.jsonl:2: differs"),
    "better answers": (better_answers, "log.jsonl:2: differs"),
    "other candidate": (
        relined(LOG, lambda lines: lines[0].update(candidate="Bo")),
        "log.jsonl:1: differs",
    ),
    "changed time": (
        relined(LOG, lambda lines: lines[0].update(time="2001-01-01T00:00:00Z")),
        "log.jsonl:1: differs",
    ),
    "removed entry": (
        relined(LOG, lambda lines: lines.pop()),
        "submissions/3.jsonl: the exam has no such file",
    ),
    "removed first entry": (drop_first_entry, "log.jsonl:1: differs"),
    "submission without entry": (add_submission, "submissions/4.jsonl: the exam has no such file"),
    "added file": (
        lambda folder: Path(shutil.copy(folder / ANSWERS, folder / "more.jsonl")),
        "more.jsonl: the exam has no such file",
    ),
    "added folder": (lambda folder: (folder / "more").mkdir(), "more/: the exam has no such file"),
    "file as link": (
        link_log,
        "log.jsonl@: the exam has no such file",
    ),
    "added link to a folder": (
        lambda folder: (folder / "more").symlink_to(folder / "submissions"),
        "more@: the exam has no such file",
    ),
    "removed file": (
        lambda folder: (folder / QUESTIONS).unlink(),
        "questions.jsonl: it is missing",
    ),
}


@pytest.mark.parametrize("name", thinned(FORGERIES, least=20))
def test_a_forgery_is_found(name: str, revealed: Path) -> None:
    forge, expected = FORGERIES[name]
    forge(revealed)
    findings = verified(revealed).findings
    assert any(each.startswith(expected) for each in findings), findings


@pytest.mark.parametrize(
    ("forge", "error", "said"),
    [
        (
            edited(
                EXAM, lambda content: content["packages"].update({"generator comparatives": "9"})
            ),
            Unchecked,
            "install the packages that exam.json names",
        ),
        (edited(EXAM, setting("more", 1)), InvalidInput, "more: no such field"),
        (edited(REVEAL, setting("seed", "12")), InvalidInput, "no seed of 64"),
        (edited(REVEAL, setting("seed", None)), InvalidInput, "no seed of 64"),
        (lambda folder: (folder / LOG).write_text("[]\n"), InvalidInput, "log.jsonl:1"),
        (
            lambda folder: (folder / "submissions/1.jsonl").write_text('{"id": 1, "answer": 2}'),
            InvalidInput,
            "1.jsonl, is damaged",
        ),
        (
            edited(
                EXAM,
                lambda content: content["suite"]["datasets"]["short"].update(
                    generator="clutrr", options={"names": "/etc/passwd"}
                ),
            ),
            RelsmithError,
            "names",
        ),
        (
            edited(EXAM, lambda content: content["suite"]["datasets"].update({"../x": {}})),
            InvalidInput,
            "../x",
        ),
    ],
)
def test_what_cannot_be_verified_is_refused(
    forge: Forge, error: type[RelsmithError], said: str, revealed: Path
) -> None:
    forge(revealed)
    with pytest.raises(error, match=re.escape(said)):
        verified(revealed)


def test_a_consistent_exam_of_another_seed_has_another_commitment(
    made: Path, tmp_path: Path
) -> None:
    other = create(tmp_path / "other", secret=2, submissions=2)
    other.reveal(tmp_path / "revealed")
    other.database.close()
    assert verified(tmp_path / "revealed").findings == []
    published = Holder(made / "exam").exam.commitment()
    (finding,) = verified(tmp_path / "revealed", commitment=published).findings
    assert finding.startswith("exam.json: its sha256 is") and published in finding


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"questions": 39}, "exam.json:"),
        ({"packages": {"more": "1"}}, "exam.json: packages: expected "),
        ({"canary": "none"}, "exam.json:"),
    ],
)
def test_fields_are_verified_even_with_the_root_that_they_give(
    change: dict[str, Any], expected: str, made: Path, tmp_path: Path
) -> None:
    holder = Holder(made / "exam")
    if packages := change.get("packages"):
        change = {"packages": holder.exam.packages | packages}
    exam, secret = holder.exam.model_copy(update=change), holder.sealed.secret
    lines = sorted(b"".join(map(Path.read_bytes, holder.sealed.folder.iterdir())).splitlines(True))
    leaves = [_leaf(exam.header(), secret, orjson.loads(line)["id"], line) for line in lines]
    exam = exam.model_copy(update={"root": _root(leaves)})
    write_revealed(SealedExam(exam, secret, holder.sealed.folder), tmp_path / "revealed", [])
    findings = verified(tmp_path / "revealed").findings
    assert any(each.startswith(expected) for each in findings), findings


def test_an_exam_that_is_not_revealed_is_checked_in_part(made: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(made / "published", tmp_path / "published"))
    for options in ({"receipts": ["0" * 64]}, {"candidate": "Ann"}):
        with pytest.raises(InvalidOption, match="the exam is not revealed yet"):
            verified(folder, **options)
    (folder / "more").mkdir()
    assert verified(folder).findings == ["more/: the exam has no such file"]
    (folder / "more").rmdir()
    commitment = verified(folder).commitment
    (folder / EXAM).write_bytes((folder / EXAM).read_bytes() + b" ")
    (finding,) = verified(folder, commitment=commitment).findings
    assert finding.startswith("exam.json: its sha256 is")


def test_the_folder_of_the_holder_is_no_published_exam(made: Path) -> None:
    with pytest.raises(InvalidOption, match="give what publish or reveal has written"):
        verified(made / "exam")


def test_changes_of_packages_are_named(made: Path) -> None:
    exam = Holder(made / "exam").exam
    assert exam.package_changes() == []
    (change,) = exam.model_copy(
        update={"packages": exam.packages | {"relsmith": "9.9"}}
    ).package_changes()
    assert change.startswith("relsmith: the exam was sealed with 9.9, but")


def test_a_consistently_shortened_log_lacks_the_receipt(made: Path, tmp_path: Path) -> None:
    receipt = read_lines(made / "revealed" / LOG)[-1]["receipt"]
    holder = Holder(Path(shutil.copytree(made / "exam", tmp_path / "exam")))
    holder.database.write(
        lambda connection: connection.execute("DELETE FROM submissions WHERE number = 3")
    )
    holder.reveal(tmp_path / "revealed")
    holder.database.close()
    assert verified(tmp_path / "revealed").findings == []
    findings = verified(tmp_path / "revealed", receipts=[receipt]).findings
    assert findings == [f"log.jsonl: it has no receipt {receipt}"]


def test_more_submissions_than_the_limit_are_found(made: Path, tmp_path: Path) -> None:
    holder = Holder(Path(shutil.copytree(made / "exam", tmp_path / "exam")))
    holder.database.write(lambda connection: connection.execute("DELETE FROM facts"))
    holder.exam = holder.exam.model_copy(update={"submissions": 9})
    holder.check("Ann", {})
    holder.exam = Description.load(made / "exam")
    holder.reveal(tmp_path / "revealed")
    holder.database.close()
    assert verified(tmp_path / "revealed").findings == ["log.jsonl: ann has 3 submissions, not 2"]


def test_questions_are_compared_in_the_wordings_of_their_candidate(
    worded: Holder, tmp_path: Path
) -> None:
    holder = Holder(Path(shutil.copytree(worded.folder, tmp_path / "exam")))
    holder.publish(tmp_path / "Ann", "Ann")
    holder.reveal(tmp_path / "revealed")
    holder.database.close()
    assert verified(tmp_path / "revealed").findings == []
    shutil.copy(tmp_path / "Ann" / QUESTIONS, tmp_path / "revealed")
    assert verified(tmp_path / "revealed", candidate="Ann").findings == []
    for other in ("", "Bo"):
        (finding,) = verified(tmp_path / "revealed", candidate=other).findings
        assert finding.startswith("questions.jsonl:")


def test_the_root_is_that_of_the_documented_tree(made: Path, tmp_path: Path) -> None:
    """Compute the root once more as docs/exams.md describes it, without our code."""
    folder = made / "revealed"
    key = bytes.fromhex(json.loads((folder / REVEAL).read_text())["seed"])
    exam = json.loads((folder / EXAM).read_text())
    root = exam.pop("root")
    header = json.dumps(exam, indent=2, ensure_ascii=False) + "\n"

    def derive(*parts: str) -> bytes:
        text = json.dumps(["relsmith exam 1", *parts], separators=(",", ":"), ensure_ascii=False)
        return hmac.new(key, text.encode(), hashlib.sha256).digest()

    def tree(leaves: list[bytes]) -> bytes:
        if len(leaves) == 1:
            return leaves[0]
        left = 1 << ((len(leaves) - 1).bit_length() - 1)
        return hashlib.sha256(b"\1" + tree(leaves[:left]) + tree(leaves[left:])).digest()

    rows = {}
    for name, dataset in exam["suite"]["datasets"].items():
        seed = int.from_bytes(derive("seed", name), "big")
        generator = relsmith.make(dataset["generator"], **dataset["options"])
        splits = dict(part.split("=") for part in dataset["split"].split(","))
        asked = "test" if "test" in splits else "train"
        split = generator.split(asked, splits=tuple(splits), seed=seed)
        for number in range(int(splits[asked])):
            row = split[number].record()
            id = derive("id", name, str(number))[:16].hex()
            rows[id] = {"id": id, "dataset": name, "rows": [row]}
    leaves = []
    for id in sorted(rows):
        line = json.dumps(rows[id], separators=(",", ":"), ensure_ascii=False) + "\n"
        start = b"\0" + hashlib.sha256(header.encode()).digest() + derive("salt", id)
        leaves.append(hashlib.sha256(start + line.encode()).digest())
    assert tree(leaves).hex() == root
