"""Tasks for Inspect, which finds them by its entry point: `inspect eval relsmith/clutrr`.

There is one task for each generator that is installed, and `relsmith/dataset` for any dataset. The
log of a task has all of each row, so that whoever has the log can score and report without it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError  # what Inspect tells in one line
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    accuracy,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState, generate

from ..dataset import Dataset
from ..dataset.manifest import MANIFEST
from ..errors import InvalidOption, RelsmithError
from ..example import Example
from ..generator import Generator
from ..prompting.prompt import STYLES, Prompter
from ..registry import GENERATORS
from ..scoring.scorer import score
from ..splits import TEST, TRAIN, tested
from ..storage import files

CHOICES = "choices"
"""The style that lists the choices with letters."""
ROWS = 200
_OWN = ("generator", "input", "choices", "target")
"""What a sample's metadata says of its row beside the row's own metadata."""


@dataclass(frozen=True)
class _Source:
    """Rows to ask, rows to take examples from, and what a log should say of both."""

    kind: type[Generator]
    rows: Iterable[Example]
    train: Iterable[Example]
    about: Mapping[str, Any]


def _task(
    name: str | None,
    dataset: str | None,
    split: str | None,
    style: str,
    shots: int | None,
    rows: int | None,
    seed: int | None,
    options: Mapping[str, object],
) -> Task:
    if dataset is not None:
        for option, value in {"seed": seed, **options}.items():
            if value is not None:
                raise InvalidOption(f"{option}: the rows of {dataset} are made; leave it out")
        source = _read(name, Dataset(str(dataset)), split, rows)
    elif name is None:
        raise InvalidOption("dataset: missing; add -T dataset=DIR")
    elif split is not None:
        raise InvalidOption("split: it is one of a dataset's; add -T dataset=DIR, or leave it out")
    else:
        source = _made(name, ROWS if rows is None else rows, seed or 0, options)
    prompter = _prompter(style, shots, source.train)
    samples = [_sample(source.kind, prompter, row) for row in source.rows]
    return Task(
        dataset=MemoryDataset(samples, name=source.kind.name, location=dataset),
        solver=generate(),
        scorer=relsmith_score(),
        version=source.kind.version,
        metadata=dict(source.about),
    )


def _read(name: str | None, dataset: Dataset, split: str | None, rows: int | None) -> _Source:
    """The rows of a dataset; those of a family of generators go by the name of each of them."""
    manifest = dataset.manifest
    kind = GENERATORS.get(manifest.generator)
    if name and _family(GENERATORS.get(name)) != _family(kind):
        raise InvalidOption(
            f"dataset: {dataset.folder} has rows of {kind.name}, not of {name}; run "
            f"relsmith/{kind.name}, or relsmith/dataset"
        )
    _check(kind)
    split = tested(manifest.splits) if split is None else split
    train = dataset.rows(TRAIN) if TRAIN in manifest.splits else ()
    about = {
        "generator": manifest.generator,
        "version": manifest.version,
        "options": manifest.options,
        "seed": manifest.seed,
        "split": split,
        "digest": files.digest(dataset.folder / MANIFEST),
    }
    return _Source(kind, islice(dataset.rows(split), _count(rows)), train, about)


def _made(name: str, rows: int, seed: int, options: Mapping[str, object]) -> _Source:
    """Fresh rows: those that a dataset with the splits train and test would test on."""
    kind = GENERATORS.get(name)
    _check(kind)
    generator = kind.configure({key.replace("-", "_"): value for key, value in options.items()})
    splits = (TRAIN, TEST)
    generator.check_splits(splits)
    capacity = generator.capacity(splits, seed)
    if capacity and _count(rows) > capacity[TEST]:
        raise InvalidOption(f"rows: there are {capacity[TEST]} with these options, not {rows}")
    made = generator.split(TEST, splits=splits, seed=seed)[: _count(rows)]
    train = generator.split(TRAIN, splits=splits, seed=seed)
    about = {
        "generator": name,
        "version": kind.version,
        "options": generator.options(),
        "seed": seed,
        "split": TEST,
    }
    return _Source(kind, made, train, about)


def _count(rows: int | None) -> Any:
    if rows is not None and (isinstance(rows, bool) or not isinstance(rows, int) or rows < 1):
        raise InvalidOption(f"rows: expected a whole number from 1 on, but got {rows!r}")
    return rows


def _family(kind: type[Generator]) -> str:
    """The package that a generator is from."""
    return kind.__module__.rpartition(".")[0] or kind.__module__


def _check(kind: type[Generator]) -> None:
    if not kind.labelled:
        raise InvalidOption(
            f"rows of {kind.name} have no answer that a model could be held to; give a dataset of "
            f"labelled ones"
        )
    if taken := set(_OWN) & set(kind.Metadata.model_fields):
        raise InvalidOption(
            f"metadata of {kind.name} has {', '.join(sorted(taken))}, which a log calls the row's "
            f"own; its author must name it otherwise"
        )


def _prompter(style: str, shots: int | None, train: Iterable[Example]) -> Prompter:
    if style == CHOICES:
        return Prompter("zero-shot", shots=shots, letters=True)
    for known in STYLES:
        if style == known:
            return Prompter(known, shots=shots, train=train)
    raise InvalidOption(f"style: expected {', '.join(STYLES)} or {CHOICES}, but got {style!r}")


def _sample(kind: type[Generator], prompter: Prompter, row: Example) -> Sample:
    prompt = prompter(row)
    told = (kind.name, row.input, prompt.row.choices, row.target)
    return Sample(
        id=row.id,
        input=prompt.text,
        target=row.target,
        metadata=row.metadata | dict(zip(_OWN, told, strict=True)),
    )


def _by(column: str) -> Metric:
    """Accuracy for each value that the rows' metadata has in a column."""

    def measured(scores: list[SampleScore]) -> dict[str, float]:
        groups: dict[str, list[float]] = {}
        for each in scores:
            value = (each.sample_metadata or {}).get(column)
            if value is not None and value != "":
                groups.setdefault(_label(value), []).append(each.score.as_float())
        named = sorted(groups.items(), key=lambda group: (len(group[0]), group[0]))
        return {f"{column}={label}": sum(group) / len(group) for label, group in named}

    return measured


