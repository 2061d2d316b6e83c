"""Prompts and answers for programs that train, ask and test language models."""

import re
from collections.abc import Callable, Iterable
from functools import partial
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from ..dataset import Dataset
from ..errors import InvalidOption
from ..example import Example
from ..prompting.prompt import Prompter, reasoning
from ..scoring.scorer import key
from .exporter import Exporter

_REQUESTS = 50_000
"""What OpenAI takes in one file."""


def lines(path: Path, encoded: Iterable[bytes]) -> bool:
    """Write a file of lines, and say whether there were any."""
    some = False
    with path.open("wb") as file:
        for line in encoded:
            file.write(line)
            some = True
    return some


Record = Callable[[Example], object]


def line(row: Example, record: Record) -> bytes:
    """The line of JSON of what is recorded of a row."""
    return orjson.dumps(record(row), option=orjson.OPT_APPEND_NEWLINE)


def answered_line(row: Example, record: Record) -> bytes | None:
    """The same where the row has a right answer; candidates of relinf may have none."""
    return line(row, record) if key(row).right else None


def split_files(dataset: Dataset, out: Path, record: Record) -> list[Path]:
    """A file of JSON lines for each split, of the rows that have an answer."""
    written = []
    for split in dataset.manifest.splits:
        path = out / f"{split}.jsonl"
        if lines(path, dataset.mapped(partial(answered_line, record=record), split)):
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


def _learned(row: Example) -> dict[str, Any]:
    said = reasoning(row)
    asked = Prompter("cot" if said else "zero-shot")(row)
    reply = "\n".join([*said, f"Answer: {key(row).right}"]) if said else key(row).right
    return {"id": row.id, "messages": [*asked.messages, {"role": "assistant", "content": reply}]}


def _chat(dataset: Dataset, out: Path) -> list[Path]:
    out.mkdir()
    return split_files(dataset, out, _learned)


def _request(row: Example) -> dict[str, Any]:
    return {
        "custom_id": row.id,
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {"model": "MODEL", "messages": Prompter()(row).messages},
    }


def _openai_batch(dataset: Dataset, out: Path) -> list[Path]:
    out.mkdir()
    written = []
    for split in dataset.manifest.splits:
        requests = dataset.mapped(partial(line, record=_request), split)
        number = 0
        while True:
            path = out / f"{split}-{number:05}.jsonl"
            if not lines(path, islice(requests, _REQUESTS)):
                path.unlink()
                break
            written.append(path)
            number += 1
    return written


def _test(row: Example) -> dict[str, Any]:
    return {"description": row.id, "vars": {"id": row.id, "prompt": Prompter()(row).text}}


def _promptfoo(dataset: Dataset, out: Path) -> list[Path]:
    out.mkdir()
    split = "test" if "test" in dataset.manifest.splits else next(iter(dataset.manifest.splits))
    rows, tests = out / "rows.jsonl", out / "tests.jsonl"
    lines(rows, dataset.mapped(partial(answered_line, record=Example.record), split))
    if not lines(tests, dataset.mapped(partial(answered_line, record=_test), split)):
        raise InvalidOption(f"{dataset.folder}: no row of {split} has an answer to score by")
    config, scorer = out / "promptfooconfig.yaml", out / "relsmith_score.py"
    name = package_name(dataset)
    config.write_text(resource("promptfooconfig.yaml.txt", name=name), "utf-8")
    scorer.write_text(resource("promptfoo_score.py.txt"), "utf-8")
    return [config, scorer, tests, rows]


def _prompted(row: Example) -> dict[str, Any]:
    return {"id": row.id, "prompt": Prompter("cot")(row).messages, "row": row.encoded()}


def _trl(dataset: Dataset, out: Path) -> list[Path]:
    out.mkdir()
    written = split_files(dataset, out, _prompted)
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
    "chat",
    "Messages to learn from, with the proof in words where rows have one.",
    _chat,
    by_row=True,
)
OPENAI_BATCH = Exporter(
    "openai-batch",
    "Requests for OpenAI's batches and whatever takes the same.",
    _openai_batch,
    by_row=True,
)
PROMPTFOO = Exporter(
    "promptfoo", "A configuration for promptfoo, scored by relsmith.", _promptfoo, by_row=True
)
TRL = Exporter("trl", "Prompts and a reward function for TRL's GRPO.", _trl, by_row=True)
VERIFIERS = Exporter(
    "verifiers",
    "An environment for verifiers to install, relsmith's score its reward.",
    _verifiers,
    by_row=True,
)
