"""The description of an exam, its secret, and the root that binds every question and answer.

Everything secret is derived from 256 random bits by HMAC-SHA256. A leaf hashes a question and its
answer with the digest of the description and a secret salt, without which the few possible answers
could be tried. Leaves and inner nodes of the Merkle tree start with other bytes, as in RFC 6962.
"""

import hashlib
import heapq
import hmac
import unicodedata
from collections import ChainMap
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

import orjson
from pydantic import BaseModel, ConfigDict, PositiveInt, ValidationError

from ..capabilities import Groups
from ..dataset.manifest import default_shards, shard_bounds
from ..dataset.shard import Shard, gc_paused
from ..dataset.suite import EngineProvider, Suite, SuiteEntry, SuiteJob, plan_dataset
from ..engines.engine import Tick
from ..errors import CheckFailed, InvalidInput, InvalidSuite, Unchecked
from ..example import Example
from ..options import external_options, validation_messages
from ..registry import GENERATORS, installed_versions
from ..scoring.scorer import score
from ..splits import test_split
from ..storage.text import read

EXAM = "exam.json"
ALL = "all"
"""The name of the score of all questions."""
_DOMAIN = "relsmith exam 1"
_LEAF, _NODE = b"\0", b"\1"
_ID_BYTES = 16


def fold_name(name: str) -> str:
    """Return what all spellings of a candidate's name share: case, width and spaces differ."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return unicodedata.normalize("NFKC", " ".join(folded.split()))


@dataclass(frozen=True)
class Secret:
    """The secret of an exam: 256 random bits."""

    key: bytes = field(repr=False)

    @classmethod
    def parse(cls, text: str, path: Path) -> Self:
        """Return a secret written as 64 hexadecimal digits; errors do not repeat it."""
        try:
            key = bytes.fromhex(text.strip())
        except ValueError:
            key = b""
        if len(key) != 32:
            raise InvalidInput(f"{path}: it has no seed of 64 hexadecimal digits; restore it")
        return cls(key)

    def derive(self, purpose: str, *parts: str) -> bytes:
        """Return 256 bits that nobody can tell from random ones without the secret."""
        return hmac.digest(self.key, orjson.dumps([_DOMAIN, purpose, *parts]), "sha256")

    def seed(self, dataset: str) -> int:
        """Return the seed of a dataset, of 256 bits."""
        return int.from_bytes(self.derive("seed", dataset), "big")

    def digest(self) -> str:
        """Return the published digest of the secret."""
        return hashlib.sha256(f"{_DOMAIN} seed ".encode() + self.key).hexdigest()

    def wording(self, candidate: str, question: str, wordings: int) -> int:
        """Return which wording of a question a candidate gets; 0 without a candidate."""
        if not candidate or wordings == 1:
            return 0
        return self.derive("wording", fold_name(candidate), question)[0] % wordings


class Description(BaseModel):
    """The contents of `exam.json`: all that is published of an exam beside its questions."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    format: Literal[1]
    suite: Suite
    """With all options, and splits in rows."""
    packages: dict[str, str]
    submissions: PositiveInt
    wordings: bool
    questions: int = 0
    canary: str = ""
    seed_digest: str = ""
    root: str = ""

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Load the description in a folder; InvalidInput if it is missing or damaged."""
        text = read(folder / EXAM, "name the folder of an exam")
        try:
            return cls.model_validate_json(text, strict=True)
        except ValidationError as error:
            what = "; ".join(validation_messages(error, cls))
            raise InvalidInput(f"{folder / EXAM}: {what}; restore it") from None

    def json_bytes(self) -> bytes:
        """Return the contents of the file."""
        option = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        return orjson.dumps(self.model_dump(mode="json", exclude_defaults=True), option=option)

    def header(self) -> bytes:
        """Return the digest that every leaf has: the sha256 of `exam.json` without the root."""
        return hashlib.sha256(self.model_copy(update={"root": ""}).json_bytes()).digest()

    def commitment(self) -> str:
        """Return the digest that binds the whole exam: the sha256 of `exam.json`."""
        return hashlib.sha256(self.json_bytes()).hexdigest()

    def installed(self) -> dict[str, str]:
        """Return the versions of the packages that are installed now, by name."""
        used = {entry.generator for entry in self.suite.datasets.values()}
        return dict(ChainMap(*map(installed_versions, sorted(used))))

    def package_changes(self) -> list[str]:
        """Return how the installed packages differ from those that sealed the exam."""
        here = self.installed()
        return [
            f"{name}: the exam was sealed with {there}, but {here.get(name, 'none')} is installed"
            for name, there in self.packages.items()
            if here.get(name) != there
        ]


def describe(suite: Suite, *, submissions: int, wordings: bool) -> Description:
    """Return the description of a new exam, without what `seal` adds."""
    datasets = {}
    for name, entry in suite.datasets.items():
        if name == ALL:
            raise InvalidSuite(f"{name}: the total score has this name; rename the dataset")
        if {"seed", "format"} & entry.model_fields_set:
            raise InvalidSuite(f"{name}: an exam draws its own seed; leave out seed and format")
        if not GENERATORS.get(entry.generator).labelled:
            raise InvalidSuite(f"{name}: rows of {entry.generator} have no answers; drop it")
        plan = plan_dataset(name, entry, Path()).plan
        split = ",".join(f"{split}={rows}" for split, rows in plan.splits.items())
        resolved = {"generator": plan.generator, "options": plan.options, "split": split}
        datasets[name] = SuiteEntry.model_validate(resolved)
    rest = {"packages": {}, "submissions": submissions, "wordings": wordings}
    suite = suite.model_copy(update={"datasets": datasets})
    exam = Description.model_validate({"format": 1, "suite": suite, **rest})
    exam = exam.model_copy(update={"packages": exam.installed()})
    jobs = _jobs(exam)
    if wordings and all(_wordings(exam, job) == 1 for job in jobs):
        raise InvalidSuite("--wordings: no dataset has the options {siblings: words}; add them")
    return exam


def _jobs(exam: Description) -> list[SuiteJob]:
    """Return the datasets of an exam; raise if they need files, or other versions."""
    jobs = [plan_dataset(name, entry, Path()) for name, entry in exam.suite.datasets.items()]
    for job in jobs:
        here, there = job.plan.version, exam.packages.get(f"generator {job.plan.generator}")
        if there != str(here):
            versions = f"{job.plan.generator} has version {here}, but the exam {there}"
            raise Unchecked(f"{versions}; install the packages that {EXAM} names")
        for option in external_options(type(job.generator), job.plan.options):
            what = "names a file or a model, which others do not have; leave it out"
            raise InvalidInput(f"{job.name}: {option} {what}")
    return jobs


def _asked(job: SuiteJob) -> tuple[str, int]:
    """Return the split whose rows are asked, and their number."""
    split = test_split(job.plan.splits)
    return split, job.plan.splits[split]


def _wordings(exam: Description, job: SuiteJob) -> int:
    """Return the number of wordings of a question, each of which is a row."""
    return 2 if exam.wordings and job.plan.options.get("siblings") == ["words"] else 1


@contextmanager
def hide_seeds(datasets: Iterable[str], secret: Secret) -> Iterator[None]:
    """Turn errors that may show the seed of a dataset into CheckFailed without it."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        said = " ".join(str(error).split())
        for name in datasets:
            said = said.replace(str(secret.seed(name)), "SEED")
        raise CheckFailed(said) from None


