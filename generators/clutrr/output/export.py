"""Rows in the two forms of the original CLUTRR, so that code written for it reads them unchanged.

References: the published files (kb/worlds/kinship/official.py reads them); K. Sinha et al. (2019).
"""

import csv
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ....dataset import Dataset
from ....errors import InvalidOption
from ....example import Example
from ....exporting.exporter import Exporter
from ....kb.worlds.kinship import world
from ....kb.worlds.kinship.judge import WORDS
from ..metadata import conclusions, stated_facts, story_segments
from .graph import forward_chain

# The first header is empty: pandas wrote the row number there.
COLUMNS = (
    "",
    *("id", "story", "query", "text_query", "target", "text_target", "clean_story"),
    *("proof_state", "f_comb", "task_name", "story_edges", "edge_types", "query_edge"),
    *("genders", "syn_story", "node_mapping", "task_split"),
)
HUGGING_FACE_COLUMNS = (
    "",
    *("id", "story", "query", "target", "target_text", "clean_story", "proof_state", "f_comb"),
    *("task_name", "story_edges", "edge_types", "query_edge", "genders", "task_split"),
)
# In the order of the published labels, which have no brother-in-law: ours comes last.
LABELS = (
    *("aunt", "son-in-law", "grandfather", "brother", "sister", "father", "mother"),
    *("grandmother", "uncle", "daughter-in-law", "grandson", "granddaughter", "father-in-law"),
    *("mother-in-law", "nephew", "son", "daughter", "niece", "husband", "wife", "sister-in-law"),
    "brother-in-law",
)

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
    _refuse_other_answers(example)
    chain = forward_chain(row, world())
    facts = [*chain, *stated_facts(row)[row["k"] :]]
    concluded = conclusions(row)
    known = [*facts, *concluded]
    genders = dict(row["genders"])
    texts = story_segments(example)
    people = list(dict.fromkeys(person for x, _, y in facts for person in (x, y)))
    _refuse_odd_names(example, people)
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


def _refuse_other_answers(example: Example) -> None:
    if example.target not in WORDS:
        raise InvalidOption(
            f"{example.id} has the answer {example.target!r}, but official CLUTRR files hold "
            f"kinship words only; make rows that ask for those"
        )


def _refuse_odd_names(example: Example, people: list[str]) -> None:
    odd = next((name for name in people if _ODD_NAME.search(name)), None)
    if odd:
        raise InvalidOption(
            f"{example.id} is about {odd!r}, but in official CLUTRR files no name has any of "
            f"[ ] , : #; make rows with other names"
        )


class _Tables:
    """CSV files of one layout in a folder, with headers and numbered rows."""

    def __init__(self, folder: Path, columns: tuple[str, ...], stack: ExitStack) -> None:
        folder.mkdir()
        self.folder, self.columns, self.stack = folder, columns, stack
        self.tables: dict[str, Any] = {}
        self.rows: dict[str, int] = {}

    def add(self, name: str, row: dict[str, str]) -> None:
        """Write a row to the file of that name."""
        if name not in self.tables:
            path = self.folder / name
            file = self.stack.enter_context(path.open("w", encoding="utf-8", newline=""))
            self.tables[name] = csv.writer(file, lineterminator="\n")
            self.tables[name].writerow(self.columns)
            self.rows[name] = 0
        numbered = {**row, "": str(self.rows[name])}
        self.tables[name].writerow([numbered[column] for column in self.columns])
        self.rows[name] += 1


def _write_original(dataset: Dataset, out: Path) -> list[Path]:
    """Write all training tasks to one file, and each task of other splits to its own."""
    options = dataset.manifest.options
    with ExitStack() as stack:
        tables = _Tables(out, COLUMNS, stack)
        trained: set[str] = set()
        for split in dataset.manifest.splits:
            for example in dataset.rows(split):
                name = task(options, example.metadata)
                if split == "train":
                    trained.add(name)
                row = cells(example, split, name)
                tables.add("_train.csv" if split == "train" else f"{name}_{split}.csv", row)
    if trained:
        tasks = sorted(trained, key=lambda name: [int(part) for part in name.split(".")])
        (out / "_train.csv").rename(out / f"{','.join(tasks)}_train.csv")
    return sorted(out.iterdir())


def _write_hugging_face(dataset: Dataset, out: Path) -> list[Path]:
    """Write a file for each split, with numbered answers."""
    options = dataset.manifest.options
    with ExitStack() as stack:
        tables = _Tables(out, HUGGING_FACE_COLUMNS, stack)
        for split in dataset.manifest.splits:
            for example in dataset.rows(split):
                row = cells(example, split, task(options, example.metadata))
                row |= {
                    "target": str(LABELS.index(example.target)),
                    "target_text": example.target,
                }
                tables.add(f"{split}.csv", row)
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
