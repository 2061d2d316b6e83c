"""Export tasks for lm-eval, the Language Model Evaluation Harness, and the functions they call."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..dataset import Dataset
from ..dataset.columns import arrow_schema
from ..errors import InvalidOption, MissingExtra, install_command
from ..example import Example
from ..generator import Generator
from ..prompting.prompt import Prompter
from ..registry import GENERATORS
from ..scoring.scorer import answer_key, score
from ..splits import TRAIN, test_split
from ..tables import fill_template
from .exporter import Exporter

if TYPE_CHECKING:
    import datasets
    import pyarrow

DATA = "data"
MODULE = "utils.py"
_ROWS_PER_GROUP = 2_048


def write(dataset: Dataset, out: Path) -> list[Path]:
    """Write the folder: rows as Parquet files, the tasks, and the module they call."""
    manifest = dataset.manifest
    cls = GENERATORS.get(manifest.generator)
    if not cls.labelled:
        raise InvalidOption(f"{dataset.folder}: rows of {cls.name} have no answers to score by")
    split = test_split(manifest.splits)
    (out / DATA).mkdir(parents=True)
    splits = [split, *(TRAIN for name in manifest.splits if name == TRAIN != split)]
    seen = {name: _KValues() for name in splits}
    files = [_table(dataset, cls, name, out, seen[name]) for name in splits]
    called = out / MODULE
    called.write_text(
        fill_template(f"{__package__}.exports", "lm_eval_utils.py.txt"), "utf-8", newline="\n"
    )
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
"""Prompt style by the suffix of the task's name."""
_MAX_TOKENS = {"zero-shot": 64, "cot": 512}
_STOP_STRINGS: dict[str, list[str]] = {"zero-shot": ["\n\n"], "cot": []}
"""Stop strings: base models would go on with the next question."""


class _KValues:
    """The values of k in a split, and in its rows with options."""

    def __init__(self) -> None:
        self.all: set[int] = set()
        self.chosen: set[int] = set()

    def add(self, document: dict[str, Any]) -> None:
        self.all.add(document["k"])
        if document["options"]:
            self.chosen.add(document["k"])


def task_name(folder: Path) -> str:
    """Return the task name of a dataset: relsmith_ and the name of its folder."""
    return f"relsmith_{re.sub(r'[^a-z0-9]+', '_', folder.resolve().name.lower()).strip('_')}"


def _tasks(
    variant: str, style: str, splits: list[str], seen: _KValues, version: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the tasks of a variant with their names: one for each k, and their group."""
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
                **(_MULTIPLE_CHOICE if chosen else _free_text(style)),
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


_MULTIPLE_CHOICE = {
    "output_type": "multiple_choice",
    "doc_to_text": "zero_shot",
    "doc_to_choice": "options",
    "doc_to_target": "right_option",
}


def _free_text(style: str) -> dict[str, Any]:
    return {
        "output_type": "generate_until",
        "doc_to_text": style.replace("-", "_"),
        "doc_to_target": "target",
        "process_results": _Function("utils.process_results"),
        "generation_kwargs": {
            "until": _STOP_STRINGS[style],
            "do_sample": False,
            "max_gen_toks": _MAX_TOKENS[style],
        },
    }


class _Function(str):
    """A function reference in the YAML notation of lm-eval."""


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


def _table(dataset: Dataset, cls: type[Generator], split: str, out: Path, seen: _KValues) -> Path:
    """Write the rows of a split with their prompts."""
    schema = arrow_schema(cls)
    import pyarrow
    from pyarrow import parquet

    for name in ("generator", "zero_shot", "cot"):
        schema = schema.append(pyarrow.field(name, pyarrow.string()))
    for name in ("k", "right_option"):
        schema = schema.append(pyarrow.field(name, pyarrow.int64()))
    schema = schema.append(pyarrow.field("options", pyarrow.list_(pyarrow.string())))
    path = out / DATA / f"{split}.parquet"
    rows = dataset.validated_rows(cls, split)
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        while group := list(islice(rows, _ROWS_PER_GROUP)):
            documents = [_document(row, cls) for row in group]
            for document in documents:
                seen.add(document)
            writer.write_table(pyarrow.Table.from_pylist(documents, schema=schema))
    return path


def _document(row: Example, cls: type[Generator]) -> dict[str, Any]:
    """Return a row with its prompts; `options` are its choices, or those of its question type."""
    answers = answer_key(row)
    return row.record() | {
        "generator": cls.name,
        "zero_shot": _ZERO_SHOT(row).text,
        "cot": _COT(row).text,
        "options": list(answers.choices),
        "right_option": answers.choices.index(answers.right) if answers.choices else -1,
        "k": _k(row),
    }


_ZERO_SHOT, _COT = Prompter("zero-shot"), Prompter("cot")


def _k(row: Example) -> int:
    """Return the row's k, or -1 if it has none."""
    k = row.metadata.get("k")
    return k if isinstance(k, int) else -1


def load(
    folder: Path, *, split: str, train: list[str], k: int, chosen: bool, **_: object
) -> "datasets.DatasetDict":
    """Return the test rows of one k, and training rows for few-shot examples."""
    try:
        import datasets
        from pyarrow import compute, parquet
    except ImportError as error:
        raise MissingExtra(
            f"tasks of lm-eval need {error.name}: {install_command('lm-eval')}"
        ) from None

    def read(name: str, wanted: "pyarrow.compute.Expression") -> Any:
        table = parquet.read_table(folder / f"{name}.parquet", filters=wanted)
        return datasets.Dataset(table)

    some = compute.field("right_option") >= (0 if chosen else -1)
    tables = {name: read(name, some) for name in train}
    return datasets.DatasetDict(tables | {split: read(split, some & (compute.field("k") == k))})


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, float]:
    """Score an answer with the answer key of the row's generator."""
    row = Example(doc["id"], doc["input"], doc["choices"], doc["target"], doc["metadata"])
    return {"acc": score(row, results[0]).value}


LM_EVAL = Exporter(
    "lm-eval",
    "A folder of tasks for lm_eval --include_path, with free-text and multiple-choice answers.",
    write,
)