class Question(NamedTuple):
    """A question with its rows, one for each wording."""

    id: str
    dataset: str
    rows: list[Example]

    def shown(self, wording: int, canary: str) -> bytes:
        """Return the line that a candidate gets."""
        row = self.rows[wording]
        known = {"id": self.id, "dataset": self.dataset, "input": row.input}
        return encode(known | {"choices": row.choices, "canary": canary})

    def answer(self) -> bytes:
        """Return the line that is published after the exam."""
        target, rows = self.rows[0].target, [row.id for row in self.rows]
        return encode({"id": self.id, "dataset": self.dataset, "target": target, "rows": rows})


def encode(record: dict[str, Any]) -> bytes:
    """Return a record as a line of JSON."""
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)


class SealedExam(NamedTuple):
    """An exam with its secret and the folder of its questions."""

    exam: Description
    secret: Secret
    folder: Path

    def questions(self) -> Iterator[Question]:
        """Yield the questions in the order of their ids; CheckFailed if they have another root."""
        header, leaves = self.exam.header(), list[bytes]()
        with ExitStack() as stack:
            files = [stack.enter_context(path.open("rb")) for path in self.folder.iterdir()]
            for line in heapq.merge(*files):  # a line starts with its id
                try:
                    id, dataset, rows = orjson.loads(line).values()
                    question = Question(id, dataset, [Example(**row) for row in rows])
                except (ValueError, TypeError, AttributeError):
                    break  # its leaf is missing
                leaves.append(_leaf(header, self.secret, id, line))
                yield question
        if _root(leaves) != self.exam.root:
            raise CheckFailed(f"{self.folder}: it is not what was sealed; restore it from a backup")

    def write_questions(self, path: Path, candidate: str) -> None:
        """Write the questions for a candidate; an empty name stands for everybody."""
        with path.open("wb") as file:
            for each in self.questions():
                wording = self.secret.wording(candidate, each.id, len(each.rows))
                file.write(each.shown(wording, self.exam.canary))


