"""The published folders of an exam, before and after the reveal, and their verification.

To verify a revealed exam is to write its folder again from the seed, and to compare every byte.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from ..dataset.suite import EngineProvider
from ..errors import InvalidInput, InvalidOption
from ..storage.files import digest
from ..storage.text import parse_json, read
from .grading import Grades, Submission, grade, log_entry
from .sealing import EXAM, Description, SealedExam, Secret, encode, fold_name, seal

QUESTIONS, ANSWERS = "questions.jsonl", "answers.jsonl"
REVEAL, LOG, SUBMISSIONS = "reveal.json", "log.jsonl", "submissions"


def write_published(sealed: SealedExam, out: Path, candidate: str) -> None:
    """Write what a candidate may see into a new folder."""
    out.mkdir()
    (out / EXAM).write_bytes(sealed.exam.json_bytes())
    sealed.write_questions(out / QUESTIONS, candidate)


def encode_answers(answers: Mapping[str, str]) -> bytes:
    """Return answers in the form in which they are kept, hashed and published."""
    return b"".join(encode({"id": id, "answer": answers[id]}) for id in sorted(answers))


def decode_answers(data: bytes) -> dict[str, str]:
    """Return answers from this form."""
    return {each["id"]: each["answer"] for each in map(parse_json, data.splitlines())}


def write_revealed(
    sealed: SealedExam, out: Path, made: Sequence[Submission], candidate: str = ""
) -> list[Grades]:
    """Write all that is published in the end into a new folder; return the exact grades."""
    write_published(sealed, out, candidate)
    with (out / ANSWERS).open("wb") as file:
        file.writelines(each.answer() for each in sealed.questions())
    grades = grade(sealed, made)
    receipt, log = sealed.exam.commitment(), list[bytes]()
    (out / SUBMISSIONS).mkdir()
    for number, (each, graded) in enumerate(zip(made, grades, strict=True), 1):
        data = encode_answers(each.answers)
        (out / SUBMISSIONS / f"{number}.jsonl").write_bytes(data)
        entry = log_entry(receipt, number, each, data, graded)
        log.append(encode(entry))
        receipt = entry["receipt"]
    (out / LOG).write_bytes(b"".join(log))
    (out / REVEAL).write_bytes(encode({"seed": sealed.secret.key.hex(), "receipt": receipt}))
    return grades


class Verification(NamedTuple):
    """Faults of a published exam, the sha256 of its `exam.json`, and its exact grades by name."""

    exam: Description
    commitment: str
    findings: list[str]
    is_revealed: bool
    grades: dict[str, Grades]


def verify(
    folder: Path,
    engines: EngineProvider,
    commitment: str = "",
    receipts: Collection[str] = (),
    candidate: str = "",
) -> Verification:
    """Verify a published exam; `commitment` and `receipts` are what was published before.

    The questions are expected in the wordings of `candidate`.
    """
    if (folder / "sealed").exists():
        raise InvalidOption(
            f"{folder}: it is the holder's; give what publish or reveal has written"
        )
    exam, findings, found = Description.load(folder), list[str](), digest(folder / EXAM)
    if commitment and commitment != found:
        findings.append(f"{EXAM}: its sha256 is {found}, not {commitment}")
    if not (folder / REVEAL).exists():
        if receipts or candidate:
            raise InvalidOption("--receipt, --candidate: the exam is not revealed yet; drop them")
        findings += _misplaced({EXAM, QUESTIONS}, folder)
        if (count := sum(1 for _ in _lines(folder / QUESTIONS))) != exam.questions:
            findings.append(f"{QUESTIONS}: it has {count} of {exam.questions} questions")
        return Verification(exam, found, findings, False, {})
    if exam.packages.keys() != exam.installed().keys():
        findings.append(f"{EXAM}: packages: expected {', '.join(exam.installed())}")
    secret, made = _read_seed(folder / REVEAL), list(_submissions(folder))
    with TemporaryDirectory() as work:
        home = Path(work, "exam")
        again = seal(exam, secret, Path(work, "sealed"), engines)
        grades = write_revealed(again, home, made, candidate)
        findings += _differences(home, folder)
        known = [parse_json(line)["receipt"] for line in _lines(home / LOG)]
    findings += [f"{LOG}: it has no receipt {each}" for each in receipts if each not in known]
    for name, count in Counter(fold_name(each.candidate) for each in made).items():
        if count > exam.submissions:
            findings.append(f"{LOG}: {name} has {count} submissions, not {exam.submissions}")
    names = (f"{number} {each.candidate}" for number, each in enumerate(made, 1))
    return Verification(exam, found, findings, True, dict(zip(names, grades, strict=True)))


def _read_seed(path: Path) -> Secret:
    try:
        content = parse_json(read(path))
    except ValueError:
        content = None
    return Secret.parse(str(content.get("seed")) if isinstance(content, dict) else "", path)


def _submissions(folder: Path) -> Iterator[Submission]:
    for number, line in enumerate(_lines(folder / LOG), 1):
        try:
            entry = parse_json(line)
            answers = decode_answers((folder / SUBMISSIONS / f"{number}.jsonl").read_bytes())
            if not all(isinstance(text, str) for pair in answers.items() for text in pair):
                raise TypeError("an answer is no text")
            yield Submission(str(entry["candidate"]), str(entry["time"]), answers)
        except (OSError, ValueError, KeyError, TypeError):
            raise InvalidInput(
                f"{folder / LOG}:{number}: it, or {SUBMISSIONS}/{number}.jsonl, is damaged; "
                f"restore it"
            ) from None


def _differences(expected: Path, found: Path) -> Iterator[str]:
    """Yield how a folder differs from an expected one."""
    names = _names(expected)
    yield from _misplaced(names, found)
    for name in sorted(names & _names(found)):
        pairs = enumerate(zip_longest(_lines(expected / name), _lines(found / name)), 1)
        if differing := [number for number, (one, other) in pairs if one != other]:
            more = f"differs from what the seed gives, as {len(differing)} in all"
            yield f"{name}:{differing[0]}: {more}"


def _misplaced(expected: Set[str], folder: Path) -> Iterator[str]:
    """Yield what is missing in a folder, and what does not belong there."""
    for name in sorted(expected ^ _names(folder)):
        yield f"{name}: {'it is missing' if name in expected else 'the exam has no such file'}"


def _names(folder: Path) -> set[str]:
    """Return the paths in a folder; links and folders are marked, as `ls -F` does."""
    return {
        path.relative_to(folder).as_posix() + ("@" if path.is_symlink() else "/" * path.is_dir())
        for path in folder.rglob("*")
    }


def _lines(path: Path) -> Iterator[bytes]:
    if path.is_file():
        with path.open("rb") as file:
            yield from file
