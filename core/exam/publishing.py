"""What is published of an exam, before and after the reveal, and its verification.

To verify a revealed exam is to write its folder again from the seed, and to compare every byte.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import orjson

from ..dataset.card import CARD
from ..dataset.suite import EngineProvider
from ..errors import InvalidInput
from ..storage.text import parse_json, read
from .grading import Grades, encode_answers, grade, log_entry
from .sealing import EXAM, Description, Secret, make_rows, read_questions, root_of

QUESTIONS, ANSWERS = "questions.jsonl", "answers.jsonl"
REVEAL, LOG, SUBMISSIONS = "reveal.json", "log.jsonl", "submissions"
_PAGE = """# The exam {name}

{summary}

{count} questions are in `questions.jsonl`, one per line: `id`, `dataset`, `input`, and `choices`,
which is empty for open questions. `exam.json` has the options that made them, so `gen show` prints
others of the same kind with their answers.

Send back one line for each: {{"id": "...", "answer": "..."}}. Each candidate has {submissions}
submissions; a question without an answer counts as wrong.

The commitment, the sha256 of `exam.json`, fixes every question and answer:

    {commitment}

After the exam its seed is published; `gen exam verify` then proves that nothing was changed.

THIS EXAM MUST NOT BE PART OF TRAINING DATA. Canary: {canary}
"""


class Submission(NamedTuple):
    """The answers of a candidate, and when they came."""

    candidate: str
    time: str
    answers: Mapping[str, str]


def write_published(
    exam: Description, secret: Secret, rows: Path, out: Path, candidate: str = ""
) -> None:
    """Write what a candidate may see into a new folder."""
    out.mkdir()
    (out / EXAM).write_bytes(exam.json_bytes())
    with (out / QUESTIONS).open("wb") as file:
        for each in read_questions(exam, secret, rows):
            file.write(each.shown[secret.wording(candidate, each.id, len(each.shown))])
    page = _PAGE.format(
        name=exam.name,
        summary=exam.summary,
        count=exam.questions,
        submissions=exam.submissions,
        commitment=exam.commitment(),
        canary=exam.canary,
    )
    (out / CARD).write_text(page, "utf-8")


def write_revealed(
    exam: Description, secret: Secret, rows: Path, out: Path, made: Sequence[Submission]
) -> list[Grades]:
    """Write all that is published in the end into a new folder; return exact grades."""
    write_published(exam, secret, rows, out)
    with (out / ANSWERS).open("wb") as file:
        file.writelines(each.answer() for each in read_questions(exam, secret, rows))
    sheets = [(each.candidate, each.answers) for each in made]
    grades = grade(secret, read_questions(exam, secret, rows), sheets)
    before, log = exam.commitment(), list[bytes]()
    (out / SUBMISSIONS).mkdir()
    for number, (each, graded) in enumerate(zip(made, grades, strict=True), 1):
        data = encode_answers(each.answers)
        (out / SUBMISSIONS / f"{number}.jsonl").write_bytes(data)
        entry = log_entry(before, number, each.candidate, each.time, data, graded)
        log.append(orjson.dumps(entry, option=orjson.OPT_APPEND_NEWLINE))
        before = entry["receipt"]
    (out / LOG).write_bytes(b"".join(log))
    content = {"seed": secret.key.hex(), "receipt": before}
    option = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    (out / REVEAL).write_bytes(orjson.dumps(content, option=option))
    return grades


class Verification(NamedTuple):
    """What is wrong with a published exam, and the exact grades by number and candidate."""

    exam: Description
    findings: list[str]
    is_revealed: bool
    grades: dict[str, Grades]


def verify(
    folder: Path,
    engines: EngineProvider,
    *,
    commitment: str = "",
    receipts: Collection[str] = (),
    copy: Path | None = None,
    candidate: str = "",
) -> Verification:
    """Verify a published exam; `commitment` and `receipts` are what was published before.

    After the reveal, `copy` is compared with the questions that `candidate` got.
    """
    exam, findings = Description.load(folder), list[str]()
    if commitment and commitment != exam.commitment():
        findings.append(f"{EXAM}: its sha256 is {exam.commitment()}, not {commitment}")
    if not (folder / REVEAL).exists():
        if (count := sum(1 for _ in _lines(folder / QUESTIONS))) != exam.questions:
            findings.append(f"{QUESTIONS}: it has {count} of {exam.questions} questions")
        return Verification(exam, findings, False, {})
    secret = Secret.parse(_seed(folder / REVEAL), folder / REVEAL)
    made = list(_submissions(folder))
    with TemporaryDirectory() as work:
        rows, again = Path(work, "rows"), Path(work, "exam")
        make_rows(exam, secret, rows, engines)
        sealed = {"canary": secret.canary(), "seed_digest": secret.digest()}
        truth = exam.model_copy(update=sealed)
        root = root_of(truth, secret, read_questions(truth, secret, rows))
        truth = truth.model_copy(update={"root": root})
        grades = write_revealed(truth, secret, rows, again, made)
        findings += _differences(again, folder)
        if copy:
            write_published(truth, secret, rows, Path(work, "copy"), candidate)
            findings += _difference(Path(work, "copy", QUESTIONS), copy)
        known = [line["receipt"] for line in map(parse_json, _lines(again / LOG))]
    findings += [f"{LOG}: it has no receipt {each}" for each in receipts if each not in known]
    for name, count in Counter(each.candidate for each in made).items():
        if count > exam.submissions:
            findings.append(f"{LOG}: {name} has {count} submissions, not {exam.submissions}")
    names = (f"{number} {each.candidate}" for number, each in enumerate(made, 1))
    return Verification(exam, findings, True, dict(zip(names, grades, strict=True)))


def _submissions(folder: Path) -> Iterator[Submission]:
    """Yield the submissions of a revealed exam, with their places in the log."""
    for number, line in enumerate(_lines(folder / LOG), 1):
        path = folder / SUBMISSIONS / f"{number}.jsonl"
        try:
            entry = parse_json(line)
            answers = {each["id"]: each["answer"] for each in map(parse_json, _lines(path))}
            if not all(isinstance(text, str) for pair in answers.items() for text in pair):
                raise TypeError("an answer is no text")
            yield Submission(str(entry["candidate"]), str(entry["time"]), answers)
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(f"{folder}: {LOG}:{number} or {path.name} is damaged") from error


def _differences(expected: Path, found: Path) -> Iterator[str]:
    """Yield how a folder differs from an expected one."""
    names = [
        {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
        for folder in (expected, found)
    ]
    for name in sorted(names[0] ^ names[1]):
        yield f"{name}: {'it is missing' if name in names[0] else 'the exam has no such file'}"
    for name in sorted(names[0] & names[1]):
        yield from _difference(expected / name, found / name)


def _difference(expected: Path, found: Path) -> Iterator[str]:
    pairs = enumerate(zip_longest(_lines(expected), _lines(found)), 1)
    if wrong := [number for number, (one, other) in pairs if one != other]:
        yield f"{found.name}:{wrong[0]}: differs from what the seed gives, as {len(wrong)} in all"


def _seed(path: Path) -> str:
    """Return the seed in a file that may have anything."""
    try:
        content = parse_json(read(path))
    except ValueError:
        content = None
    return str(content.get("seed")) if isinstance(content, dict) else ""


def _lines(path: Path) -> Iterator[bytes]:
    if path.is_file():
        with path.open("rb") as file:
            yield from file