class _Part(NamedTuple):
    """The questions of a file, for a worker."""

    header: bytes
    secret: Secret
    dataset: str
    wordings: int
    shard: Shard


def seal(
    exam: Description, secret: Secret, folder: Path, engines: EngineProvider, *, judge: bool = False
) -> SealedExam:
    """Make all questions, in files of a new folder, and their root."""
    folder.mkdir()
    canary = f"relsmith-exam-canary-{secret.derive('canary')[:16].hex()}"
    jobs = _jobs(exam)
    questions = sum(_asked(job)[1] // _wordings(exam, job) for job in jobs)
    derived = {"questions": questions, "canary": canary, "seed_digest": secret.digest()}
    exam = exam.model_copy(update=derived)
    header, leaves = exam.header(), list[tuple[str, bytes]]()
    for job in jobs:
        (split, rows), seed = _asked(job), secret.seed(job.name)
        size, files = Groups.of(job.generator).group_size, default_shards(10 * rows)
        parts = []
        for index in range(files):  # ten times as many as usual, for more workers
            bounds, name = shard_bounds(rows, size, index, files), f"{job.name}-{index}.jsonl"
            place = tuple(job.plan.splits), split, *bounds
            shard = Shard(job.generator, seed, *place, name, "jsonl", folder, judge)
            parts.append(_Part(header, secret, job.name, _wordings(exam, job), shard))
        with engines(job.name, rows) as engine:
            for sealed in engine.map_shards(_seal_part, parts):
                leaves += sealed
    root = _root([leaf for _, leaf in sorted(leaves)])
    return SealedExam(exam.model_copy(update={"root": root}), secret, folder)


def _seal_part(part: _Part, tick: Tick) -> list[tuple[str, bytes]]:
    """Write the questions of a file, sorted; return their ids and leaves."""
    examples, first = part.shard.examples(), part.shard.start // part.wordings
    leaves, lines = list[tuple[str, bytes]](), list[bytes]()
    with gc_paused():
        while rows := list(islice(examples, part.wordings)):
            number = str(first + len(lines))
            id = part.secret.derive("id", part.dataset, number)[:_ID_BYTES].hex()
            if part.shard.judge:
                _check_scores(rows)
            line = encode({"id": id, "dataset": part.dataset, "rows": [*map(Example.record, rows)]})
            leaves.append((id, _leaf(part.header, part.secret, id, line)))
            lines.append(line)
            if len(lines) % 32 == 0:
                tick(len(lines) * part.wordings)
    assert isinstance(part.shard.work, Path)
    (part.shard.work / part.shard.name).write_bytes(b"".join(sorted(lines)))
    return leaves


def _check_scores(rows: list[Example]) -> None:
    """Raise CheckFailed unless the target of each row, and no other choice, scores as right."""
    for row in rows:
        answers = dict.fromkeys((row.target, *row.choices))
        if (right := [each for each in answers if score(row, each).value]) != [row.target]:
            raise CheckFailed(f"{row.id}: {right} score as right, not {row.target!r} alone")


def _leaf(header: bytes, secret: Secret, id: str, line: bytes) -> bytes:
    return hashlib.sha256(_LEAF + header + secret.derive("salt", id) + line).digest()


def _root(level: list[bytes]) -> str:
    """Return the root of the Merkle tree of RFC 6962 over these leaves; empty without any."""
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        above = [hashlib.sha256(_NODE + left + right).digest() for left, right in pairs]
        level = above + level[2 * len(above) :]
    return b"".join(level).hex()
