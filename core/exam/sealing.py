"""The description of an exam, its secret, and the root that binds every question and answer.

Everything secret is derived from 256 random bits by HMAC-SHA256. A leaf hashes a question with its
answer, its place, a secret salt and the digest of the description; without salts, the few possible
answers could be tried. Leaves and inner nodes of the Merkle tree start with different bytes, as in
RFC 6962.
"""

import hashlib
import hmac
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Annotated, Any, Literal, NamedTuple, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, PositiveInt, ValidationError

from ..capabilities import Documentation, Groups, Source
from ..dataset.manifest import SplitName, default_shards, shard_bounds, shard_name
from ..dataset.plan import check_plan, plan_splits
from ..dataset.shard import Shard, make_shard
from ..dataset.suite import EngineProvider, Name, Suite
from ..errors import CheckFailed, InvalidInput, InvalidSuite, RelsmithError, Unchecked, reason
from ..example import Example
from ..generator import Generator
from ..options import external_options, pattern_validator, validation_messages
from ..registry import GENERATORS, installed_versions
from ..splits import test_split
from ..storage.text import read

EXAM = "exam.json"
_DOMAIN = "relsmith exam 1"
_LEAF, _NODE = b"\0", b"\1"
_ID_BYTES = 16

Digest = Annotated[str, pattern_validator("[0-9a-f]{64}", "64 digits from 0 to f")]


@dataclass(frozen=True)
class Secret:
    """The secret of an exam: 256 random bits."""

    key: bytes = field(repr=False)

    @classmethod
    def parse(cls, text: str, path: Path) -> Self:
        """Return a secret written as 64 hexadecimal digits; errors do not repeat it."""
        try:
            found = cls(bytes.fromhex(text.strip()))
        except ValueError:
            found = cls(b"")
        if len(found.key) != 32:
            raise InvalidInput(f"{path}: it has no seed of 64 hexadecimal digits; restore it")
        return found

    @classmethod
    def load(cls, path: Path) -> Self:
        """Load the secret from its file, which nobody else may read."""
        try:
            if os.name == "posix" and path.stat().st_mode & 0o077:
                raise InvalidInput(f"{path}: others can read it; run chmod 600 {path}")
            return cls.parse(path.read_bytes().decode("latin-1"), path)
        except OSError as error:
            raise InvalidInput(f"{path}: {reason(error)}; restore it from a backup") from None

    def derive(self, purpose: str, *parts: str) -> bytes:
        """Return 256 bits that nobody can tell from random ones without the secret."""
        return hmac.digest(self.key, orjson.dumps([_DOMAIN, purpose, *parts]), "sha256")

    def seed(self, dataset: str) -> int:
        """Return the seed of a dataset, of 256 bits."""
        return int.from_bytes(self.derive("seed", dataset), "big")

    def digest(self) -> str:
        """Return the published digest of the secret."""
        return hashlib.sha256(f"{_DOMAIN} seed ".encode() + self.key).hexdigest()

    def canary(self) -> str:
        """Return the text by which copies of the exam are found in training data."""
        return f"relsmith-exam-canary-{self.derive('canary')[:16].hex()}"

    def wording(self, candidate: str, question: str, wordings: int) -> int:
        """Return which wording of a question a candidate gets; 0 without a candidate."""
        return self.derive("wording", candidate, question)[0] % wordings if candidate else 0


