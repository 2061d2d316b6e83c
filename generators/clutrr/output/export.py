"""Rows in the two forms of the original CLUTRR, so that code written for it reads them unchanged.

References: the published files (kb/worlds/kinship/official.py reads them); K. Sinha et al. (2019).
"""

import csv
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

from ....dataset import Dataset
from ....errors import InvalidOption
from ....example import Example
from ....exporting.exporter import Exporter
from ....kb.worlds.kinship import world
from ....kb.worlds.kinship.judge import WORDS
from ....splits import TRAIN
from ....tables import load_tables
from ..metadata import conclusions, stated_facts, story_segments
from .graph import forward_chain

_TABLES = load_tables(__package__, "columns.yaml")
COLUMNS, HUGGING_FACE_COLUMNS = map(tuple, (_TABLES["original"], _TABLES["hugging face"]))
LABELS: tuple[str, ...] = tuple(_TABLES["labels"])

_NOISE_TASKS = {"supporting": 2, "irrelevant": 3, "disconnected": 4}
_OTHER_TASKS = {"memory": 6, "mixed": 7}
_WORD = re.compile(r"@?\w+(?:-\w+)*")
_ODD_NAME = re.compile(r"[\[\],:#]")


def task(options: dict[str, Any], row: dict[str, Any]) -> str:
    """Return the original's task number of a row, by its noise and its k, as in 1.2."""
    noise = row["noise"]
    by_noise = 1 if not noise else _NOISE_TASKS[noise[0]] if len(noise) == 1 else 5
    return f"{_OTHER_TASKS.get(options.get('task', ''), by_noise)}.{row['k']}"


def cells(example: Example, split: str, task: str) -> dict[str, str]:
    """Return the cells of a row in the original's columns."""
    row = example.metadata
    _check(example)
    chain = forward_chain(row, world())
    facts = [*chain, *stated_facts(row)[row["k"] :]]
    concluded = conclusions(row)
    known = [*facts, *concluded]
    genders = dict(row["genders"])
    texts = story_segments(example)
    people = list(dict.fromkeys(person for x, _, y in facts for person in (x, y)))
    number = {person: n for n, person in enumerate(people)}
    bracketed = _bracketer(people)
    x, y = row["query"]
    answer = world().story_spec.plain[0].format(x=x, y=y, word=example.target)
    return {
        "id": example.id,
        "story": bracketed(" ".join(texts)),
        "query": str((x, y)),
        "text_query": "",
        "target": example.target,
        "target_text": example.target,
        "text_target": str([bracketed(answer)]),
        "clean_story": bracketed(" ".join(_clean(row, texts))),
        "proof_state": str(
            [
                {tuple(conclusion): [tuple(known[n]) for n in premises]}
                for conclusion, premises in reversed(
                    list(zip(concluded, row["proof"], strict=True))
                )
            ]
        ),
        "f_comb": "-".join(word for _, word, _ in chain),
        "task_name": f"task_{task}",
        "story_edges": str([(number[a], number[b]) for a, _, b in facts]),
        "edge_types": str([word for _, word, _ in facts]),
        "query_edge": str((number[x], number[y])),
        "genders": ",".join(f"{person}:{genders[person]}" for person in people),
        "syn_story": "",
        "node_mapping": str({n: n for n in number.values()}),
        "task_split": split,
    }


def _bracketer(people: list[str]) -> Callable[[str], str]:
    """Return a function that puts brackets around the names of these people."""
    if all(_WORD.fullmatch(name) for name in people):
        # One pattern for all rows, since compiling one for each is slow.
        names = set(people)

        def mark(word: str) -> str:
            if word in names:
                return f"[{word}]"
            return "-".join(map(mark, word.split("-"))) if "-" in word else word

        return lambda text: _WORD.sub(lambda match: mark(match[0]), text)
    longest_first = sorted(people, key=len, reverse=True)
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in longest_first))
    return lambda text: pattern.sub(lambda match: f"[{match[0]}]", text)


def _clean(row: dict[str, Any], texts: list[str]) -> Iterator[str]:
    """Yield the sentences about the chain, in its order."""
    chain = []
    for numbers, text in zip(row["states"], texts, strict=True):
        first = min(numbers, default=row["k"])  # asides state nothing
        if first < row["k"]:
            chain.append((first, text))
    return (text for _, text in sorted(chain))


def _check(example: Example) -> None:
    """Refuse a row that official files cannot hold."""
    if example.target not in WORDS:
        raise InvalidOption(
            f"{example.id} has the answer {example.target!r}, but official CLUTRR files hold "
            f"kinship words only; make rows that ask for those"
        )
    facts = stated_facts(example.metadata)
    for name in filter(_ODD_NAME.search, [name for x, _, y in facts for name in (x, y)]):
        raise InvalidOption(
            f"{example.id} is about {name!r}, but in official CLUTRR files no name has any of "
            f"[ ] , : #; make rows with other names"
        )


def _write(dataset: Dataset, out: Path, columns: tuple[str, ...], name: Callable[..., str]) -> None:
    """Write numbered rows to CSV files, by the `name` of a split and a task."""
    out.mkdir()
    files: dict[str, tuple[Any, Iterator[int]]] = {}
    with ExitStack() as stack:
        for split in dataset.manifest.splits:
            for example in dataset.validated_rows(dataset.generator, split):
                number = task(dataset.manifest.options, example.metadata)
                path = out / name(split, number)
                if path.name not in files:
                    file = stack.enter_context(path.open("w", encoding="utf-8", newline=""))
                    files[path.name] = csv.writer(file, lineterminator="\n"), count()
                    files[path.name][0].writerow(columns)
                table, numbers = files[path.name]
                row = cells(example, split, number) | {"": str(next(numbers))}
                if columns is HUGGING_FACE_COLUMNS:
                    row |= {"target": str(LABELS.index(row["target"]))}
                table.writerow([row[column] for column in columns])


def _write_original(dataset: Dataset, out: Path) -> list[Path]:
    """Write all training tasks to one file, and each task of other splits to its own."""
    trained: set[str] = set()

    def name(split: str, task: str) -> str:
        if split == TRAIN:
            trained.add(task)
        return f"_{split}.csv" if split == TRAIN else f"{task}_{split}.csv"

    _write(dataset, out, COLUMNS, name)
    if trained:
        tasks = sorted(trained, key=lambda task: [int(part) for part in task.split(".")])
        (out / f"_{TRAIN}.csv").rename(out / f"{','.join(tasks)}_{TRAIN}.csv")
    return sorted(out.iterdir())


def _write_hugging_face(dataset: Dataset, out: Path) -> list[Path]:
    """Write a file for each split, with numbered answers."""
    _write(dataset, out, HUGGING_FACE_COLUMNS, lambda split, _: f"{split}.csv")
    return sorted(out.iterdir())


CSV = Exporter(
    "clutrr-csv",
    "The CSV files of the original CLUTRR, of 18 columns: 1.2,1.3_train.csv, 1.4_test.csv ...",
    _write_original,
    ("clutrr",),
)
HUGGING_FACE = Exporter(
    "clutrr-hf",
    "The CSV files of CLUTRR/v1 on Hugging Face, of 15 columns: train.csv, test.csv ...",
    _write_hugging_face,
    ("clutrr",),
)
