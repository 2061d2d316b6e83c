"""A folder of tasks for lm-eval, the Language Model Evaluation Harness, and what its tasks call."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..dataset import Dataset
from ..dataset.columns import arrow_schema
from ..errors import InvalidOption, MissingExtra, install
from ..example import Example
from ..generator import Generator
from ..prompting.prompt import Prompter
from ..registry import GENERATORS
from ..scoring.scorer import key, score
from ..splits import TRAIN, tested
from ..storage.store import Place
from .exporter import Exporter

if TYPE_CHECKING:
    import datasets
    import pyarrow

DATA = "data"
CALLED = "utils.py"
_ROWS_PER_GROUP = 2_048
_CALLED = '''"""What lm-eval calls for the tasks in this folder; relsmith must be installed."""

from pathlib import Path

from relsmith.exporting.lm_eval import load, process_results

__all__ = ["process_results", "rows"]


def rows(**told):
    """The rows of a task."""
    return load(Path(__file__).parent / "data", **told)
'''


def write(dataset: Dataset, out: Path) -> list[Path]:
    """Make the folder: rows as Parquet files, the tasks, and what they call."""
    manifest = dataset.manifest
    kind = GENERATORS.get(manifest.generator)
    if not kind.labelled:
        raise InvalidOption(
            f"{dataset.folder}: rows of {kind.name} have no answer that a model could be held to"
        )
    split = tested(manifest.splits)
    (out / DATA).mkdir(parents=True)
    splits = [split, *(TRAIN for name in manifest.splits if name == TRAIN != split)]
    seen = {name: _Seen() for name in splits}
    files = [_table(dataset, kind, name, out, seen[name]) for name in splits]
    called = out / CALLED
    called.write_text(_CALLED, encoding="utf-8", newline="\n")
    name = task_name(dataset.folder)
    variants = {f"{name}{end}": style for end, style in _STYLES.items()}
    if seen[split].chosen:
        variants[f"{name}_choices"] = "choices"
    tasks = [
        _save(out / f"{task}.yaml", content)
        for variant, style in variants.items()
        for task, content in _tasks(variant, style, splits, seen[split], manifest.version)
    ]
    return [called, *tasks, *files]


_STYLES = {"": "zero-shot", "_cot": "cot"}
"""What is written by a model, by the end of the task's name."""
_TOKENS = {"zero-shot": 64, "cot": 512}
_UNTIL: dict[str, list[str]] = {"zero-shot": ["\n\n"], "cot": []}
"""Where an answer ends, at the latest: models that only go on would ask the next question."""


class _Seen:
    """The ks of a split's rows, and of those that have options."""

    def __init__(self) -> None:
        self.all: set[int] = set()
        self.chosen: set[int] = set()

    def add(self, document: dict[str, Any]) -> None:
        self.all.add(document["k"])
        if document["options"]:
            self.chosen.add(document["k"])


def task_name(folder: Place) -> str:
    """What the tasks of a dataset are called: relsmith, and the name of its folder."""
    return f"relsmith_{re.sub(r'[^a-z0-9]+', '_', folder.resolve().name.lower()).strip('_')}"


