"""Prompts and answers for programs that train, ask and test language models."""

import re
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from .dataset import Dataset
from .errors import InvalidOption
from .example import Example
from .exporter import Exporter
from .prompt import Prompter, reasoning
from .scoring import key

_REQUESTS = 50_000
"""What OpenAI takes in one file."""


def answered(rows: Iterable[Example]) -> Iterator[Example]:
    """The rows that have a right answer; candidates of relinf may have none."""
    return (row for row in rows if key(row).right)


def lines(path: Path, records: Iterable[object]) -> bool:
    """Write a file of JSON lines, and say whether there were any."""
    some = False
    with path.open("wb") as file:
        for record in records:
            file.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
            some = True
    return some


def split_files(dataset: Dataset, out: Path, record: Callable[[Example], object]) -> list[Path]:
    """A file of JSON lines for each split, of the rows that have an answer."""
    written = []
    for split in dataset.manifest.splits:
        path = out / f"{split}.jsonl"
        if lines(path, map(record, answered(dataset.rows(split)))):
            written.append(path)
        else:
            path.unlink()
    if not written:
        raise InvalidOption(
            f"{dataset.folder}: no row has an answer to learn from or to score by; export rows of "
            f"gen relinf-aggregate, say"
        )
    return written


def resource(file: str, /, **words: str) -> str:
    """A file of ours that goes into an export, with some words filled in."""
    text = files(__package__).joinpath("exports", file).read_text("utf-8")
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text


def package_name(dataset: Dataset) -> str:
    """A name for a package of a dataset's rows, after its folder."""
    stem = re.sub(r"[^a-z0-9]+", "-", dataset.folder.resolve().name.casefold()).strip("-")
    return f"relsmith-{stem or dataset.manifest.generator}"


def _chat(dataset: Dataset, out: Path) -> list[Path]:
    alone, steps = Prompter(), Prompter("cot")

    def record(row: Example) -> dict[str, Any]:
        said = reasoning(row)
        asked = steps(row) if said else alone(row)
        reply = "\n".join([*said, f"Answer: {key(row).right}"]) if said else key(row).right
        return {
            "id": row.id,
            "messages": [*asked.messages, {"role": "assistant", "content": reply}],
        }

    out.mkdir()
    return split_files(dataset, out, record)


def _openai_batch(dataset: Dataset, out: Path) -> list[Path]:
    prompter = Prompter()
    out.mkdir()
    written = []
    for split in dataset.manifest.splits:
        requests = (
            {
                "custom_id": row.id,
                "method": "POST",
                "url": "/v1/chat/completions",
                "body": {"model": "MODEL", "messages": prompter(row).messages},
            }
            for row in dataset.rows(split)
        )
        number = 0
        while True:
            path = out / f"{split}-{number:05}.jsonl"
            if not lines(path, islice(requests, _REQUESTS)):
                path.unlink()
                break
            written.append(path)
            number += 1
    return written


def _promptfoo(dataset: Dataset, out: Path) -> list[Path]:
    prompter = Prompter()
    out.mkdir()
    split = "test" if "test" in dataset.manifest.splits else next(iter(dataset.manifest.splits))
    rows, tests = out / "rows.jsonl", out / "tests.jsonl"
    lines(rows, (row.record() for row in answered(dataset.rows(split))))
    if not lines(
        tests,
        (
            {"description": row.id, "vars": {"id": row.id, "prompt": prompter(row).text}}
            for row in answered(dataset.rows(split))
        ),
    ):
        raise InvalidOption(f"{dataset.folder}: no row of {split} has an answer to score by")
    config, scorer = out / "promptfooconfig.yaml", out / "relsmith_score.py"
    name = package_name(dataset)
    config.write_text(resource("promptfooconfig.yaml.txt", name=name), "utf-8")
    scorer.write_text(resource("promptfoo_score.py.txt"), "utf-8")
    return [config, scorer, tests, rows]


def _trl(dataset: Dataset, out: Path) -> list[Path]:
    prompter = Prompter("cot")

    def record(row: Example) -> dict[str, Any]:
        return {"id": row.id, "prompt": prompter(row).messages, "row": row.encoded()}

    out.mkdir()
    written = split_files(dataset, out, record)
    reward = out / "reward.py"
    reward.write_text(resource("trl_reward.py.txt"), "utf-8")
    return [*written, reward]


def _verifiers(dataset: Dataset, out: Path) -> list[Path]:
    name = package_name(dataset)
    home = out / name.replace("-", "_")
    home.mkdir(parents=True)
    about = out / "pyproject.toml"
    about.write_text(
        resource(
            "verifiers_pyproject.toml.txt",
            name=name,
            package=home.name,
            generator=dataset.manifest.generator,
        ),
        "utf-8",
    )
    written = split_files(dataset, home, Example.record)
    splits = [path.stem for path in written]
    code = home / "__init__.py"
    first = "train" if "train" in splits else splits[0]
    code.write_text(
        resource(
            "verifiers_taskset.py.txt",
            name=name,
            split=first,
            generator=dataset.manifest.generator,
        ),
        "utf-8",
    )
    return [about, code, *written]


CHAT = Exporter(
    "chat", "Messages to learn from, with the proof in words where rows have one.", _chat
)
OPENAI_BATCH = Exporter(
    "openai-batch", "Requests for OpenAI's batches and whatever takes the same.", _openai_batch
)
PROMPTFOO = Exporter("promptfoo", "A configuration for promptfoo, scored by relsmith.", _promptfoo)
TRL = Exporter("trl", "Prompts and a reward function for TRL's GRPO.", _trl)
VERIFIERS = Exporter(
    "verifiers", "An environment for verifiers to install, relsmith's score its reward.", _verifiers
)
