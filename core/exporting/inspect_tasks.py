"""Tasks for Inspect, which finds them by its entry point: `inspect eval relsmith/clutrr`.

There is one task for each installed generator, and `relsmith/dataset` for any dataset. The log of a
task has the complete rows, so that answers can be scored without the dataset.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError  # Inspect prints it in one line
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
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
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ..capabilities import HoldOuts, Limited
from ..clusters import clusters
from ..dataset import Dataset
from ..dataset.manifest import MANIFEST
from ..errors import InvalidOption, RelsmithError
from ..example import Example
from ..generator import Generator
from ..prompting.prompt import STYLES, Prompter
from ..registry import GENERATORS
from ..scoring.scorer import score
from ..splits import TEST, TRAIN, test_split
from ..storage import files

CHOICES = "choices"
"""The prompt style that lists the choices with letters."""
ROWS = 200
_ROW_FIELDS = ("generator", "input", "choices", "target", "cluster")
"""Fields that a sample's metadata has beside the row's metadata."""


@dataclass(frozen=True)
class _TaskRows:
    """Test rows, rows for few-shot examples, and a description for the log."""

    cls: type[Generator]
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
                raise InvalidOption(f"{option}: has no effect on rows of {dataset}; leave it out")
        source = _dataset_rows(name, Dataset(str(dataset)), split, rows)
    elif name is None:
        raise InvalidOption("dataset: missing; add -T dataset=DIR")
    elif split is not None:
        raise InvalidOption("split: only datasets have splits; add -T dataset=DIR, or leave it out")
    else:
        source = _generated_rows(name, ROWS if rows is None else rows, seed or 0, options)
    prompter = _prompter(style, shots, source.train)
    chosen = list(source.rows)
    drawn = clusters((row.id, row.metadata) for row in chosen)
    samples = [
        _sample(source.cls, prompter, row, cluster)
        for row, cluster in zip(chosen, drawn.keys, strict=True)
    ]
    return Task(
        dataset=MemoryDataset(samples, name=source.cls.name, location=dataset),
        solver=ask(),
        scorer=relsmith_score(),
        version=source.cls.version,
        metadata=dict(source.about),
    )


def _dataset_rows(
    name: str | None, dataset: Dataset, split: str | None, rows: int | None
) -> _TaskRows:
    """Read the rows of a dataset; generators of the same package accept each other's rows."""
    manifest = dataset.manifest
    cls = GENERATORS.get(manifest.generator)
    if name and _package(GENERATORS.get(name)) != _package(cls):
        raise InvalidOption(
            f"dataset: {dataset.folder} has rows of {cls.name}, not of {name}; run "
            f"relsmith/{cls.name}, or relsmith/dataset"
        )
    _check_scorable(cls)
    split = test_split(manifest.splits) if split is None else split
    tested = dataset.validated_rows(dataset.generator, split)
    train = dataset.validated_rows(dataset.generator, TRAIN) if TRAIN in manifest.splits else ()
    about = {
        "generator": manifest.generator,
        "version": manifest.version,
        "options": manifest.options,
        "seed": manifest.seed,
        "split": split,
        "digest": files.digest(dataset.folder / MANIFEST),
    }
    return _TaskRows(cls, islice(tested, _check_count(rows)), train, about)


def _generated_rows(name: str, rows: int, seed: int, options: Mapping[str, object]) -> _TaskRows:
    """Generate the test rows of a dataset with the splits train and test."""
    cls = GENERATORS.get(name)
    _check_scorable(cls)
    generator = cls.configure({key.replace("-", "_"): value for key, value in options.items()})
    splits = (TRAIN, TEST)
    HoldOuts.of(generator).check_splits(splits)
    capacity = Limited.of(generator).capacity(splits, seed)
    if capacity and _check_count(rows) > capacity[TEST]:
        raise InvalidOption(f"rows: there are {capacity[TEST]} with these options, not {rows}")
    made = generator.split(TEST, splits=splits, seed=seed)[: _check_count(rows)]
    train = generator.split(TRAIN, splits=splits, seed=seed)
    about = {
        "generator": name,
        "version": cls.version,
        "options": generator.options(),
        "seed": seed,
        "split": TEST,
    }
    return _TaskRows(cls, made, train, about)


def _check_count(rows: int | None) -> Any:
    if rows is not None and (isinstance(rows, bool) or not isinstance(rows, int) or rows < 1):
        raise InvalidOption(f"rows: expected a whole number of 1 or more, but got {rows!r}")
    return rows


def _package(cls: type[Generator]) -> str:
    return cls.__module__.rpartition(".")[0] or cls.__module__


def _check_scorable(cls: type[Generator]) -> None:
    if not cls.labelled:
        raise InvalidOption(
            f"rows of {cls.name} have no answers to score by; give a dataset with labels"
        )
    if taken := set(_ROW_FIELDS) & set(cls.Metadata.model_fields):
        raise InvalidOption(
            f"metadata of {cls.name} has {', '.join(sorted(taken))}, which the log uses for the "
            f"row itself; its author must rename it"
        )


def _prompter(style: str, shots: int | None, train: Iterable[Example]) -> Prompter:
    if style == CHOICES:
        return Prompter("zero-shot", shots=shots, letters=True)
    for known in STYLES:
        if style == known:
            return Prompter(known, shots=shots, train=train)
    raise InvalidOption(f"style: expected {', '.join(STYLES)} or {CHOICES}, but got {style!r}")


def _sample(cls: type[Generator], prompter: Prompter, row: Example, cluster: str) -> Sample:
    prompt = prompter(row)
    fields = (cls.name, row.input, prompt.row.choices, row.target, cluster)
    return Sample(
        id=row.id,
        input=prompt.text,
        target=row.target,
        metadata=row.metadata | dict(zip(_ROW_FIELDS, fields, strict=True)),
    )


@solver
def ask() -> Solver:
    """Ask the model once."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.model.api == "mockllm":  # else it downloads a vocabulary to count tokens
            get_model().api.count_text_tokens = _count_words  # type: ignore[method-assign]
        return await generate(state)

    return solve


async def _count_words(text: str) -> int:
    return len(text.split())


def _accuracy_by(column: str) -> Metric:
    """Return a metric: the accuracy for each value of a metadata column."""

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
    """Accuracy for each k, the length of the chain."""
    return _accuracy_by("k")


@metric
def by_noise() -> Metric:
    """Accuracy for each kind of noise."""
    return _accuracy_by("noise")


@metric
def by_change() -> Metric:
    """Accuracy for each perturbation of sibling rows."""
    return _accuracy_by("perturbation")


@scorer(metrics=[accuracy(), stderr(cluster="cluster"), by_k(), by_noise(), by_change()])
def relsmith_score() -> Scorer:
    """Score answers with the answer key of the row's generator."""

    async def scored(state: TaskState, target: Target) -> Score:
        fields = dict(state.metadata)
        row = Example(
            str(state.sample_id), fields["input"], fields["choices"], fields["target"], fields
        )
        result = score(row, state.output.completion)
        return Score(value=result.value, answer=result.answer, explanation=result.why)

    return scored


@contextmanager
def _inspect_errors() -> Iterator[None]:
    """Turn our errors into one-line errors of Inspect."""
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
        with _inspect_errors():
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
    """Return the task for a dataset of any generator."""
    with _inspect_errors():
        return _task(None, dataset, split, style, shots, rows, None, {})
