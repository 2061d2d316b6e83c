"""The manifest: everything that determines a dataset's bytes, and nothing else."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal, Self, cast, get_args

import orjson
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PositiveInt,
    ValidationError,
    field_validator,
    model_validator,
)

from ..block import row_id
from ..capabilities import Source
from ..errors import NotADataset, reason
from ..options import pattern_validator, validation_messages
from ..scoring.scorer import generator_named
from ..storage.text import open_plain, parse_json, read_limited

FORMAT = 2
ROWS_PER_SHARD = 20_000
MANIFEST = "manifest.json"
SUITE = "suite.json"
"""The manifest of a suite, in the folder above its datasets."""
WORK_FOLDER = ".unfinished"
"""The subfolder of a dataset in which its files are made."""

Encoding = Literal["jsonl", "jsonl.gz", "jsonl.zst", "parquet"]

_MAX_BYTES = 2**28
_ENDINGS = "|".join(map(re.escape, get_args(Encoding)))
_FILE = re.compile(rf"([a-z][a-z0-9_]*)-(\d{{5,}})-of-(\d{{5,}})\.({_ENDINGS})")


def shard_name(split: str, index: int, shards: int, encoding: Encoding) -> str:
    """Return the file name of a shard."""
    return f"{split}-{index:05}-of-{shards:05}.{encoding}"


def shard_bounds(rows: int, group_size: int, index: int, shards: int) -> tuple[int, int]:
    """Return the first row of a shard and the one after its last; groups stay whole."""
    groups = rows // group_size
    start, stop = (groups * (index + end) // shards * group_size for end in (0, 1))
    return start, stop


def encoding_of(name: str) -> Encoding:
    """Return the format of a shard from its file name."""
    return cast(Encoding, name.partition(".")[2])


def default_shards(rows: int) -> int:
    """Return the default number of files for a split with that many rows."""
    return -(-rows // ROWS_PER_SHARD)


def is_dataset(folder: Path) -> bool:
    """Return whether the folder has a relsmith manifest of any format version."""
    try:
        with open_plain(folder / MANIFEST) as file:
            found = parse_json(read_limited(file, _MAX_BYTES))
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and {"format", "generator", "files"} <= set(found)


def is_shard_name(name: str) -> bool:
    """Return whether a shard can have this file name."""
    return _FILE.fullmatch(name) is not None


def _what_it_is(folder: Path) -> str:
    """Return what the folder has instead of a dataset, and what to name instead."""
    if (folder / SUITE).exists():
        return f"it is a suite; name one of its datasets: {folder / 'NAME'}"
    if folder.is_dir() or not folder.exists():
        lacks = f"it has no {MANIFEST}" if folder.is_dir() else "there is no such folder"
        return f"{lacks}; make one with gen NAME --out {folder}"
    if is_dataset(folder.parent):
        return f"it is a file of the dataset {folder.parent}; name that folder"
    return "it is a file; name a folder that gen NAME --out has made"


class DataFile(BaseModel):
    """One shard: its file name, size and digest."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str
    split: str
    rows: int = Field(ge=1)
    bytes: int = Field(ge=1)
    sha256: Annotated[str, pattern_validator("[0-9a-f]{64}", "64 digits from 0 to f")]

    @field_validator("name")
    @classmethod
    def _check_name(cls, name: str) -> str:
        if not is_shard_name(name):
            raise ValueError(
                f"expected a name such as {shard_name('train', 0, 1, 'jsonl')!r}, but got {name!r}"
            )
        return name


SplitName = Annotated[
    str,
    pattern_validator("[a-z][a-z0-9_]*", "a name of lower-case letters, digits and _ for a split"),
]


class Manifest(BaseModel):
    """The contents of `manifest.json`."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    format: int = Field(default=FORMAT, ge=1)
    generator: str
    version: int
    distribution: str
    options: dict[str, Any]
    seed: int = Field(ge=-(2**63), lt=2**63)
    splits: dict[SplitName, PositiveInt] = Field(min_length=1)
    sources: list[Source]
    withheld: dict[str, list[str]] = {}
    notes: list[str] = []
    files: list[DataFile]

    def row_id(self, split: str, n: int) -> str:
        """Return the id that row `n` of a split must have."""
        languages = generator_named(self.generator).languages(self.options)
        return row_id(self.generator, self.version, self.seed, split, n, languages)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Load the manifest of a finished dataset; NotADataset says why that fails."""
        path = folder / MANIFEST
        try:
            with open_plain(path) as file:
                found = parse_json(read_limited(file, _MAX_BYTES))
            newer = found["format"] if found["format"] > FORMAT else None
        except (NotADirectoryError, FileNotFoundError):
            raise NotADataset(
                f"{folder} is not a finished dataset: {_what_it_is(folder)}"
            ) from None
        except (OSError, ValueError, TypeError, KeyError) as error:
            why = f"it lacks {error}" if isinstance(error, KeyError) else reason(error)
            raise NotADataset(
                f"{path} cannot be read as a manifest ({why}); restore it or make the dataset again"
            ) from None
        if newer is not None:
            raise NotADataset(
                f"{path} has format {newer}, but this relsmith reads up to {FORMAT}; "
                f"upgrade relsmith"
            )
        try:
            manifest = cls.model_validate(found, strict=True)
        except ValidationError as error:
            raise NotADataset(
                f"{path}: {'; '.join(validation_messages(error, cls))}; restore it or make the "
                f"dataset again"
            ) from None
        if not manifest.files:
            raise NotADataset(f"{path} lists no files; restore it or make the dataset again")
        return manifest

    @model_validator(mode="after")
    def _check_licences(self) -> Self:
        if self.format == 1 and any(source.licence for source in self.sources):
            raise ValueError("format: sources have no licences in format 1")
        return self

    @property
    def encoding(self) -> Encoding:
        """The format of the shards."""
        return encoding_of(self.files[0].name)

    def json_bytes(self) -> bytes:
        """Return the contents of the manifest file."""
        return orjson.dumps(
            self.model_dump(mode="json"), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        )