def _tasks(
    variant: str, style: str, splits: list[str], seen: _Seen, version: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The tasks of a variant with their names: one for each k, and all of them as a group."""
    split, *train = splits
    ks = sorted(seen.chosen if style == "choices" else seen.all)
    chosen = style == "choices"
    metrics = ["acc", "acc_norm"] if chosen else ["acc"]
    for k in ks:
        name = variant if ks == [-1] else f"{variant}_k{k}" if k >= 0 else f"{variant}_other"
        yield (
            name,
            {
                "task": name,
                "custom_dataset": _Function("utils.rows"),
                "dataset_kwargs": {"split": split, "train": train, "k": k, "chosen": chosen},
                "test_split": split,
                **({"fewshot_split": TRAIN} if train else {"fewshot_config": {"samples": []}}),
                **(_CHOSEN if chosen else _written(style)),
                "metric_list": [
                    {"metric": metric, "aggregation": "mean", "higher_is_better": True}
                    for metric in metrics
                ],
                "metadata": {"version": version},
            },
        )
    if ks != [-1]:
        yield (
            variant,
            {
                "group": variant,
                "task": [f"{variant}_k{k}" if k >= 0 else f"{variant}_other" for k in ks],
                "aggregate_metric_list": [
                    {"metric": metric, "weight_by_size": True} for metric in metrics
                ],
                "metadata": {"version": version},
            },
        )


_CHOSEN = {
    "output_type": "multiple_choice",
    "doc_to_text": "zero_shot",
    "doc_to_choice": "options",
    "doc_to_target": "right_option",
}


def _written(style: str) -> dict[str, Any]:
    return {
        "output_type": "generate_until",
        "doc_to_text": style.replace("-", "_"),
        "doc_to_target": "target",
        "process_results": _Function("utils.process_results"),
        "generation_kwargs": {
            "until": _UNTIL[style],
            "do_sample": False,
            "max_gen_toks": _TOKENS[style],
        },
    }


class _Function(str):
    """A function that lm-eval is to call, in its own notation."""


def _save(path: Path, content: dict[str, Any]) -> Path:
    import yaml

    class Dumper(yaml.SafeDumper):
        pass

    Dumper.add_representer(
        _Function, lambda dumper, value: dumper.represent_scalar("!function", str(value))
    )
    Dumper.add_representer(
        str,
        lambda dumper, value: dumper.represent_scalar(
            "tag:yaml.org,2002:str", value, style='"' if "\n" in value else None
        ),
    )
    text = yaml.dump(content, Dumper=Dumper, sort_keys=False, allow_unicode=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return path


def _table(dataset: Dataset, kind: type[Generator], split: str, out: Path, seen: _Seen) -> Path:
    """Write the rows of a split with what a model is shown."""
    schema = arrow_schema(kind)
    import pyarrow
    from pyarrow import parquet

    for name in ("generator", "zero_shot", "cot"):
        schema = schema.append(pyarrow.field(name, pyarrow.string()))
    for name in ("k", "right_option"):
        schema = schema.append(pyarrow.field(name, pyarrow.int64()))
    schema = schema.append(pyarrow.field("options", pyarrow.list_(pyarrow.string())))
    path = out / DATA / f"{split}.parquet"
    rows = dataset.documented_rows(kind, split)
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        while group := list(islice(rows, _ROWS_PER_GROUP)):
            documents = [_document(row, kind) for row in group]
            for document in documents:
                seen.add(document)
            writer.write_table(pyarrow.Table.from_pylist(documents, schema=schema))
    return path


def _document(row: Example, kind: type[Generator]) -> dict[str, Any]:
    """A row and what tasks show of it; `options` are its choices, or all that its question has."""
    answers = key(row)
    return row.record() | {
        "generator": kind.name,
        "zero_shot": _ZERO_SHOT(row).text,
        "cot": _STEPS(row).text,
        "options": list(answers.choices),
        "right_option": answers.choices.index(answers.right) if answers.choices else -1,
        "k": _k(row),
    }


_ZERO_SHOT, _STEPS = Prompter("zero-shot"), Prompter("cot")


def _k(row: Example) -> int:
    """The row's k, by which tasks are told apart; -1 where rows have none."""
    k = row.metadata.get("k")
    return k if isinstance(k, int) else -1


def load(
    folder: Path, *, split: str, train: list[str], k: int, chosen: bool, **_: object
) -> "datasets.DatasetDict":
    """The rows of a task as lm-eval takes them: those of one k, and others to show as examples."""
    try:
        import datasets
        from pyarrow import compute, parquet
    except ImportError as error:
        raise MissingExtra(f"tasks of lm-eval need {error.name}: {install('lm-eval')}") from None

    def read(name: str, wanted: "pyarrow.compute.Expression") -> Any:
        table = parquet.read_table(folder / f"{name}.parquet", filters=wanted)
        return datasets.Dataset(table)

    some = compute.field("right_option") >= (0 if chosen else -1)
    tables = {name: read(name, some) for name in train}
    return datasets.DatasetDict(tables | {split: read(split, some & (compute.field("k") == k))})


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, float]:
    """What an answer is worth, by the scorer of the row's generator."""
    row = Example(doc["id"], doc["input"], doc["choices"], doc["target"], doc["metadata"])
    return {"acc": score(row, results[0]).value}


LM_EVAL = Exporter(
    "lm-eval",
    "A folder of tasks for lm_eval --include_path: answers that are written, and that are chosen.",
    write,
)