class SealedDataset(BaseModel):
    """A dataset of an exam without its seed; a question has one row for each of its wordings."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    generator: str
    version: int
    options: dict[str, Any]
    splits: tuple[SplitName, ...]
    split: SplitName
    rows: PositiveInt
    wordings: Literal[1, 2]
    sources: list[Source]

    def configured(self) -> Generator:
        """Return the generator; Unchecked if other versions are installed."""
        generator = GENERATORS.get(self.generator).configure(self.options)
        _refuse_files(generator)
        if (generator.version, Documentation.of(generator).sources()) != (
            self.version,
            self.sources,
        ):
            raise Unchecked(
                f"version {generator.version} of {self.generator}, or a source of its rows, is not "
                f"that of the exam; install the versions that {EXAM} names"
            )
        return generator


class Description(BaseModel):
    """The contents of `exam.json`: all that is published of an exam beside its questions."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    format: Literal[1] = 1
    name: Name
    summary: str
    packages: dict[str, str]
    datasets: dict[Name, SealedDataset] = Field(min_length=1)
    submissions: PositiveInt
    canary: str
    seed_digest: Digest
    root: Digest

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Load the description in a folder; InvalidInput if it is missing or damaged."""
        path = folder / EXAM
        text = read(path, "name the folder of an exam")
        try:
            return cls.model_validate_json(text, strict=True)
        except ValidationError as error:
            what = "; ".join(validation_messages(error, cls))
            raise InvalidInput(f"{path}: {what}; restore it") from None

    def json_bytes(self) -> bytes:
        """Return the contents of the file."""
        option = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        return orjson.dumps(self.model_dump(mode="json"), option=option)

    def commitment(self) -> str:
        """Return the digest that binds the whole exam: the sha256 of `exam.json`."""
        return hashlib.sha256(self.json_bytes()).hexdigest()

    @property
    def questions(self) -> int:
        """The number of questions."""
        return sum(each.rows // each.wordings for each in self.datasets.values())


def describe(suite: Suite, secret: Secret, *, submissions: int, wordings: bool) -> Description:
    """Return the description of a new exam, without its root."""
    datasets, packages = {}, dict[str, str]()
    for name, entry in suite.datasets.items():
        if {"seed", "format"} & entry.model_fields_set:
            raise InvalidSuite(f"{name}: an exam draws its own seed; leave out seed and format")
        generator = GENERATORS.get(entry.generator).configure(entry.options)
        _refuse_files(generator)
        if not generator.labelled:
            raise InvalidSuite(f"{name}: rows of {entry.generator} have no answers; leave it out")
        splits = plan_splits(generator, entry.split, entry.rows, secret.seed(name))
        check_plan(generator, splits, secret.seed(name))
        options, split = generator.options(), test_split(splits)
        datasets[name] = SealedDataset(
            generator=generator.name,
            version=generator.version,
            options=options,
            splits=tuple(splits),
            split=split,
            rows=splits[split],
            wordings=2 if wordings and options.get("siblings") == ["words"] else 1,
            sources=Documentation.of(generator).sources(),
        )
        packages |= installed_versions(generator.name)
    if wordings and all(each.wordings == 1 for each in datasets.values()):
        raise InvalidSuite("--wordings: no dataset has the options {siblings: words}; add them")
    return Description(
        name=suite.name,
        summary=suite.summary,
        packages=packages,
        datasets=datasets,
        submissions=submissions,
        canary=secret.canary(),
        seed_digest=secret.digest(),
        root="0" * 64,
    )


def _refuse_files(generator: Generator) -> None:
    for name in external_options(type(generator), generator.options()):
        raise InvalidInput(
            f"{generator.name}: {name} names a file or a model, which others do not have; leave "
            f"it out of an exam"
        )


@contextmanager
def hide_seeds(datasets: Iterable[str], secret: Secret) -> Iterator[None]:
    """Remove the seeds of datasets from messages of errors, and hide what led to them."""
    try:
        yield
    except Exception as error:
        said = " ".join(str(error).split())
        for name in datasets:
            said = said.replace(str(secret.seed(name)), "SEED")
        kind = type(error) if isinstance(error, RelsmithError) else CheckFailed
        raise kind(said) from None


def make_rows(
    exam: Description, secret: Secret, folder: Path, engines: EngineProvider, *, judge: bool = False
) -> None:
    """Make the rows of all datasets, in files below a folder."""
    for name, dataset in exam.datasets.items():
        generator = dataset.configured()
        size, files = Groups.of(generator).group_size, _files(dataset)
        place = folder / name
        place.mkdir(parents=True)
        shards = [
            Shard(
                generator,
                secret.seed(name),
                dataset.splits,
                dataset.split,
                *shard_bounds(dataset.rows, size, index, len(files)),
                file,
                "jsonl",
                place,
                judge,
            )
            for index, file in enumerate(files)
        ]
        with engines(name, dataset.rows) as engine:
            for _ in engine.map_shards(make_shard, shards):
                pass


def _files(dataset: SealedDataset) -> list[str]:
    """Return the names of a dataset's files: ten times the default, for more workers."""
    count = default_shards(10 * dataset.rows)
    return [shard_name(dataset.split, index, count, "jsonl") for index in range(count)]


class Question(NamedTuple):
    """A question, with a row as made and as shown for each of its wordings."""

    id: str
    dataset: str
    made: tuple[bytes, ...]
    shown: tuple[bytes, ...]
    rows: tuple[Example, ...]
    """The rows with the choices as they are shown."""

    def answer(self) -> bytes:
        """Return the line that is published after the exam."""
        target, rows = self.rows[0].target, [row.id for row in self.rows]
        return encode({"id": self.id, "dataset": self.dataset, "target": target, "rows": rows})


def encode(record: dict[str, Any]) -> bytes:
    """Return a record as a line of JSON."""
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)


def read_questions(exam: Description, secret: Secret, folder: Path) -> Iterator[Question]:
    """Yield the questions from the files that `make_rows` made, in the order of their ids."""
    with ExitStack() as stack:
        places = list[tuple[str, str, IO[bytes], int]]()
        for name, dataset in exam.datasets.items():
            number = 0
            for file_name in _files(dataset):
                file = stack.enter_context((folder / name / file_name).open("rb"))
                offset = 0
                for line in file:
                    if number % dataset.wordings == 0:
                        id = secret.derive("id", name, str(number))[:_ID_BYTES].hex()
                        places.append((id, name, file, offset))
                    offset += len(line)
                    number += 1
        for id, name, source, offset in sorted(places, key=lambda place: place[0]):
            source.seek(offset)
            made = tuple(source.readline() for _ in range(exam.datasets[name].wordings))
            rows = tuple(Example(**orjson.loads(row)) for row in made)
            for row in rows:  # sorting by random keys shuffles
                row.choices.sort(key=lambda choice: secret.derive("choice", id, choice))
            shown = [
                {"id": id, "dataset": name, "input": row.input, "choices": row.choices}
                for row in rows
            ]
            lines = tuple(encode(each | {"canary": exam.canary}) for each in shown)
            yield Question(id, name, made, lines, rows)


def root_of(exam: Description, secret: Secret, questions: Iterable[Question]) -> str:
    """Return the root of the Merkle tree of RFC 6962 over the questions and answers."""
    header = hashlib.sha256(exam.model_copy(update={"root": ""}).json_bytes()).digest()
    level = [_leaf(header, place, secret, each) for place, each in enumerate(questions)]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        above = [hashlib.sha256(_NODE + left + right).digest() for left, right in pairs]
        level = above + level[2 * len(above) :]
    return level[0].hex()


def _leaf(header: bytes, place: int, secret: Secret, question: Question) -> bytes:
    hashed = hashlib.sha256(_LEAF + header + place.to_bytes(8, "big"))
    hashed.update(secret.derive("salt", question.id))
    for part in (question.dataset.encode(), *question.shown, *question.made):
        hashed.update(len(part).to_bytes(8, "big") + part)
    return hashed.digest()
