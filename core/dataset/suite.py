"""Suites: several datasets in one folder, with one manifest and one card."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..engines.engine import Engine
from ..errors import AlreadyExists, CheckFailed, NotADataset, reason
from ..generator import Generator
from ..options import pattern_validator
from ..registry import GENERATORS
from ..storage import files
from ..tables import fill_template
from . import Dataset, Manifest, verify, write
from .card import CARD, front_matter, reproduction_command
from .manifest import MANIFEST, SUITE, Encoding, default_shards, is_dataset, shard_name
from .plan import plan_manifest, plan_splits
from .writer import recover

FORMAT = 1

Name = Annotated[
    str,
    pattern_validator(
        "[a-z0-9][a-z0-9_-]*", "a name of lower-case letters, digits, _ and - for a folder"
    ),
]
EngineProvider = Callable[[str, int], AbstractContextManager[Engine]]
"""Starts an engine, given a label and the number of rows for the progress bar."""


class SuiteEntry(BaseModel):
    """A dataset of a suite: the arguments of `gen NAME`."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    generator: str
    options: dict[str, Any] = {}
    rows: int | None = Field(None, ge=1)
    split: str | None = None
    seed: int = 0
    format: Encoding = "jsonl"


class Suite(BaseModel):
    """Datasets by name, which is also the name of the folder."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: Name
    summary: str = ""
    datasets: dict[Name, SuiteEntry] = Field(min_length=1)


@dataclass(frozen=True)
class SuiteJob:
    """A dataset to write, with its manifest except for the files."""

    name: str
    folder: Path
    generator: Generator
    plan: Manifest
    encoding: Encoding

    @property
    def rows(self) -> int:
        """The rows of all splits."""
        return sum(self.plan.splits.values())

    def is_done(self) -> bool:
        """Return whether the folder has exactly this dataset, with intact files."""
        if not is_dataset(self.folder):
            return False
        manifest = Manifest.load(self.folder)
        names = [
            shard_name(split, index, default_shards(rows), self.encoding)
            for split, rows in self.plan.splits.items()
            for index in range(default_shards(rows))
        ]
        described = manifest.model_copy(update={"files": []}) == self.plan
        return (
            described
            and [file.name for file in manifest.files] == names
            and all(_is_intact(self.folder / file.name, file.sha256) for file in manifest.files)
        )


def _is_intact(path: Path, sha256: str) -> bool:
    return path.is_file() and files.digest(path) == sha256


def plan_dataset(name: str, part: SuiteEntry, out: Path) -> SuiteJob:
    """Configure a dataset of a suite; errors show before anything is written."""
    generator = GENERATORS.get(part.generator).configure(part.options)
    splits = plan_splits(generator, part.split, part.rows, part.seed)
    plan = plan_manifest(generator, splits, part.seed)
    return SuiteJob(name, out / name, generator, plan, part.format)


def write_suite(
    suite: Suite,
    jobs: list[SuiteJob],
    out: Path,
    engines: EngineProvider,
    *,
    check: bool = True,
    force: bool = False,
) -> Iterator[tuple[SuiteJob, str]]:
    """Write and verify each dataset that does not exist yet, then the suite's manifest and card.

    Yields each dataset with `made` or `kept`. A dataset that differs from its description is
    written again only with `force`.
    """
    verified = _verified(out)
    for job in jobs:
        recover(job.folder)
    done = {job.name for job in jobs if job.is_done()}
    _refuse_changes(out, jobs, done, force)
    for job in jobs:
        if job.name in done:
            recover(job.folder, discard=force)
        else:
            with engines(job.name, job.rows) as engine:
                write(
                    job.generator,
                    job.folder,
                    job.plan.splits,
                    seed=job.plan.seed,
                    encoding=job.encoding,
                    force=force,
                    engine=engine,
                )
        digest = files.digest(job.folder / MANIFEST)
        if check and verified.get(job.name) != digest:
            with engines(f"verify {job.name}", job.rows) as engine:
                _verify(job.folder, engine)
            verified[job.name] = digest
        yield job, "kept" if job.name in done else "made"
    # The manifest first: the next run refuses a folder that has only a card.
    files.save(out / SUITE, _manifest(suite, jobs, verified))
    files.save(out / CARD, _card(suite, jobs).encode())


class _ManifestEntry(BaseModel):
    """The part of a dataset's entry that is read again."""

    name: Name
    sha256: str
    verified: bool