def _label(value: object) -> str:
    return ("+".join(map(str, value)) or "none") if isinstance(value, list) else str(value)


@metric
def by_k() -> Metric:
    """Accuracy for each number of facts between question and answer."""
    return _by("k")


@metric
def by_noise() -> Metric:
    """Accuracy for each kind of noise."""
    return _by("noise")


@metric
def by_change() -> Metric:
    """Accuracy for each thing that is changed in siblings of a story."""
    return _by("change")


@scorer(metrics=[accuracy(), stderr(), by_k(), by_noise(), by_change()])
def relsmith_score() -> Scorer:
    """Scores answers as the generator of the row says; never by a part of a word."""

    async def scored(state: TaskState, target: Target) -> Score:
        told = dict(state.metadata)
        row = Example(str(state.sample_id), told["input"], told["choices"], told["target"], told)
        result = score(row, state.output.completion)
        return Score(value=result.value, answer=result.answer, explanation=result.why)

    return scored


@contextmanager
def _explained() -> Iterator[None]:
    """Complaints in one line, as Inspect tells them."""
    try:
        yield
    except RelsmithError as error:
        raise PrerequisiteError(f"relsmith: {error}".replace("[", r"\[")) from None


def _register(name: str) -> Callable[..., Task]:
    @task(name=name)
    def made(
        dataset: str | None = None,
        split: str | None = None,
        style: str = "zero-shot",
        shots: int | None = None,
        rows: int | None = None,
        seed: int | None = None,
        **options: Any,
    ) -> Task:
        with _explained():
            return _task(name, dataset, split, style, shots, rows, seed, options)

    return made


TASKS = {name: _register(name) for name in GENERATORS.entries}


@task(name="dataset")
def any_dataset(
    dataset: str | None = None,
    split: str | None = None,
    style: str = "zero-shot",
    shots: int | None = None,
    rows: int | None = None,
) -> Task:
    """The rows of a dataset of any generator."""
    with _explained():
        return _task(None, dataset, split, style, shots, rows, None, {})