class _PreviousManifest(BaseModel):
    """The manifest of an earlier run."""

    format: int
    name: str = ""
    summary: str = ""
    datasets: list[_ManifestEntry]


def read_suite(folder: Path) -> tuple[str, str, dict[str, Dataset]] | None:
    """Return name, summary and datasets of a suite; None if the folder is none."""
    path = folder / SUITE
    if not path.exists():
        return None
    try:
        suite = _PreviousManifest.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise NotADataset(
            f"{path} cannot be read as a suite ({reason(error)[:200]}); run gen run again"
        ) from None
    datasets = {entry.name: Dataset(folder / entry.name) for entry in suite.datasets}
    return suite.name, suite.summary, datasets


def _read(out: Path) -> list[_ManifestEntry]:
    """Return the entries of an earlier run's manifest; empty if there is none."""
    files.recover(out / SUITE)
    files.recover(out / CARD)
    try:
        return _PreviousManifest.model_validate_json((out / SUITE).read_bytes()).datasets
    except (OSError, ValidationError):
        return []


def _verified(out: Path) -> dict[str, str]:
    """The datasets that an earlier run verified, with the digests of their manifests."""
    return {entry.name: entry.sha256 for entry in _read(out) if entry.verified}


def _refuse_changes(out: Path, jobs: list[SuiteJob], done: set[str], force: bool) -> None:
    before = [entry.name for entry in _read(out)]
    for name in (CARD, SUITE):
        if not before and (out / name).exists():
            raise AlreadyExists(
                f"{out} has a {name} of something else, so --force does not replace it; "
                f"choose another --out"
            )
    dropped = set(before) - {job.name for job in jobs}
    if dropped:
        raise AlreadyExists(
            f"{out} has the dataset {min(dropped)!r}, which is no longer in the suite; "
            f"choose another --out, or delete {out}"
        )
    for job in jobs:
        if job.name not in done and is_dataset(job.folder) and not force:
            raise AlreadyExists(
                f"{job.folder} exists, but differs from the suite; pass --force to make it again "
                f"or choose another --out"
            )


def _verify(folder: Path, engine: Engine) -> None:
    findings = list(verify(folder, engine=engine, trust=True))
    if findings:
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        raise CheckFailed(
            f"{folder}: {findings[0]}{more}; gen verify {folder} lists all; report the generator"
        )


def _manifest(suite: Suite, jobs: list[SuiteJob], verified: dict[str, str]) -> bytes:
    listed = [
        {
            "name": job.name,
            "generator": job.plan.generator,
            "version": job.plan.version,
            "splits": job.plan.splits,
            "sha256": (digest := files.digest(job.folder / MANIFEST)),
            "verified": verified.get(job.name) == digest,
        }
        for job in jobs
    ]
    content = {"format": FORMAT, "name": suite.name, "summary": suite.summary, "datasets": listed}
    return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _card(suite: Suite, jobs: list[SuiteJob]) -> str:
    manifests = {job.name: Manifest.load(job.folder) for job in jobs}
    paths = {
        name: {split: f"{name}/{split}-*.{manifest.encoding}" for split in manifest.splits}
        for name, manifest in manifests.items()
    }
    return suite_card(suite.name, suite.summary, manifests, {"configs": suite_configs(paths)})


def suite_configs(paths: Mapping[str, Mapping[str, str]]) -> list[dict[str, Any]]:
    """Return the configurations of a card, given the files of each dataset by split."""
    return [
        {
            "config_name": name,
            "data_files": [{"split": split, "path": path} for split, path in splits.items()],
        }
        for name, splits in paths.items()
    ]


def suite_card(
    name: str, summary: str, manifests: Mapping[str, Manifest], front: dict[str, Any]
) -> str:
    """Return the card of a suite: front matter, a table of its datasets, and their commands."""
    table = "\n".join(
        f"| [{dataset}]({dataset}/README.md) | {manifest.generator}, version {manifest.version} | "
        f"{', '.join(f'{split} {rows}' for split, rows in manifest.splits.items())} | "
        f"`{hashlib.sha256(manifest.json_bytes()).hexdigest()}` |"
        for dataset, manifest in manifests.items()
    )
    commands = "\n".join(
        reproduction_command(manifest).removesuffix("DIR") + dataset
        for dataset, manifest in manifests.items()
    )
    return fill_template(
        __package__,
        "suite_card.md.txt",
        front=front_matter(front),
        name=name,
        summary=f"{summary}\n\n" if summary else "",
        count=len(manifests),
        table=table,
        commands=commands,
    )
